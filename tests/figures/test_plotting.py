"""Titles, ticks, limits, legends and small print that all figures share."""

import json
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure
from recorded_cubes import cube as recorded_cube
from recorded_cubes import recorded
from width_cubes import cube

from isobath import plugins
from isobath.figures import accuracy_by_rate
from isobath.plotting import axes, curves, legends, saving
from isobath.plotting.cells import has_two_classes, kernel_errors
from isobath.plotting.style import MARKERS, marker
from isobath.results import figures
from isobath.study.schema import Figure as Drawn


@pytest.mark.parametrize(
    ("task", "settings", "title"),
    [
        ("2-local_equal", {"kind": "k_local", "k": 2.0, "dimension": 40.0}, "2-local label, d = 40"),
        ("3-terms-4", {"kind": "k_terms", "k": 3.0, "terms": 4.0, "dimension": 12.0}, "k = 3, m = 4, d = 12"),
        ("2-global", {"kind": "k_global", "k": 2.0, "terms": np.nan, "dimension": 40.0}, "2-global label, d = 40"),
        ("shells-4-10", {"kind": "radial_shells", "shells": 4.0, "dimension": 10.0}, "4 shells, d = 10"),
        ("cantor", {"kind": "fractal", "k": np.nan, "dimension": np.nan, "system": "cantor"}, "cantor"),
        ("mine", {"kind": "is not here"}, "mine"),
        ("unknown", {}, "unknown"),
    ],
)
def test_a_title_tells_the_rule_of_a_label_and_the_dimension_of_its_inputs(task, settings, title):
    places = {f"task_{name}": ("task", [value]) for name, value in settings.items()}
    assert axes.task_title(xr.Dataset(coords={"task": [task], **places}), task) == title


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3], [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3]),
        ([0.01, 0.1, 0.2, 0.3, 0.5, 0.7, 1], [0.01, 0.1, 0.2, 0.5, 1]),
        ([100, 200], [100, 200]),
        ([100], [100]),
        ([0, 1, 10, np.nan], [1, 10]),
    ],
)
def test_measured_values_have_ticks_where_there_is_room_and_the_ends_always(values, ticks):
    _, axis = plt.subplots()
    axes.set_log_ticks(axis, values, "learning rate")
    assert axis.get_xticks().tolist() == ticks


@pytest.mark.parametrize("top", [2.2, 7, 30, 70])
def test_a_narrow_logarithmic_axis_has_three_ticks_or_more(top):
    _, axis = plt.subplots()
    axis.plot([1.1, top], [1, 2])
    axes.set_log_scale(axis, "x", "x")
    low, high = axis.get_xlim()
    assert sum(low <= tick <= high for tick in axis.get_xticks()) >= 3


@pytest.mark.parametrize(
    ("ends", "labels"),
    [((60, 9000), {"100", "1000"}), ((0.002, 3), {"0.01", "0.1", "1"}), ((1e-6, 3), {"$\\mathdefault{10^{-2}}$"})],
)
def test_a_wide_logarithmic_axis_has_numbers_within_five_decades_and_powers_of_ten_beyond(ends, labels):
    figure, axis = plt.subplots()
    axis.plot(ends, [1, 2])
    axes.set_log_scale(axis, "x", "x")
    figure.draw_without_rendering()
    assert labels <= {label.get_text() for label in axis.get_xticklabels()}


def test_no_accuracy_below_chance_is_cut_off():
    _, (left, right) = plt.subplots(1, 2)
    left.plot([1, 2], [0.42, 0.9])
    axes.set_accuracy_axes([left, right], 0.5)
    assert left.get_ylim() == right.get_ylim() == pytest.approx((0.41, 1.01))


@pytest.mark.parametrize(("highest", "top"), [(0.5, 0.625), (0.6, 0.625), (0.61, 1.01), (0.9, 1.01)])
def test_accuracies_that_are_all_near_chance_have_an_axis_that_ends_above_them(highest, top):
    left, right = Figure().subplots(1, 2)
    left.errorbar([1, 2], [0.49, 0.5], yerr=0.005)
    right.errorbar([1, 2], [0.5, highest - 0.005], yerr=0.005)
    axes.set_accuracy_axes([left, right], 0.5)
    assert left.get_ylim()[1] == right.get_ylim()[1] == pytest.approx(top)


