"""Measures of the locality study at made-up cells: signs of distances, cells that cancel, widths that differ."""

import json

import numpy as np
import pytest
import xarray as xr
from locality_cubes import block, regression

from isobath.analysis.cubes import describe, gather
from isobath.analysis.estimates import NotRun
from isobath.claims.locality import measures
from isobath.claims.locality.cells import grid_of
from isobath.claims.locality.kernel_measures import distance_kept
from isobath.results import kernels, networks

TASKS = {"3-local": {"kind": "k_local", "k": 3, "dimension": 30}}
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


def test_what_depth_gains_over_width_is_one_contrast():
    """Two of its four cells cancel. Once networks there that did not fit made it undetermined."""
    errors = {(1, 50): 0.4, (1, 200): 0.3, (7, 50): 0.22, (7, 200): 0.15}
    some = {(1, 50): ["fitted"] * 6 + ["unfitted"] * 4}
    parts = [cell(e, status=some.get(at), depth=at[0], width=at[1], n_train=4000) for at, e in errors.items()]
    contrast = measures.depth_over_width(cells_of(parts), "3-local")
    by_means = np.mean([0.4 - 0.22, 0.3 - 0.15]) - np.mean([0.4 - 0.3, 0.22 - 0.15])
    assert contrast.value == pytest.approx(by_means)
    assert contrast.tally.least == 1


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
