"""Work of a user's own, in a folder beside config.yaml: found, checked, fingerprinted."""

import importlib
import json
import os
import re
import subprocess
import sys

import pytest
from own_folders import MAJORITY, SHAPES, STUDY, own, write

from isobath import binding, claim_files, fingerprints, plugins, roots
from isobath.launcher import server
from isobath.launcher.client import place
from isobath.study.run import canonical
from isobath.study.schema import ConfigError
from isobath.workflow import plan

SPEC = {"task": {"kind": "majority", "dimension": 3}, "name": "t", "n": 5, "draw": None, "seed": 0}


@pytest.fixture(autouse=True)
def _roots():
    yield
    roots.use([])


def code_of(folder, spec=SPEC):
    """Return the fingerprint of a data set with the modules of a folder over the package."""
    roots.use([folder / "own"])
    return fingerprints.fingerprint("data", spec)


def test_a_kind_a_claim_and_a_study_of_ones_own_are_found(tmp_path):
    run = plan.load(own(tmp_path), {})
    assert "majority" in plugins.kinds("task")
    assert plugins.schema("task", "majority").keys() == {"dimension"}
    assert binding.load("task", "majority").__file__ == str(tmp_path / "own/tasks/majority.py")
    assert claim_files.load_claim("waves", "majority_is_learned").own
    assert "waves" in [path.name for path in claim_files.studies_with_claims()]
    rules = [job.rule for job in plan.jobs(run)]
    assert {"data", "networks", "cubes", "verdicts"} <= {*rules} | {"data"}
    assert all(plan.code(job.rule, json.loads(canonical(job.spec(run)))) for job in plan.jobs(run))


def test_a_study_with_a_dot_in_its_name_takes_no_claims_of_another_study(tmp_path):
    """Its name, waves.2, begins with that of waves.py, whose claims it took; its own claims could not be imported."""
    folder = own(tmp_path) / "own"
    roots.use([folder])
    assert claim_files.claims("waves").keys() == {"majority_is_learned"}
    assert claim_files.claims("waves.2") == {}
    write(folder, {"claims/waves.2.py": (folder / "claims/waves.py").read_text()})
    assert {"waves", "waves.2"} <= {path.name for path in claim_files.studies_with_claims()}
    with pytest.raises(plugins.PluginError, match=r"waves\.2\.py: a module can't have a dot in its name; rename"):
        claim_files.claims("waves.2")


def test_without_the_folder_they_are_not(tmp_path):
    plan.load(own(tmp_path), {})
    first = binding.load("task", "majority")
    roots.use([])
    assert "majority" not in plugins.kinds("task")
    with pytest.raises(ModuleNotFoundError):
        binding.load("task", "majority")
    roots.use([tmp_path / "own"])
    assert binding.load("task", "majority") is not first


def test_the_fingerprint_of_ones_own_covers_what_it_imports_and_nothing_else(tmp_path):
    folders = {
        "as it is": {},
        "a comment": {"tasks/majority.py": f"# mine\n{MAJORITY}"},
        "another kind": {"tasks/minority.py": MAJORITY.replace("Majority", "Minority")},
        "the kind": {"tasks/majority.py": MAJORITY.replace("standard_normal", "laplace")},
        "a module beside": {"shapes.py": SHAPES.replace("< 0", "<= 0")},
    }
    codes = {name: code_of(own(tmp_path / name, **files)) for name, files in folders.items()}
    assert codes["as it is"] == codes["a comment"] == codes["another kind"]
    assert len({codes[name] for name in ("as it is", "the kind", "a module beside")}) == 3


def test_what_lies_over_the_package_changes_no_fingerprint_of_ours(tmp_path):
    spec = {**SPEC, "task": {"kind": "k_local", "k": 1, "dimension": 3}}
    ours = fingerprints.fingerprint("data", spec)
    assert code_of(own(tmp_path), spec) == ours


