"""Measures of the locality study at made-up cells: signs of distances, cells that cancel, widths that differ."""

import json

import numpy as np
import pytest
import xarray as xr
from locality_cubes import block, regression

from isobath.analysis.cubes import describe, gather
from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.claims.locality import measures, terms
from isobath.claims.locality.cells import grid_of
from isobath.claims.locality.kernel_measures import distance, distance_kept
from isobath.results import kernels, networks

TASKS = {"3-local": {"kind": "k_local", "k": 3, "dimension": 30}}
TASKS |= {f"2-terms-{m}": {"kind": "k_terms", "k": 2, "dimension": 30, "terms": m} for m in (1, 4)}
NTK = {"ntk": {"kind": "ntk", "beta": 0.1}}


def cells_of(parts, rows=()):
    """Return the cells of the grid ``samples`` of made-up networks and kernels."""
    groups = {"samples/networks": describe(gather(parts, [*networks.GROUPS["networks"]]), {"task": TASKS})}
    if rows:
        table = gather(rows, [*kernels.GROUPS["kernels"]])
        groups["samples/kernels"] = describe(table, {"task": TASKS, "kernel": NTK})
    tree = xr.DataTree.from_dict(groups)
    tree["samples"].attrs |= {"n_test": 10_000, "spec": json.dumps({"tasks": TASKS})}
    return grid_of(tree, "samples")


def cell(error, *, status=None, size=10**6, **place):
    """Make ten networks that err by about ``error``."""
    made = block(range(10), error + 0.001 * np.arange(10), status, task="3-local", **place)
    return made.assign(n_parameters=("seed", np.full(10, size)))


@pytest.mark.parametrize(("narrow", "wide"), [(0.50, 0.452), (0.40, 0.448)])
def test_networks_that_come_near_the_kernel_keep_no_distance_from_either_side(narrow, wide):
    """Once networks that erred more than the kernel and came to it were said to stay away."""
    errors = {50: narrow, 500: wide}
    parts = [
        cell(error, depth=1, width=width, n_train=4000, draw=draw) for width, error in errors.items() for draw in (0, 1)
    ]
    rows = [regression([1], [0.45], task="3-local", n_train=4000, draw=draw) for draw in (0, 1)]
    kept = distance_kept(cells_of(parts, rows), "3-local", 1)
    assert kept.value < 0


def test_networks_that_pass_the_kernel_and_go_on_keep_their_distance():
    """Once those of a widest error far above the kernel's had arrived at it, as narrow ones erred less."""
    parts = [
        cell(error, depth=1, width=width, n_train=4000, draw=draw)
        for width, error in {50: 0.2, 500: 0.45}.items()
        for draw in (0, 1)
    ]
    rows = [regression([1], [0.3], task="3-local", n_train=4000, draw=draw) for draw in (0, 1)]
    kept = distance_kept(cells_of(parts, rows), "3-local", 1)
    assert kept.value == pytest.approx((0.4545 - 0.3) - (0.3 - 0.2045) / 2)


def test_a_distance_has_no_sign():
    low, high = Estimate(0.2, 0.01, draws={0: 0.1, 1: 0.3}), Estimate(0.5)
    assert distance(low, high).value == distance(high, low).value == pytest.approx(0.3)
    assert distance(low, high).draws == pytest.approx({0: 0.4, 1: 0.2})


def test_labels_of_m_terms_are_compared_at_an_n_of_all():
    """Once each was taken at its own largest N, so that the gain of one with more samples seemed to be of its m."""

    def errors(m, n, gain):
        return [cell(0.4 - gain * (depth > 1), depth=depth, n_train=n, width=50).assign_coords(task=f"2-terms-{m}")
                for depth in (1, 7)]  # fmt: skip

    parts = [*errors(1, 500, 0.0), *errors(1, 1000, 0.2), *errors(4, 500, 0.0)]
    fall = terms.fall_with_terms(cells_of(parts), {1: "2-terms-1", 4: "2-terms-4"})
    assert fall.value == pytest.approx(0, abs=1e-9)
    with pytest.raises(NotRun, match="no N has networks of L = 1 and L = 7 on all labels"):
        terms.fall_with_terms(cells_of([*errors(1, 1000, 0.2), *errors(4, 500, 0.0)]), {1: "2-terms-1", 4: "2-terms-4"})


def test_what_depth_gains_over_width_is_one_contrast():
    """Two of its four cells cancel. Once networks there that did not fit made it undetermined."""
    errors = {(1, 50): 0.4, (1, 200): 0.3, (7, 50): 0.22, (7, 200): 0.15}
    some = {(1, 50): ["fitted"] * 6 + ["unfitted"] * 4}
    parts = [cell(e, status=some.get(at), depth=at[0], width=at[1], n_train=4000) for at, e in errors.items()]
    contrast = measures.depth_over_width(cells_of(parts), "3-local")
    by_means = np.mean([0.4 - 0.22, 0.3 - 0.15]) - np.mean([0.4 - 0.3, 0.22 - 0.15])
    assert contrast.value == pytest.approx(by_means)
    assert contrast.tally.least == 1


@pytest.mark.parametrize(("shallow", "decided"), [(0.42, False), (0.39, True)])
def test_nothing_is_decided_between_depths_that_both_nearly_guess(shallow, decided):
    """Once a wide shallow network was better than a narrow deep one by errors of 0.46 and 0.48."""
    errors = {(1, 50): shallow, (1, 200): shallow, (7, 50): 0.47, (7, 200): 0.47}
    cells = cells_of([cell(e, depth=at[0], width=at[1], n_train=1000) for at, e in errors.items()])
    for measure, sign in ((lambda: measures.depth_gain(cells, "3-local", 7, 1), 1),
                          (lambda: measures.depth_over_width(cells, "3-local"), -1)):  # fmt: skip
        if decided:
            assert measure().value == pytest.approx(sign * (0.47 - shallow))
        else:
            with pytest.raises(Undetermined, match=r"both nearly guess: the least error is 0\.42"):
                measure()
    assert measures.depth_difference(cells, "3-local", 7, 1).value == pytest.approx(0.47 - shallow)


@pytest.mark.parametrize(("error", "decided"), [(0.06, False), (0.04, True)])
def test_a_trained_network_refutes_no_expressible_label(error, decided):
    cells = cells_of([cell(error, depth=1, width=100, n_train=1000)])
    if decided:
        assert measures.error_of_narrow(cells, "3-local").value == pytest.approx(error, abs=0.01)
    else:
        with pytest.raises(Undetermined, match="from above alone"):
            measures.error_of_narrow(cells, "3-local")


def test_a_growing_gain_of_width_is_of_the_same_widths():
    """Networks of fewer parameters than samples are left out. Once the narrowest of each N were compared."""
    level = {20: 0.4, 50: 0.35, 200: 0.3}
    sizes = {20: 2000, 50: 10**5, 200: 10**6}

    def errors(n):
        fall = 0.1 if n == 4000 else 0.0
        return [cell(e - fall, size=sizes[w], depth=7, width=w, n_train=n) for w, e in level.items()]

    growth = measures.growth_of_width_gain(cells_of(errors(500) + errors(4000)), "3-local", 7)
    assert growth.value == pytest.approx(0, abs=1e-9)
    with pytest.raises(NotRun, match="no two N"):
        measures.growth_of_width_gain(cells_of(errors(4000)), "3-local", 7)
