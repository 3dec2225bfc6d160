"""The figures of the width study, on a made-up cube: they draw the numbers of the cube, and nothing else."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from house import ROOT
from width_cubes import MISSING, STEPS, TRAINED, WIDTHS, N, cube
from width_figures import SETTINGS, draw, labels, line, own, parameters

from isobath.plotting.laws import draw_law, law_line
from isobath.study import loading

STUDY = ROOT / "workflow/studies/width"


@pytest.fixture(scope="module")
def tree():
    return cube()


def test_every_cell_is_a_point_a_missing_one_a_gap_a_width_that_fits_in_part_hollow(tree):
    axis = draw("width_dependence", tree).axes[0]
    x, y = line(axis, "single networks")
    cell = own(tree)
    np.testing.assert_allclose(x, np.where(TRAINED, N, np.nan))
    assert np.isnan(y[WIDTHS.index(MISSING)])
    for i, width in enumerate(WIDTHS):
        kept = cell.sel(width=width)
        values = kept.test_error.values[np.isin(kept.status.values, ["fitted", "unfitted"])]
        assert width == MISSING or y[i] == pytest.approx(values.mean())
    np.testing.assert_allclose(line(axis, "early stopping")[1], cell.early_stopping_error.mean("seed"))
    hollow = [one for one in axis.get_lines() if one.get_markerfacecolor() == "white"]
    np.testing.assert_array_equal(hollow[0].get_xdata(), N[[0, 1, 2, 3, 7]])  # the last: one diverged
    np.testing.assert_allclose(line(axis, "N*")[0], tree["jamming"].threshold.item())
    fraction = draw("width_dependence", tree).axes[2]
    np.testing.assert_allclose(line(fraction, "fraction")[1][[0, 1, 3, 5, 7]], [0, 1 / 3, 5 / 6, 1, 5 / 6])


def test_the_ensemble_is_that_of_all_networks_that_there_are(tree):
    y = line(draw("width_dependence", tree).axes[0], "ensembles of n = 6")[1]
    errors = own(tree, "ensembles").ensemble_error
    np.testing.assert_allclose(y[:-1], errors.sel(size=6).values[:-1])
    assert y[-1] == errors.sel(size=5).values[-1]


def test_a_law_is_drawn_where_it_was_fitted(tree):
    x, y = line(draw("width_dependence", tree, law="test_error").axes[0], "law")
    p = parameters(tree, "test_error")
    np.testing.assert_allclose(y, p["constant"] + p["c0"] * x**-0.5 + p["c1"] * x**-0.75)
    np.testing.assert_allclose(x[[0, -1]], [N[0], N[-1]])


def test_the_published_fit_is_drawn_if_given_and_from_its_maximum_on(tree):
    assert "fit of the paper" not in labels(draw("width_dependence", tree))
    axis = draw("width_dependence", tree, published=[0.02, 0.3, -0.8]).axes[0]
    x, y = line(axis, "fit of the paper")
    assert x[0] == pytest.approx((3 * 0.8 / (2 * 0.3)) ** 4, rel=0.02)  # where its derivative vanishes
    assert x[-1] == pytest.approx(N[-1])
    np.testing.assert_allclose(y, 0.02 + 0.3 * x**-0.5 - 0.8 * x**-0.75)
    everywhere_rising = draw("width_dependence", tree, published=[0.054, 6.4, -49])
    assert "fit of the paper" not in labels(everywhere_rising)


def test_the_axis_can_be_the_width(tree):
    axis = draw("width_dependence", tree, axis="width").axes[0]
    np.testing.assert_array_equal(line(axis, "single networks")[0], np.where(TRAINED, WIDTHS, np.nan))
    below, place, above = 4, line(axis, "N*")[0][0], 6  # where the fraction passes one half
    assert below < place < above
    assert axis.get_xlabel() == "width h"


def test_the_plane_is_coloured_by_sign(tree):
    axis = draw("boundary_plane", tree, width=6).axes[0]
    cell = own(tree, "ensembles").sel(width=6)
    f, mean = cell.plane_network.T.values, cell.plane_mean.T.values
    expected = np.where((f > 0) & (mean > 0), 1, np.where((f < 0) & (mean < 0), 0, 2))
    mesh = axis.collections[0]
    np.testing.assert_array_equal(np.asarray(mesh.get_array()).reshape(f.shape), expected)
    assert len(axis.collections) == 3  # and two boundaries
    with pytest.raises(ValueError, match="width is 5; the cube has 3, 4"):
        draw("boundary_plane", tree, width=5)


def test_what_ensembles_gain_with_their_size(tree):
    figure = draw("ensemble_size", tree, **SETTINGS["ensemble_size"])
    cell = own(tree, "ensembles").sel(width=16)
    error, distance = cell.ensemble_error_pseudo.mean("seed"), cell.distance_pseudo.mean("seed")
    at = {"fit": "fixed", "parameter": "constant", "width": 16}
    first, last = (
        error - tree[f"laws/{name}"].value.sel(at).item() for name in ("ensemble_size", "error_and_distance_size")
    )
    sizes = cell["size"].values
    for axis, x, y, p in zip(
        figure.axes, (sizes, sizes, distance), (first, distance, last), (-1, -0.5, 2), strict=True
    ):
        points = [one for one in axis.get_lines() if one.get_marker() == "o" and len(one.get_xdata())]
        np.testing.assert_allclose(points[0].get_xdata(), x)
        np.testing.assert_allclose(points[0].get_ydata(), y.where(y > 0))
        at, law = line(axis, "law")
        np.testing.assert_allclose(np.log(law[-1] / law[0]) / np.log(at[-1] / at[0]), p)
    bars = figure.axes[0].collections[0].get_segments()
    spread = cell.ensemble_error_pseudo.std("seed", ddof=1) / np.sqrt(6)
    seen = np.array([np.ptp(segment[:, 1]) for segment in bars if len(segment)])
    np.testing.assert_allclose(seen[np.isfinite(seen)], 2 * spread.where(first > 0).dropna("size"))
    assert "free exponent" in " ".join(labels(figure))


def test_the_variance_and_its_law_squared(tree):
    axis = draw("fluctuations", tree, law="fluctuation").axes[0]
    variance = own(tree, "ensembles").variance_unbiased
    for measure, label in (("test", "test set"), ("train", "training set"), ("normal", "normal inputs")):
        np.testing.assert_allclose(line(axis, label)[1], variance.sel(measure=measure))
    x, y = line(axis, "law")
    np.testing.assert_allclose(y, (parameters(tree, "fluctuation")["c0"] * x**-0.25) ** 2)


def test_what_falls_beyond_jamming(tree):
    axes = draw("asymptotics", tree, **SETTINGS["asymptotics"]).axes
    cell = own(tree, "ensembles")
    means = cell.mean("seed")
    np.testing.assert_allclose(line(axes[0], "median")[1], cell.gradient_norm.median("seed"))
    for axis, x, y in ((axes[1], "distance", "excess_error"), (axes[2], "distance_estimate", "distance")):
        np.testing.assert_allclose(line(axis, "mean")[0], means[x])
        np.testing.assert_allclose(line(axis, "mean")[1], means[y])
    np.testing.assert_allclose(line(axes[3], "mean")[1], means.excess_error)
    p = parameters(tree, "error_and_distance")
    x, y = line(axes[1], "law")
    np.testing.assert_allclose(y, p["constant"] + p["c0"] * x**2)
    x, y = line(axes[0], "fit of the paper")
    np.testing.assert_allclose(y, 2 + 50 * x**-0.25)
    assert "fit of the paper" not in labels(draw("asymptotics", tree))


def test_an_excess_below_zero_and_a_width_at_the_threshold_are_gaps(tree):
    changed = tree.copy(deep=True)
    changed["ensembles"].excess_error.loc[{"width": 16}] = -0.001
    changed["jamming"].threshold[:] = N[3] * (1 - 1e-15)
    y = line(draw("asymptotics", changed).axes[3], "mean")[1]
    np.testing.assert_array_equal(np.isfinite(y), TRAINED & (np.array(WIDTHS) != 16))
    x = line(draw("norms", changed, law="norm").axes[1], f"after {STEPS[0]} epochs")[0]
    assert np.nanmin(x) == pytest.approx(N[5] / N[3] - 1)


def test_the_norm_on_the_way(tree):
    axes = draw("norms", tree, law="norm").axes
    cell, threshold = own(tree), tree["jamming"].threshold.item()
    np.testing.assert_allclose(line(axes[0], "test set")[1], (cell.test_norm**2).mean("seed"))
    for step in STEPS:
        x, y = line(axes[1], f"after {step} epochs")
        beyond = TRAINED & (threshold < N)
        np.testing.assert_allclose(x, np.where(beyond, N / threshold - 1, np.nan))
        np.testing.assert_allclose(y, (cell.recorded_test_norm.sel(step=step) ** 2).mean("seed"))
    x, y = line(axes[1], "slope −2")
    np.testing.assert_allclose(np.log(y[1] / y[0]) / np.log(x[1] / x[0]), -2)


@pytest.mark.parametrize("steep", [1, 30])
def test_the_slope_for_the_eye_crosses_neither_curves_nor_laws(tree, steep):
    """Curves are followed between their points: the segment that leaves the reach of the line can cross it too."""
    changed = tree.copy(deep=True)
    changed["networks"].recorded_test_norm.loc[{"width": 32}] *= steep  # rises where the line falls
    changed["networks"].recorded_test_norm.loc[{"width": 24}] *= steep
    axis = draw("norms", changed, law="norm").axes[1]
    x, y = line(axis, "slope −2")
    at = np.geomspace(*x, 500)
    eye = np.exp(np.interp(np.log(at), np.log(x), np.log(y)))
    others = [one for one in axis.get_lines() if not str(one.get_label()).startswith("slope")]
    for other in others:
        points = other.get_xydata()[(np.nan_to_num(other.get_xydata()) > 0).all(1)]
        points = points[points[:, 0].argsort()]
        if len(points):
            height = np.interp(np.log(at), *np.log(points).T, left=-np.inf, right=-np.inf)
            assert (np.log(eye) > height).all(), other.get_label()
    assert len(others) > len(STEPS)


def test_profiles_are_of_samples_only_and_a_crossing_beyond_reach_counts(tree):
    axes = draw("profiles", tree, widths=[3, 16]).axes
    curves = [one for one in axes[1].get_lines() if len(one.get_xdata()) == 5 and one.get_linestyle() == "-"]
    assert len(curves) == 5
    (ticks,) = [one for one in axes[1].get_lines() if one.get_marker() == "|"]
    np.testing.assert_allclose(ticks.get_xdata(), [1.0, 1.2, 1.4])  # of 0.8, 1, 1.2, 1.4 and beyond
    assert "no profiles in this cube" in [text.get_text() for text in axes[0].texts]


def test_each_ensemble_is_a_point(tree):
    axes = draw("boundary_distances", tree, width=16).axes
    cell = own(tree, "ensembles").sel(width=16)
    points = axes[0].collections[0]
    expected = np.stack([cell.ensemble_distance_estimate.values.ravel(), cell.ensemble_distance.values.ravel()], -1)
    np.testing.assert_allclose(np.asarray(points.get_offsets()), expected)
    np.testing.assert_array_equal(np.asarray(points.get_array()), np.repeat(np.arange(1, 7), 4))
    np.testing.assert_allclose(line(axes[1], "one network")[1], cell.distance)


def test_compute_is_counted_and_the_best_is_the_lower_envelope(tree):
    axis = draw("compute", tree, sizes=[2, 4, 9]).axes[0]
    cell = own(tree)
    x, y = line(axis, "single networks")
    np.testing.assert_allclose(x, 6 * np.where(TRAINED, N, np.nan) * cell.epochs.mean("seed") * 100)
    pairs = line(axis, "ensembles of 2")
    np.testing.assert_allclose(pairs[0], 2 * x)
    np.testing.assert_allclose(pairs[1], own(tree, "ensembles").ensemble_error.sel(size=2))
    spent = np.concatenate([x, 2 * x, 4 * x])
    error = np.concatenate([y, pairs[1], line(axis, "ensembles of 4")[1]])
    for at, best in zip(*line(axis, "best"), strict=True):
        if np.isfinite(at):
            assert best == pytest.approx(np.nanmin(error[spent <= at * (1 + 1e-9)]))
    assert "ensembles of 9" not in labels(axis.figure)


@pytest.mark.parametrize("scale", ["paper", "laptop", "demo", "smoke"])
def test_only_the_scale_of_the_paper_shows_the_fits_of_the_paper(scale):
    figures = loading.load_study(STUDY, scale).figures
    shown = [getattr(figures[name], key) for name, key in (("figure2", "published"), ("figure6", "gradient"))]
    assert shown == ([[0.054, 6.4, -49], [2.1, 51]] if scale == "paper" else [None, None])
    assert ("figure8" in figures) == (scale in ("paper", "laptop"))


def test_laws_are_drawn_with_their_goodness(tree):
    cell = {"task": "digits", "protocol": "adam", "depth": None, "n_train": None}
    found = law_line(tree, "gradient_norm", **cell)
    assert re.fullmatch(r"p [=<] [\d.e-]+", found.goodness)
    sizes = law_line(tree, "ensemble_size", **cell, width=WIDTHS[-2])
    assert sizes.goodness == ""  # sizes share networks: there is no p
    assert (found.formula, found.of("f")) == ("law $c + c_0 N^{-1/4}$", "law of f = $c + c_0 N^{-1/4}$")
    assert law_line(tree, "ensemble_size", **cell, width=WIDTHS[-2], x="n").formula == "law $c + c_0 n^{-1}$"
    figure, axis = plt.subplots()
    draw_law(axis, found)
    draw_law(axis, found, "law")
    words = f"\n{found.goodness}\n{found.exponent}"
    assert axis.get_legend_handles_labels()[1] == [f"{found.formula}{words}", f"law{words}"]
    assert found.exponent.startswith("free exponent")
    assert re.search(r"\], p [=<] [\d.e-]+$", found.exponent)
    plt.close(figure)
