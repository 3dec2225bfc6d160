"""Errors of real targets on a test set that all networks share: their intervals know of its samples, as of classes."""

import json
import math

import numpy as np
import pytest
import xarray as xr

import isobath
from isobath.analysis import selection
from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Undetermined
from isobath.analysis.sampling_errors import ratio
from isobath.page.measurements import _networks, _regressions
from isobath.results.networks import VARIABLES
from isobath.statuses import FINITE

DRAWS, SEEDS, N_TEST, STEPS = 6, 2, 400, [1, 2]
FINAL = VARIABLES["test_error"].attrs_of(real=True)
TRUTH = 1 + 0.1**2  # of the noise of a sample, and of what a data set adds to the outputs


def networks(seed, *, recorded=False, known=True):
    """Return networks that have learned all but noise of variance 1, tested on samples that all share."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((1, 1, N_TEST)) + 0.1 * rng.standard_normal((DRAWS, SEEDS, N_TEST))
    squares = noise**2
    error, deviation = squares.mean(-1), squares.std(-1, ddof=1)
    axes = ["task", "protocol", "depth", "width", "n_train", "draw", "seed"]
    at = (None,) * 5
    status = np.full(error[at].shape, "unfitted", dtype=object)
    columns = {"status": (axes, status), "test_error": (axes, error[at], FINAL)}
    columns |= {"test_error_sd": (axes, deviation[at])} if known else {}
    if recorded:
        halves = {"first": squares[..., : N_TEST // 2], "second": squares[..., N_TEST // 2 :], "test": squares}
        for half, values in halves.items():
            name = "recorded_test_error" if half == "test" else f"recorded_{half}_half_error"
            both = np.stack([3 * values.mean(-1), values.mean(-1)], -1)
            columns[name] = ([*axes, "step"], both[at])
    coords = {"task": ["t"], "protocol": ["p"], "depth": [1], "width": [8], "n_train": [400]}
    coords |= {"draw": range(DRAWS), "seed": range(SEEDS), **({"step": STEPS} if recorded else {})}
    return xr.Dataset(columns, coords)


def attributes(kind="linear_teacher"):
    return {"n_test": N_TEST, "spec": json.dumps({"tasks": {"t": {"kind": kind}}})}


def cells(data, kind="linear_teacher"):
    return Cells("g", {"networks": data}, attributes(kind), {})


def by_workflow(seed):
    return cells(networks(seed)).error(FINITE).interval()


def by_library(seed):
    found = isobath.interval(networks(seed).assign_attrs(attributes()), status="finite")
    return found.low.item(), found.high.item()


def by_page(seed):
    (row,) = _networks(cells(networks(seed)))
    return row.finite[1:]


def on_the_way(seed):
    return cells(networks(seed, recorded=True)).quoted_error(selection.CLEAN).interval()


def of_two_rates_that_learn(seed):
    """At three of five rates networks hardly learn: their errors are those of targets of 1 and -1."""
    learned, rng, rates = networks(seed, recorded=True), np.random.default_rng([seed, 1]), []
    errors = [name for name in learned if str(name).endswith("error")]
    for _ in range(3):
        guesses = xr.DataArray(30 + 0.1 * rng.random((DRAWS, SEEDS)), dims=("draw", "seed"))
        lost = learned.assign({name: learned[name] * 0 + guesses for name in errors})
        rates.append(lost.assign(test_error_sd=0.01 * lost.test_error))
    rates += [learned, learned]
    swept = xr.concat(rates, xr.DataArray([1.0, 2, 3, 4, 5], dims="learning_rate", name="learning_rate"))
    return cells(swept).quoted_error(selection.CLEAN).interval()


def on_one_data_set(seed):
    return cells(networks(seed).isel(draw=[0])).error(FINITE).interval()


@pytest.mark.parametrize(
    "interval", [by_workflow, by_library, by_page, on_the_way, of_two_rates_that_learn, on_one_data_set]
)
def test_an_interval_holds_the_truth_as_often_as_it_says(interval):
    """Once that over data sets alone held it 10 times in 100, and refuted true claims."""
    ends = np.array([interval(seed) for seed in range(60)])
    assert ((ends[:, 0] < TRUTH) & (ends[:, 1] > TRUTH)).mean() > 0.87


def test_the_error_of_the_test_set_is_that_of_a_mean():
    data = networks(0)
    found = cells(data).error(FINITE)
    share = float(np.median(data.test_error_sd / data.test_error))
    assert found.sample == pytest.approx(found.value * share / math.sqrt(N_TEST))
    alone = found.alone[3]
    assert alone.sample == pytest.approx(alone.value * share / math.sqrt(N_TEST))
    assert (found - found).sample == 0


def test_data_sets_with_test_samples_of_their_own_share_none():
    found = cells(networks(0), kind="correlated").error(FINITE)
    assert found.sample == 0
    assert found.alone[0].sample > 0


def test_a_deviation_that_is_not_known_adds_nothing():
    assert cells(networks(0, known=False)).error(FINITE).sample == 0
    plain = isobath.interval(networks(0, known=False).assign_attrs(attributes()), status="finite")
    assert plain["sample"].item() == 0


def test_regressions_have_it_too():
    rows = networks(1).isel(protocol=0, width=0, seed=0, drop=True).expand_dims(kernel=["ntk"])
    reader = Cells("g", {"kernels": rows.drop_vars("status")}, attributes(), {})
    found = reader.regression(kernel="ntk")
    assert found.sample == pytest.approx(found.value * float(np.median(rows.test_error_sd / rows.test_error)) / 20)
    (row,) = _regressions(reader, "kernels")
    assert row.finite is None
    assert row.fitted[1:] == pytest.approx(found.interval(), abs=1e-4)


@pytest.mark.parametrize(
    ("errors", "deviations", "expected"),
    [
        ([[1.0, 2.0, math.nan]], [[1.0, 6.0, math.nan]], 2.0),
        ([[1.0, 2.0, math.inf]], [[1.0, 6.0, math.inf]], 2.0),
        ([[1.0, 2.0, 5.0]], [[1.0, 6.0, math.nan]], 2.0),
        ([[9.0, 2.0], [1.0, 8.0], [math.nan, 3.0]], [[9.0, 6.0], [1.0, 1.0], [math.nan, 1.0]], 2.0),
        ([[0.0, 0.0]], [[0.0, 0.0]], 0.0),
        ([[1.0]], [[math.nan]], None),
    ],
    ids=["a network diverged", "one overflows", "an older block", "rates", "no error", "one sample"],
)
def test_the_ratio_of_deviations_to_errors(errors, deviations, expected):
    assert ratio(np.array(errors), np.array(deviations)) == expected


def test_results_that_lack_deviations_have_the_intervals_of_their_units():
    data = networks(0)
    data.test_error_sd[:] = math.nan
    found = cells(data).error(FINITE)
    assert found.sample == 0
    assert np.isfinite(found.interval()).all()
    by_data = isobath.interval(data.assign_attrs(attributes()), status="finite")
    assert by_data["sample"].item() == 0
    assert (by_data.low.item(), by_data.high.item()) == pytest.approx(found.interval())


def test_numbers_of_ones_own_beside_errors_of_real_targets_are_no_such_errors():
    data = networks(0).assign_attrs(attributes())
    data["mine"] = 3 * data.test_error
    assert isobath.interval(data, "mine", status="finite")["sample"].item() == 0
    with pytest.raises(ValueError, match="shares of a test set lie between 0 and 1"):
        isobath.interval(data, "mine", status="finite", n_test=N_TEST)


def test_networks_that_overflow_on_the_test_set_are_counted():
    """Once they were behind no number and counted all the same."""
    data = networks(0)
    data.test_error[..., :2, :] = math.nan
    found = cells(data).error(FINITE)
    assert found.tally.least == pytest.approx(8 / 12)


def test_networks_that_all_diverged_are_not_told_of_those_that_fit():
    told = "none of 12 networks fitted, as hardly any does on real targets: FINITE counts them"
    for status, said in (("unfitted", told), ("diverged", "all 12 networks diverged")):
        data = networks(0)
        data.status[:] = status
        with pytest.raises(Undetermined, match=f"^{said}$"):
            cells(data).error(*([FINITE] if status == "diverged" else []))
