"""Laws, thresholds and intervals of the library are those of cubes and of claims; charts show them."""

import json

import numpy as np
import pytest
import width_cubes
import xarray as xr
from few_resamples import RESAMPLES
from test_width_laws import LAWS, N_STAR, tree

import isobath
from isobath.analysis.cells import Cells
from isobath.analysis.fits import thresholds
from isobath.plotting.style import depth_color
from isobath.randomness import stream

SIZES = np.array([10, 20, 40, 80, 160])
FITS = np.array([[0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 1, 0], [1, 1, 0, 1], [1, 1, 1, 1]], dtype=bool)


@pytest.mark.parametrize("name", ["test_error", "apparent_error"])
def test_a_law_is_that_of_the_cube_and_of_the_claims(name):
    cubes = tree(name, network_error=lambda n: 0.02 + 0.9 * n**-0.5 - 3 * n**-0.75)
    ensembles = cubes["widths/ensembles"].to_dataset()
    ours = isobath.fit_law(
        ensembles.n_weights,
        ensembles.network_error.where(ensembles.n_weights >= LAWS[name]["beyond"] * N_STAR),
        form=LAWS[name]["form"],
        along="width",
        resamples=RESAMPLES,
        generator=np.random.default_rng(1),
    )
    stored = cubes[f"widths/laws/{name}"].to_dataset()
    for variable in stored:
        if variable != "left_out":  # points that are too small are counted among those without networks
            xr.testing.assert_equal(ours[variable].reset_coords(drop=True), stored[variable].reset_coords(drop=True))
    claimed = Cells.of(cubes, "widths").parameter(name, "exponent", free=True)
    exponent = ours.sel(fit="free", parameter="exponent").squeeze()
    assert (claimed.value, *claimed.interval()) == (exponent.value, exponent.low, exponent.high)


def test_a_law_of_plain_arrays_is_found():
    noise = np.random.default_rng(0).standard_normal((12, 8))
    x = np.geomspace(100, 1e5, 12)
    found = isobath.fit_law(x, (0.1 + 3 * x**-0.5)[:, None] * (1 + 0.01 * noise), exponents=[0, -0.5], above=200)
    fixed, free = found.sel(fit="fixed"), found.sel(fit="free")
    assert fixed.low.sel(parameter="constant") < 0.1 < fixed.high.sel(parameter="constant")
    assert free.low.sel(parameter="exponent") < -0.5 < free.high.sel(parameter="exponent")
    assert fixed.p_value > 0.001
    assert found.fitted.values.tolist() == (x >= 200).tolist()
    assert found.parameter.attrs["long_name"]


def test_a_threshold_is_that_of_the_cube():
    networks = width_cubes.networks()
    cube = thresholds(networks.assign_coords(protocol_max_epochs=100), generator=stream(0, "jamming", "widths"))
    ours = isobath.jamming_threshold(networks.n_weights, networks.status, generator=stream(0, "jamming", "widths"))
    for variable in ("threshold", "low", "high", "fraction", "range", "range_low", "range_high", "reason"):
        assert ours[variable].variable.identical(cube[variable].variable), variable
    assert np.isfinite([ours.threshold, ours.low, ours.high]).all()


def test_a_threshold_of_plain_arrays():
    found = isobath.jamming_threshold(SIZES, FITS)
    assert found.low < found.threshold < found.high
    assert 20 < found.threshold < 80
    words = np.where(FITS, "fitted", "unfitted").astype(object)
    xr.testing.assert_identical(found, isobath.jamming_threshold(SIZES, words))
    assert "all networks fit" in isobath.jamming_threshold(SIZES, FITS | True).reason.item()


def networks(draws=1, tasks=("a",), **attrs):
    """Draw networks of errors that scatter, of which one did not fit."""
    shape = (len(tasks), 2, draws, 5)
    dims, values = ("task", "depth", "draw", "seed"), np.random.default_rng(0).uniform(0.1, 0.3, shape)
    status = np.full(shape, "fitted", dtype=object)
    status[0, 0, 0, 0] = "unfitted"
    coords = {"task": list(tasks), "depth": [1, 3], "draw": range(draws), "seed": range(5)}
    about = {"long_name": "misclassified fraction of the test set", "units": "1"}
    return xr.Dataset({"test_error": (dims, values, about), "status": (dims, status)}, coords, {"n_test": 400} | attrs)


