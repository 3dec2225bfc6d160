"""Units of an estimate of a cell: networks, data sets, or a choice of data sets and rates; and how many count."""

import json

import numpy as np
import pytest
import xarray as xr
from locality_cubes import block

from isobath import results
from isobath.analysis.cells import Cells
from isobath.analysis.cubes import gather
from isobath.analysis.estimates import ONE_CHOICE, ONE_DATA_SET, Undetermined
from isobath.claims.width import widths

AT = {"task": "2-local", "width": 10, "n_train": 50, "depth": 1}


def cells_of(*parts):
    tree = xr.DataTree.from_dict({"samples/networks": gather(parts, results.axes()["networks"])})
    tree["samples"].attrs |= {"n_test": 10**9, "spec": json.dumps({"tasks": {"2-local": {"kind": "k_local"}}})}
    return Cells.of(tree, "samples", protocol="sgd")


def test_a_share_of_networks_is_that_of_its_data_sets_and_rates():
    """Once the interval was over networks, and nothing said that data sets and rates stay as they are."""
    fits = block(range(4), [0.1] * 4, ["fitted", "fitted", "unfitted", "diverged"])
    assert cells_of(fits).fitted_fraction(**AT).fixed == ONE_DATA_SET
    both = cells_of(fits, block(range(4), [0.1] * 4, draw=1)).fitted_fraction(**AT)
    assert (both.value, both.count, both.fixed) == (0.75, 8, ONE_CHOICE)


def test_the_spread_over_networks_leaves_out_what_data_sets_differ_by():
    rng = np.random.default_rng(0)
    errors = [0.3 + 0.05 * draw + 0.004 * rng.standard_normal(40) for draw in range(6)]
    parts = [block(range(40), own, draw=draw) for draw, own in enumerate(errors)]
    spread = cells_of(*parts).error_spread(**AT)
    low, high = spread.interval()
    assert low < 0.004 < high
    assert high < 0.005
    assert spread.fixed == ONE_CHOICE
    assert cells_of(parts[0]).error_spread(**AT).value == pytest.approx(errors[0].std(ddof=1))


@pytest.mark.parametrize("diverged", [2, 3])
def test_networks_that_did_not_diverge_are_most_of_a_width_or_say_nothing(diverged):
    """Once survivors were averaged without a floor."""
    status = ["fitted"] * (20 - diverged) + ["diverged"] * diverged
    cells = cells_of(block(range(20), [0.1] * 20, status)).at(task="2-local", depth=1, n_train=50, draw=0)
    if diverged == 2:
        assert widths.finite_networks(cells, 10).sizes["seed"] == 18
    else:
        with pytest.raises(Undetermined, match="17 of 20 networks of width 10 did not diverge"):
            widths.finite_networks(cells, 10)
