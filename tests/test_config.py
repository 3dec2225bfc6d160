"""Bad input is refused in one sentence that names file, key, value and what is allowed."""

from pathlib import Path

import pytest
from house import write_study

from isobath import fingerprints
from isobath.results import calculations
from isobath.study import formulas, loading, network_cells
from isobath.study.loading import ConfigError
from isobath.study.run import StudyRun
from isobath.study.schema import Config, Study
from isobath.workflow import plan

ROOT = Path(__file__).parent.parent
STUDY = """
title: t
source: s
n_test: 10
tasks:
  a: {kind: k_local, k: 2, dimension: 4}
protocols:
  sgd: {kind: sgd, network: {kind: mlp}, learning_rate: {folds: 5}}
kernels:
  ntk: {kind: ntk}
grids:
  g: [{tasks: [a], protocols: [sgd], kernels: [ntk], depth: [1], width: [3], n_train: [20]}]
figures:
  f: {kind: bias_dependence, grid: g, caption: c, tasks: [a]}
claims: []
"""


def load(tmp_path: Path, old: str = "", new: str = "", text: str = STUDY, demo: str = "") -> Study:
    assert old in text
    folder = write_study(tmp_path / "locality", text.replace(old, new, 1), demo=demo)
    return plan.load_study(folder, "demo")