@pytest.mark.parametrize("draws", [1, 4])
@pytest.mark.parametrize(
    "spec", [{}, {"b": {"kind": "k_local", "n_test": 90}}, {"b": {"kind": "digits_parity", "n_test": 90}}]
)
def test_an_interval_is_that_of_the_claims(draws, spec):
    """It is over networks, or over draws, and has the error of the test set, unless each draw has its own."""
    tasks = {"a": {"kind": "k_local"}} | spec
    data = networks(draws, tasks, spec=json.dumps({"tasks": tasks}))
    cubes = xr.DataTree.from_dict({"g/networks": data})
    cubes["g"].attrs = data.attrs
    ours = isobath.interval(data, "test_error", over=["seed", "draw"])
    for task in tasks:
        for depth in (1, 3):
            claimed = Cells.of(cubes, "g").error(task=task, depth=depth)
            one = ours.sel(task=task, depth=depth)
            assert (claimed.value, *claimed.interval()) == (one.value, one.low, one.high)
            assert (claimed.tally.counted, claimed.tally.trained, claimed.count) == (
                one.counted,
                one.trained,
                one["count"],
            )


def test_networks_that_count_and_dims_that_are_averaged():
    data = networks(draws=3)
    assert isobath.interval(data).counted.sel(depth=1).item() == 14
    assert isobath.interval(data, status="finite").counted.sel(depth=1).item() == 15
    each = isobath.interval(data, over="seed", n_test=0)
    assert each.value.dims == ("task", "depth", "draw")
    assert (each["sample"] == 0).all()
    np.testing.assert_allclose(each.value.sel(depth=3), data.test_error.sel(depth=3).mean("seed"))
    nothing = isobath.interval(data.where(data.status == "diverged"), status=None)
    assert nothing.value.isnull().all()
    assert (nothing.counted == 0).all()


def test_a_regression_has_the_error_of_its_test_set():
    data = networks().isel(seed=0, draw=0, task=0, drop=True).drop_vars("status")
    found = isobath.interval(data, "test_error").sel(depth=1)
    p = data.test_error.sel(depth=1)
    np.testing.assert_allclose(found["sample"], np.sqrt(p * (1 - p) / 400))
    assert found.low < found.value < found.high
    with pytest.raises(ValueError, match="n_test is None, and the data do not say it"):
        isobath.interval(data.drop_attrs(deep=False))
    real = data.assign(test_error=data.test_error.assign_attrs(long_name="mean squared error of the test set"))
    assert isobath.interval(real)["sample"].sum() == 0


REFUSALS = {
    r"variable is 'tset_error'; did you mean 'test_error'": lambda: isobath.interval(networks(), "tset_error"),
    r"variable is 'status', which has no numbers": lambda: isobath.interval(networks(), "status"),
    r"over is 'depth'; allowed: draw, seed": lambda: isobath.interval(networks(), over="depth"),
    r"status is 'fit'; did you mean 'fitted'": lambda: isobath.interval(networks(), status="fit"),
    r"form.exponents is missing": lambda: isobath.fit_law(SIZES, FITS * 1.0),
    r"form.kind is 'power'; .*did you mean 'powers'": lambda: isobath.fit_law(SIZES, FITS * 1.0, form="power"),
    r"x has the shape \(5,\) and y \(4, 4\)": lambda: isobath.fit_law(SIZES, FITS[1:], exponents=[1]),
    r"both must be labelled, or neither": lambda: isobath.fit_law(SIZES, networks().test_error, exponents=[1]),
    r"along is 'width'; did you mean 'depth'": lambda: isobath.fit_law(
        networks().depth, networks().test_error, exponents=[1], along="width"
    ),
    r"statistic is 'max'; allowed: mean, median": lambda: isobath.fit_law(
        SIZES, FITS * 1.0, exponents=[1], statistic="max"
    ),
    r"fitted has '0.0'; it must be true or false, or one of": lambda: isobath.jamming_threshold(SIZES, FITS * 0.5),
    r"the sizes are .*; they must be positive and increasing": lambda: isobath.jamming_threshold(-SIZES, FITS),
    r"x is 'width'; did you mean 'depth'": lambda: isobath.plot.curve(networks(), x="width"),
    r"has the dims task, depth; select a value of task": lambda: isobath.plot.curve(
        networks(tasks=("a", "b")), x="depth"
    ),
    r"log is True, and x is 'task', whose values are a, b; they must be positive": lambda: isobath.plot.curve(
        networks(tasks=("a", "b")).isel(depth=0), x="task", log=True
    ),
    r"log is True, and x is 'depth', whose values are 0, 2;": lambda: isobath.plot.curve(
        networks().isel(task=0).assign_coords(depth=[0, 2]), x="depth", log=True
    ),
    r"networks lie along seed, or regressions along draw": lambda: isobath.fit_law(
        networks().depth, networks().test_error.isel(seed=0, draw=0), exponents=[1]
    ),
    r"is no result of isobath.fit_law": lambda: isobath.plot.law(networks()),
    r"is no result of isobath.jamming_threshold": lambda: isobath.plot.threshold(networks()),
}