def test_empty_panels_of_accuracies_have_the_whole_axis():
    axis = Figure().subplots()
    axes.set_accuracy_axes([axis], 0.5)
    assert axis.get_ylim() == pytest.approx((0.47, 1.01))


def test_counts_of_networks_at_one_place_do_not_lie_on_each_other():
    figure, axis = plt.subplots()
    for mean in (0.2, 0.201, 0.45):
        summary = {"mean": mean, "sd": 0.01, "counted": 9, "trained": 10, "failed": 0}
        table = xr.Dataset({name: ("depth", [value]) for name, value in summary.items()}, {"depth": [1]})
        curves.draw_network_curve(axis, table, along="depth", color="black", marker="o", label="")
    axes.set_error_axes([axis])
    boxes = [text.get_window_extent(figure.canvas.get_renderer()) for text in axis.texts]
    assert [text.get_text() for text in axis.texts] == ["9/10"] * 3
    assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])


def test_a_legend_can_be_ordered_by_the_numbers_in_its_labels():
    figure, axis = plt.subplots()
    for label in ("NTK, L = 1", "L = 1, H = 100", "L = 1, H = 50", "L = 7, H = 50"):
        axis.plot([0], [0], label=label)
    legends.add_legend(figure, [axis], ordered=True)
    found = [text.get_text() for text in figure.legends[0].get_texts()]
    assert found == ["L = 1, H = 50", "L = 1, H = 100", "L = 7, H = 50", "NTK, L = 1"]


def test_small_print_explains_those_lines_that_are_drawn():
    _, axis = plt.subplots()
    axis.plot([1, 2], [1, 2], "-")
    axis.plot([1, 2], [np.nan, np.nan], "--")
    axis.axhline(1, linestyle=":")
    meanings = {"--": "dashed: a bound", ":": "dotted: another"}
    assert legends.lines_drawn([axis], meanings) == ["dotted: another"]


@pytest.mark.parametrize("notes", [True, False])
def test_small_print_can_be_left_out_but_not_what_failed(notes):
    tree, drawing = cube(asked={}), Path("norms.svg")
    tree.attrs["failed"] = 7
    settings = {"kind": "norms", "task": "digits", "protocol": "adam"}
    words = saving.files(settings, tree, [drawing], notes=notes)[drawing].decode()
    assert ("did not fit" in words) == notes
    assert "7 results failed" in words


def spec(*, task="digits_parity", **keys):
    """Return the spec of a figure of a grid with one task."""
    drawn = Drawn(kind="norms", grid="sizes", caption="Norms.", task="a", protocol="b", **keys)
    study = {"figures": {"f": drawn}, "tasks": {"a": SimpleNamespace(kind=task)}}
    grids = {"sizes": [SimpleNamespace(tasks=["a"])]}
    return figures.spec(SimpleNamespace(study=SimpleNamespace(**study, grids=grids)), {"figure": "f"})


def test_only_a_figure_without_small_print_says_so_in_its_spec():
    """A key with its default would draw all figures of all runs anew."""
    assert spec() == spec(notes=True)
    assert "notes" not in spec()
    assert spec(notes=False) == spec() | {"notes": False}


def test_a_figure_is_drawn_anew_for_another_title_of_a_task():
    titles = spec(task="k_local")["titles"]
    assert titles == {"k_local": plugins.literal("task", "k_local", "TITLE")}


def test_bars_are_standard_deviations_over_networks_and_of_one_network_none():
    axis = Figure().subplots()
    curves.draw_network_means(axis, [1, 2], xr.DataArray([[0.1, 0.3], [0.2, np.nan]], dims=("width", "seed")))
    ((_, _, (bars,)),) = axis.containers
    of_two, of_one = bars.get_segments()
    np.testing.assert_allclose(np.ptp(of_two[:, 1]), 2 * np.sqrt(0.02))
    assert not len(of_one)


@pytest.mark.parametrize(("highest", "top"), [(0.3, 0.32), (0.5, 0.56), (0.9, 0.95)])
def test_errors_above_those_of_two_classes_are_not_cut_off(highest, top):
    """Once errors of ten classes, 0.7 to 0.9, were above the end of the axis: an empty panel."""
    _, panels = axes.panels(["a", "b"])
    panels[0].errorbar([1, 2], [0.1, highest], yerr=[0.0, 0.2])
    axes.set_error_axes(panels)
    assert panels[0].get_ylim()[1] >= highest
    assert (panels[0].get_ylim()[1] <= axes.HIGHEST) == (top <= 0.56)
    assert panels[0].get_ylim() == panels[1].get_ylim()


