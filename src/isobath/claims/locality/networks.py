"""Claims on the depth and width of networks (Mori & Ueda, Figs. 1 to 3)."""

from typing import Any

import xarray as xr

from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.locality import measures
from isobath.claims.locality.cells import global_, grid_of, local, tasks_of
from isobath.claims.locality.criteria import by_task, by_task_and_depth
from isobath.claims.locality.thresholds import ALIKE, DEEP, FAILS, SHALLOW


@claim("k = 1: the error falls with the width", source="Fig. 1", statistic="error(narrowest) - error(widest), over N")
def width_helps_at_k1(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    return by_task_and_depth(measures.width_gain, cells, local(1) + global_(1), above=0)


@claim("k = 1: L = 1 beats L = 7", source="Fig. 1", statistic="error(L=7) - error(L=1), over N and widths")
def shallow_better_at_k1(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    return by_task(measures.depth_gain_over_n, cells, local(1) + global_(1), DEEP, SHALLOW, above=0)


@claim("k = 1: the perceptron is best", source="Fig. 1", statistic="error(widest network) - error(L=0), over N")
def perceptron_best_at_k1(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    return by_task_and_depth(measures.perceptron_gain, cells, local(1) + global_(1), above=0)


@claim(
    "k = 1: no important difference between local and global",
    source="Fig. 1",
    statistic="(error(local) - error(global)) / mean error, over N and widths",
)
def local_equals_global_at_k1(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    alike: dict[str, Any] = {"above": -ALIKE, "below": ALIKE}
    return [criterion(f"L = {depth}", measures.label_difference, cells, depth, **alike) for depth in (0, SHALLOW, DEEP)]


@claim(
    "k-local, k >= 2: L = 7 beats L = 1",
    source="Fig. 2 (a), (b)",
    statistic="error(L=1) - error(L=7), largest N, over widths",
)
def deep_better_for_local(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    return by_task(measures.depth_gain, cells, local(2, 3), SHALLOW, DEEP, above=0)


@claim(
    "k-local, k >= 2: a narrow deep network beats a wide shallow one with more parameters",
    source="Fig. 2 (a), (b)",
    statistic="error(L=1, widest) - error(L=7, narrowest), largest N of both",
)
def small_deep_beats_large_shallow(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    return by_task(measures.small_deep_gain, cells, local(2, 3), above=0)


@claim(
    "k-global, k >= 2: L = 1 beats L = 7",
    source="Fig. 2 (c), (d)",
    statistic="error(L=7) - error(L=1), largest N, over widths",
)
def shallow_better_for_global(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    return by_task(measures.depth_gain, cells, global_(2, 3), DEEP, SHALLOW, above=0)


@claim(
    "k-global, k >= 2: at L = 7 the error falls strongly with the width",
    source="Fig. 2 (c), (d)",
    statistic="error(narrowest) - error(widest), L = 7, largest N",
)
def width_helps_deep_for_global(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    return by_task(measures.width_gain_at_largest_n, cells, global_(2, 3), DEEP, above=0)


@claim(
    "the error falls with the depth for 2-local and rises for 2-global",
    source="Fig. 3",
    statistic="slope of the error per layer, least squares",
    whole=True,
)
def opposite_depth_trends(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "depth")
    falls = by_task(measures.depth_slope, cells, local(2), below=0)
    return falls + by_task(measures.depth_slope, cells, global_(2), above=0)


@claim(
    "L = 7 with narrow layers fails on 3-local at small N, with a wide spread that shrinks with the width",
    source="Fig. 2 (b)",
    statistic="error(narrowest, smallest N); sd(narrowest) - sd(widest), over N",
)
def narrow_deep_fails_at_small_n(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    criteria = []
    for task in tasks_of(cells, local(3)):
        criteria.append(criterion(f"{task}, error", measures.narrowest_error, cells, task, DEEP, above=FAILS))
        criteria.append(criterion(f"{task}, spread", measures.spread_lost_by_width, cells, task, DEEP, above=0))
    return criteria
