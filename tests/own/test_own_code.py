"""Own plug-ins that can't be imported and own claims that can't be judged are refused before any job."""

import re
import subprocess

import pytest
from house import ROOT, SNAKEMAKE
from own_folders import CLAIM, MAJORITY, STUDY, own

from isobath import binding, plugins, roots
from isobath.binding import plural
from isobath.hooks import own_code
from isobath.study.schema import ConfigError
from isobath.syntax import PluginError
from isobath.workflow import plan

LACKING = CLAIM.replace(', statistic="test error"', "")


@pytest.fixture(autouse=True)
def _roots():
    yield
    roots.use([])


def test_claims_that_can_be_judged_are_not_refused(tmp_path):
    own_code.require(plan.load(own(tmp_path), {"studies": ["waves", "locality"]}))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"import nopackage\n{CLAIM}", "can't be imported: ModuleNotFoundError: No module named 'nopackage'; mend"),
        (LACKING, "can't be imported: TypeError: claim() missing 1 required keyword-only argument: 'statistic'"),
        (f"raise SystemExit(3)\n{CLAIM}", "can't be imported: SystemExit: 3"),
        (f"{CLAIM}\nraise ValueError('two\\nlines')\n", "can't be imported: ValueError: two lines; mend the file"),
        (f"{CLAIM}\nmajority_is_learned = 3\n", "the claim majority_is_learned is 3; a function below @claim"),
        (CLAIM.replace("@claim", "@repr\n@claim"), 'is "Claim(statement='),
    ],
)
def test_a_claim_that_can_not_be_judged_is_refused_in_one_sentence(tmp_path, text, words):
    run = plan.load(own(tmp_path, **{"claims/waves.py": text}), {})
    with pytest.raises(ConfigError) as refusal:
        own_code.require(run)
    assert str(refusal.value).startswith(f"{tmp_path}/own/claims/waves.py: the claim majority_is_learned ")
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("network", "def init(): ...\n"),
        ("loss", 'TAKES = ("labels",)\n\n\ndef value(): ...\n'),
        ("protocol", "def train(): ...\n"),
        ("figure", "def draw(cube): ...\n"),
    ],
)
def test_a_plugin_that_can_not_be_imported_is_refused_in_one_sentence(tmp_path, family, text):
    """Once it failed in its first job, which for a figure comes after all others."""
    entries = {
        "network": STUDY.replace("kind: mlp", "kind: odd"),
        "loss": STUDY.replace("learning_rate", "loss: odd, learning_rate"),
        "protocol": STUDY.replace("kind: sgd", "kind: odd"),
        "figure": f"{STUDY}figures:\n  one: {{kind: odd, grid: widths, caption: Odd.}}\n",
    }
    broken = f"import nopackage\n\n\n{text}"
    place = own(tmp_path, **{f"{plural(family)}/odd.py": broken, "studies/waves/study.yaml": entries[family]})
    with pytest.raises(ConfigError) as refusal:
        own_code.require(plan.load(place, {}))
    file = f"{tmp_path}/own/{plural(family)}/odd.py"
    why = "it can't be imported: ModuleNotFoundError: No module named 'nopackage'; mend the file"
    assert str(refusal.value) == f"{file}: {why}"


NESTED = """
from isobath.settings import Loss, Values


def calculate(
    *, generator, losses: dict[str, Loss], other: None | Loss = None, distinct: Values[Loss] = ("cross_entropy",)
):
    \"\"\"Calculate nothing of these losses.\"\"\"
"""


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("losses: {a: {kind: power, p: 4}}, other: cross_entropy", ""),
        ("losses: {a: {kind: no_such_loss}}", "calculations.one.losses.a.kind is 'no_such_loss'"),
        ("losses: {a: {kind: power, nonsense: 1}}", "nonsense"),
        ("losses: {}, other: {kind: no_such_loss}", "calculations.one.other.kind is 'no_such_loss'"),
        ("losses: {}, distinct: [{kind: power, p: 4}, cross_entropy]", ""),
        ("losses: {}, distinct: [{kind: power, p: 4}, {p: 4, kind: power}]", "a value stands twice"),
    ],
)
def test_plugins_within_a_setting_are_checked_in_every_type_that_holds_them(tmp_path, settings, words):
    """Once those of a dict, and of a union that begins with None, were handed on as they were written."""
    study = f"{STUDY}calculations:\n  one: {{kind: nested, grid: widths, {settings}}}\n"
    place = own(tmp_path, **{"calculations/nested.py": NESTED, "studies/waves/study.yaml": study})
    if not words:
        of_study = plan.load(place, {}).studies["waves"].calculations["one"]
        verb = binding.bound("calculation", {"kind": "nested", **of_study.settings})
        assert all(map(callable, [*verb.keywords["losses"].values(), *verb.keywords["distinct"]]))
        assert verb.keywords["other"] is None or callable(verb.keywords["other"])
        return
    with pytest.raises(ConfigError, match=re.escape(words)):
        plan.load(place, {})


