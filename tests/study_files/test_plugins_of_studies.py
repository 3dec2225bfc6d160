"""Plug-ins within a study are filled in, and refused where they do not fit, at any depth."""

import pytest
from study_template import STUDY, load

from isobath import fingerprints
from isobath.results import calculations
from isobath.study import network_cells
from isobath.study.loading import ConfigError
from isobath.study.run import StudyRun
from isobath.study.schema import Config

NESTED = "{kind: mlp, initialisation: {kind: he_normal, bias: 0.1}}"


@pytest.mark.parametrize(
    ("new", "words"),
    [
        (NESTED.replace("bias", "bais"), ["unknown key 'bais' in protocols.sgd.network.initialisation", "'bias'"]),
        (
            NESTED.replace("0.1", "-1"),
            ["protocols.sgd.network.initialisation.bias is -1", "greater than or equal to 0"],
        ),
        (NESTED.replace("0.1", "much"), ["protocols.sgd.network.initialisation.bias", "'much'", "number"]),
        (NESTED.replace("kind: he_normal, ", ""), ["protocols.sgd.network.initialisation.kind is missing"]),
        ("{kind: mlp, initialisation: [he_normal]}", ["protocols.sgd.network.initialisation"]),
        ("{kind: mlp, initial_bias: 0.1}", ["unknown key 'initial_bias' in protocols.sgd.network", "initialisation"]),
        ("{kind: mlp, beta: 0.3}", ["protocols.sgd.network: beta is 0.3; it needs parametrisation: ntk"]),
        ("{kind: mlp, input_variance: 1}", ["protocols.sgd.network: input_variance is 1; it needs parametrisation"]),
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
