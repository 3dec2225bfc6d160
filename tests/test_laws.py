"""Scaling laws, their intervals, the jamming threshold and the steps to fit, on made-up networks."""

import math

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import curve_fit, minimize
from scipy.special import expit
from scipy.stats import chi2 as chi_square

from isobath import bootstraps, plugins
from isobath.jamming import jamming, median_steps, threshold
from isobath.laws import fit, fit_points

X = np.geomspace(900, 6e6, 12)
NEAR = np.geomspace(1100, 1e5, 12)
TRUTHS = [
    ("powers", {"exponents": [-0.25]}, X, {"c0": 3.0}, -0.25),
    ("powers", {"exponents": [1.0]}, X, {"c0": 2.0}, 1.0),
    ("powers", {"exponents": [0, -0.25]}, X, {"constant": 2.1, "c0": 51.0}, -0.25),
    ("powers", {"exponents": [-0.5, -0.75]}, X, {"c0": 7.6, "c1": -59.0}, -0.5),
    ("powers", {"exponents": [-0.5, -0.75, 0]}, X, {"c0": 6.4, "c1": -49.0, "constant": 0.054}, -0.5),
    ("divergence", {}, NEAR, {"amplitude": 3e3, "pole": 800.0}, -1.0),
    ("divergence", {"pole": 800.0, "exponent": -0.5}, NEAR, {"amplitude": 3e3}, -0.5),
    ("exponential", {}, NEAR, {"amplitude": 3.0, "scale": 2e4}, 1.0),
    ("exponential", {"constant": True}, NEAR, {"amplitude": 3.0, "constant": 0.4, "scale": 2e4}, 1.0),
]
IDS = [f"{form} {settings}" for form, settings, *_ in TRUTHS]


def law(form, settings, x, truth):
    """The laws again, written out."""
    if form == "powers":
        names = iter(["c0", "c1", "c2"])
        return sum(truth["constant" if p == 0 else next(names)] * x**p for p in map(float, settings["exponents"]))
    if form == "divergence":
        return truth["amplitude"] * (x - truth.get("pole", settings.get("pole"))) ** settings.get("exponent", -1.0)
    return truth["amplitude"] * np.exp(-x / truth["scale"]) + truth.get("constant", 0.0)


def networks(y, generator, *, repeats=1, seeds=20, noise=0.1, x=X):
    """Networks that scatter around y (p,) by a share of it, independently at every width."""
    values = y * (1 + noise * generator.standard_normal((repeats, seeds, len(y))))
    return xr.Dataset(
        {"y": (("task", "seed", "width"), values)},
        coords={"task": np.arange(repeats), "width": np.arange(len(y)), "n_weights": ("width", x)},
    )


def fitted(dataset, form="powers", settings=None, **more):
    names = {"variable": "y", "axis": "n_weights", "along": "width"} | more
    generator = names.pop("generator", np.random.default_rng(0))
    settings = settings or ({"exponents": [-0.25]} if form == "powers" else {})
    return fit(dataset, form=form, settings=settings, generator=generator, **names)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize(("form", "settings", "x", "truth", "exponent"), TRUTHS, ids=IDS)
def test_a_law_without_noise_is_found_exactly(form, settings, x, truth, exponent, free):
    y = law(form, settings, x, truth)
    found = fit_points(x, y, 0.01 * np.abs(y), form, settings, free=free)
    assert found.reason == ""
    assert found.parameters == pytest.approx(truth | ({"exponent": exponent} if free else {}), rel=1e-4)
    assert found.chi2 < 1e-9
    assert found.r2 == pytest.approx(1)
    assert found.dof == len(x) - len(found.parameters)


