"""The variance of an error by its origin: estimates and intervals where the truth is planted."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import chi2

from isobath.analysis.variance import ORIGINS, components, decomposition, deviations, shares


def errors(rng, sd, shape=(6, 2, 3), *, alike=0.6):
    """Draw errors of d data sets, s searches and r starts; ``alike`` of a start's variance is that of all searches."""
    d, s, r = shape
    data, search, start, rest = (rng.standard_normal(n) for n in ((d, 1, 1), (d, s, 1), (d, 1, r), (d, s, r)))
    start = alike**0.5 * start + (1 - alike) ** 0.5 * rest
    return 0.3 + sum(scale * part for scale, part in zip(sd, (data, search, start), strict=True))


@pytest.mark.parametrize("alike", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("sd", [(0.01, 0.02, 0.005), (0.0, 0.01, 0.01), (0.03, 0.0, 0.01)])
def test_the_parts_of_the_variance_are_found_and_their_intervals_cover_them(sd, alike):
    rng = np.random.default_rng(0)
    many = np.stack([errors(rng, sd, (300, 4, 5), alike=alike) for _ in range(3)])
    np.testing.assert_allclose(components(many).mean(1), sd, atol=0.002)
    found = [deviations(errors(rng, sd, alike=alike), draws=1000) for _ in range(1000)]
    covered = sum((part.low <= np.array(sd)) & (np.array(sd) <= part.high) for part in found)
    assert (covered >= 920).all()


def test_searches_that_find_one_rate_have_no_part_in_the_variance_and_leave_the_data_set_its_own():
    """Once the starts that they share counted as the data set's: its part was too large by a third of theirs."""
    rng = np.random.default_rng(3)
    many = np.stack([errors(rng, (0.0, 0.0, 0.01), (400, 2, 3), alike=1.0) for _ in range(5)])
    data, search, start = components(many).mean(1)
    assert data < 0.002
    assert search < 1e-9
    assert start == pytest.approx(0.01, abs=0.0005)


def test_a_decomposition_is_labelled_and_leaves_out_data_sets_with_a_gap():
    rng = np.random.default_rng(1)
    values = errors(rng, (0.01, 0.02, 0.005))
    values[2, 0, 1] = np.nan
    table = decomposition(xr.DataArray(values, dims=("draw", "search", "seed")))
    assert list(table.origin.values) == list(ORIGINS)
    np.testing.assert_allclose(table.sd, components(np.delete(values, 2, 0)))
    assert table.share.sum() == pytest.approx(1)
    assert (table.low <= table.sd).all()
    assert (table.sd <= table.high).all()
    alone = decomposition(xr.DataArray(values[:, :1], dims=("draw", "search", "seed")))
    assert alone.sd.isnull().all()


@pytest.mark.parametrize("sd", [(0.01, 0.02, 0.005), (0.01, 0.01, 0.01), (0.005, 0.0, 0.01), (0.02, 0.01, 0.002)])
def test_intervals_of_shares_cover_them(sd):
    rng = np.random.default_rng(2)
    truth = np.square(sd) / np.square(sd).sum()
    found = [shares(errors(rng, sd), draws=1000) for _ in range(1000)]
    covered = sum((share.low <= truth) & (truth <= share.high) for share in found)
    assert (covered >= 920).all()
    many = shares(errors(rng, sd, (400, 4, 5)))
    np.testing.assert_allclose(many.value, truth, atol=0.1)


def by_analysis_of_variance(errors):
    """Return sigma_D, sigma_S and sigma_R of errors (d, s, r) by sums over each of them, written out."""
    d, s, r = errors.shape
    whole = errors.mean()
    squares = dict.fromkeys(("data", "search", "start", "rest"), 0.0)
    for i in range(d):
        mean = errors[i].mean()
        squares["data"] += s * r * (mean - whole) ** 2 / (d - 1)
        for j in range(s):
            squares["search"] += r * (errors[i, j].mean() - mean) ** 2 / (d * (s - 1))
        for k in range(r):
            squares["start"] += s * (errors[i, :, k].mean() - mean) ** 2 / (d * (r - 1))
        for j, k in np.ndindex(s, r):
            rest = errors[i, j, k] - errors[i, j].mean() - errors[i, :, k].mean() + mean
            squares["rest"] += rest**2 / (d * (s - 1) * (r - 1))
    data = (squares["data"] - squares["search"] - squares["start"] + squares["rest"]) / (s * r)
    search, start = (squares["search"] - squares["rest"]) / r, (squares["start"] + (s - 1) * squares["rest"]) / s
    return np.array([max(data, 0), max(search, 0), max(start, 0)])


@pytest.mark.parametrize("sd", [(0.03, 0.02, 0.01), (0.0, 0.03, 0.02), (0.02, 0.0, 0.03)])
def test_the_parts_are_those_of_an_analysis_of_variance(sd):
    values = errors(np.random.default_rng(4), sd, (5, 2, 4))
    variances = by_analysis_of_variance(values)
    np.testing.assert_allclose(components(values), np.sqrt(variances))
    np.testing.assert_allclose(deviations(values).value, np.sqrt(variances))
    np.testing.assert_allclose(shares(values).value, variances / variances.sum())
    table = decomposition(xr.DataArray(values.transpose(2, 0, 1), dims=("seed", "draw", "search")))
    np.testing.assert_allclose(table.share, variances / variances.sum())
    np.testing.assert_allclose([table.low, table.high], deviations(values)[1:])


@pytest.mark.parametrize(("origin", "freedom"), [(0, 5), (1, 6 * 2), (2, 6 * 3)])
def test_a_part_that_is_alone_has_the_interval_of_its_mean_square(origin, freedom):
    """Errors of six data sets, three searches and four starts differ by one origin alone: chi^2 is exact."""
    shape = [(6, 1, 1), (6, 3, 1), (6, 1, 4)][origin]
    parts = np.random.default_rng(5).standard_normal(shape)
    alone = parts - (parts.mean((1, 2), keepdims=True) if origin else 0)
    sd = np.sqrt((alone**2).sum() / freedom if origin else alone.var(ddof=1))
    found = deviations(0.3 + np.broadcast_to(alone, (6, 3, 4)))
    assert found.value[origin] == pytest.approx(sd)
    ends = sd * np.sqrt(freedom / chi2.ppf([0.975, 0.025], freedom))
    assert [found.low[origin], found.high[origin]] == pytest.approx(ends, rel=0.03)
    if origin:
        assert found.low[0] == 0
