"""The figures of the fractals study, on made-up cubes: they draw the numbers of the cubes, and nothing else."""

import itertools
import json
from pathlib import Path

import fractal_cubes as made
import numpy as np
import pytest
import xarray as xr
from house import ROOT
from matplotlib import style
from matplotlib.colors import to_rgb

from isobath import binding, plugins
from isobath.fractals.bounds import reachable_error
from isobath.fractals.iterated_functions import level
from isobath.fractals.sets import of_task
from isobath.plotting import style as look
from isobath.study import loading

STUDY = ROOT / "workflow/studies/fractals"
TASKS = {f"{s}-{curve}": made.fractal(s, curve) for s in ("cantor", "cantor_1d") for curve in (1, 6)}
DEPTHS, WIDTHS = (1, 3, 5), (10, 40)
MISSING = [("cantor-1", 1, 40), *[("cantor-6", depth, width) for depth in DEPTHS for width in WIDTHS]]


def planted(task, depth, width):
    return 0.4 / depth - 0.001 * width + 0.01 * task["curve"]


@pytest.fixture(scope="module")
def cube():
    return made.grid("grid", TASKS, planted, depths=DEPTHS, widths=WIDTHS, missing=MISSING)["grid"]


@pytest.fixture(scope="module")
def theory():
    return made.theory(TASKS, {"folding": {"kind": "fractal_folding"}}, {}, made.calculations())["theory"]


def drawn(kind, cube, **settings):
    """Draw the figure and render it: anything that does not fit or cannot be drawn raises."""
    with style.context(["default", look.STYLE]):
        figure = binding.load("figure", kind).draw(cube, **settings)
        figure.canvas.draw()
    return figure


def test_samples_of_a_task_that_is_no_fractal_are_refused_in_one_sentence(cube):
    spec = {"tasks": {"local": {"kind": "k_local", "k": 2, "dimension": 4}}}
    other = xr.DataTree(cube.to_dataset().assign_attrs(spec=json.dumps(spec)))
    with pytest.raises(ValueError, match="it must be of the kind fractal"):
        drawn("fractal_samples", other, tasks=("local",))


def points(axis):
    """Return the points of the curves with bars of an axis, by label."""
    return {c.get_label(): c.lines[0].get_xydata() for c in axis.containers}


def test_accuracy_by_width_draws_both_rules_and_both_axes(cube):
    axes = drawn("accuracy_by_width", cube, task="cantor-1", protocol="adam").axes
    assert [a.get_xlabel() for a in axes] == ["width"] * 2 + ["number of parameters"] * 2
    task = TASKS["cantor-1"]
    for axis in axes:
        curves = points(axis)
        assert set(curves) == {"depth 1", "depth 3", "depth 5"}
        np.testing.assert_allclose(curves["depth 5"][:, 1], [1 - planted(task, 5, w) for w in WIDTHS], atol=0.005)
        assert len(curves["depth 1"]) == 1  # the other width was not trained
    np.testing.assert_array_equal(points(axes[0])["depth 3"][:, 0], WIDTHS)
    np.testing.assert_array_equal(points(axes[2])["depth 3"][:, 0], [3 * w * w + 4 * w for w in WIDTHS])


def test_accuracy_by_depth_has_the_bounds_of_its_networks(cube):
    axis, line = drawn("accuracy_by_depth", cube, tasks=["cantor-1", "cantor_1d-6"], protocol="adam").axes
    p = 1.5 - 2.0 ** (-np.arange(4) / 3)
    levels = [li.get_ydata()[0] for li in axis.lines if li.get_color() == "#cccccc"]
    np.testing.assert_allclose(levels, p[1:-1])
    dashed, trained = [li.get_xydata() for li in axis.lines if li.get_linestyle() == "--"], points_with_bars(axis)
    for width, points_of in zip(WIDTHS, dashed, strict=True):
        depths = [int(d) for d in points_of[:, 0]]
        assert depths == trained[f"width {width}"][:, 0].round().tolist()  # widths stand beside each other
        reached = [1 - reachable_error(p, depth=d, width=width, maps=4, n_inputs=2) for d in depths]
        np.testing.assert_allclose(points_of[:, 1], np.where(np.greater(reached, 0.5), reached, np.nan))
    assert not [li for li in axis.lines if li.get_linestyle() == ":"]  # Theorem 4 is one of d = 1
    assert [li for li in line.lines if li.get_linestyle() == ":"]


def test_accuracy_by_curve_takes_the_best_width_and_the_published_numbers(cube):
    tasks = ["cantor-1", "cantor_1d-6"]
    (axis,) = drawn("accuracy_by_curve", cube, tasks=tasks, protocol="adam", published=[0.9, 0.7]).axes
    curves = {k: v for k, v in points_with_bars(axis).items() if k in ("best on the test set", "chosen on one half")}
    assert len(curves) == 2
    for found in curves.values():
        np.testing.assert_allclose(found[:, 1], [1 - planted(TASKS[t], 5, 40) for t in tasks], atol=0.006)
    (shown,) = (li for li in axis.lines if li.get_label() == "published")
    np.testing.assert_array_equal(shown.get_ydata(), [0.9, 0.7])
    heights = [bar.get_y() + bar.get_height() for bar in axis.patches]
    np.testing.assert_allclose(heights[:3], (1.5 - 2.0 ** (-np.arange(1, 4) / 3)))
    np.testing.assert_allclose(heights[3:], [0.5, 0.5, 1.0])
    with pytest.raises(ValueError, match="published has 1 accuracies; it must have one for each of 2 tasks"):
        drawn("accuracy_by_curve", cube, tasks=tasks, protocol="adam", published=[0.9])