def test_the_minimum_is_that_of_an_independent_optimiser():
    generator = np.random.default_rng(1)
    y = 3e3 * (NEAR - 800) ** -1.2
    error = 0.05 * y
    y = y + error * generator.standard_normal(len(y))
    found = fit_points(NEAR, y, error, "divergence", {}, free=True)
    start = [3e3, 700, -1]

    def curve(x, c, x0, p):
        return c * (x - x0) ** p

    limits = ([0, 0, -3], [1e6, 1099, 0])
    values, covariance = curve_fit(curve, NEAR, y, start, error, True, bounds=limits, x_scale=[1e3, 100, 1])
    assert list(found.parameters.values()) == pytest.approx(values, rel=1e-3)
    assert found.chi2 <= (((y - curve(NEAR, *values)) / error) ** 2).sum() + 1e-6
    assert found.p_value == pytest.approx(chi_square.sf(found.chi2, 9))
    assert np.all(np.abs(values - [3e3, 800, -1.2]) < 4 * np.sqrt(np.diag(covariance)))


def test_a_linear_fit_is_weighted_least_squares():
    generator = np.random.default_rng(2)
    error = generator.uniform(0.5, 2, 12)
    y = 2.1 + 51 * X**-0.25 + error * generator.standard_normal(12)
    found = fit_points(X, y, error, "powers", {"exponents": [0, -0.25]}, free=False)
    slope, constant = np.polyfit(X**-0.25, y, 1, w=1 / error)
    assert found.parameters == pytest.approx({"constant": constant, "c0": slope})


@pytest.mark.parametrize(
    ("form", "settings", "x", "truth", "exponent", "statistic"),
    [(*TRUTHS[i], statistic) for i, statistic in [(0, "mean"), (3, "mean"), (5, "mean"), (0, "median")]],
)
@pytest.mark.slow
def test_intervals_of_95_percent_cover(form, settings, x, truth, exponent, statistic):
    repeats = 200
    x = np.geomspace(2e4, 6e6, 12) if form == "powers" else x
    dataset = networks(law(form, settings, x, truth), np.random.default_rng(3), repeats=repeats, x=x)
    out = fitted(dataset, form, settings, statistic=statistic, bootstraps=200)
    for name, value in (truth | {"exponent": exponent}).items():
        at = out.sel(parameter=name, fit="free" if name == "exponent" else "fixed")
        assert (at.reason == "").all()
        assert 0.90 <= ((at.low <= value) & (value <= at.high)).mean() <= 0.99, name
        assert abs(at.value.mean() - value) < 4 * at.value.std() / math.sqrt(repeats), name
    # p-values are those of errors known from 20 networks: evenly spread where the law holds
    if statistic == "mean":
        assert 0.01 <= (out.p_value.sel(fit="fixed") < 0.05).mean() <= 0.11


@pytest.mark.parametrize("seeds", [5, 10])
def test_intervals_cover_with_few_networks(seeds):
    dataset = networks(3 * X**-0.25, np.random.default_rng(4), repeats=200, seeds=seeds)
    at = fitted(dataset, bootstraps=200).sel(fit="fixed", parameter="c0")
    assert 0.91 <= ((at.low <= 3) & (at.high >= 3)).mean() <= 0.995
    if seeds == 5:  # four degrees of freedom: the square of Student's variable has no variance
        assert at.p_value.isnull().all()
    else:
        assert (at.p_value < 0.05).mean() < 0.12  # if errors were taken as known: a quarter


def ensembles(generator, repeats):
    """y = level / size where all sizes share the networks' levels, which scatter by 20 %."""
    size = np.arange(1, 11)
    level = 1 + 0.2 * generator.standard_normal((repeats, 20, 1))
    return xr.Dataset(
        {"y": (("task", "seed", "size"), level / size * (1 + 1e-3 * generator.standard_normal((repeats, 20, 10))))},
        coords={"task": np.arange(repeats), "size": size},
    )


