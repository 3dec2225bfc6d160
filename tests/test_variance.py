"""The variance of an error by its origin: estimates and intervals where the truth is planted."""

import numpy as np
import pytest
import xarray as xr

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