def points_with_bars(axis):
    return {c.get_label(): c.lines[0].get_xydata() for c in axis.containers if hasattr(c, "lines")}


@pytest.mark.parametrize(("depth", "rows"), [(None, 6), (5, 2)])
def test_accuracy_table_has_a_number_for_each_cell_that_was_trained(cube, depth, rows):
    first, second = drawn("accuracy_table", cube, tasks=["cantor-1", "cantor-6"], protocol="adam", depth=depth).axes
    assert first.images[0].get_array().shape == (rows, 2)
    trained = {None: 5, 5: 2}[depth]
    for axis in (first, second):
        assert len(axis.texts) == trained
    assert len(first.get_yticklabels()) == rows
    value = 100 * (1 - planted(TASKS["cantor-1"], 5, 40))
    assert min(abs(float(t.get_text()) - value) for t in first.texts) < 0.6


def test_sets_are_those_of_the_maps(cube):
    plane, line = drawn("fractal_sets", cube, tasks=["cantor-1", "cantor_1d-6"], levels=2).axes
    image = plane.images[0].get_array()
    blue = np.isclose(image[..., :3], to_rgb(look.BLUE)).all(-1)
    assert blue.mean() == pytest.approx((4 / 9) ** 2)
    x = (np.argwhere(blue)[:, ::-1] + 0.5) / len(blue) * 2 - 1
    assert (level(of_task(TASKS["cantor-1"]).maps, x, 2) == 2).all()
    first, second = (row.get_array()[0] for row in line.images)
    orange = [np.isclose(row, to_rgb(look.ORANGE)).all(-1).mean() for row in (first, second)]
    np.testing.assert_allclose(orange, [1 / 3, 2 / 9])
    assert np.isclose(second, 1).all(-1).mean() == pytest.approx(1 / 3)  # what is in neither class


@pytest.mark.parametrize(("height", "holes"), [(0.0, 5), (2 / 3, 1)])
def test_of_three_dimensions_a_plane_is_drawn_and_samples_by_two_coordinates(height, holes):
    """The plane of Menger's sponge has a cross of holes in the middle, or one hole in the middle of its upper third."""
    menger = [c for c in itertools.product((-2, 0, 2), repeat=3) if c.count(0) < 2]
    own = {"menger": made.fractal("given", 1, ratio=3, offsets=menger)}
    tree = made.grid("grid", own, planted)["grid"]
    (axis,) = drawn("fractal_sets", tree, tasks=["menger"], levels=1, height=height).axes
    (image,) = axis.get_images()
    blue = np.isclose(image.get_array(), image.get_array()[0, 0]).all(-1)
    side = len(blue) // 3
    thirds = blue.reshape(3, side, 3, side).mean((1, 3))
    assert sorted(thirds.ravel()) == [0.0] * holes + [1.0] * (9 - holes)
    assert axis.get_title(loc="left") == f"given, n = 1, x3 = {height:g}"
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("x1", "x2")
    (axis,) = drawn("fractal_samples", tree, tasks=["menger"], samples=300).axes
    assert sum(len(line.get_xydata()) for line in axis.lines) == 300


def test_samples_have_the_labels_of_their_task(cube):
    (axis,) = drawn("fractal_samples", cube, tasks=["cantor-1"], samples=500).axes
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("x1", "x2")
    maps = of_task(TASKS["cantor-1"]).maps
    shown = {li.get_label(): li.get_xydata() for li in axis.lines}
    assert sum(map(len, shown.values())) == 500
    assert (level(maps, shown["positive"], 3) == 3).all()
    assert (level(maps, shown["negative"], 3) < 3).all()


def test_regions_and_gradients_are_those_of_the_calculations(theory):
    random, known = drawn("region_counts", theory).axes
    counts = theory["calculations/region_counts"].to_dataset()
    np.testing.assert_allclose(
        points(random)["he, b = 0.1"][:, 1], counts.regions.sel(start="he, b = 0.1").isel(width=-1).mean("network")
    )
    np.testing.assert_array_equal(known.lines[0].get_ydata(), counts.known_regions)
    axes = drawn("initial_gradients", theory).axes
    assert [a.get_title(loc="left")[4:] for a in axes] == [name for name, _ in made.STARTS]
    hollow = [li for li in axes[3].lines if li.get_markerfacecolor() == "white"]
    table = theory["calculations/initial_gradients"].to_dataset().sel(start="he, b = 0.1")
    assert sum(len(li.get_xdata()) for li in hollow) == int((table.largest_output > 1).sum())
    exactly_zero = [li.get_ydata() for li in axes[0].lines if li.get_marker() == "v"]  # of the printed start all
    heights = np.concatenate(exactly_zero)
    assert heights.size == table.network.size * table.growth.size * table.depth.size
    assert set(heights) == {1e-24 / 4}


@pytest.mark.parametrize("kind", ["region_counts", "initial_gradients"])
def test_what_was_not_calculated_is_said(kind):
    tree = xr.DataTree()
    tree.attrs["spec"] = json.dumps({"tasks": {}})
    texts = [t.get_text() for axis in drawn(kind, tree).axes for t in axis.texts]
    assert any("in this cube" in text for text in texts)


def test_every_figure_of_the_study_is_of_a_kind_that_is_drawn_here():
    here = Path(__file__).read_text(encoding="utf-8")
    figures = loading.load_study(STUDY, "paper").figures.values()
    assert {figure.kind for figure in figures} <= {kind for kind in plugins.kinds("figure") if f'"{kind}"' in here}
    assert all(figure.caption for figure in figures)