def test_the_same_networks_are_resampled_along_the_size_of_an_ensemble():
    settings = {"exponents": [-1]}
    out = fitted(ensembles(np.random.default_rng(5), 200), settings=settings, axis="size", along="size", bootstraps=200)
    at = out.sel(fit="fixed", parameter="c0")
    assert 0.90 <= ((at.low <= 1) & (at.high >= 1)).mean() <= 0.99
    # Points that share their networks do not average out: ten sizes are worth one. The exponent is not in doubt.
    assert (at.high - at.low).mean() == pytest.approx(2 * 2.1 * 0.2 / math.sqrt(20), rel=0.15)
    free = out.sel(fit="free", parameter="exponent")
    assert (free.high - free.low).mean() < 0.01
    assert out.p_value.isnull().all()
    apart = fitted(
        ensembles(np.random.default_rng(5), 100).rename(size="depth"),
        settings=settings, axis="depth", along="depth", bootstraps=200,
    ).sel(fit="fixed", parameter="c0")  # fmt: skip
    assert ((apart.low <= 1) & (apart.high >= 1)).mean() < 0.7


def test_x_and_y_are_resampled_together():
    generator = np.random.default_rng(6)
    x = np.linspace(1, 4, 8) * np.exp(0.5 * generator.standard_normal((20, 8)))
    dataset = xr.Dataset({"delta": (("seed", "width"), 2 * x), "estimate": (("seed", "width"), x)})
    out = fitted(dataset, settings={"exponents": [1]}, variable="delta", axis="estimate")
    at = out.sel(fit="fixed", parameter="c0")
    assert [at.value, at.low, at.high] == pytest.approx([2, 2, 2])  # apart, they would scatter by 0.5 / sqrt(160)
    np.testing.assert_allclose(out.x, x.mean(0))


def test_resamples_are_of_networks_that_exist_and_shared_where_networks_are():
    exists = xr.DataArray(np.ones((3, 4, 6), dtype=bool), dims=("width", "size", "seed")).copy()
    exists[1, :, 2:] = False
    exists[2] = False
    picks = bootstraps.resamples(exists, 500, np.random.default_rng(7))
    assert picks.dims == ("width", "replicate", "seed")
    assert set(np.unique(picks[0])) == set(range(6))
    assert set(np.unique(picks[1, :, :2])) == {0, 1}
    assert (picks[1, :, 2:] == -1).all()
    assert (picks[2] == -1).all()
    values = np.array([[[1.0, 2.0, np.nan]]])
    np.testing.assert_equal(
        bootstraps.take(values, np.array([[[[0, 0, -1], [1, 2, 0]]]]))[:, 0, 0], [[1, 1, np.nan], [2, np.nan, 1]]
    )


def test_statistics_over_networks():
    generator = np.random.default_rng(8)
    values = generator.standard_normal((5, 2, 7))
    values[0, 0, 3:] = np.nan
    values[1] = np.nan
    flat = values.reshape(5, -1)
    expected = {"mean": np.mean, "median": np.median, "root_mean_square": lambda v: math.sqrt((v**2).mean())}
    for statistic, function in expected.items():
        found = bootstraps.reduce(values, statistic)
        assert np.isnan(found[1])
        for i in (0, 2, 3, 4):
            assert found[i] == pytest.approx(function(flat[i][~np.isnan(flat[i])]))
    single = values[:, 1:]
    np.testing.assert_allclose(
        bootstraps.standard_error(single, "mean")[2:], single[2:, 0].std(1, ddof=1) / math.sqrt(7)
    )
    assert np.isnan(bootstraps.standard_error(single, "mean")[1])
    # between two draws the mean may differ: that is no spread of networks
    shifted = values + np.array([[0.0], [100.0]])
    np.testing.assert_allclose(bootstraps.standard_error(shifted, "mean"), bootstraps.standard_error(values, "mean"))
    squares = 6 * values[2].var(1, ddof=1).sum()
    assert bootstraps.standard_error(values, "mean")[2] == pytest.approx(math.sqrt(squares / 12 / 14))
    many = 3 + 0.1 * generator.standard_normal((2000, 1, 50))
    error = bootstraps.standard_error(many, "root_mean_square")
    assert error.mean() == pytest.approx(bootstraps.reduce(many, "root_mean_square").std(), rel=0.05)


