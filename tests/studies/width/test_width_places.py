"""Widths that claims of the width study choose by their size in units of N*, and those that they refuse."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from scipy.stats import norm
from scipy.stats import t as student

from isobath.analysis.estimates import ONE_DATA_SET, Estimate, NotRun, Undetermined
from isobath.claims.width import asymptotics, measures, norms, widths
from isobath.randomness import stream

AXES = {"task": ["digits"], "protocol": ["adam"], "depth": [3], "n_train": [100], "draw": [0]}
N_STAR, LOW, HIGH = 1000.0, 900.0, 1250.0


def cells(sizes, *, status=None, test_error=None, test_norm=1.0):
    """Return networks of widths 1, 2, ... with these N, in units of N* = 1000; its interval ends at 0.9 and 1.25."""
    seeds = np.arange(10)
    shape = (len(sizes), len(seeds))
    columns = {
        "status": (("width", "seed"), np.full(shape, "fitted", dtype=object) if status is None else status),
        "test_error": (("width", "seed"), np.full(shape, 0.1) if test_error is None else test_error),
        "n_weights": (("width", "seed"), N_STAR * np.array(sizes)[:, None] + 0 * seeds),
        "test_norm": (("width", "seed"), test_norm * np.ones(shape) * (1 + 0.01 * (-1.0) ** seeds)),
    }
    networks = xr.Dataset(columns, {"width": np.arange(1, len(sizes) + 1), "seed": seeds})
    jamming = xr.Dataset({"threshold": N_STAR, "low": LOW, "high": HIGH, "reason": ((), np.array("", dtype=object))})
    axes = {axis: AXES[axis] for axis in AXES if axis != "draw"}
    groups = {"networks": networks.expand_dims(AXES), "jamming": jamming.expand_dims(axes)}
    return widths.grid_of(xr.DataTree.from_dict({f"widths/{name}": group for name, group in groups.items()}), "widths")


@pytest.mark.parametrize(
    ("choose", "sizes", "width"),
    [
        (measures.at(1), [0.5, 0.8, 1.2, 3], 3),  # 1.2 is nearer than 0.8 by its logarithm
        (measures.at(1), [0.5], 1),
        (measures.at(1), [0.49], None),
        (measures.at(1), [2.0], 1),
        (measures.at(1), [2.01], None),
        (measures.at(3), [1, 2.2, 3.9, 10], 3),
        (measures.at(3), [1.74], 1),  # a width nearer to N* than to 3 N* is not at 3 N*
        (measures.at(3), [1.72], None),
        (measures.at(10), [5.01, 60], 1),  # within a factor 2
        (measures.at(10), [4.99, 20.01], None),
        (widths.above, [0.99, 1.0, 1.3], 2),
        (widths.above, [0.99, 2.0], 2),
        (widths.above, [0.99, 2.01], None),
        (widths.just_above, [1.0, 1.24, 1.25, 1.3], 3),
        (widths.just_above, [1.0, 2.5], 2),
        (widths.just_above, [1.0, 2.51], None),
        (widths.largest, [1, 2, 6], 3),
        (widths.largest, [1, 2, 5.99], None),
        (widths.smallest, [0.666, 2, 6], 1),
        (widths.smallest, [0.67, 2, 6], None),
    ],
)
def test_a_width_is_chosen_by_its_size_in_units_of_n_star(choose, sizes, width):
    if width is None:
        with pytest.raises(NotRun):
            choose(cells(sizes))
    else:
        assert choose(cells(sizes)) == width


def test_the_peak_is_looked_for_within_a_factor_two_of_n_star_on_either_side():
    assert widths.near_threshold(cells([0.49, 0.5, 1, 2, 2.01])) == [2, 3, 4]
    with pytest.raises(NotRun):
        widths.near_threshold(cells([0.49, 2.01]))


@pytest.mark.parametrize(("diverged", "enough"), [(1, True), (2, False)])
@pytest.mark.parametrize("on_the_test_set", [False, True])
def test_nine_of_ten_networks_of_a_width_have_to_count(diverged, enough, on_the_test_set):
    status, test_error = np.full((1, 10), "fitted", dtype=object), np.full((1, 10), 0.1)
    test_error[0, :diverged] = np.nan
    if not on_the_test_set:
        status[0, :diverged] = "diverged"
    found = cells([1], status=status, test_error=test_error)
    if enough:
        assert widths.finite_networks(found, 1).seed.values.tolist() == [*range(diverged, 10)]
    else:
        with pytest.raises(Undetermined, match="8 of 10 networks of width 1 did not diverge"):
            widths.finite_networks(found, 1)


def test_the_slope_of_the_norm_is_that_of_three_widths_between_the_interval_of_n_star_and_4_n_star():
    """Widths at either end of the interval, and beyond 4 N*, have norms on no line with the others."""
    sizes = np.array([1.0, 1.25, 1.3, 2.0, 4.0, 4.01])
    norm = np.where((sizes > 1.25) & (sizes <= 4), abs(sizes - 1.01) ** -0.7, 50.0)[:, None]
    found, x = norms.norm_slope(cells(sizes, test_norm=norm)), np.log(sizes[2:5] - 1)
    assert found.value == pytest.approx(np.polyfit(x, np.log(norm[2:5, 0]), 1)[0])
    with pytest.raises(Undetermined, match="2 widths lie between"):
        norms.norm_slope(cells(sizes[[0, 1, 2, 3, 5]], test_norm=norm[[0, 1, 2, 3, 5]]))


@pytest.mark.parametrize("sizes", [[0.91, 2, 6], [0.5, 0.8, 1.24]])
def test_the_width_at_n_star_is_not_extrapolated(sizes):
    assert measures.width_at_threshold(cells([0.9, 1.25])).interval() == pytest.approx((1, 2))
    with pytest.raises(Undetermined, match="reaches beyond the widths"):
        measures.width_at_threshold(cells(sizes))


def test_a_transition_of_one_data_set_is_said_to_be():
    groups = {"jamming": xr.Dataset({"range": 2.0, "range_low": 1.5, "range_high": 3.0})}
    of_one = SimpleNamespace(threshold=lambda: 100.0, group=groups.__getitem__)
    assert measures.transition_range(of_one).fixed == ONE_DATA_SET


def test_differences_have_the_error_of_the_test_samples_that_both_share():
    """The jackknife has (P - 1) / P of the sum of squares, and Student's quantile of P - 1 degrees of freedom."""
    numbers = stream(0, "parts").standard_normal((3, 20, 8))
    near_by, far, lacking = (
        xr.Dataset({"distance": ("seed", each.mean(0)), "distance_without": (("test_part", "seed"), each)})
        for each in numbers
    )
    lacking.distance_without[3, 2] = np.nan
    own, kept = float(lacking.distance[2]), np.delete(numbers[2, 3], 2)
    without = widths.without_parts(near_by, "distance") - widths.without_parts(far, "distance")
    by_hand = numbers[0].mean(1) - numbers[1].mean(1)
    fall = widths.with_samples(Estimate(1.0, spread=0.2, count=8), without)
    squares = ((by_hand - by_hand.mean()) ** 2).sum() * 19 / 20
    assert fall.sample == pytest.approx(student.ppf(0.975, 19) / norm.ppf(0.975) * np.sqrt(squares), rel=1e-4)
    assert (fall.value, fall.spread) == (1.0, 0.2)
    assert float(widths.without_parts(lacking, "distance")[3]) == pytest.approx((kept.sum() + own) / 8)
    old = near_by.drop_vars("distance_without")
    assert widths.with_samples(fall, widths.without_parts(old, "distance")).sample == 0


def test_a_fall_from_a_place_to_itself_is_none():
    with pytest.raises(NotRun, match=r"the largest N is at 10 N\*"):
        asymptotics.distance_fall(cells([1, 3, 9]))