@pytest.mark.parametrize("words", REFUSALS)
def test_what_cannot_be_is_refused_in_one_sentence(words):
    with pytest.raises(ValueError, match=words) as refusal:
        REFUSALS[words]()
    assert "\n" not in str(refusal.value)


def test_a_chart_of_means_has_their_intervals():
    data = networks(tasks=("a", "b"))
    figure = isobath.plot.curve(data, x="depth", hue="task")
    (axis,) = figure.axes
    means = isobath.interval(data)
    for drawn, task in zip(axis.containers, ("a", "b"), strict=True):
        one = means.sel(task=task)
        np.testing.assert_allclose(drawn[0].get_ydata(), one.value)
        (bars,) = drawn[2]
        np.testing.assert_allclose([bar[:, 1] for bar in bars.get_segments()], np.stack([one.low, one.high], -1))
    assert axis.get_xlabel() == "L, number of hidden layers"
    assert axis.get_ylabel().replace("\n", " ") == "misclassified fraction of the test set"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["task a", "task b"]


def test_points_are_hollow_where_some_networks_do_not_count_and_absent_with_a_warning_where_none_does():
    data = networks().isel(task=0)  # one of depth 1 did not fit
    data = data.assign(status=data.status.where(data.depth == 1, "unfitted"))
    with pytest.warns(UserWarning, match="^1 of 2 points are not drawn: none of their networks counts"):
        figure = isobath.plot.curve(data, x="depth")
    hollow = [line for line in figure.axes[0].lines if line.get_markerfacecolor() == "white"]
    assert [x for line in hollow for x, y in line.get_xydata() if np.isfinite(y)] == [1]
    with pytest.warns(UserWarning, match="none of their networks counts$"):
        isobath.plot.curve(
            data.assign(status=data.status.where(data.depth == 1, "diverged")), x="depth", status="finite"
        )
    whole = isobath.plot.curve(data, x="depth", status="finite")
    assert all(not len(line.get_xdata()) for line in whole.axes[0].lines if line.get_markerfacecolor() == "white")


def test_a_chart_of_a_law_and_of_a_threshold_on_axes_of_ones_own():
    fit = isobath.fit_law(SIZES, 0.1 + 3 / SIZES[:, None] * np.array([0.9, 1, 1.1]), exponents=[0, -1], below=100)
    figure = isobath.plot.law(fit)
    (axis,) = figure.axes
    fitted, left_out, line = axis.lines[0], axis.lines[3], axis.lines[-1]
    assert (len(fitted.get_xdata()), len(left_out.get_xdata())) == (4, 1)
    constant, factor = fit.value.sel(fit="fixed", parameter=["constant", "c0"]).values
    np.testing.assert_allclose(line.get_ydata(), constant + factor / line.get_xdata())
    found = isobath.jamming_threshold(SIZES, FITS)
    assert isobath.plot.threshold(found, axes=axis) is figure
    assert axis.get_ylabel() == "fraction of networks that fit"
    assert any(np.allclose(drawn.get_xdata(), found.threshold) for drawn in axis.lines)