def test_errors_of_many_classes_have_whole_bars_and_no_chance_of_two():
    ten, two = (xr.DataTree() for _ in range(2))
    ten.attrs["spec"] = '{"tasks": {"a": {"kind": "mnist"}}}'
    two.attrs["spec"] = '{"tasks": {"a": {"kind": "digits_parity", "dimension": 5}}}'
    assert has_two_classes(two)
    assert not has_two_classes(ten)
    _, (panel,) = axes.panels(["a"])
    panel.errorbar([1, 2], [0.525, 0.525], yerr=[0.22, 0.22])
    axes.set_error_axes([panel], two_classes=False)
    assert panel.get_ylim()[1] > 0.745
    assert not any(0.5 in line.get_ydata() for line in panel.lines)


def test_there_are_letters_for_many_panels_and_a_reason_for_none():
    _, panels = axes.panels([f"t{i}" for i in range(30)])
    assert [panels[i].get_title(loc="left") for i in (0, 25, 26, 29)] == ["(a) t0", "(z) t25", "(aa) t26", "(ad) t29"]
    with pytest.raises(ValueError, match="nothing that this figure would draw"):
        axes.panels([])


def test_markers_begin_again_after_the_last():
    assert marker(len(MARKERS)) == marker(0) != marker(1)


@pytest.mark.parametrize(("group", "dims"), [("kernels", ("depth",)), ("kernels_without_depth", ())])
def test_errors_of_a_kernel_are_found_with_a_depth_or_without(group, dims):
    """Once a kernel without a depth was not drawn, and nothing said so."""
    sizes = {"kernel": ["k"], "task": ["t"], "n_train": [10, 20], "depth": [1, 3]}
    names = ("kernel", "task", "n_train", *dims)
    data = xr.DataArray(np.arange(2.0 * 2 ** len(dims)).reshape([len(sizes[name]) for name in names]), dims=names)
    errors = data.assign_coords({name: sizes[name] for name in names})
    cube = xr.DataTree.from_dict({group: xr.Dataset({"test_error": errors})})
    found = kernel_errors(cube, "k", task="t", depth=3, n_train=20)
    assert float(found) == float(data.max())
    assert kernel_errors(cube, "other", task="t") is None
    assert kernel_errors(cube, "k", task="other") is None


def test_an_ordered_legend_keeps_the_look_of_each_label():
    figure = Figure()
    axis = figure.subplots()
    for label, color, style in (("L = 10", "C0", "-"), ("L = 2", "C1", "--"), ("L = 7", "C2", ":")):
        axis.plot([0, 1], [0, 1], style, color=color, label=label)
    legends.add_legend(figure, [axis], ordered=True)
    (one,) = figure.legends
    found = [
        (text.get_text(), handle.get_color()) for text, handle in zip(one.get_texts(), one.legend_handles, strict=True)
    ]
    assert found == [("L = 2", "C1"), ("L = 7", "C2"), ("L = 10", "C0")]


def test_a_single_real_target_is_no_class():
    tree = xr.DataTree()
    tree.attrs["spec"] = json.dumps({"tasks": {"a": {"kind": "linear_teacher", "dimension": 3}}})
    assert not has_two_classes(tree)


def test_networks_that_were_not_trained_are_not_said_to_be_shown():
    status = np.array(["fitted", "unfitted", "diverged", "missing", "failed"], dtype=object)
    table = xr.Dataset({"n_weights": ("seed", [60.0] * 5), "status": ("seed", status)}, {"width": 5})
    assert legends.networks_shown(table) == "3 networks of h = 5, N = 60 weights"


def test_panels_whose_marks_mean_other_widths_have_legends_of_their_own():
    def trained(n):
        return ((n.task == "b") & (n.width == 10)) | ((n.task == "a") & (n.width == 30))

    table = recorded(60, trained, task=["b", "a"], depth=[1], width=[10, 30], learning_rate=[0.1, 1.0])
    figure = accuracy_by_rate.draw(recorded_cube(table), tasks=("b", "a"), protocol="adam")
    assert not figure.legends
    words = [[text.get_text() for text in axis.get_legend().get_texts()] for axis in figure.axes]
    assert words == [["1 × 10"], ["1 × 30"]]
