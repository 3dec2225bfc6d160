"""Cells whose jobs failed: claims say so, take no other cells in their place, and none of them raises."""

import numpy as np
import pytest
import xarray as xr
from locality_cubes import block
from test_expressivity_study import tree as expressivity
from test_units_of_cells import AT, cells_of

from isobath.analysis.estimates import Undetermined
from isobath.analysis.verdicts import judge
from isobath.claim_files import load_claim
from isobath.claims.kernels.regression import over_draws
from isobath.claims.locality import cells as of_locality

LOST = [np.nan, np.nan]


@pytest.fixture
def with_a_failed_cell():
    """Cells of two depths and two N, of which the deep one at the larger N has failed."""
    fine = [block(range(2), [0.1, 0.2], depth=depth, n_train=n) for depth, n in [(1, 50), (1, 90), (7, 50)]]
    return cells_of(*fine, block(range(2), LOST, ["failed"] * 2, depth=7, n_train=90))


def test_the_cells_that_are_compared_are_those_that_were_asked_for(with_a_failed_cell):
    """Once a failure at the largest N made a claim compare at the next smaller one, or say that it was not run."""
    assert [cell["n_train"] for cell in of_locality.common_cells(with_a_failed_cell, "2-local", 1, 7)] == [50, 90]
    assert of_locality.largest_common_n(with_a_failed_cell, "2-local", 1, 7) == 90
    assert of_locality.largest_n(with_a_failed_cell, "2-local", depth=7) == 90
    with pytest.raises(Undetermined, match="the jobs failed"):
        with_a_failed_cell.error(**{**AT, "depth": 7, "n_train": 90})


def test_a_failed_network_that_the_paper_leaves_out_is_left_out():
    """Once its unknown size let it count: networks of ten parameters a unit, fewer than the 900 samples, had failed."""
    size = ("seed", [np.nan])
    failed = block([0], [np.nan], ["failed"], n_train=900, draw=0).assign(n_parameters=size)
    lone = block([0], [np.nan], ["failed"], n_train=900, width=90).assign(n_parameters=size)
    few = [failed, block([0], [0.1], n_train=900, draw=1)]
    cells = of_locality.overparametrised(cells_of(block([0], [0.1]), *few, lone))
    assert cells.values("n_train", width=10) == [50]
    assert cells.values("n_train", width=90) == [900]  # its size is not known


def test_an_axis_with_several_values_is_refused(with_a_failed_cell):
    """Once the networks of all depths were averaged, and counted as if they were of one."""
    with pytest.raises(ValueError, match="grid samples has several values of depth: 1, 7; fix one, as depth=1"):
        with_a_failed_cell.error(task="2-local", width=10, n_train=50)
    with pytest.raises(ValueError, match="several values of n_train: 50, 90"):
        with_a_failed_cell.fitted_fraction(task="2-local", width=10, depth=1)
    over = with_a_failed_cell.fitted_fraction(over=("n_train",), task="2-local", depth=1)
    assert (over.value, over.count) == (1.0, 4)


def test_a_share_over_cells_of_which_one_failed_is_not_known(with_a_failed_cell):
    """Once it was that of the others."""
    with pytest.raises(Undetermined, match="the jobs of n_train 90 failed"):
        with_a_failed_cell.fitted_fraction(over=("n_train",), task="2-local", depth=7)
    with pytest.raises(Undetermined, match="the jobs of depth 7, n_train 90 failed"):
        with_a_failed_cell.fitted_fraction(over=("n_train", "depth"), task="2-local")


def test_a_construction_whose_job_failed_leaves_its_claim_open():
    """Once the claim raised KeyError, and the study had no verdicts."""
    tree = expressivity(expected=True)
    lost = tree["folds/constructions"].to_dataset()
    lost["test_error"] = lost.test_error.where(lost.task != "sawtooth-6")
    tree["folds/constructions"] = xr.DataTree(lost)
    found = judge(load_claim("expressivity", "deep_expresses_more_per_parameter"), tree)
    assert (found["verdict"], found["parts"][0]["reason"]) == ("inconclusive", "the job of the folding network failed")


def test_draws_whose_regression_failed_are_left_out():
    """Once one of twelve made the mean no number."""
    values = xr.DataArray([1.0, np.nan, 3.0], dims="draw", coords={"draw": [0, 1, 2]})
    assert (over_draws(values).value, over_draws(values).count) == (2.0, 2)
    with pytest.raises(Undetermined, match="all draws but one failed"):
        over_draws(values.isel(draw=[0, 1]))