def test_types_that_are_all_in_quotes_are_refused(tmp_path):
    text = MAJORITY.replace("import numpy", "from __future__ import annotations\n\nimport numpy", 1)
    with pytest.raises(ConfigError, match=r"own/tasks/majority\.py: from __future__ import annotations puts its types"):
        plan.load(own(tmp_path, **{"tasks/majority.py": text}), {})


def test_hidden_files_hold_no_claims(tmp_path):
    """A Mac leaves such files on network volumes; they are no text."""
    place = own(tmp_path)
    (place / "own/claims/waves").mkdir()
    (place / "own/claims/waves.py").rename(place / "own/claims/waves/all.py")
    (place / "own/claims/waves/._all.py").write_bytes(b"\xff\x00\x05\x16")
    plan.load(place, {})


def test_a_loss_that_does_not_say_what_it_takes_is_refused(tmp_path):
    text = STUDY.replace("learning_rate", "loss: odd, learning_rate")
    place = own(tmp_path, **{"losses/odd.py": "def value(): ...\n", "studies/waves/study.yaml": text})
    with pytest.raises(ConfigError, match=r"takes nothing, for .*own/losses/odd\.py has no TAKES; tasks.majority has"):
        plan.load(place, {})


def test_a_run_with_such_a_claim_does_not_begin(tmp_path):
    """Once it failed in its last job."""
    place = own(tmp_path, **{"claims/waves.py": LACKING})
    command = [*SNAKEMAKE[:1], "--snakefile", str(ROOT / "Snakefile"), "--cores", "1", "-n"]
    refused = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    said = " ".join((refused.stdout + refused.stderr).split())
    assert refused.returncode != 0
    assert f"{place}/own/claims/waves.py: the claim majority_is_learned can't be imported: TypeError" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"radii.py": "", "radii/__init__.py": ""}, r"radii/__init__\.py: .*radii\.py has the same name"),
        ({"tasks/mine.py": "", "tasks/mine/__init__.py": ""}, r"mine/__init__\.py: .*mine\.py has the same name"),
        ({"kernels/ntk.py": ""}, r"own/kernels/ntk\.py: .*isobath/kernels/ntk\.py has the same name"),
    ],
)
def test_two_modules_of_one_name_are_refused_by_the_library_as_well(tmp_path, files, words):
    """Once Python ran the package and fingerprints were of the file; and a kernel of one's own was passed over."""
    with pytest.raises(roots.RootError, match=words):
        roots.use([own(tmp_path, **files) / "own"])


def test_two_folders_with_a_module_of_one_name_are_refused(tmp_path):
    places = [own(tmp_path / name, **{"kernels/mine.py": ""}) / "own" for name in ("one", "two")]
    with pytest.raises(roots.RootError, match=r"two/own/.*\.py: .*one/own/.*\.py has the same name"):
        roots.use(places)


def test_an_edit_counts_when_a_folder_is_used_again(tmp_path):
    """Once a notebook went on with the old code, and with an old syntax error, until it was started anew."""
    text = '"""Kernel."""\n\nSCALE = {}\n\n\ndef profile(pairs, *, depth):\n    yield pairs.u\n'
    place = own(tmp_path, **{"kernels/mine.py": text.format("1 +")}) / "own"
    roots.use([place])
    with pytest.raises(PluginError, match=r"own/kernels/mine\.py, line 3: invalid syntax"):
        plugins.schema("kernel", "mine")
    with pytest.raises(SyntaxError):
        binding.load("kernel", "mine")
    for scale in (1, 22):
        (place / "kernels/mine.py").write_text(
            text.format(scale).replace("depth)", "depth, extra: int = 1)" if scale == 22 else "depth)")
        )
        roots.use([place])
        assert plugins.schema("kernel", "mine").keys() == ({"extra"} if scale == 22 else set())
        assert vars(binding.load("kernel", "mine"))["SCALE"] == scale
