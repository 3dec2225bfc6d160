"""The config and the scales of a study are read as they are meant; what is bad is refused in one sentence."""

import math
import os
from pathlib import Path

import pytest
from house import ROOT, write_study
from study_template import KEPT, STUDY, load

from isobath.study import formulas, loading, network_cells
from isobath.study.loading import ConfigError
from isobath.study.run import Run
from isobath.study.schema import Config
from isobath.workflow import job_costs, plan


def test_the_template_is_valid(tmp_path):
    study = load(tmp_path)
    assert study.tasks["a"].settings == {"k": 2, "dimension": 4, "offsets": None}
    assert study.kernels["ntk"].settings == {"beta": 0.1, "input_variance": 1, "first_bias": False}
    assert (study.kernels["ntk"].ridges, study.kernels["ntk"].validation) == ([], 0.2)


def test_a_data_folder_lies_beside_the_config(tmp_path, monkeypatch):
    """Once it was looked for where a command was called."""
    (tmp_path / "home/mine").mkdir(parents=True)
    (tmp_path / "home/config.yaml").write_text("scale: demo\nstudies: [width]\ndata: mine\n")
    monkeypatch.chdir(tmp_path)
    assert loading.load_config(Path("home"), {}).data == str(Path("home/mine"))
    monkeypatch.chdir(tmp_path / "home")
    assert loading.load_config(Path(), {}).data == "mine"


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_data_folder_of_no_user_is_refused_in_a_sentence(tmp_path, monkeypatch, elsewhere):
    (tmp_path / "config.yaml").write_text("scale: demo\nstudies: [width]\ndata: ~nosuchuser/x\n", encoding="utf-8")
    if not elsewhere:
        monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"config.yaml: data is '.*~nosuchuser/x', which is no folder"):
        loading.load_config(tmp_path, {})
    with pytest.raises(ConfigError, match=r"--config: data is '~nosuchuser', which is no folder"):
        loading.load_config(tmp_path, {"data": "~nosuchuser"})


@pytest.mark.parametrize(("text", "value"), [("1e-3", 1e-3), ("1E3", 1000.0), ("0.10", 0.1), ("5", 5)])
def test_numbers_are_read_as_meant(tmp_path, text, value):
    assert load(tmp_path, "{folds: 5}", text).protocols["sgd"].learning_rate == value


def test_a_scale_merges_replaces_and_removes(tmp_path):
    block = "{tasks: [a], protocols: [sgd], depth: [0], n_train: [5]}"
    demo = f"n_test: 7\ntasks: {{a: {{k: 1}}}}\nkernels: {{ntk: null}}\ngrids: {{g: null, h: [{block}]}}"
    study = load(tmp_path, "grid: g", "grid: h", demo=demo)
    assert study.n_test == 7
    assert study.tasks["a"].settings == {"k": 1, "dimension": 4, "offsets": None}
    assert not study.kernels
    assert list(study.grids) == ["h"]


SCALES = [path for path in sorted((ROOT / "workflow/studies").glob("*/*.yaml")) if path.stem != "study"]


@pytest.mark.parametrize("path", SCALES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_study_is_valid_at_every_scale_that_it_has_a_file_for(path):
    assert plan.load_study(path.parent, path.stem).grids


@pytest.mark.parametrize("study", ["fractals", "kernels", "locality", "width"])
def test_the_studies_of_the_sources_run_at_four_scales(study):
    assert {path.stem for path in SCALES if path.parent.name == study} >= {"smoke", "demo", "laptop", "paper"}


def test_config_yaml_is_short_and_every_key_is_commented():
    lines = (ROOT / "config.yaml").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 40
    keys = [i for i, line in enumerate(lines) if line and not line.startswith("#")]
    assert all(lines[i - 1].startswith("#") for i in keys)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"scal": "demo"}, ["unknown key 'scal'", "did you mean 'scale'"]),
        ({"seed": -1}, ["seed is -1"]),
        ({"studies": []}, ["studies is []; allowed: a list with at least one entry"]),
        ({"studies": "width"}, ["studies is 'width'; allowed: a list, such as studies=[width]"]),
        ({"limits": 5}, ["limits is 5; allowed: a mapping"]),
        ({"data": ""}, ['data is ""; name a folder']),
        ({"data": "~/nowhere"}, [str(Path.home())]),
        ({"seeds_per_job": 0}, ["seeds_per_job is 0"]),
        ({"own": 5}, ["--config: own is 5; allowed: a word or a list"]),
        ({"own": [5]}, ["--config: own[0] is 5; allowed: a word"]),
    ],
)
def test_a_bad_command_line_is_refused(overrides, words):
    with pytest.raises(ConfigError) as refusal:
        loading.load_config(ROOT, overrides)
    for word in ["--config: ", *words]:
        assert word in str(refusal.value)


def test_a_yaml_bomb_and_a_large_file_are_refused(tmp_path):
    for text in ("[" * 100_000, "a: " + "[" * 30 + "]" * 30, "x" * 2_000_000):
        for bomb in ({"study": text, "demo": ""}, {"study": STUDY, "demo": text}):
            folder = write_study(tmp_path / "bomb", bomb["study"], demo=bomb["demo"])
            with pytest.raises(ConfigError, match=r"bomb/(study|demo)\.yaml"):
                plan.load_study(folder, "demo")


def test_a_folder_that_can_not_be_written_is_refused(tmp_path, monkeypatch):
    loading.require_writable(tmp_path / "results/that/will/be/made")
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(ConfigError, match=r"results: .* is not writable"):
        loading.require_writable(tmp_path / "results")


