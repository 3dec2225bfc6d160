"""Intervals of laws by resampled networks: their coverage, networks that are resampled together, missing networks."""

import math

import numpy as np
import pytest
import xarray as xr
from planted_laws import TRUTHS, X, fitted, law, networks

from isobath.analysis.laws import bootstraps, statistics


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


@pytest.mark.slow
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
    """Draw y = level / size where all sizes share the networks' levels, which scatter by 20 %."""
    size = np.arange(1, 11)
    level = 1 + 0.2 * generator.standard_normal((repeats, 20, 1))
    return xr.Dataset(
        {"y": (("task", "seed", "size"), level / size * (1 + 1e-3 * generator.standard_normal((repeats, 20, 10))))},
        coords={"task": np.arange(repeats), "size": size},
    )


@pytest.mark.slow
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
        found = statistics.reduce(values, statistic)
        assert np.isnan(found[1])
        for i in (0, 2, 3, 4):
            assert found[i] == pytest.approx(function(flat[i][~np.isnan(flat[i])]))
    single = values[:, 1:]
    np.testing.assert_allclose(
        statistics.standard_error(single, "mean")[2:], single[2:, 0].std(1, ddof=1) / math.sqrt(7)
    )
    assert np.isnan(statistics.standard_error(single, "mean")[1])
    # between two draws the mean may differ: that is no spread of networks
    shifted = values + np.array([[0.0], [100.0]])
    np.testing.assert_allclose(statistics.standard_error(shifted, "mean"), statistics.standard_error(values, "mean"))
    squares = 6 * values[2].var(1, ddof=1).sum()
    assert statistics.standard_error(values, "mean")[2] == pytest.approx(math.sqrt(squares / 12 / 14))
    many = 3 + 0.1 * generator.standard_normal((2000, 1, 50))
    error = statistics.standard_error(many, "root_mean_square")
    assert error.mean() == pytest.approx(statistics.reduce(many, "root_mean_square").std(), rel=0.05)


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


def test_an_interval_of_which_too_many_resamples_fail_is_missing():
    # c0 + c1 x^p where noise hides the law: the exponent of many resamples runs into a bound
    dataset = networks(1 + 0.5 * X**-0.25, np.random.default_rng(13), noise=0.3)
    out = fitted(dataset, settings={"exponents": [0, -0.25]}).sel(fit="free").isel(task=0)
    assert out.reason.item() == f"{out.failed.item()} of 2000 resamples failed"
    assert out.failed > 40
    assert out.value.notnull().all()
    assert out.low.isnull().all()
    assert out.high.isnull().all()
