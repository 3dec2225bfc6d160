"""Numbers of fitted laws: widths of intervals, errors of points, goodness of fit, against formulas written out."""

import math

import numpy as np
import pytest
import xarray as xr
from planted_laws import X, fitted, networks
from scipy.stats import chi2 as chi_square
from scipy.stats import f as fisher
from scipy.stats import t as student

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Bounded, Undetermined
from isobath.analysis.law_reader import require_steady
from isobath.analysis.laws.bootstraps import Alternatives, Points, points
from isobath.analysis.laws.fit_points import fit_points
from isobath.analysis.laws.intervals import interval, intervals, probability
from isobath.analysis.laws.law import law_of

Z = 1.959963984540054
NO_PARTS = Alternatives(np.zeros((0, 3)), np.zeros((0, 3)))


@pytest.mark.parametrize(("smooth", "share"), [(False, 0.5), (True, 0.75)])
def test_an_interval_is_as_much_wider_than_that_of_replicates_as_few_networks_ask_for(smooth, share):
    """Replicates of seven networks in two data sets: five degrees of freedom."""
    replicates = np.random.default_rng(0).gamma(2.0, size=(41, 2))  # 2.5 % of 40 intervals is one
    ordered, estimate = np.sort(replicates, axis=0), np.array([2.5, 1.5])
    factor = math.sqrt(7 / 5) * student.ppf(0.975, share * 5) / Z
    low, high = interval(estimate, replicates, networks=7, freedom=5, smooth=smooth)
    np.testing.assert_allclose(low, estimate + factor * (ordered[1] - estimate))
    np.testing.assert_allclose(high, estimate + factor * (ordered[39] - estimate))


@pytest.mark.parametrize("freedom", [5, 9, 40])
def test_the_probability_of_chi2_by_estimated_errors_has_mean_and_variance_of_squared_student_variables(freedom):
    mean, variance = freedom / (freedom - 2), fisher.var(1, freedom)
    scale = variance / (2 * mean)
    for chi2, dof in ((3.0, 4), (15.0, 9)):
        assert probability(chi2, dof, freedom) == pytest.approx(chi_square.sf(chi2 / scale, dof * mean / scale))
        assert probability(chi2, dof, math.inf) == chi_square.sf(chi2, dof)
    assert math.isnan(probability(3.0, 4, 4))


def test_a_fit_says_how_well_it_fits():
    """The sums are weighted by one over the squares of the errors; the sum that is explained is about the mean."""
    rng = np.random.default_rng(1)
    error = rng.uniform(0.01, 0.03, len(X))
    y = 1 + 10 * X**-0.5 + error * rng.standard_normal(len(X))
    found = fit_points(X, y, error, law_of({"kind": "powers", "exponents": [0, -0.5]}, free=False), freedom=11)
    slope, constant = np.polyfit(X**-0.5, y, 1, w=1 / error)
    chi2 = np.square((y - constant - slope * X**-0.5) / error).sum()
    mean = np.average(y, weights=error**-2)
    assert (found.chi2, found.dof) == (pytest.approx(chi2), len(X) - 2)
    assert found.r2 == pytest.approx(1 - chi2 / np.square((y - mean) / error).sum())
    assert found.p_value == pytest.approx(probability(chi2, len(X) - 2, 11))


@pytest.mark.parametrize("few", [[], [3], [3, 7]])
def test_points_of_few_networks_are_fitted_and_their_errors_test_nothing(few):
    dataset = networks(3 * X**-0.25, np.random.default_rng(5), seeds=9)
    dataset = dataset.assign(y=dataset.y.where(~dataset.width.isin(few) | (dataset.seed < 4)))
    found = fitted(dataset, bootstraps=20).sel(fit="fixed").isel(task=0)
    mean, error = dataset.y.mean("seed")[0], dataset.y.std("seed", ddof=1)[0] / np.sqrt(dataset.y.count("seed")[0])

    def chi2_of(points):
        y, e, basis = mean[points].values, error[points].values, X[points] ** -0.25
        return np.square((y - basis * (y * basis / e**2).sum() / (basis**2 / e**2).sum()) / e).sum()

    tested = np.array([width not in few for width in range(12)])
    assert found.p_value.item() == pytest.approx(probability(chi2_of(tested), tested.sum() - 1, 8))
    assert found.chi2.item() == pytest.approx(chi2_of(np.full(12, True)))


def of_draws(*, draws=4, seeds=3):
    """Draw networks of several data sets, which all sizes share; one network is missing."""
    rng = np.random.default_rng(2)
    values = (
        5 * X**-0.5 * (1 + 0.05 * rng.standard_normal((draws, 1, 1)) + 0.1 * rng.standard_normal((draws, seeds, 12)))
    )
    values[2, 1, 5] = np.nan
    return xr.Dataset({"y": (("draw", "seed", "width"), values)}, {"width": range(12), "n_weights": ("width", X)})