def test_a_job_runs_a_kind_of_ones_own_and_refuses_other_code(tmp_path):
    code = code_of(own(tmp_path))
    words = ["--spec", json.dumps(SPEC), "--code", code, "--output", "t.zarr.zip", "--log", "log"]

    def job():
        command = [sys.executable, "-m", "isobath.stages.data", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert job().returncode == 0
    (tmp_path / "t.zarr.zip").unlink()
    write(tmp_path, {"own/shapes.py": SHAPES.replace("< 0", "<= 0")})
    refused = job()
    assert refused.returncode == 1
    assert f"and code {code} was asked for: it was edited while the run went on" in refused.stderr
    assert not (tmp_path / "t.zarr.zip").exists()


def test_a_launcher_takes_no_job_whose_own_modules_were_edited(tmp_path):
    roots.use([own(tmp_path) / "own"])
    asked = place()
    before = server.key(asked)
    assert server.key(asked) == before
    write(tmp_path, {"own/shapes.py": SHAPES.replace("< 0", "<= 0")})
    assert server.key(asked) != before


REFUSED = {
    "a kind of ours": (
        {"own/tasks/k_local.py": MAJORITY},
        ["own/tasks/k_local.py", "isobath/tasks/k_local.py", "rename"],
    ),
    "a module of ours": ({"own/plugins.py": SHAPES}, ["own/plugins.py", "isobath/plugins.py"]),
    "a folder in the singular": ({"own/task/x.py": MAJORITY}, ["own/task/x.py", "must be tasks, not task"]),
    "no Python": ({"own/tasks/x.py": "def"}, ["own/tasks/x.py, line 1: "]),
    "a module of the run's folder": (
        {"own/tasks/x.py": "import beside\n", "beside.py": ""},
        ["own/tasks/x.py: it imports beside", "isobath.<module>"],
    ),
    "the folder by its name": ({"own/tasks/x.py": "from own.shapes import y\n"}, ["own/tasks/x.py: it imports own"]),
    "a study of ours": (
        {"own/studies/width/study.yaml": STUDY},
        ["own/studies/width/study.yaml", "studies/width/study"],
    ),
    "a study of another case": (
        {"own/studies/Waves/study.yaml": STUDY},
        [
            "own/studies/waves/study.yaml: there is a study Waves in",
            "which some file systems take for the same; rename",
        ],
    ),
    "a study called as the page": (
        {"own/studies/INDEX.html/study.yaml": STUDY},
        ["own/studies/INDEX.html/study.yaml: a study can't be called INDEX.html, as the page of a run is"],
    ),
    "a claim of ours": (
        {"own/claims/locality/x.py": "@claim()\ndef narrow_networks_express_local(tree):\n    pass\n"},
        ["own/claims/locality/x.py: the study locality has a claim narrow_networks_express_local in", "rename one"],
    ),
    "a claim that is not there": (
        {"own/studies/waves/study.yaml": STUDY.replace("[majority_is_learned]", "[majority_is_leaned]")},
        ["claims[0] is 'majority_is_leaned'; did you mean 'majority_is_learned'?"],
    ),
    "a folder that is not there": ({"config.yaml": "{scale: smoke, studies: [waves], own: mine}"}, ["own is 'mine'"]),
    "the folder of the run": ({"config.yaml": "{scale: smoke, studies: [waves], own: .}"}, ["own is '.'"]),
    "a folder above that of the run": (
        {"config.yaml": "{scale: smoke, studies: [waves], own: ..}"},
        ["config.yaml: own is '..', in which the run itself lies; it must be a folder below"],
    ),
    "a study that is not there": ({"config.yaml": "{scale: smoke, studies: [wave]}"}, ["did you mean 'waves'?"]),
    "a study in one file": (
        {"own/studies/one.yaml": STUDY, "config.yaml": "{scale: smoke, studies: [one]}"},
        ["own/studies/one.yaml: a study is a folder"],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_in_one_sentence_that_names_the_files(name, tmp_path, monkeypatch):
    files, words = REFUSED[name]
    monkeypatch.chdir(write(own(tmp_path), files))
    with pytest.raises(ConfigError) as refusal:
        plan.load(tmp_path, {"studies": ["locality"]} if "claim of ours" in name else {})
    assert "\n" not in str(refusal.value)
    for word in words:
        assert word in str(refusal.value)


def _entry(path, what):
    """Make a folder, a dangling link, a link to itself, a pipe or a file that is a task."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "file":
        path.write_text(MAJORITY, encoding="utf-8")
    else:
        path.symlink_to("nowhere.py" if what == "dangling link" else path)


@pytest.mark.parametrize(
    ("what", "name", "words"),
    [
        ("dangling link", "tasks/x.py", "is a link to nothing; a name that ends in .py must be that of a regular file"),
        ("circular link", "claims/x.py", "is a link to nothing"),
        ("folder", "tasks/x.py", "is a folder; a name that ends in .py"),
        ("pipe", "drafts/x.py", "is a pipe; a name that ends in .py"),
        ("pipe", "rules/x.smk", "is a pipe; a name that ends in .smk"),
    ],
)
def test_an_entry_that_is_no_module_is_refused_before_anything_is_read(tmp_path, what, name, words):
    _entry(own(tmp_path) / "own" / name, what)
    code = "import sys; from pathlib import Path; from isobath.workflow import plan; plan.load(Path(sys.argv[1]), {})"
    command = [sys.executable, "-c", code, str(tmp_path)]
    environment = {key: value for key, value in os.environ.items() if key != roots.VARIABLE}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    *_, last = run.stderr.splitlines()
    assert last.startswith(f"isobath.study.schema.ConfigError: {tmp_path}/own/{name}")
    assert words in last


def test_odd_names_of_files_are_left_alone_until_a_study_names_them(tmp_path):
    place = own(tmp_path)
    for name in ("tasks/_shared.py", "tasks/Majority.py", "tasks/ripples copy.py", "tasks/ripples.v2.py"):
        _entry(place / "own" / name, "file")
    plan.load(place, {})
    said = {
        "ripples copy": "a name is letters, digits and",
        "ripples.v2": "own/tasks/ripples.v2.py: Python can't import",
    }
    for kind, words in said.items():
        write(place, {"own/studies/waves/study.yaml": STUDY.replace("kind: majority", f"kind: {kind}")})
        with pytest.raises(ConfigError, match=re.escape(words)) as refused:
            plan.load(place, {})
        assert "\n" not in str(refused.value)


def test_two_folders_of_ones_own_must_not_have_the_same_kind(tmp_path):
    write(own(tmp_path), {"config.yaml": "{scale: smoke, studies: [waves], own: [own, more]}"})
    write(tmp_path / "more", {"tasks/minority.py": MAJORITY})
    plan.load(tmp_path, {})
    assert {"majority", "minority"} <= {*plugins.kinds("task")}
    write(tmp_path / "more", {"tasks/majority.py": MAJORITY})
    with pytest.raises(ConfigError, match=r"more/tasks/majority\.py: .*own/tasks/majority\.py has the same name"):
        plan.load(tmp_path, {})


def installed(place):
    """Write a package as pip installs it: its folder, and metadata with an entry point."""
    files = {
        "__init__.py": "",
        "curves.py": SHAPES,
        "tasks/arcs.py": MAJORITY.replace("isobath.shapes", "waves_kit.curves"),
    }
    write(place / "waves_kit", files)
    metadata = {"METADATA": "Name: waves-kit\nVersion: 1.0\n", "entry_points.txt": "[isobath]\nwaves = waves_kit\n"}
    write(place / "waves_kit-1.0.dist-info", metadata)
    return place


def test_an_installed_package_brings_kinds_and_its_own_modules(tmp_path, monkeypatch):
    folders = {name: installed(tmp_path / name) for name in ("one", "other")}
    curves = folders["other"] / "waves_kit/curves.py"
    curves.write_text(SHAPES.replace("< 0", "<= 0"), encoding="utf-8")
    codes = []
    for folder in folders.values():
        with monkeypatch.context() as patch:
            patch.syspath_prepend(folder)
            plan.load(write(tmp_path, {"config.yaml": "{scale: smoke, studies: [locality]}"}), {})
            task = binding.load("task", "arcs")
            assert task.__file__ == str(folder / "waves_kit/tasks/arcs.py")
            assert task.most_are_negative.__module__ == "waves_kit.curves"
            codes.append(fingerprints.fingerprint("data", {**SPEC, "task": {"kind": "arcs", "dimension": 3}}))
            sys.modules.pop("waves_kit.curves")
            sys.modules.pop("waves_kit", None)
    assert len({*codes}) == 2


LOSS = '''"""A loss."""

from typing import NamedTuple


class Compiled(NamedTuple):
    """No settings."""
'''


def test_what_is_compiled_of_ones_own_is_kept_by_the_text_of_ones_own(tmp_path):
    from isobath.training.compiled import epochs  # noqa: PLC0415

    ours, caches = epochs.one_epoch._cache.cache_path, []
    try:
        for place, text in (("a", LOSS), ("b", LOSS.replace("No", "Some"))):
            write(tmp_path / place, {"losses/mine.py": text})
            roots.use([tmp_path / place])
            importlib.import_module("isobath.losses.mine")
            caches.append(epochs.one_epoch._cache.cache_path)
    finally:
        roots.use([])
    assert epochs.one_epoch._cache.cache_path == ours
    assert all("-own-" in cache for cache in caches)
    assert caches[0] != caches[1]
