"""Figures of cubes with gaps, with perceptrons, and of data that some panels lack."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from figures_of_shapes import cube as cube_of
from figures_of_shapes import lazy_networks
from matplotlib.figure import Figure
from study_template import STUDY, load

from isobath.figures import (
    accuracy_by_architecture,
    bias_dependence,
    depth_dependence,
    gain_by_terms,
    kernel_accuracy,
    lazy_to_feature,
)
from isobath.plotting import axes
from isobath.plotting.axes import set_log_ticks
from isobath.plotting.cells import kernel_title, tasks_of_wave
from isobath.plotting.style import depth_color
from isobath.results import networks as networks_kind
from isobath.study import grids
from isobath.study.loading import ConfigError

NETWORK = ("task", "protocol", "depth", "width", "n_train", "draw", "seed")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def networks(errors, *, tasks=("a",), depths, widths, settings=None):
    """Make networks whose errors are ``errors(task, depth, width)``, NaN for those that were not asked for."""
    values = np.array([[[errors(task, depth, width) for width in widths] for depth in depths] for task in tasks])
    values = values[:, None, :, :, None, None, None] + np.zeros((1, 1, 1, 1, 1, 1, 2))
    status = np.where(np.isnan(values), "missing", "fitted").astype(object)
    coords = {"task": list(tasks), "protocol": ["sgd"], "depth": depths, "width": widths, "n_train": [100], "draw": [0]}
    coords |= {"seed": [0, 1]} | {f"task_{name}": ("task", column) for name, column in (settings or {}).items()}
    table = xr.Dataset({"test_error": (NETWORK, values), "status": (NETWORK, status)}, coords)
    tree = xr.DataTree.from_dict({"/networks": table})
    spec = {"kind": "k_terms", "k": 2, "dimension": 8, "terms": 1}
    tree.attrs["spec"] = json.dumps({"tasks": dict.fromkeys(tasks, spec)})
    return tree


def perceptrons_and_networks(task, depth, width):
    return {(0, 0): 0.4, (1, 50): 0.2, (3, 50): 0.1}.get((depth, width), np.nan)


def test_perceptrons_have_their_place_in_a_curve_along_depth():
    cube = networks(perceptrons_and_networks, depths=[0, 1, 3], widths=[0, 50])
    axis = depth_dependence.draw(cube, tasks=("a",), protocol="sgd").axes[0]
    np.testing.assert_allclose(axis.containers[0].lines[0].get_xydata(), [[0, 0.4], [1, 0.2], [3, 0.1]])


def test_the_widest_networks_of_each_depth_are_drawn():
    cube = networks(perceptrons_and_networks, depths=[0, 1, 3], widths=[0, 50])
    table = cube["networks"].to_dataset()
    halves = {
        f"recorded_{half}_half_error": table.test_error.expand_dims(step=[1, 2], axis=-1)
        for half in ("first", "second")
    }
    halves["recorded_test_error"] = halves["recorded_first_half_error"]
    cube["networks"] = xr.DataTree(table.assign(halves))
    axis = accuracy_by_architecture.draw(cube).axes[0]
    drawn = axis.containers[0].lines[0].get_xydata()
    np.testing.assert_allclose(drawn, [[0, 0.6], [1, 0.8], [3, 0.9]])


def test_a_depth_below_the_first_has_a_colour():
    assert depth_color(-2) == depth_color(0) != depth_color(1)


def test_a_line_stands_for_one_number_of_samples_in_all_panels():
    errors = np.full((2, 2, 1, 2, 1), 0.2)
    errors[1, :, :, 0] = np.nan  # task b has N = 200 alone
    dims = ("task", "kernel", "depth", "n_train", "draw")
    coords = {"task": ["a", "b"], "kernel": ["x", "y"], "depth": [1], "n_train": [100, 200], "draw": [0]}
    coords |= {"kernel_beta": ("kernel", [0.0, 1.0]), "kernel_kind": ("kernel", ["ntk", "ntk"])}
    cube = xr.DataTree.from_dict({"/kernels": xr.Dataset({"test_error": (dims, errors)}, coords)})
    figure = bias_dependence.draw(cube, tasks=("a", "b"))
    styles = [
        {curve.get_label()[-3:]: curve.lines[0].get_linestyle() for curve in axis.containers} for axis in figure.axes
    ]
    assert styles == [{"100": "-", "200": "--"}, {"200": "--"}]


def test_the_small_print_has_no_regressions_where_none_are_drawn():
    """Once the fourth of several widths had dashes of its own, which counted as those of a regression."""
    table = lazy_networks(132, [7], [10, 20, 40, 80])
    said = [
        lazy_to_feature.draw(cube_of(each), tasks=("2-4",)).get_suptitle()
        for each in (table, table.isel(protocol=(table.protocol_network != "linearised").values))
    ]
    assert ["dashed: regression" in " ".join(words.split()) for words in said] == [True, False]


def test_a_gap_in_regressions_is_a_gap_in_their_figure():
    errors = np.full((1, 1, 2, 2, 3), 0.2)
    errors[:, :, 1, 1] = np.nan  # no memory for the deepest kernel at the largest N
    dims = ("task", "kernel", "depth", "n_train", "draw")
    coords = {"task": ["a"], "kernel": ["ntk"], "depth": [1, 4], "n_train": [100, 200], "draw": [0, 1, 2]}
    cube = xr.DataTree.from_dict({"/kernels": xr.Dataset({"test_error": (dims, errors)}, coords)})
    axis = kernel_accuracy.draw(cube, task="a", kernels=("ntk",)).axes[0]
    assert [len(bars.lines[0].get_xdata()) for bars in axis.containers] == [2, 1]


def test_a_kernel_of_some_tasks_and_depths_is_drawn_where_it_is():
    tasks, settings = ("2-terms-1", "2-terms-4"), {"k": [2.0, 2.0], "dimension": [8.0, 8.0], "terms": [1.0, 4.0]}
    cube = networks(lambda task, depth, width: 0.1 * depth, tasks=tasks, depths=[1, 7], widths=[50], settings=settings)
    dims = ("task", "kernel", "depth", "n_train", "draw")
    coords = {"task": [tasks[0]], "kernel": ["ntk"], "depth": [1, 7], "n_train": [100], "draw": [0]}
    cube["kernels"] = xr.DataTree(xr.Dataset({"test_error": (dims, np.full((1, 1, 2, 1, 1), 0.2))}, coords))
    axis = gain_by_terms.draw(cube, protocol="sgd", kernel="ntk").axes[0]
    assert [len(bars.lines[0].get_xdata()) for bars in axis.containers] == [2, 1]


@pytest.mark.parametrize(
    ("entry", "figure", "message"),
    [
        (
            "laws: {l: {kind: powers, exponents: [-1], grid: h, group: networks, variable: test_error, axis: width, "
            "along: width}}",
            "{kind: width_dependence, grid: g, caption: c, task: a, protocol: sgd, law: l}",
            "figures.f.law is 'l', which is of grid h, and the figure of g",
        ),
        (
            "works: {}",
            "{kind: width_dependence, grid: g, caption: c, task: a, protocol: sgd, depth: 9}",
            "figures.f.depth has 9; grid g has 1",
        ),
        (
            "works: {}",
            "{kind: width_dependence, grid: g, caption: c, task: a, protocol: sgd, axis: width, published: [1, 2, 3]}",
            "published",
        ),
        (
            "works: {}",
            "{kind: interval_counts, grid: g, caption: c}",
            "figures.f.kind is 'interval_counts', which reads task_folds, and no task of grid g has the setting folds",
        ),
        (
            "works: {}",
            "{kind: iterations, grid: g, caption: c}",
            "figures.f.kind is 'iterations', which reads recorded_loss, and no protocol of grid g has records",
        ),
    ],
)
def test_figures_that_would_lack_a_curve_are_refused(tmp_path, entry, figure, message):
    text = STUDY.replace(
        "  g: [{", "  h: [{tasks: [a], protocols: [sgd], depth: [1], width: [3], n_train: [20]}]\n  g: [{"
    )
    text = text.replace("{kind: bias_dependence, grid: g, caption: c, tasks: [a]}", figure)
    with pytest.raises(ConfigError, match=message):
        load(tmp_path, text=f"{text}\n{entry}\n")


def test_a_depth_that_is_meant_by_default_has_to_be_there(tmp_path):
    """Once a figure of one layer and seven failed after all trainings, with a KeyError."""
    text = STUDY.replace("{kind: k_local, k: 2, dimension: 4}", "{kind: k_terms, k: 2, terms: 2, dimension: 4}")
    figure = "{kind: gain_by_terms, grid: g, caption: c, protocol: sgd}"
    text = text.replace("{kind: bias_dependence, grid: g, caption: c, tasks: [a]}", figure)
    with pytest.raises(ConfigError, match=r"figures.f.deep has 7; grid g has 1$"):
        load(tmp_path, text=text)
    load(tmp_path, text=text.replace("depth: [1]", "depth: [1, 7]"))


@pytest.mark.parametrize(
    ("network", "there"), [("{kind: lazy, alpha: 10}", True), ("{kind: mlp}", False), ("{kind: linearised}", False)]
)
def test_a_setting_within_a_plug_in_is_found(tmp_path, network, there):
    study = load(tmp_path, "{kind: mlp}", network)
    assert networks_kind.lacking(study, "g", "protocol_network_alpha") == (
        "" if there else "no protocol of grid g has the setting network_alpha"
    )


def test_networks_of_several_widths_are_no_one_curve():
    """Once their mean was drawn, or those of the first width alone."""
    settings = {"k": [2.0, 2.0], "dimension": [8.0, 8.0], "terms": [1.0, 4.0]}
    made = {"tasks": ("a", "b"), "depths": [1, 7], "widths": [50, 99], "settings": settings}
    cube = networks(lambda task, depth, width: 0.1 * depth, **made)
    with pytest.raises(ValueError, match="a has networks of width 50, 99; this figure takes one width"):
        gain_by_terms.draw(cube, protocol="sgd")


def test_null_is_kept_where_the_default_is_another_value(tmp_path):
    study = load(tmp_path, "{kind: sgd,", "{kind: sgd, batch_size: null,")
    assert grids.of_study(study, "g").protocols["sgd"]["batch_size"] is None
    assert "offsets" not in grids.of_study(study, "g").tasks["a"]  # null by default


@pytest.mark.parametrize(
    ("kernel", "title"),
    [
        ("ntk", "NTK"),
        ("ntk_beta0.1", "NTK, β = 0.1"),
        ("rf_bias L=2", "random features with bias, L = 2"),
        ("laplace", "Laplace"),
        ("mine_2", "mine_2"),
    ],
)
def test_a_kernel_has_its_words_as_a_title(kernel, title):
    assert kernel_title(kernel) == title


def test_ticks_are_short_and_one_may_stand_for_zero():
    axis = plt.figure().subplots()
    set_log_ticks(axis, [0.0001, 0.0003, 0.01, 1.0], "noise", zero=0.0001)
    axis.figure.canvas.draw()
    assert [tick.get_text() for tick in axis.get_xticklabels()] == ["0", "3e-4", "0.01", "1"]


def test_ticks_below_a_hundredth_keep_their_digits():
    axis = Figure().subplots()
    axes.set_log_ticks(axis, [0.00025, 0.0015, 1.0], "rate")
    axis.figure.canvas.draw()
    assert [tick.get_text() for tick in axis.get_xticklabels()] == ["2.5e-4", "1.5e-3", "1"]


def test_waves_are_told_from_other_tasks_and_from_each_other():
    """Once a wave of two triangles was drawn with the labels of one, and another kind of task was an error."""
    settings = {"task": ["disc", "a", "b", "c"], "task_folds": ("task", [np.nan, 2, 2, 3])}
    data = xr.Dataset(coords=settings | {"task_triangles": ("task", [np.nan, 1, 2, 2])})
    assert tasks_of_wave(data, folds=2, triangles=2) == ["b"]
    assert tasks_of_wave(data, triangles=2) == ["b", "c"]
    with pytest.raises(ValueError, match="folds is 3 and triangles is 1; the cube has folds and triangles 2 and 1, 2 "):
        tasks_of_wave(data, folds=3, triangles=1)