@pytest.mark.parametrize("statistic", ["mean", "root_mean_square", "median"])
def test_points_over_data_sets_reduce_each_of_them_first_and_have_errors_on_a_power(statistic):
    dataset = of_draws()
    found = fitted(dataset, settings={"exponents": [-0.5]}, statistic=statistic, bootstraps=200)
    reduce = {"mean": np.nanmean, "median": np.nanmedian}.get(
        statistic, lambda values, axis: np.sqrt(np.nanmean(values**2, axis=axis))
    )
    by_draw = reduce(dataset.y.values, axis=1)
    np.testing.assert_allclose(found.y, reduce(by_draw, axis=0))
    assert found.networks.values.tolist() == [4] * 12
    assert found.p_value.isnull().all()  # points share their data sets
    if statistic != "median":
        own = by_draw.std(0, ddof=1) / 2
        if statistic == "root_mean_square":
            own = np.square(by_draw).std(0, ddof=1) / 2 / (2 * reduce(by_draw, axis=0))
        line = np.polyfit(np.log(X), np.log(own), 1)
        np.testing.assert_allclose(found.error, np.exp(np.polyval(line, np.log(X))))


def test_errors_of_points_are_those_within_data_sets_and_of_a_median_those_of_its_replicates():
    rng = np.random.default_rng(3)
    y = rng.standard_normal((2, 2, 5)) + np.array([0.0, 3.0])[:, None]
    y[1, 0, 3:] = np.nan
    picks = rng.integers(0, 5, (2, 2, 60, 5))
    picks[1, 0, :, :3], picks[1, 0, :, 3:] = rng.integers(0, 3, (60, 3)), -1
    at, parts = np.array([1.0, 2.0]), (np.zeros((2, 0)), np.zeros((*y.shape, 0)))
    found = points(at, y, *parts, picks, "mean")
    squares = [np.nansum((row - np.nanmean(row, axis=1, keepdims=True)) ** 2) for row in y]
    assert found.networks.tolist() == [10, 8]
    assert found.freedom.tolist() == [8, 6]
    np.testing.assert_allclose(found.error, np.sqrt(np.array(squares) / [8, 6] / [10, 8]))
    median = points(at, y, *parts, picks, "median")
    replicates = [
        [np.nanmedian([y[p, d, i] for d in range(2) for i in picks[p, d, b] if i >= 0]) for b in range(60)]
        for p in range(2)
    ]
    np.testing.assert_allclose(median.resampled.y.T, replicates)
    np.testing.assert_allclose(median.error, np.std(replicates, axis=1) * np.sqrt([10 / 8, 8 / 6]))


def test_the_upper_half_of_points_is_fitted_apart():
    """Five of nine points, or as many as the law needs: four."""
    bent = networks(np.where(X[5] > X, X**-0.2, X[5] ** 0.3 * X**-0.5), np.random.default_rng(4), noise=1e-4)
    for count, upper in ((9, 5), (6, 4), (5, 4)):
        part = bent.isel(width=slice(0, count))
        found = fitted(part, settings={"exponents": [-0.5]}, bootstraps=60).sel(fit="free").isel(task=0)
        alone = fitted(part.isel(width=slice(count - upper, None)), settings={"exponents": [-0.5]}, bootstraps=60)
        expected = alone.value.sel(fit="free", parameter="exponent").item()
        assert found.upper.item() == pytest.approx(expected, rel=1e-6)
        assert found.upper_low.item() <= expected <= found.upper_high.item()


def test_the_half_that_is_fitted_apart_is_nearer_to_the_limit_where_x_falls_towards_it():
    """Distances fall with the width: the larger networks have the smaller ones."""
    bent = networks(np.where(X[5] > X, X**-0.2, X[5] ** 0.3 * X**-0.5), np.random.default_rng(4), noise=1e-4)
    bent["n_weights"] = 1 / bent.n_weights
    found = fitted(bent, settings={"exponents": [0.5]}, bootstraps=60).sel(fit="free").isel(task=0)
    assert found.upper.item() == pytest.approx(0.5, abs=0.02)
    nameless = fitted(bent.drop_vars("width"), settings={"exponents": [0.5]}, bootstraps=60).sel(fit="free")
    assert nameless.upper.isel(task=0).item() < 0.3


