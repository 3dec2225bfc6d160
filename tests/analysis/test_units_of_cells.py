"""Units of an estimate of a cell: networks, data sets, or a choice of data sets and rates; and how many count."""

import json

import numpy as np
import pytest
import xarray as xr
from locality_cubes import block

from isobath import results
from isobath.analysis import selection
from isobath.analysis.cells import Cells
from isobath.analysis.cubes import gather
from isobath.analysis.estimates import ONE_CHOICE, ONE_DATA_SET, NotRun, Undetermined
from isobath.analysis.standard_errors import binomial_error
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


def with_a_test_set(*parts, n_test, long_name="misclassified fraction", variable="test_error"):
    """Return the cells of networks that were tested on ``n_test`` samples, all on the same."""
    cells = cells_of(*(part.assign({variable: part.test_error}) for part in parts))
    networks = cells.groups["networks"]
    networks.test_error.attrs["long_name"] = long_name
    return Cells(cells.grid, {"networks": networks}, {**cells.attrs, "n_test": n_test}, cells.fixed)


@pytest.mark.parametrize(("long_name", "sample"), [("misclassified fraction", 0.04), ("mean squared error", 0.0)])
def test_shares_of_a_test_set_have_its_error_and_mean_squares_have_not(long_name, sample):
    """Once a mean square of 0.4 on 100 samples had the error of a share of 0.4."""
    cells = with_a_test_set(block(range(3), [0.2, 0.2001, 0.1999]), n_test=100, long_name=long_name)
    assert cells.error(**AT).sample == pytest.approx(sample)


def test_a_training_error_has_no_error_of_the_test_set():
    """Once it had: an interval forty times as wide as that of its networks."""
    part = block(range(3), [0.2, 0.2001, 0.1999])
    recorded = {f"recorded_{name}": part.test_error.expand_dims(step=[0, 1]) for name in ("test_error", "train_error")}
    halves = {f"recorded_{half}_half_error": recorded["recorded_test_error"] for half in ("first", "second")}
    cells = cells_of(part.assign(**recorded, **halves))
    cells = Cells(cells.grid, cells.groups, {**cells.attrs, "n_test": 100}, cells.fixed)
    *_, clean = selection.RULES
    assert cells.quoted_error(clean, **AT).sample == pytest.approx(0.04)
    trained = cells.quoted_train_error(**AT)
    assert (trained.value, trained.sample) == (pytest.approx(0.2), 0)
    assert trained.error < 1e-4


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_no_wrong_sample_of_twenty_does_not_say_that_there_is_none(rate):
    """Once the interval of networks without an error on 20 samples was [0, 0]."""
    estimate = with_a_test_set(block(range(3), [rate] * 3), n_test=20).error(**AT)
    low, high = estimate.interval()
    assert high - low == pytest.approx(2 * 3.84 / 23.84, rel=1e-3)
    assert 0 < binomial_error(0.0, 20) == binomial_error(1e-9, 20) < binomial_error(0.2, 20)  # none has a smaller one


@pytest.mark.parametrize("draws", [1, 3])
def test_what_the_parameters_of_a_law_share_depends_on_the_data_sets(draws):
    columns = {name: ((), value) for name, value in (("upper", 0.5), ("upper_low", 0.4), ("upper_high", 0.6))}
    columns |= {"value": ((), 0.5), "low": ((), 0.4), "high": ((), 0.6), "reason": ((), ""), "upper_reason": ((), "")}
    columns |= {"networks": ("width", [0, 9, 20]), "fitted": ("width", [False, True, True])}  # one is left out
    law = xr.Dataset(columns, {"fit": "free", "parameter": "b"})
    networks = gather([block(range(2), [0.1, 0.2], draw=d) for d in range(draws)], results.axes()["networks"])
    cells = Cells("g", {"networks": networks, "laws/error": law}, {}, {})
    fixed = ONE_DATA_SET if draws == 1 else frozenset()
    found = [cells.parameter("error", "b", free=True), cells.upper_exponent("error")]
    assert [(each.fixed, each.count) for each in found] == [(fixed, 9)] * 2


def test_a_value_can_be_asked_for_that_the_cells_have_already():
    cells = cells_of(block(range(3), [0.2, 0.3, 0.4])).at(task="2-local", depth=1)
    assert cells.cell(depth=1, width=10, n_train=50).test_error.mean() == pytest.approx(0.3)
    with pytest.raises(NotRun, match="no depth 2"):
        cells.cell(depth=2, width=10, n_train=50)


def test_a_gap_to_a_cell_of_one_data_set_counts_all_networks_of_both():
    words = ["fitted"] * 2 + ["unfitted"] * 2
    deep = [block(range(4), [0.2, 0.3, 0.25, 0.1], words, draw=draw, depth=7) for draw in range(2)]
    cells = cells_of(block([0, 1], [0.1, 0.2]), *deep)
    gap = cells.error(**{**AT, "depth": 7}) - cells.error(**AT)
    assert gap.fixed == ONE_DATA_SET
    assert (gap.tally.counted, gap.tally.trained, gap.tally.least) == (6, 10, 0.5)
