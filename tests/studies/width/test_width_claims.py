"""Claims of the width study, judged on cubes in which the truth is planted."""

import numpy as np
import pytest
import xarray as xr
from planted_widths import N_STAR, WIDTHS, R, cube, decaying, planted_trees, tree_of, verdict, weights_of

from isobath import claim_files
from isobath.analysis.fits import thresholds
from isobath.analysis.verdicts import judge
from isobath.claims.width import ensemble_measures, measures, widths
from isobath.claims.width.thresholds import BEYOND, CLOSE, FLAT
from isobath.page.claims import WORDS


@pytest.fixture(scope="module")
def trees():
    return planted_trees()


@pytest.mark.parametrize(
    ("claim", "cube_of", "expected"),
    [
        ("cusp_at_jamming", "peak", "reproduced"),
        ("cusp_at_jamming", "decay", "not reproduced"),
        ("train_error_vanishes", "peak", "reproduced"),
        ("train_error_vanishes", "constant", "inconclusive"),  # N* is not known
        ("error_decreases_beyond", "decay", "reproduced"),
        ("error_decreases_beyond", "flat", "inconclusive"),
        ("ensemble_is_flat", "decay", "reproduced"),
        ("ensemble_is_flat", "rise", "not reproduced"),  # it rises
        ("ensembles_are_best_just_beyond", "rise", "reproduced"),
        ("ensembles_are_best_just_beyond", "decay", "not reproduced"),  # twenty networks are less than a mean
        ("averaging_breaks_down_at_jamming", "peak", "reproduced"),
        ("error_is_self_averaging", "decay", "reproduced"),
        ("fluctuations_decay", "decay", "reproduced"),
        ("fluctuations_decay", "flat", "not run"),  # no such law in the cube
        ("averaging_helps", "decay", "reproduced"),
        ("norm_is_cut_off_by_time", "peak", "reproduced"),
        ("norm_is_cut_off_by_time", "decay", "not reproduced"),
        ("early_stopping_removes_the_peak", "peak", "reproduced"),
        ("early_stopping_removes_the_peak", "decay", "inconclusive"),
        ("convolutional_networks_repeat_it", "peak", "not run"),  # no such grid
    ],
)
def test_verdicts_where_the_truth_is_planted(trees, claim, cube_of, expected):
    assert verdict(claim, trees[cube_of]) == expected


def parts(name, tree):
    return {part["label"]: part for part in judge(claim_files.load_claim("width", name), tree)["parts"]}


def test_what_defines_n_star_is_a_check(trees):
    found = parts("train_error_vanishes", trees["peak"])
    assert [part["check"] for part in found.values()] == [True, True, False, True, True]
    assert parts("norm_is_cut_off_by_time", trees["peak"])["growth at the largest N"]["check"]
    assert all(part["estimate"] is not None for part in found.values())


def test_a_blurred_transition_is_not_sharp():
    groups = cube(fluctuation=decaying)
    random = np.random.default_rng(3)
    status, networks = groups["networks"].status, groups["networks"]
    for width in WIDTHS:  # from a tenth to nine tenths over a factor 80 in N
        fits = random.random(R) < 1 / (1 + N_STAR / weights_of(width))
        status.loc[{"width": width}] = np.where(fits, "fitted", "unfitted").reshape(status.sel(width=width).shape)
        networks["train_error"].loc[{"width": width}] = np.where(fits, 0.0, 0.05).reshape(status.sel(width=width).shape)
    timed = networks.assign_coords(protocol_max_epochs=("protocol", [1000.0]))
    groups["jamming"] = thresholds(timed, generator=np.random.default_rng(1))
    found = parts("train_error_vanishes", tree_of(groups))
    assert found["range of the transition, a factor in N"]["verdict"] == "not reproduced"
    assert found["training error just above N*"]["verdict"] == "violated"
    assert (
        judge(claim_files.load_claim("width", "train_error_vanishes"), tree_of(groups))["verdict"] == "not reproduced"
    )


def test_what_is_said_of_a_peak_asks_for_it_first(trees):
    for part in parts("early_stopping_removes_the_peak", trees["decay"]).values():
        assert part["verdict"] == "inconclusive"
        assert part["reason"].startswith("there is no peak near N*: the error is ")