def test_the_template_is_valid(tmp_path):
    study = load(tmp_path)
    assert study.tasks["a"].settings == {"k": 2, "dimension": 4, "offsets": None}
    assert study.kernels["ntk"].settings == {"beta": 0.1, "input_variance": 1, "first_bias": False}
    assert (study.kernels["ntk"].ridges, study.kernels["ntk"].validation) == ([], 0.2)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("n_test: 10", "n_tests: 10", ["unknown key 'n_tests'", "did you mean 'n_test'"]),
        ("width: [3]", "widths: [3]", ["'widths' in grids.g[0]", "did you mean 'width'"]),
        ("{folds: 5}", "{fold: 5}", ["'fold' in protocols.sgd.learning_rate", "did you mean 'folds'"]),
        ("k: 2,", "k: 2, beta: 1,", ["unknown key 'beta' in tasks.a", "allowed: dimension, k, kind, n_test, offsets"]),
        ("k: 2,", "", ["tasks.a.k is missing"]),
        ("kind: k_local", "kind: k_locale", ["tasks.a.kind is 'k_locale'", "did you mean 'k_local'"]),
        ("kind: sgd", "kind: sdg", ["protocols.sgd.kind is 'sdg'", "did you mean 'sgd'"]),
        (
            "{kind: mlp}",
            "{kind: mlp, initialisation: glorot}",
            ["protocols.sgd.network.initialisation.kind is 'glorot'", "he_normal"],
        ),
        ("n_test: 10", "n_test: ten", ["n_test", '"ten"', "integer"]),
        ("n_test: 10", "n_test: 10.5", ["n_test", "10.5", "integer"]),
        ("n_test: 10", "n_test: true", ["n_test", "true", "integer"]),
        ("n_test: 10", "n_test: 0", ["n_test", "0", "greater than or equal to 1"]),
        ("n_test: 10", "n_test: -3", ["n_test", "-3"]),
        ("n_test: 10", "n_test: .nan", ["line", ".nan", "finite"]),
        ("n_test: 10", "n_test: -.inf", ["line", "-.inf", "finite"]),
        ("n_test: 10", "n_test: 010", ["line", "010", "octal"]),
        ("n_test: 10", "n_test: 1:30", ["n_test", '"1:30"']),
        ("n_test: 10", "n_test: 2020-01-01", ["n_test", '"2020-01-01"']),
        ("n_test: 10", "n_test: no", ["n_test", '"no"']),
        ("n_test: 10", "n_test: 10\nn_test: 11", ["line", "'n_test' stands twice"]),
        ("title: t", "title: &x t", ["line 2", "anchors"]),
        ("title: t", "title: !!python/object:os.system x", ["line 2", "tag"]),
        ("title: t", "__use_yte__: true\ntitle: t", ["unknown key '__use_yte__'"]),
        ("title: t", "\ttitle: t", ["line"]),
        ("depth: [1]", "depth: []", ["grids.g[0].depth is missing", "protocols and kernels need it"]),
        ("depth: [1]", "constructions: [c], depth: [1]", ["grids.g[0].constructions is 'c'", "allowed: none"]),
        ("title: t", "title: t\ncalculations: {c: {kind: regions, grid: g}}", ["calculations.c.kind is 'regions'"]),
        ("depth: [1]", "depth: [1, 1]", ["grids.g[0].depth", "stands twice"]),
        ("depth: [1]", "depth: [-1]", ["grids.g[0].depth[0]", "-1"]),
        ("depth: [1]", "depth: 1", ["grids.g[0].depth", "list"]),
        ("width: [3],", "", ["grids.g[0].width is missing"]),
        ("n_train: [20]", "n_train: [4]", ["grids.g[0].n_train is 4", "folds", "5"]),
        ("tasks: [a], p", "tasks: [b], p", ["grids.g[0].tasks is 'b'", "allowed: a"]),
        ("protocols: [sgd], kernels: [ntk], ", "", ["grids.g[0]", "neither protocols nor kernels"]),
        ("k: 2,", "k: 5,", ["tasks.a", "k is 5", "dimension", "4"]),
        ("k: 2,", "k: 2, offsets: [3, 2],", ["tasks.a", "[3, 2]", "increasing"]),
        ("grid: g", "grid: h", ["figures.f.grid is 'h'", "allowed: g"]),
        ("claims: []", "claims: [mse_agree]", ["claims[0] is 'mse_agree'", "did you mean 'mse_agrees'"]),
        ("a: {kind", "../../x: {kind", ["../../x", "letters, digits"]),
        ("a: {kind", "'a;rm': {kind", ["a;rm", "letters, digits"]),
        ("a: {kind", "'{n}': {kind", ["{n}", "letters, digits"]),
        ("a: {kind", "'$(x)': {kind", ["$(x)", "letters, digits"]),
        ("a: {kind", f"{'a' * 300}: {{kind", ["letters, digits"]),
        ("  a: {kind", "  A: {kind: k_local, k: 2, dimension: 4}\n  a: {kind", ["tasks has 'A' and 'a'"]),
        ("{folds: 5}", "{minimum: 2, maximum: 1}", ["learning_rate.minimum is 2", "maximum"]),
        ("{folds: 5}", "-0.1", ["protocols.sgd.learning_rate", "-0.1"]),
        ("{folds: 5}", "[0.1, 0.10]", ["protocols.sgd.learning_rate", "stands twice"]),
        ("kind: ntk", "kind: ntk, ridges: [-1]", ["kernels.ntk.ridges[0] is -1", "greater than or equal to 0"]),
        ("kind: ntk", "kind: ntk, ridges: [0.1, 0.10]", ["kernels.ntk.ridges", "stands twice"]),
        ("kind: ntk", "kind: ntk, ridges: [0.1], validation: 0", ["kernels.ntk.validation is 0", "greater than 0"]),
        ("kind: ntk", "kind: ntk, validation: 1.0", ["kernels.ntk.validation is 1.0", "less than 1"]),
        ("kind: ntk", "kind: ntk, ridge: 0.1", ["unknown key 'ridge' in kernels.ntk", "did you mean 'ridges'"]),
        ("kind: ntk", "kind: ntk, first_bias: true", ["kernels.ntk", "first_bias needs beta: 0"]),
        ("kind: ntk", "kind: nngp, first_bias: true", ["kernels.ntk", "first_bias needs beta: 0"]),
        ("kind: ntk", "kind: gamma_exponential, gamma: 1.0", ["kernels.ntk.gamma is 1.0", "less than 1"]),
        ("kind: ntk", "kind: gamma_exponential, gamma: 0", ["kernels.ntk.gamma is 0", "greater than 0"]),
        ("kind: ntk", "kind: gamma_exponential, depth: 1", ["unknown key 'depth' in kernels.ntk"]),
    ],
)
def test_a_bad_study_is_refused_in_one_sentence(tmp_path, old, new, words):
    with pytest.raises(ConfigError) as refusal:
        load(tmp_path, old, new)
    message = str(refusal.value)
    assert "\n" not in message
    for word in ["locality/study.yaml", *words]:
        assert word in message