def test_missing_networks_count_for_nothing_and_small_points_are_left_out():
    whole = networks(3 * X**-0.25, np.random.default_rng(9))
    values = whole.y.values.copy()
    values[0, 1:, 3] = np.nan  # one network left
    values[0, :, 5] = np.nan  # none
    values[0, 10:, 7] = np.nan  # half
    cut = whole.assign(y=(whole.y.dims, values))
    out = fitted(cut).isel(task=0)
    assert out.left_out == 2
    assert out.n_points == 10
    assert list(out.networks) == [20, 20, 20, 1, 20, 0, 20, 10, 20, 20, 20, 20]
    np.testing.assert_allclose(out.y[7], whole.y[0, :10, 7].mean())
    assert np.isnan(out.y[5])
    assert list(out.width[~out.fitted.values]) == [3, 5]
    without = fitted(cut.drop_isel(width=[3, 5])).isel(task=0)
    np.testing.assert_allclose(out.value, without.value, rtol=1e-12)
    padded = cut.pad(seed=(0, 5))  # networks that never were
    again = fitted(padded).isel(task=0)
    np.testing.assert_allclose(again.value, out.value, rtol=1e-12)
    np.testing.assert_array_equal(again.networks, out.networks)
    assert again.low.sel(fit="fixed", parameter="c0") == pytest.approx(
        out.low.sel(fit="fixed", parameter="c0").item(), rel=0.02
    )


def test_draws_of_the_data_are_held_fixed():
    generator = np.random.default_rng(10)
    y = 3 * X**-0.25
    level = np.array([0.5, 1.0, 1.5])[:, None, None]
    values = y * level * (1 + 0.01 * generator.standard_normal((3, 20, 12)))
    dataset = xr.Dataset({"y": (("draw", "seed", "width"), values)}, coords={"n_weights": ("width", X)})
    at = fitted(dataset).sel(fit="fixed", parameter="c0")
    assert at.value == pytest.approx(3, rel=0.01)
    assert at.high - at.low < 0.02
    assert (fitted(dataset).networks == 60).all()


def test_the_range_that_is_fitted_and_the_labels():
    first = networks(3 * X**-0.25, np.random.default_rng(11), repeats=2)
    dataset = first.assign_coords(task=["a", "b"], task_k=("task", [1, 2]), protocol="sgd").expand_dims(depth=[1, 5])
    out = fitted(dataset, minimum=X[2], maximum=X[9])
    assert (out.n_points == 8).all()
    assert set(out.value.dims) == {"depth", "task", "fit", "parameter"}
    assert out.x_min.sel(task="a", depth=5) == X[2]
    assert out.x_max.sel(task="a", depth=5) == X[9]
    assert list(out.parameter.values) == ["c0", "exponent"]
    assert out.value.sel(fit="fixed", parameter="exponent").isnull().all()
    assert out.reason.dtype == object
    assert (out.task_k.sel(task="b"), out.protocol) == (2, "sgd")
    alone = fitted(dataset.sel(task=["b"]), minimum=X[2], maximum=X[9])
    np.testing.assert_allclose(alone.value.sel(task="b"), out.value.sel(task="b"))


def test_a_fit_that_is_not_justified_has_a_reason_and_no_numbers():
    generator = np.random.default_rng(12)
    few = fitted(networks(3 * X[:2] ** -0.25, generator, x=X[:2]))
    assert "2 points; 3 are needed" in few.reason.sel(fit="fixed").item()
    assert "2 points; 4 are needed" in few.reason.sel(fit="free").item()
    same = fitted(networks(np.full(12, 3.0), generator, x=np.full(12, 7.0)))
    assert "1 points" in same.reason.sel(fit="fixed").item()
    steep = fitted(networks(3 * X**-6.0, generator))  # beyond the reach of a free exponent
    assert steep.reason.sel(fit="free").item() == "exponent is at a bound"
    line = fitted(networks(5 + 1e-6 * X, generator), "divergence")  # nothing diverges
    assert "pole is at a bound" in line.reason.sel(fit="fixed").item()
    for out, kind in [(few, "fixed"), (few, "free"), (same, "fixed"), (steep, "free"), (line, "fixed")]:
        at = out.sel(fit=kind)
        for name in ("value", "low", "high", "chi2", "dof", "p_value", "r2"):
            assert at[name].isnull().all(), name


