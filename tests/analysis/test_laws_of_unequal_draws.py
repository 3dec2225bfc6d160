"""Laws and thresholds of grids in which one task has several data sets and another has one."""

import numpy as np
import pytest
import xarray as xr
from planted_laws import X
from planted_laws import fitted as fitted_to

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import ONE_DATA_SET
from isobath.analysis.jamming.tables import half_width_of_ratio
from isobath.analysis.jamming.threshold import threshold, threshold_of_known_sizes
from isobath.randomness import stream

SIZES = np.geomspace(50, 800, 6)
DRAWS, SEEDS = 3, 12
PARTS = xr.DataArray(1 + 0.01 * np.arange(4), dims="test_part")


def fitted(data):
    return fitted_to(data, settings={"exponents": [-0.5]}, axis="x")


def networks(draws_of_b):
    """Make networks of the task ``a`` on three data sets, and of ``b`` on some of these."""
    noise = stream(0, "unequal").standard_normal((2, len(X), DRAWS, SEEDS))
    dims = ("task", "width", "draw", "seed")
    y = xr.DataArray(3 * X[:, None, None] ** -0.5 * (1 + 0.02 * noise), dims=dims, coords={"task": ["a", "b"]})
    there = (y.task == "a") | xr.DataArray(np.isin(range(DRAWS), draws_of_b), dims="draw")
    x = xr.DataArray(X, dims="width")
    return xr.Dataset({"x": x, "y": y.where(there), "y_without": y.where(there) * PARTS})


@pytest.mark.parametrize("draw", range(DRAWS))
def test_a_task_of_one_data_set_is_fitted_over_its_networks_beside_one_of_several(draw):
    """Once it had no point: a point needed two data sets as soon as any task had two."""
    data = networks([draw])
    both = fitted(data)
    of_a, of_b = (fitted(data.sel(task=[task])) for task in "ab")
    xr.testing.assert_equal(both.sel(task=["a"]), of_a)
    assert (both.sel(task="b").networks == SEEDS).all()
    assert (both.sel(task="a").networks == DRAWS).all()
    alone = fitted(data.isel(draw=draw).sel(task=["b"]))
    xr.testing.assert_equal(of_b, alone)
    for name in ("value", "n_points", "p_value", "networks"):
        np.testing.assert_array_equal(both[name].sel(task="b"), alone[name].sel(task="b"))
    assert np.isfinite(both.low.sel(task="b", fit="fixed", parameter="c0"))


def test_a_law_says_whether_its_networks_share_a_data_set():
    """Once it said that of all tasks of the grid at once."""
    data = networks([1])
    status = xr.where(data.y.notnull(), "fitted", "missing").astype(object).assign_coords(width=range(len(X)))
    groups = {"networks": xr.Dataset({"status": status}), "laws/l": fitted(data)}
    cells = Cells.of(xr.DataTree.from_dict({f"g/{name}": group for name, group in groups.items()}), "g")
    of_a, of_b = (cells.parameter("l", "c0", free=False, task=task) for task in "ab")
    assert (of_a.fixed, of_a.count) == (frozenset(), DRAWS)
    assert (of_b.fixed, of_b.count) == (ONE_DATA_SET, SEEDS)


def test_labels_of_data_sets_are_none_of_tasks():
    data = networks([1]).assign_coords(file=("draw", ["p", "q", "r"]))
    assert "file" not in fitted(data).coords


def test_a_ratio_of_thresholds_is_over_the_data_sets_that_both_have():
    """Once data sets without networks, which other tasks of the grid have, counted as ones that nothing fits."""
    fits = stream(3, "ratio").random((2, len(SIZES), 4, 20)) < np.linspace(0.1, 0.9, len(SIZES))[:, None, None]
    words = np.where(fits, "fitted", "unfitted").astype(object)
    cells = [
        xr.Dataset({"status": (("width", "draw", "seed"), each), "n_weights": ("width", SIZES)}, {"width": SIZES})
        for each in words
    ]
    padded = [cell.pad(draw=(0, 2), constant_values="missing").assign(n_weights=cell.n_weights) for cell in cells]
    alone, beside = (half_width_of_ratio(pair, generator=stream(4)) for pair in (cells, padded))
    assert np.isfinite(alone)
    assert beside == alone
    assert np.isnan(half_width_of_ratio([cell.isel(draw=[0]) for cell in cells], generator=stream(4)))


def test_a_task_of_two_data_sets_of_three_is_fitted_over_these():
    both = fitted(networks([0, 2]))
    assert (both.sel(task="b").networks == 2).all()


def test_a_threshold_leaves_out_data_sets_without_networks():
    """Once the interval was unknown, since "some draws lack networks of some sizes"."""
    fits = stream(1, "fits").random((len(SIZES), 3, 20)) < np.linspace(0.1, 0.9, len(SIZES))[:, None, None]
    padded = np.where([True, False, False], fits.transpose(0, 2, 1), np.nan).transpose(0, 2, 1)
    found = threshold_of_known_sizes(padded, SIZES, generator=stream(2), bootstraps=200)
    alone = threshold(fits[:, 0].astype(float), SIZES, generator=stream(2), bootstraps=200)
    np.testing.assert_array_equal([*found[:3]], [*alone[:3]])
    two = np.where([True, False, True], fits.transpose(0, 2, 1), np.nan).transpose(0, 2, 1)
    assert np.isfinite(threshold_of_known_sizes(two, SIZES, generator=stream(2), bootstraps=200).low)