NESTED = "{kind: mlp, initialisation: {kind: he_normal, bias: 0.1}}"


@pytest.mark.parametrize(
    ("new", "words"),
    [
        (NESTED.replace("bias", "bais"), ["unknown key 'bais' in protocols.sgd.network.initialisation", "'bias'"]),
        (
            NESTED.replace("0.1", "-1"),
            ["protocols.sgd.network.initialisation.bias is -1", "greater than or equal to 0"],
        ),
        (NESTED.replace("0.1", "much"), ["protocols.sgd.network.initialisation.bias", '"much"', "number"]),
        (NESTED.replace("kind: he_normal, ", ""), ["protocols.sgd.network.initialisation.kind is missing"]),
        ("{kind: mlp, initialisation: [he_normal]}", ["protocols.sgd.network.initialisation"]),
        ("{kind: mlp, initial_bias: 0.1}", ["unknown key 'initial_bias' in protocols.sgd.network", "initialisation"]),
        ("{kind: mlp, activation: tanh}", ["protocols.sgd.network.activation", "'relu'"]),
        ("mlp, loss: power", ["protocols.sgd.loss.p is missing"]),
        ("mlp, loss: {kind: power, p: 3}", ["protocols.sgd.loss: p is 3; it must be even"]),
        ("mlp, loss: {kind: linear_hinge, margin: 0}", ["protocols.sgd.loss.margin is 0", "greater than 0"]),
        ("mlp, loss: 3", ["protocols.sgd.loss is 3"]),
    ],
)
def test_a_bad_plugin_within_a_plugin_is_refused_in_one_sentence(tmp_path, new, words):
    with pytest.raises(ConfigError) as refusal:
        load(tmp_path, "{kind: mlp}", new)
    assert "\n" not in str(refusal.value)
    for word in ["study.yaml", *words]:
        assert word in str(refusal.value)


def test_plugins_within_plugins_are_filled_in_at_any_depth(tmp_path):
    glorot = {"kind": "glorot_uniform", "bias": 0.0}
    written = {
        "{kind: mlp}": glorot,
        "mlp": glorot,
        "{kind: mlp, initialisation: he_normal}": {"kind": "he_normal", "bias": 0.0},
        NESTED: {"kind": "he_normal", "bias": 0.1},
        "mlp, loss: squared_hinge": glorot,
    }
    for new, start in written.items():
        study = load(tmp_path, "{kind: mlp}", new)
        assert study.protocols["sgd"].network.settings["initialisation"] == start
    assert study.protocols["sgd"].loss.model_dump() == {"kind": "squared_hinge", "margin": 1.0}
    (cell,) = network_cells.cells(study.grids["g"])
    spec = network_cells.training_spec(study, 0, cell)["protocol"]
    assert spec["loss"] == {"kind": "squared_hinge", "margin": 1.0}
    assert spec["network"]["initialisation"] == glorot
    modules = {"losses.squared_hinge", "networks.mlp", "initialisations.glorot_uniform"}
    assert set(fingerprints.named({"protocol": spec})) == {f"isobath.{m}" for m in (*modules, "protocols.sgd")}


def test_several_plugins_within_a_plugin_are_filled_in(tmp_path):
    counted = (
        "{kind: region_counts, grid: g, depth: [1], width: [3], networks: 1, levels: [1], initialisations: STARTS}"
    )
    text = STUDY.replace("grids:\n", f"calculations: {{c: {counted}}}\ngrids:\n")
    study = load(tmp_path, text=text.replace("STARTS", "[[b, he_normal], [a, {kind: he_normal, bias: 0.5}]]"))
    starts = [["b", {"kind": "he_normal", "bias": 0.0}], ["a", {"kind": "he_normal", "bias": 0.5}]]
    assert study.calculations["c"].settings["initialisations"] == starts
    run = StudyRun(Config(scale="demo", studies=["locality"]), "locality", study)
    spec = calculations.spec(run, {"calculation": "c"})
    assert "isobath.initialisations.he_normal" in set(fingerprints.named(spec))
    with pytest.raises(
        ConfigError, match=r"calculations\.c\.initialisations\[0\]\[1\]\.kind is 'he'; .*allowed: .*he_normal"
    ):
        load(tmp_path, text=text.replace("STARTS", "[[a, he]]"))