def test_values_that_cannot_be_fitted_have_a_reason():
    y = 3 * X**-0.25
    cases = {
        "a value or its error is not finite": (X, np.where(X > 1e4, np.inf, y), y),
        "a column of the basis is not finite": (X - X[0], y, y),
        "the error at x = 900 is 0; it must be positive": (X, y, np.where(X < 1000, 0, y)),
    }
    for reason, (x, values, error) in cases.items():
        found = fit_points(x, values, error, "powers", {"exponents": [-0.25]}, free=False)
        assert found.reason == reason
        assert all(map(math.isnan, (found.chi2, found.dof, *found.parameters.values())))
    assert (
        "14 are needed" in fit_points(X, y, y, "powers", {"exponents": [-0.25]}, free=False, minimum_points=14).reason
    )
    exact = fit_points(X, y, 0 * y, "powers", {"exponents": [-0.25]}, free=True)  # errors that are not known
    assert exact.parameters == pytest.approx({"c0": 3, "exponent": -0.25})
    assert math.isnan(exact.chi2)


def test_an_interval_of_which_too_many_resamples_fail_is_missing():
    # c0 + c1 x^p where noise hides the law: the exponent of many resamples runs into a bound
    dataset = networks(1 + 0.5 * X**-0.25, np.random.default_rng(13), noise=0.3)
    out = fitted(dataset, settings={"exponents": [0, -0.25]}).sel(fit="free").isel(task=0)
    assert out.reason.item() == f"{out.failed.item()} of 400 resamples failed"
    assert out.failed > 40
    assert out.value.notnull().all()
    assert out.low.isnull().all()
    assert out.high.isnull().all()


def test_refusals_name_what_is_wrong():
    dataset = networks(3 * X**-0.25, np.random.default_rng(14))
    with pytest.raises(ValueError, match="'error' is not in the dataset; it has y"):
        fitted(dataset, variable="error")
    with pytest.raises(ValueError, match="the first needs depth and seed"):
        fitted(dataset, along="depth")
    with pytest.raises(ValueError, match=r"exponents is \[0\]; one at least must be other than 0"):
        fitted(dataset, settings={"exponents": [0]})
    with pytest.raises(ValueError, match=r"must be more than 0\.02 apart"):
        fitted(dataset, settings={"exponents": [-0.5, -0.5]})
    with pytest.raises(ValueError, match="exponent is 1"):
        fitted(dataset, "divergence", {"exponent": 1.0})


@pytest.mark.parametrize("form", plugins.kinds("form"))
def test_every_form_keeps_the_contract(form):
    """Columns, names and bounds agree, for batches of data sets as for one."""
    module = plugins.load("form", form)
    settings = {"exponents": (-0.5, 0.0)} if form == "powers" else {}
    x = np.sort(np.random.default_rng(15).uniform(1, 9, (3, 7)), -1)
    names = module.coefficients(**settings)
    for free in (False, True):
        bounds = module.parameters(x, free=free, **settings)
        theta = np.stack([b.at(np.full(3, 0.6)) for b in bounds.values()], -1) if bounds else np.empty((3, 0))
        whole = module.basis(x, theta, free=free, **settings)
        assert whole.shape == (3, 7, len(names))
        assert np.isfinite(whole).all()
        for i in range(3):
            np.testing.assert_allclose(module.basis(x[i], theta[i], free=free, **settings), whole[i])
            for name, one in module.parameters(x[i], free=free, **settings).items():
                low, high = np.broadcast_arrays(bounds[name].low, np.zeros(3))[0][i], bounds[name].at(np.ones(3))[i]
                assert (one.low, one.at(np.ones(()))) == pytest.approx((low, high))
        assert ("exponent" in bounds) == free
    assert set(settings) <= set(plugins.schema("form", form))
    assert "free" not in plugins.schema("form", form)