def cells_of(p_value, *, upper=(-0.5, -0.6, -0.4)):
    """Return cells with a law of this goodness, whose exponent is -0.45 by four to nine networks a point."""
    columns = {"value": [[1.0, -0.45]], "low": [[0.9, -0.55]], "high": [[1.2, -0.35]]}
    law = xr.Dataset({name: (("fit", "parameter"), value) for name, value in columns.items()})
    law = law.assign(
        {name: ("fit", [value]) for name, value in zip(("upper", "upper_low", "upper_high"), upper, strict=True)}
    )
    law = law.assign(p_value=("fit", [p_value]), reason=("fit", [""]), upper_reason=("fit", ["too few"]), n_points=3)
    law = law.assign(networks=("width", [2, 9, 4, 6]), fitted=("width", [False, True, True, True]))
    law = law.assign_coords(fit=["free"], parameter=["c0", "exponent"], width=[1, 2, 4, 8])
    return Cells("g", {"laws/error": law}, {}, {})


def test_an_exponent_counts_the_networks_of_its_poorest_point_and_is_rejected_below_one_in_a_hundred():
    found = cells_of(0.01).exponent("error")
    assert (found.value, found.interval(), found.count) == (-0.45, (-0.55, -0.35), 4)
    assert cells_of(0.3).parameter("error", "c0", free=True).interval() == (0.9, 1.2)
    for p_value, least in ((0.0099, 0.01), (0.04, 0.05)):
        with pytest.raises(Undetermined, match=f"rejected with p = {p_value:.2g}"):
            cells_of(p_value).exponent("error", least_p=least)
    assert cells_of(math.nan).exponent("error").value == -0.45
    with pytest.raises(Undetermined, match="not known to be asymptotic here: too few"):
        cells_of(0.3, upper=(math.nan,) * 3).exponent("error")


@pytest.mark.parametrize(("low", "high", "steady"), [(-0.5, -0.3, True), (-0.4, -0.3, True), (-0.39, -0.3, False)])
def test_an_exponent_drifts_where_the_interval_of_the_upper_half_leaves_it_out(low, high, steady):
    estimate, upper = Bounded(-0.4, low=-0.9, high=0.9), Bounded(-0.35, low=low, high=high)
    if steady:
        require_steady(estimate, upper)
    else:
        with pytest.raises(Undetermined, match=r"-0.4 becomes -0.35 \[-0.39, -0.3\]"):
            require_steady(estimate, upper)


def test_an_interval_of_a_law_is_as_wide_as_its_poorest_point_asks_for():
    y, at = np.random.default_rng(0).standard_normal((200, 3)), np.array([1.0, 2.0, 3.0])
    resampled = Alternatives(np.tile(at, (200, 1)), y)
    poor = Points(at, at, at, np.array([20, 5, 20]), np.array([19, 4, 19]), resampled, NO_PARTS, False)

    def mean(_, y, __):
        return y.mean(1, keepdims=True), [""] * len(y)

    found = intervals(np.array([0.1]), mean, poor, np.full(3, True))
    low, high = interval(np.array([0.1]), y.mean(1, keepdims=True), networks=5, freedom=4, smooth=False)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


@pytest.mark.parametrize("untested", [[], [7]])
def test_a_goodness_of_fit_has_the_freedom_of_its_poorest_point(untested):
    """A point of four networks has no test of its own, and is left out."""
    data = networks(3 * X**-0.25, np.random.default_rng(5), seeds=9)
    y = data.y.where((data.width != 3) | (data.seed < 6)).where(~data.width.isin(untested) | (data.seed < 4))
    data = data.assign(y=y)
    found, alone = (
        fitted(each, bootstraps=20).sel(fit="fixed").isel(task=0)
        for each in (data, data.sel(width=~data.width.isin(untested)))
    )
    assert found.p_value.item() == pytest.approx(probability(alone.chi2.item(), alone.dof.item(), 5))


def test_a_point_that_a_resample_lacks_has_no_weight_in_it():
    at, error = np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.3, 0.2])
    y = 10 + np.random.default_rng(0).standard_normal((200, 3))
    y[:50, 1] = np.nan
    resampled = Alternatives(np.tile(at, (200, 1)), y)
    some = Points(at, at, error, np.full(3, 9), np.full(3, 8), resampled, NO_PARTS, False)

    def mean(_, y, weight):
        return ((weight**2 * y).sum(1) / (weight**2).sum(1))[:, None], [""] * len(y)

    found = intervals(np.array([10.0]), mean, some, np.full(3, True))
    there = np.isfinite(y) / error**2
    means = np.nansum(y / error**2, axis=1, keepdims=True) / there.sum(1, keepdims=True)
    low, high = interval(np.array([10.0]), means, networks=9, freedom=8, smooth=False)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