@pytest.mark.parametrize("loss", ["cross_entropy", "squared_hinge"])
def test_a_loss_of_classes_is_refused_for_real_targets(tmp_path, loss):
    text = STUDY.replace("k_local, k: 2,", "linear_teacher,").replace(", kernels: [ntk]", "")
    with pytest.raises(ConfigError) as refusal:
        load(tmp_path, "{kind: mlp}", f"mlp, loss: {loss}", text=text)
    words = f"grids.g[0]: the loss {loss} of protocols.sgd takes labels; tasks.a has targets"
    assert words in str(refusal.value)
    assert load(tmp_path, "{kind: mlp}", "mlp, loss: mean_squared_error", text=text).tasks


@pytest.mark.parametrize(
    ("kernel", "block", "words"),
    [
        ("kind: gamma_exponential", "depth: [1, 2]", ["grids.g[0].depth is [1, 2]", "kernels.ntk has no depth"]),
        ("kind: nngp, beta: 0, first_bias: true", "depth: [1, 2]", ["kernels.ntk", "first_bias needs depth: [1]"]),
        ("kind: ntk, ridges: [0.1]", "depth: [1]", ["grids.g[0].n_train is 1", "ridges of kernels.ntk"]),
    ],
)
def test_kernels_are_refused_on_blocks_that_they_cannot_serve(tmp_path, kernel, block, words):
    text = STUDY.replace("kind: ntk", kernel).replace(
        "protocols: [sgd], kernels: [ntk], depth: [1]", f"kernels: [ntk], {block}"
    )
    if "n_train" in words[0]:
        text = text.replace("n_train: [20]", "n_train: [1]")
    with pytest.raises(ConfigError) as refusal:
        load(tmp_path, text=text)
    assert "\n" not in str(refusal.value)
    for word in words:
        assert word in str(refusal.value)


@pytest.mark.parametrize(
    ("kernel", "old", "new"),
    [
        ("kind: gamma_exponential", "kernels: [ntk], depth: [1], width: [3]", "kernels: [ntk]"),
        ("kind: gamma_exponential, c: 2, gamma: 0.75", "", ""),
        ("kind: nngp, beta: 0, first_bias: true", "", ""),
        ("kind: ntk, ridges: [0, 1.0e-3, 1], validation: 0.5", "", ""),
    ],
)
def test_kernels_with_and_without_a_depth_are_accepted(tmp_path, kernel, old, new):
    text = STUDY.replace("kind: ntk", kernel).replace("protocols: [sgd], ", "")
    assert load(tmp_path, text=text.replace(old, new) if old else text)


def test_a_figure_shows_tasks_of_its_grid(tmp_path):
    text = STUDY.replace("  a: {kind", "  b: {kind: k_local, k: 2, dimension: 4}\n  a: {kind").replace(
        "[a]}", "[a, b]}"
    )
    with pytest.raises(ConfigError, match=r"figures\.f\.tasks has 'b', which grid g does not"):
        load(tmp_path, text=text)


def test_a_construction_that_a_task_does_not_bear_is_refused(tmp_path):
    text = STUDY.replace("grids:\n", "constructions: {c: {kind: cantor_certificate}}\ngrids:\n")
    text = text.replace("  g: [", "  g: [{tasks: [a], constructions: [c]}, ")
    with pytest.raises(ConfigError, match=r"grids\.g\[0\]: constructions\.c on tasks\.a: the task is .* kind fractal"):
        load(tmp_path, text=text)


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


@pytest.mark.parametrize("scale", ["smoke", "demo", "laptop", "paper"])
@pytest.mark.parametrize("path", sorted((ROOT / "workflow/studies").glob("*/study.yaml")), ids=lambda p: p.parent.name)
def test_every_shipped_study_is_valid_at_every_scale(path, scale):
    assert plan.load_study(path.parent, scale).grids


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
        ({"studies": []}, ["studies is []"]),
        ({"seeds_per_job": 0}, ["seeds_per_job is 0"]),
    ],
)
def test_a_bad_command_line_is_refused(overrides, words):
    with pytest.raises(ConfigError) as refusal:
        loading.load_config(ROOT / "config.yaml", overrides)
    for word in ["config.yaml", *words]:
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


