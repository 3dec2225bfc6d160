"""Laws of a grid as claims read them: one fit at a time, rejected ones, and networks that diverged."""

import numpy as np
import pytest
import xarray as xr
from planted_laws import X, fitted, networks

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Undetermined

SETTINGS = {"exponents": [-0.25]}


def cells_of(dataset, status="fitted", **more):
    """Return the cells of a grid with a law fitted to made-up networks (task, seed, width)."""
    of_networks = xr.full_like(dataset.y, status, dtype=object).rename("status")
    groups = {"networks": xr.Dataset({"status": of_networks}), "laws/error": fitted(dataset, settings=SETTINGS, **more)}
    return Cells("g", groups, {}, {})


def scattered(power, *, repeats=1, seed=0):
    return networks(3 * X**power + 0.05, np.random.default_rng(seed), repeats=repeats)


def test_one_fit_is_read_at_a_time():
    """Once the first task was taken, whichever was meant."""
    cells = cells_of(scattered(-0.25, repeats=2))
    for read in (cells.exponent, cells.upper_exponent):
        with pytest.raises(ValueError, match="the law error of grid g has several values of task: 0, 1; fix one"):
            read("error")
    assert cells.parameter("error", "exponent", free=True, task=1) != cells.parameter(
        "error", "exponent", free=True, task=0
    )


def test_an_exponent_whose_law_is_rejected_decides_nothing_and_is_shown():
    """Once claims of one's own had to ask for the p-value themselves; the fit bends, since it ends at a constant."""
    cells = cells_of(networks(3 * X**-0.25 + 0.3, np.random.default_rng(0)))
    with pytest.raises(Undetermined, match="rejected with p = ") as refused:
        cells.exponent("error", task=0)
    assert refused.value.estimate == cells.parameter("error", "exponent", free=True, task=0)


def test_one_point_of_few_networks_does_not_switch_off_the_rejection():
    """Once the least number of networks of any point was taken for all: below six no law was rejected."""
    bent = networks(3 * X**-0.25 + 0.3, np.random.default_rng(0))
    few = bent.assign(y=bent.y.where((bent.width != 5) | (bent.seed < 4)))
    goodness = [float(fitted(each).p_value.sel(fit="free").isel(task=0)) for each in (bent, few)]
    assert max(goodness) < 1e-3
    none = bent.isel(seed=slice(5))
    assert np.isnan(fitted(none).p_value).all()


@pytest.mark.parametrize("diverged", [0, 1, 15])
def test_a_law_of_networks_of_which_many_diverged_says_so(diverged):
    cells = cells_of(scattered(-0.25))
    status = cells.groups["networks"].status.copy()
    status[{"width": 3, "seed": slice(diverged)}] = "diverged"
    changed = Cells("g", {**cells.groups, "networks": xr.Dataset({"status": status})}, {}, {})
    tally = changed.parameter("error", "exponent", free=True, task=0).tally
    assert tally.least == pytest.approx(1 - diverged / 20)


def test_networks_behind_a_law_are_those_of_its_points_that_are_fitted_whether_they_fit_or_not():
    dataset = scattered(-0.25)
    cells = cells_of(dataset, maximum=X[8])
    status = cells.groups["networks"].status.copy()
    status[{"width": 3, "seed": slice(4)}] = "diverged"
    status[{"width": 4, "seed": slice(8)}] = "unfitted"
    status[{"width": 10, "seed": slice(15)}] = "diverged"  # no point that is fitted
    status[{"width": 5, "seed": slice(5)}] = "missing"
    changed = Cells("g", {**cells.groups, "networks": xr.Dataset({"status": status})}, {}, {})
    tally = changed.parameter("error", "exponent", free=True, task=0).tally
    assert (tally.counted, tally.trained, tally.least) == (9 * 20 - 4 - 5, 9 * 20 - 5, 0.8)


def test_a_coefficient_is_that_of_the_fixed_or_of_the_free_fit():
    cells = cells_of(scattered(-0.3))
    fits = cells.groups["laws/error"].isel(task=0).sel(parameter="c0")
    for free in (False, True):
        of = fits.sel(fit="free" if free else "fixed")
        found = cells.parameter("error", "c0", free=free, task=0)
        assert (found.value, found.low, found.high) == (of.value, of.low, of.high)
        assert cells.goodness("error", free=free, task=0) == of.p_value
    assert cells.parameter("error", "c0", free=True, task=0) != cells.parameter("error", "c0", free=False, task=0)
