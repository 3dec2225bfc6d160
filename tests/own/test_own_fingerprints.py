"""Fingerprints of one's own: of plug-ins within plug-ins, by their types, and of modules of results."""

import ast

import pytest
from house import ROOT
from own_folders import own

from isobath import fingerprints, plugins, roots
from isobath.study.plugin_modules import plugin_modules
from isobath.workflow import plan

POWER = '''"""Power of the cosine."""


def profile(pairs, *, depth, exponent: int = 1):
    yield pairs.u**exponent
'''
DOUBLED = '''"""Twice a kernel."""

from isobath.binding import bound


def profile(pairs, *, depth, inner: Kernel, others: tuple[Kernel, ...] = ()):
    for values in bound("kernel", inner)(pairs, depth=depth):
        yield 2 * values
'''
KERNELS = {"kernels/power.py": POWER, "kernels/doubled.py": DOUBLED}


@pytest.fixture(autouse=True)
def _roots():
    yield
    roots.use([])


def code_of(place, stage, spec):
    """Return the fingerprint of a job with the modules of a folder over the package, which are read once."""
    roots.use([])
    roots.use([place / "own"])
    return fingerprints.fingerprint(stage, spec)


@pytest.mark.parametrize(
    "within", [{"inner": {"kind": "power"}}, {"inner": {"kind": "ntk"}, "others": [{"kind": "power"}]}]
)
def test_a_plugin_within_another_counts_whatever_its_setting_is_called(tmp_path, within):
    """Once that of a setting that is not called as its family was bound, and its edits were not seen."""
    spec = {"kernel": {"kind": "doubled", **within}}
    edited = {**KERNELS, "kernels/power.py": POWER.replace("**exponent", "** (exponent + 1)")}
    before = code_of(own(tmp_path / "before", **KERNELS), "kernels", spec)
    after = code_of(own(tmp_path / "after", **edited), "kernels", spec)
    assert "isobath.kernels.power" in set(fingerprints.named(spec))
    assert before != after


@pytest.mark.parametrize("name", ["network", "loss", "kernel", "task", "claims", "kind"])
def test_an_entry_may_be_called_as_a_family_is(name):
    """Once its settings were taken for a plug-in of that family, and every run ended in a traceback."""
    spec = {
        "study": "width",
        "tasks": {name: {"kind": "k_local", "k": 2}},
        "protocols": {name: {"kind": "sgd", "network": {"kind": "mlp"}}},
        "laws": {name: {"form": {"kind": "powers"}}},
        "claims": [],
    }
    assert {*fingerprints.named(spec)} == {"isobath.networks.mlp", "isobath.forms.powers"}


def test_a_calculation_has_the_code_of_the_network_that_it_draws():
    code = fingerprints._closure("isobath.calculations.finite_tangent_kernels")
    assert {"isobath.networks.mlp", "isobath.initialisations.standard_normal"} <= code


def test_a_module_of_results_of_ones_own_counts(tmp_path):
    """Once no module in results/ did, though a stage of one's own may take its numbers from there."""
    stage = "from isobath.results import spectra\n\n\ndef main():\n    return spectra.EXPONENT\n"
    texts = ["EXPONENT = 1.0\n", "EXPONENT = 1.0  # the first\n", "EXPONENT = 2.0\n"]
    files = [{"results/spectra.py": text, "stages/spectra.py": stage} for text in texts]
    folders = [own(tmp_path / str(i), **written) for i, written in enumerate(files)]
    plain, commented, edited = (code_of(folder, "spectra", {}) for folder in folders)
    assert plain == commented != edited


def test_modules_of_a_study_of_ours_are_those_of_its_plugins_and_their_settings():
    study = plan.load_study(ROOT / "workflow/studies/kernels", "smoke")
    found = set(plugin_modules("kernels", study))
    assert {"isobath.kernels.arc_cosine_step", "isobath.losses.cross_entropy", "isobath.networks.mlp"} <= found


def test_a_tree_is_written_alike_by_all_versions_of_python():
    """Once an f-string, which ``ast.unparse`` quotes otherwise from Python 3.12 on, made all results stale."""
    tree = ast.parse("""def f(x, *, y=None):\n    return f"{x!r:>{y}} 'a' \\"b\\"" + x["k"]""")
    assert fingerprints.written(tree) == (
        "(Module body=[(FunctionDef name='f' args=(arguments args=[(arg arg='x')] kwonlyargs=[(arg arg='y')] "
        "kw_defaults=[(Constant)]) body=[(Return value=(BinOp left=(JoinedStr values=[(FormattedValue value=(Name "
        "id='x' ctx=(Load)) conversion=114 format_spec=(JoinedStr values=[(Constant value='>') (FormattedValue "
        "value=(Name id='y' ctx=(Load)) conversion=-1)])) (Constant value=' \\'a\\' \"b\"')]) op=(Add) "
        "right=(Subscript value=(Name id='x' ctx=(Load)) slice=(Constant value='k') ctx=(Load))))])])"
    )


def test_a_module_that_is_imported_by_its_whole_name_counts(tmp_path):
    text = '"""Power."""\n\nimport isobath.regression.exponents\n'
    place = own(tmp_path, **{"kernels/power.py": text, "regression/exponents.py": "A = 1\n"})
    roots.use([place / "own"])
    try:
        assert "isobath.regression.exponents" in fingerprints._closure("isobath.kernels.power")
    finally:
        roots.use([])


@pytest.mark.parametrize(
    "call",
    [
        "importlib.import_module('isobath.radii')",
        "importlib.import_module(name='isobath.radii')",
        "importlib.import_module('.radii', 'isobath')",
        "importlib.import_module('..radii', __package__)",
        "__import__('isobath.radii', fromlist=['SCALE'])",
    ],
)
def test_a_module_that_is_imported_by_a_call_counts(tmp_path, call):
    """Once an edit of it ran nothing again."""
    text = POWER.replace("pairs.u", "SCALE * pairs.u") + f"\n\nimport importlib\n\nSCALE = {call}.SCALE\n"
    codes = {
        code_of(
            own(tmp_path / str(scale), **{"kernels/power.py": text, "radii.py": f"SCALE = {scale}\n"}),
            "kernels",
            {"kernel": {"kind": "power"}},
        )
        for scale in (1.0, 2.0)
    }
    assert len(codes) == 2


def test_templates_styles_and_the_script_of_the_page_are_part_of_its_code():
    meaning = fingerprints._meaning("isobath.page")
    beside = [file for file in (plugins.PACKAGE / "page").iterdir() if file.suffix in (".html", ".css", ".js")]
    assert {file.suffix for file in beside} == {".html", ".css", ".js"}
    assert all(file.read_text(encoding="utf-8") in meaning for file in beside)


@pytest.mark.parametrize(
    ("stage", "deciding"),
    [
        ("networks", {"jobs.trainings", "jobs.training_specs", "jobs.network_streams", "randomness", "statuses"}),
        ("verdicts", {"analysis.verdicts", "analysis.judging", "analysis.decisions"}),
    ],
)
def test_what_decides_on_numbers_is_no_glue(stage, deciding):
    of_stage = fingerprints._closure(f"isobath.stages.{stage}")
    counted = {module for module in of_stage if not fingerprints._is_glue(module)}
    assert {f"isobath.{name}" for name in deciding} <= counted