def test_an_error_on_the_training_set_has_none_of_the_test_set():
    data = networks()
    data["train_error"] = data.test_error.assign_attrs(long_name="misclassified fraction of the training set")
    assert (isobath.interval(data, "train_error")["sample"] == 0).all()
    assert (isobath.interval(data)["sample"] > 0).all()


def test_a_chart_of_a_threshold_has_the_fractions_that_fit():
    (axis,) = isobath.plot.threshold(isobath.jamming_threshold(SIZES, FITS)).axes
    np.testing.assert_allclose(axis.lines[0].get_xydata(), np.stack([SIZES, FITS.mean(1)], 1))


def test_a_chart_of_a_law_has_both_fits_and_standard_errors():
    x = np.geomspace(100, 1e5, 12)
    y = (0.1 + 3 * x**-0.5)[:, None] * (1 + 0.01 * np.random.default_rng(0).standard_normal((12, 8)))
    fit = isobath.fit_law(x, y, exponents=[0, -0.5], resamples=40)
    (axis,) = isobath.plot.law(fit).axes
    ends = [segment[:, 1] for segment in axis.containers[0].lines[2][0].get_segments()]
    np.testing.assert_allclose(np.ptp(ends, axis=1), 2 * fit.error)
    (dotted,) = (line for line in axis.lines if line.get_linestyle() == ":")
    constant, factor, p = fit.value.sel(fit="free", parameter=["constant", "c0", "exponent"]).values
    assert p != -0.5
    np.testing.assert_allclose(dotted.get_ydata(), constant + factor * dotted.get_xdata() ** p)


def test_a_law_of_regressions_lies_over_their_draws_and_is_drawn_with_dims_of_one_value():
    rng, n_train = np.random.default_rng(0), xr.DataArray(SIZES, dims="n_train", name="n_train")
    errors = 3 / n_train * (1 + 0.01 * xr.DataArray(rng.standard_normal((6, len(SIZES))), dims=("draw", "n_train")))
    errors = errors.assign_coords(n_train=n_train).expand_dims(task=["a"])
    names = {"exponents": [-1], "along": "n_train", "resamples": 40}
    found = isobath.fit_law(errors.n_train, errors, **names)
    assert found.networks.values.tolist() == [[6] * len(SIZES)]
    xr.testing.assert_identical(found, isobath.fit_law(errors.n_train, errors.expand_dims("seed", axis=-1), **names))
    (axis,) = isobath.plot.law(found).axes
    np.testing.assert_allclose(axis.lines[0].get_ydata(), errors.mean("draw").isel(task=0))
    fits = xr.DataArray(FITS[None], dims=("task", "width", "seed"))
    located = isobath.jamming_threshold(xr.DataArray(SIZES, dims="width"), fits, along="width")
    (axis,) = isobath.plot.threshold(located).axes
    np.testing.assert_allclose(axis.lines[0].get_ydata(), FITS.mean(1))


def test_depths_have_their_own_colours_in_charts():
    (axis,) = isobath.plot.curve(networks(tasks=("a", "b")), x="task", hue="depth").axes
    assert [drawn[0].get_color() for drawn in axis.containers] == [depth_color(1), depth_color(3)]


def test_a_chart_has_a_logarithmic_axis_if_asked_for():
    data_ = networks().isel(task=0)
    scales = [isobath.plot.curve(data_, x="depth", log=log).axes[0].get_xscale() for log in (True, False)]
    assert scales == ["log", "linear"]


def test_draws_that_share_a_search_are_one_unit():
    found = [isobath.interval(networks(draws=4), together=n)["count"].sel(depth=3).item() for n in (1, 2)]
    assert found == [4, 2]


def test_errors_of_early_stopping_have_the_error_of_their_test_set():
    data_ = networks()
    for name in ("early_stopping_error", "best_error"):
        data_[name] = data_.test_error
        np.testing.assert_array_equal(isobath.interval(data_, name)["sample"], isobath.interval(data_)["sample"])