# --- jamming


def crossing(generator, *, slope, seeds=20, true=2000.0):
    x = np.geomspace(300, 12000, 9)
    return (generator.random((len(x), seeds)) < expit(slope * np.log(x / true))[:, None]).astype(float), x


def test_the_threshold_is_the_direct_maximum_of_the_likelihood():
    generator = np.random.default_rng(16)
    for _ in range(10):
        fits, x = crossing(generator, slope=3.0)
        fits[generator.random(fits.shape) < 0.1] = np.nan

        def cost(at, fits=fits, x=x):
            p = np.clip(expit(at[1] * (np.log(x) - at[0])), 1e-15, 1 - 1e-15)[:, None]
            return -np.nansum(fits * np.log(p) + (1 - fits) * np.log(1 - p))

        best = minimize(
            cost, [7.5, 2.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000}
        )
        found = threshold(fits, x, generator=generator)
        assert math.log(found.threshold) == pytest.approx(best.x[0], abs=1e-5)
        assert found.low < found.threshold < found.high
        np.testing.assert_allclose(found.fraction, np.nanmean(fits, 1))


@pytest.mark.parametrize(("slope", "most"), [(2.0, 0.985), (6.0, 1.0)])
@pytest.mark.slow
def test_the_interval_of_the_threshold_covers(slope, most):
    generator = np.random.default_rng(17)
    found = [threshold(*crossing(generator, slope=slope), generator=generator, bootstraps=200) for _ in range(250)]
    assert 0.91 <= np.mean([f.low <= 2000 <= f.high for f in found]) <= most
    assert np.median([f.threshold for f in found]) == pytest.approx(2000, rel=0.05)


def test_a_jump_gives_its_bracket():
    x = np.array([100.0, 200.0, 800.0, 1600.0])
    fits = np.repeat([[0.0], [0.0], [1.0], [1.0]], 5, axis=1)
    found = threshold(fits, x, generator=np.random.default_rng(0))
    assert (found.threshold, found.low, found.high) == pytest.approx((400, 200, 800))
    fits[1, 0] = 1  # one size at which some do
    found = threshold(fits, x, generator=np.random.default_rng(0))
    assert (found.threshold, found.low, found.high) == pytest.approx((400, 100, 800))  # fewer than half
    fits[2] = np.nan  # no network there
    found = threshold(fits, x, generator=np.random.default_rng(0))
    assert (found.threshold, found.low, found.high) == pytest.approx((math.sqrt(200 * 1600), 100, 1600))
    assert np.isnan(found.fraction[2])


def test_a_size_at_which_some_fit_and_none_beyond_is_a_bound():
    fits = np.zeros((3, 8))
    fits[2, :2] = 1
    found = threshold(fits, np.array([50.0, 80.0, 112.0]), generator=np.random.default_rng(0))
    assert math.isnan(found.threshold)
    assert (found.low, found.high) == pytest.approx((80, math.inf))
    assert found.reason == "fewer than half of the networks fit, up to 112"


def test_a_threshold_beyond_the_sizes_is_a_bound():
    x = np.array([100.0, 200.0, 800.0])
    generator = np.random.default_rng(0)
    every = threshold(np.ones((3, 5)), x, generator=generator)
    assert np.isnan([every.threshold, every.low]).all()
    assert every.high == pytest.approx(100)
    assert "all networks fit" in every.reason
    none = threshold(np.zeros((3, 5)), x, generator=generator)
    assert np.isnan(none.threshold)
    assert (none.low, none.high) == pytest.approx((800, np.inf))
    assert "no network fits" in none.reason
    falls = threshold(np.array([[1, 1, 1, 1], [1, 0, 1, 1], [0, 0, 1, 0]]), x, generator=generator)
    assert np.isnan(falls.threshold)
    assert "does not rise" in falls.reason
    assert "no network was trained" in threshold(np.full((3, 5), np.nan), x, generator=generator).reason
    with pytest.raises(ValueError, match="positive and increasing"):
        threshold(np.ones((3, 5)), x[::-1], generator=generator)


