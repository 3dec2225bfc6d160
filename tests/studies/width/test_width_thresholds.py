"""The threshold of a planted cube of the width study: the peak beside it, the laws beyond it."""

from dataclasses import replace

import numpy as np
import pytest
from planted_widths import LAW, N_STAR, WIDTHS, R, T, constant, cube, decaying, planted_trees, tree_of, weights_of

from isobath.analysis.estimates import NotRun, Undetermined
from isobath.analysis.fits import fitted_laws, thresholds
from isobath.claims.width import measures, norms, widths


@pytest.fixture(scope="module")
def trees():
    return planted_trees()


def test_a_threshold_comes_with_its_time(trees):
    jamming = trees["peak"]["widths/jamming"].to_dataset()
    below, above = (
        f(n for n in map(weights_of, WIDTHS) if (n > N_STAR) == up) for f, up in ((max, False), (min, True))
    )
    assert below < jamming.threshold.item() < above
    assert jamming.t_star.item() == 1000
    assert np.isnan(trees["constant"]["widths/jamming"].threshold).all()


def test_an_interval_of_n_star_without_an_end_is_said():
    groups = cube(fluctuation=constant)
    endless = groups | {"jamming": groups["jamming"].assign(high=groups["jamming"].high * np.nan)}
    cells = widths.grid_of(tree_of(endless), "widths")
    for measure in (widths.just_above, norms.norm_slope):
        with pytest.raises(Undetermined, match=r"the interval of N\* has no end on one side"):
            measure(cells)


def test_a_threshold_without_an_interval_says_why():
    groups = cube(fluctuation=constant)
    unknown = dict.fromkeys(("low", "high"), groups["jamming"].high * np.nan)
    reason = groups["jamming"].reason.where(False, "some draws lack networks")
    cells = widths.grid_of(tree_of(groups | {"jamming": groups["jamming"].assign(**unknown, reason=reason)}), "widths")
    with pytest.raises(Undetermined, match=r"N\* has no interval: some draws lack networks"):
        widths.just_above(cells)


def test_a_law_is_fitted_where_it_is_asked_to():
    groups = cube(fluctuation=decaying)
    n_star = groups["jamming"].threshold.item()
    whole = fitted_laws(groups, {"a": LAW}, generators=lambda name: np.random.default_rng(0))["laws/a"]
    assert whole.value.sel(fit="free", parameter="exponent").item() == pytest.approx(-0.25, abs=0.02)
    part = fitted_laws(
        groups, {"a": LAW | {"beyond": 2.0, "within": 20.0}}, generators=lambda name: np.random.default_rng(0)
    )["laws/a"]
    assert 2 * n_star <= part.x_min.item() < part.x_max.item() <= 20 * n_star
    bounded = fitted_laws(groups, {"a": LAW | {"above": 500.0}}, generators=lambda name: np.random.default_rng(0))[
        "laws/a"
    ]
    assert bounded.x_min.item() >= 500


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"group": "kernels"}, "no group 'kernels'"),
        ({"variable": "fluctation"}, "'fluctation' is not in the group"),
        ({"select": {"measure": "tests"}}, "select.measure is 'tests'; the group has test"),
        ({"along": "seed", "beyond": 2.0}, "in units of N"),
    ],
)
def test_a_law_that_cannot_be_fitted_is_named(change, words):
    groups = cube(fluctuation=constant)
    with pytest.raises(ValueError, match=f"law mine: .*{words}"):
        fitted_laws(groups, {"mine": LAW | change}, generators=lambda name: np.random.default_rng(0))


def test_no_width_is_at_n_star_and_at_twice_n_star():
    sparse = {
        name: group.sel(width=[6, 8, 40, 64]) for name, group in cube(fluctuation=constant).items() if name != "jamming"
    }
    timed = sparse["networks"].assign_coords(protocol_max_epochs=("protocol", [1000.0]))
    sparse["jamming"] = thresholds(timed, generator=np.random.default_rng(1))
    cells = widths.grid_of(tree_of(sparse), "widths")
    at_threshold = widths.near(cells, 1)
    assert abs(np.log(weights_of(at_threshold) / (2 * cells.threshold()))) < np.log(2)  # within the factor of before
    with pytest.raises(NotRun, match=r"within a factor 1\.4 of 2 N"):
        widths.near(cells, 2)


def test_the_peak_is_found_by_one_half_of_networks_and_samples():
    groups = cube(fluctuation=constant)
    cells = widths.grid_of(tree_of(groups), "widths")
    found = widths.peak(cells)
    other = next(w for w in WIDTHS if w != found and 0.5 <= weights_of(w) / cells.threshold() <= 2)
    for half in ({"seed": slice(R // 2, None)}, {"test_sample": slice(T // 2, None)}):
        spoiled = {**groups, "networks": groups["networks"].copy(deep=True)}
        outputs = spoiled["networks"].outputs
        outputs[{"width": WIDTHS.index(other), **half}] *= -1
        assert widths.peak(widths.grid_of(tree_of(spoiled), "widths")) == found


def test_the_peak_of_several_data_sets_is_looked_for(trees):
    cells = widths.over_data_sets(trees["flat"])
    networks = cells.groups["networks"]
    other = next(width for width in widths.near_threshold(cells) if width != widths.near(cells, 1))
    moved = (networks.test_error + 0.2 * (networks.width == other)).transpose(*networks.test_error.dims)
    higher = replace(cells, groups={**cells.groups, "networks": networks.assign(test_error=moved)})
    height = measures.peak_over_data_sets(higher, widths.smallest)
    assert (height.interval()[0] > 0.1, len(height.draws)) == (True, 6)
    assert measures.fall_over_data_sets(higher, measures.at(1), widths.smallest).value < 0.1
