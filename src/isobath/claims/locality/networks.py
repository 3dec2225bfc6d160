"""Claims on the depth and width of networks (Mori & Ueda, Figs. 1 to 3)."""

from collections.abc import Callable
from typing import Any

import xarray as xr

from isobath.analysis.estimates import Estimate
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.locality import measures
from isobath.claims.locality.cells import global_, grid_of, local, tasks_of
from isobath.claims.locality.criteria import by_task, by_task_and_depth
from isobath.claims.locality.thresholds import ALIKE, ALWAYS, DEEP, FAILS, LEARNS, SHALLOW, TOO_LARGE, WIDENS

SAME: dict[str, Any] = {"above": -ALIKE, "below": ALIKE}


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
    "k = 1: the error of nonlinear networks is not too large against the perceptron's",
    source="Fig. 1",
    statistic="error(widest network) / error(L=0), largest N of both",
)
def nonlinear_networks_good_at_k1(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    return by_task_and_depth(measures.perceptron_ratio, cells, local(1) + global_(1), below=TOO_LARGE)


@claim(
    "k = 1: no important difference between local and global",
    source="Fig. 1",
    statistic="error(local) / error(global) - 1, over N and widths",
)
def local_equals_global_at_k1(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    return [criterion(f"L = {depth}", measures.label_difference, cells, depth, **SAME) for depth in (0, SHALLOW, DEEP)]


@claim(
    "k = 1: local and global are alike because a rotation maps one to the other",
    source="section 3.1",
    statistic="error(1-local, rotated inputs) / error(1-local) - 1, over N and widths; a check, since a rotation "
    "leaves the distribution of Gaussian inputs and of a Gaussian first layer as it is, and so that of all errors",
)
def rotation_is_no_matter_at_k1(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "rotation", protocol="sgd_normal")
    turned, plain = (cells.tasks(kind="k_terms", k=1, rotated=rotated) for rotated in (True, False))
    measure, bounds = measures.relative_difference, {**SAME, "check": True}
    return [criterion(f"L = {depth}", measure, cells, turned, plain, depth, **bounds) for depth in (SHALLOW, DEEP)]


@claim(
    "training reaches zero training error at the rates that are used",
    source="section 2.3",
    statistic="fraction of the networks that fit, all cells of a task",
)
def training_error_vanishes(tree: xr.DataTree) -> list[Criterion]:
    labels = local(1, 2, 3) + global_(1, 2, 3)
    return by_task(measures.fraction_fitted, grid_of(tree, "samples"), labels, above=ALWAYS)


@claim(
    "k-local, k >= 2: L = 7 beats L = 1",
    source="Fig. 2 (a), (b)",
    statistic="error(L=1) - error(L=7), largest N, over widths",
)
def deep_better_for_local(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    return by_task(measures.depth_gain, cells, local(2, 3), SHALLOW, DEEP, above=0)


@claim(
    "k-local, k >= 2: depth matters more than width",
    source="section 3.2",
    statistic="gain from L = 1 to L = 7 minus gain from the narrowest to the widest, largest N",
)
def depth_matters_more_than_width_for_local(tree: xr.DataTree) -> list[Criterion]:
    return by_task(measures.depth_over_width, grid_of(tree, "samples"), local(2, 3), above=0)


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
    statistic=f"error(narrowest) - error(widest), L = 7, largest N, above {LEARNS:g}, for widths that differ "
    f"by a factor of {WIDENS:g}",
)
def width_helps_deep_for_global(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    return by_task(measures.width_gain_at_largest_n, cells, global_(2, 3), DEEP, above=LEARNS)


@claim(
    "k-global, k >= 2: wider networks of L = 7 fall faster with N, narrow ones improve subtly",
    source="section 3.2 and Fig. 2 (c), (d)",
    statistic="[error(narrowest) - error(widest)] at the largest N minus that at the smallest, L = 7",
)
def width_pays_with_samples_for_global(tree: xr.DataTree) -> list[Criterion]:
    return by_task(measures.growth_of_width_gain, grid_of(tree, "samples"), global_(2, 3), DEEP, above=0)


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
    "L = 7 with narrow layers fails on 3-local at small N and not at large, with a spread and an error that fall with "
    "the width",
    source="Fig. 2 (b)",
    statistic="error(narrowest, smallest N), a check, since every network errs there; that minus error(narrowest, "
    "largest N); sd(narrowest) - sd(widest), and error(narrowest) - error(widest), over N",
)
def narrow_deep_fails_at_small_n(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    parts: dict[str, tuple[Callable[..., Estimate], dict[str, Any]]] = {
        "error": (measures.narrowest_error, {"above": FAILS, "check": True}),
        "recovery": (measures.narrowest_recovery, {"above": LEARNS}),
        "spread": (measures.spread_lost_by_width, {"above": 0}),
        "gain of width": (measures.width_gain, {"above": 0}),
    }
    return [
        criterion(f"{task}, {label}", measure, cells, task, DEEP, **bounds)
        for task in tasks_of(cells, local(3))
        for label, (measure, bounds) in parts.items()
    ]