PLACES = {
    "a folder": Path.mkdir,
    "a link to nothing": lambda path: path.symlink_to("elsewhere.yaml"),
    "a pipe": os.mkfifo,
}


@pytest.mark.parametrize("what", PLACES)
@pytest.mark.parametrize("name", ["config.yaml", "config/config.yaml"])
def test_a_config_that_is_no_file_is_refused_and_no_other_is_taken(tmp_path, what, name):
    (tmp_path / "config").mkdir()
    if name == "config.yaml":
        (tmp_path / "config/config.yaml").write_text("scale: smoke\nstudies: [locality]\n", encoding="utf-8")
    PLACES[what](tmp_path / name)
    with pytest.raises(ConfigError, match=f"^{tmp_path / name} is {what}; it must be a file, or not be there$"):
        loading.load_config(tmp_path, {})


def test_a_rate_can_be_a_formula_of_the_cell(tmp_path):
    study = load(tmp_path, "'0.1 / width'", "'min(0.1 * width**-1.5, n_train / 1e9)'", text=KEPT)
    (cell,) = network_cells.cells(study.grids["g"])
    assert network_cells.training_spec(study, 0, cell)["learning_rate"] == min(0.1 * 3**-1.5, 20e-9)
    assert not network_cells.searched(study, "sgd")


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("1 / width", 0.25),
        ("min(0.1 * width**-1.5, 1e-4)", 1e-4),
        ("2 * (depth + 1) - 1", 5),
        ("sqrt(n_train) / exp(0)", 10),
    ],
)
def test_formulas(formula, value):
    assert formulas.positive(formula, {"depth": 2, "width": 4, "n_train": 100}) == pytest.approx(value)


@pytest.mark.parametrize("rate", ["1e-310", "'1e-320'", "[5e-324, 1]", "{minimum: 1e-320, maximum: 1e-310}"])
def test_the_smallest_rates_have_a_cost(tmp_path, rate):
    """Divide by a rate though a float can't hold the quotient."""
    study = load(tmp_path, "{folds: 5}", rate)
    run = Run(Config(scale="demo", studies=["locality"]), {"locality": study})
    costs = [job_costs.cost(run, job) for job in plan.walk(run) if job.rule in ("networks", "learning_rates")]
    assert {math.isfinite(cost.work) for cost in costs} == {True}


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("1 / height", "'height' is not allowed in a formula"),
        ("\\uff57idth", "is no formula: 200 characters of ASCII at most"),
        ("9**" * 3000 + "9", "is no formula: 200 characters of ASCII at most"),
        ("-" * 200_000 + "1", "is no formula: 200 characters of ASCII at most"),
        ("__import__('os').system('true')", "not allowed"),
        ("width.__class__", "not allowed"),
        ("1 - width", "is -2.0; it must be positive and finite"),
        ("1e400", "is inf; it must be positive and finite"),
        ("(1", "'(1' can't be evaluated: '(' was never closed"),
        ("sqrt(1, 2)", "takes exactly one argument (2 given)"),
        ("1 / (width - 3)", "division"),
        ("1e300 ** width ** 9", "can't be evaluated"),
        ("min(", "can't be evaluated"),
        ("'0.1'", "not allowed"),
    ],
)
def test_a_bad_formula_is_refused_before_any_job(tmp_path, formula, words):
    with pytest.raises(
        ConfigError, match=r"locality/study.yaml .* protocols.sgd.learning_rate at depth 1, width 3"
    ) as refusal:
        load(tmp_path, "'0.1 / width'", f'"{formula}"', text=KEPT)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_null_is_the_value_of_a_setting_that_can_be_null_and_removes_other_keys(tmp_path):
    """For a protocol with a default batch size, null means all rows: in a study, in a scale, beside ``like``."""
    whole = KEPT.replace("{kind: sgd, ", "{kind: sgd, batch_size: null, ")
    changed = load(tmp_path, text=whole, demo="protocols: {sgd: {check_every: 7, records: null}}").protocols["sgd"]
    assert changed.settings["batch_size"] is None
    assert (changed.check_every, changed.records) == (7, 0)
    batches = KEPT.replace("{kind: sgd, ", "{kind: sgd, batch_size: 20, ")
    of_scale = load(tmp_path, text=batches, demo="protocols: {sgd: {batch_size: null}}").protocols["sgd"]
    assert of_scale.settings["batch_size"] is None
    demo = "protocols: {other: {like: sgd, kind: adam, batch_size: null}}"
    assert load(tmp_path, text=KEPT, demo=demo).protocols["other"].settings["batch_size"] is None


def test_a_word_is_short_for_a_kind_where_entries_are_merged_too(tmp_path):
    """Once what stood as a word was said to have no kind, beside ``like`` and in the file of a scale."""
    text = KEPT.replace("{kind: mlp}", "mlp").replace("{kind: ntk}", "ntk\n  other: {like: ntk, beta: 0.3}")
    demo = "{protocols: {he: {like: sgd, network: {initialisation: he_normal}}}, kernels: {ntk: {beta: 0.2}}}"
    study = load(tmp_path, text=text, demo=demo)
    assert study.protocols["he"].network.settings["initialisation"]["kind"] == "he_normal"
    assert (study.kernels["ntk"].settings["beta"], study.kernels["other"].settings["beta"]) == (0.2, 0.3)