LAW = "{kind: powers, exponents: [-1], grid: g, group: networks, variable: test_error, axis: width, along: width}"
KEPT = STUDY.replace("{folds: 5}}", "'0.1 / width', store: outputs, records: 2, max_epochs: 100}").replace(
    "figures:", f"laws:\n  l: {LAW}\nfigures:"
)


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


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("1 / height", "'height' is not allowed in a formula"),
        ("__import__('os').system('true')", "not allowed"),
        ("width.__class__", "not allowed"),
        ("1 - width", "it must be positive"),
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


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("kind: powers", "kind: power", ["laws.l.kind is 'power'", "did you mean 'powers'"]),
        ("exponents: [-1]", "exponent: [-1]", ["unknown key 'exponent' in laws.l", "did you mean 'exponents'"]),
        ("exponents: [-1]", "exponents: [a]", ["laws.l.exponents", '"a"']),
        ("grid: g, group", "grid: h, group", ["laws.l.grid is 'h'", "allowed: g"]),
        ("group: networks", "group: ensemble", ["laws.l.group", '"ensemble"', "'ensembles'"]),
        (
            "variable: test_error",
            "variable: test_eror",
            ["laws.l.variable is 'test_eror'", "did you mean 'test_error'"],
        ),
        ("axis: width", "axis: n_weight", ["laws.l.axis is 'n_weight'", "did you mean 'n_weights'"]),
        ("'0.1 / width'", "[0.1, 0.2]", ["learning_rate is a sweep and store is 'outputs'"]),
        ("along: width", "along: hight", ["laws.l.along is 'hight'", "width"]),
        ("along: width", "along: width, select: {step: 7}", ["laws.l.select.step is 7", "0, 1, 3, 10, 32, 100"]),
        ("along: width", "along: width, select: {task: b}", ["laws.l.select.task is 'b'", "has a"]),
        ("along: width", "along: width, above: 9, below: 3", ["laws.l.above is 9", "less than below, which is 3"]),
        ("along: width", "along: width, beyond: -1", ["laws.l.beyond is -1"]),
        ("store: outputs", "store: output", ["protocols.sgd.store", '"output"', "'outputs'"]),
        ("store: outputs", "record_every: 5", ["protocols.sgd has records 2 and record_every 5"]),
        ("store: outputs", "precision: half", ["protocols.sgd.precision", '"half"']),
        ("store: outputs", "loss: hinge", ["protocols.sgd.loss.kind is 'hinge'", "squared_hinge"]),
    ],
)
def test_a_bad_law_or_protocol_is_refused_in_one_sentence(tmp_path, old, new, words):
    with pytest.raises(ConfigError) as refusal:
        load(tmp_path, old, new, text=KEPT)
    assert "\n" not in str(refusal.value)
    for word in ["locality/study.yaml (scale demo)", *words]:
        assert word in str(refusal.value)


def test_a_law_of_ensembles_needs_outputs_that_are_kept(tmp_path):
    text = KEPT.replace("group: networks, variable: test_error", "group: ensembles, variable: excess_error")
    assert load(tmp_path, text=text).laws["l"].group == "ensembles"
    text = text.replace("store: outputs, ", "")
    with pytest.raises(ConfigError, match="grid g needs a protocol with store: outputs and two seeds"):
        load(tmp_path, text=text)


def test_all_rows_at_once_survive_the_merge_with_a_scale(tmp_path):
    """A null of the study is a value; a null of a scale removes what stands there."""
    text = KEPT.replace("{kind: sgd, ", "{kind: sgd, batch_size: null, ")
    demo = "protocols: {sgd: {check_every: 7, records: null}}"
    protocol = load(tmp_path, text=text, demo=demo).protocols["sgd"]
    assert protocol.settings["batch_size"] is None
    assert (protocol.check_every, protocol.records) == (7, 0)