def test_errors_that_scatter_are_not_self_averaging():
    groups = cube(fluctuation=decaying)
    groups["networks"]["test_error"] = groups["networks"].test_error * np.linspace(0.4, 1.6, R)
    assert verdict("error_is_self_averaging", tree_of(groups)) == "not reproduced"


def test_errors_that_scatter_by_a_finite_test_set_alone_refute_no_self_averaging():
    """Networks that miss each sample with one probability have one error; on few samples their errors differ."""
    groups, random = cube(fluctuation=decaying), np.random.default_rng(0)
    labels, outputs = groups["networks"].test_labels.astype(float), groups["networks"].outputs
    missed = xr.DataArray(random.random(outputs.isel(output=0).shape) < 0.01, dims=outputs.isel(output=0).dims)
    groups["networks"]["outputs"] = outputs * 0 + xr.where(missed, 0.5 - labels, labels - 0.5)
    groups["networks"]["test_error"] = missed.mean("test_sample") + 0 * groups["networks"].test_error
    part = parts("error_is_self_averaging", tree_of(groups))["at 3 N*"]
    spread = part["high"] / part["estimate"]
    assert part["estimate"] / spread > CLOSE > part["low"]
    assert part["verdict"] == "inconclusive"


@pytest.mark.parametrize(("sign", "expected"), [(1, "reproduced"), (-1, "not reproduced")])
def test_the_linear_estimate_is_judged_by_where_outputs_vanish(sign, expected):
    groups, random = cube(fluctuation=decaying), np.random.default_rng(0)
    scatter = (groups["ensembles"].n_weights / N_STAR) ** (-0.4 * sign) * 0.3
    noise = xr.DataArray(random.standard_normal((scatter.sizes["width"], R)), dims=("width", "seed"))
    groups["ensembles"] = groups["ensembles"].assign(linear_error=scatter * (1 + 0.1 * noise))
    assert verdict("linear_estimate_improves_with_size", tree_of(groups)) == expected


def test_the_gain_by_averaging_is_that_of_the_networks_that_there_are(trees):
    """The limit of large ensembles is an estimate, and unknown where fluctuations exceed the mean."""
    cells = widths.grid_of(trees["peak"], "widths")
    width = widths.near(cells, 1)
    rows = trees["peak"]["widths/ensembles"].to_dataset().sel(width=width).squeeze()
    gain = ensemble_measures.averaging_gain(cells, measures.at(1))
    assert gain.value == pytest.approx(float(rows.ensemble_error.sel(size=1) - rows.ensemble_error.sel(size=R)))
    assert 0 < gain.spread < gain.value


def test_the_fall_of_networks_and_that_of_their_ensemble_are_not_taken_as_independent(trees):
    """Both fall together: their sum scatters more than it would otherwise, and their difference less."""
    cells = widths.grid_of(trees["decay"], "widths")
    single = measures.fall_beyond(cells)
    ensemble = ensemble_measures.ensemble_difference(cells, measures.at(BEYOND), widths.largest)
    fall, rise = (ensemble_measures.flatness(cells, sign) for sign in (1, -1))
    for sign, flatness in ((1, fall), (-1, rise)):
        assert flatness.value == pytest.approx(single.value * FLAT - ensemble.value * sign)
    for error in ("spread", "sample"):
        errors = [getattr(estimate, error) for estimate in (fall, rise, single, ensemble)]
        independent = (errors[2] * FLAT) ** 2 + errors[3] ** 2
        assert errors[0] ** 2 + errors[1] ** 2 == pytest.approx(2 * independent)
        assert errors[0] ** 2 < independent < errors[1] ** 2


def test_every_claim_can_be_judged_on_any_cube(trees):
    for name in claim_files.claims("width"):
        for tree in (*trees.values(), xr.DataTree()):
            assert verdict(name, tree) in WORDS
        assert verdict(name, xr.DataTree()) == "not run"


def test_widths_are_compared_on_the_same_data_sets(trees):
    """The effect of a data set on all widths cancels from their difference, which one part of the claim is about."""
    for name, expected in (("decay", "reproduced"), ("flat", "inconclusive")):
        parts = judge(claim_files.load_claim("width", "error_decreases_beyond"), trees[name])["parts"]
        (several,) = [part for part in parts if part["label"].startswith("over data sets")]
        assert (several["verdict"], several["unit"], several["count"]) == (expected, "data sets", 6)
        assert several["high"] - several["low"] < 0.03