def test_kaplan_meier_by_hand():
    # At risk 6, 5, 3, 2: left 5/6, 5/6 * 4/5 = 2/3, (3 lost) 2/3 * 2/3 = 4/9: the median is 8.
    epochs = np.array([2.0, 3.0, 5.0, 8.0, 9.0, 10.0])
    fits = np.array([True, True, False, True, True, False])
    left = {2: 5 / 6, 3: 2 / 3, 8: 4 / 9}
    assert min(t for t, s in left.items() if s <= 0.5) == 8
    assert median_steps(epochs, fits) == (8.0, False)
    assert median_steps(epochs, np.array([True, True, False, False, False, False])) == (math.inf, True)
    assert median_steps(np.array([4.0, 4.0, 4.0, math.nan]), np.array([True, False, True, False])) == (4.0, False)
    assert median_steps(np.arange(1.0, 6.0), np.ones(5, dtype=bool)) == (3.0, False)
    assert math.isnan(median_steps(np.full(3, np.nan), np.zeros(3))[0])


def test_jamming_of_a_cube_counts_what_did_not_fit():
    x = np.array([100.0, 200.0, 800.0])
    status = np.full((2, 3, 1, 4), "fitted", dtype=object)
    status[0, 0] = "unfitted"
    status[0, 1, 0] = ["diverged", "fitted", "fitted", "missing"]
    status[1, :, :, 3] = "missing"
    epochs = np.where(status == "fitted", 30.0, 100.0)
    epochs[status == "diverged"] = 1
    epochs[0, 1, 0, 2] = 40
    dataset = xr.Dataset(
        {"status": (("task", "width", "draw", "seed"), status), "epochs": (("task", "width", "draw", "seed"), epochs)},
        coords={"task": ["a", "b"], "width": [1, 2, 3], "n_weights": ("width", x)},
    )
    out = jamming(dataset, generator=np.random.default_rng(0))
    assert out.threshold.sel(task="a") == pytest.approx(math.sqrt(100 * 200))  # at 200 more than half fit
    assert (out.low.sel(task="a"), out.high.sel(task="a")) == pytest.approx((100, 800))
    np.testing.assert_allclose(out.fraction, [[0, 2 / 3, 1], [1, 1, 1]])
    assert out.reason.sel(task="a").item() == ""
    assert "all networks fit, the smallest at 100" in out.reason.sel(task="b").item()
    np.testing.assert_equal(out.median_steps.sel(task="a").values, [np.inf, 40, 30])
    assert list(out.censored.sel(task="a").values) == [True, False, False]
    with pytest.raises(ValueError, match="'size' with the dim 'width' is needed"):
        jamming(dataset, axis="size", generator=np.random.default_rng(0))


def test_a_width_that_was_not_trained_for_one_task_is_left_out_of_its_threshold():
    status = np.full((2, 4, 1, 4), "fitted", dtype=object)
    status[:, :2] = "unfitted"
    status[1, 1] = "missing"
    sizes = np.array([[10.0, 20.0, 40.0, 80.0], [10.0, np.nan, 40.0, 80.0]])
    dataset = xr.Dataset(
        {"status": (("task", "width", "draw", "seed"), status), "n_weights": (("task", "width"), sizes)},
        coords={"task": ["a", "b"], "width": [1, 2, 3, 4]},
    )
    out = jamming(dataset, generator=np.random.default_rng(0))
    np.testing.assert_allclose(out.threshold, [np.sqrt(20 * 40), np.sqrt(10 * 40)])
    np.testing.assert_allclose(out.fraction, [[0, 0, 1, 1], [0, np.nan, 1, 1]])
