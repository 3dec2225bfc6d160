"""Claims on the NTK and on the learning rate that leads to it (Mori & Ueda, Figs. 1, 2 and 4)."""

from itertools import product
from typing import Any

import xarray as xr

from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.locality import kernel_measures as measures
from isobath.claims.locality.cells import global_, grid_of, local, tasks_of
from isobath.claims.locality.criteria import by_task, by_task_and_depth
from isobath.claims.locality.thresholds import COMPARABLE, DEEP, FAILS, LEARNS, SHALLOW

CLOSE: dict[str, Any] = {"above": -COMPARABLE, "below": COMPARABLE}


@claim(
    "k = 1: the NTK is comparable with networks",
    source="Fig. 1",
    statistic="error(NTK) / error(widest) - 1, largest N",
)
def ntk_close_at_k1(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    return by_task_and_depth(measures.kernel_ratio, cells, local(1) + global_(1), **CLOSE)


@claim(
    "2-global: the NTK is comparable or better",
    source="Fig. 2 (c)",
    statistic="error(NTK) / error(widest) - 1, largest N",
)
def ntk_good_for_2_global(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    return by_task_and_depth(measures.kernel_ratio, cells, global_(2), below=COMPARABLE)


@claim(
    "k-local, k >= 2: the NTK fails where networks succeed",
    source="Fig. 2 (a), (b)",
    statistic="error(NTK) and error(NTK) - error(widest), largest N",
)
def ntk_fails_for_local(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    criteria = []
    for task, depth in product(tasks_of(cells, local(2, 3)), (SHALLOW, DEEP)):
        arguments, label = (cells, task, depth), f"{task}, L = {depth}"
        criteria.append(criterion(f"{label}, error", measures.kernel_error, *arguments, above=FAILS))
        criteria.append(criterion(f"{label}, excess", measures.kernel_excess, *arguments, above=LEARNS))
    return criteria


@claim(
    "3-global: the NTK works at L = 7 and fails at L = 1",
    source="Fig. 2 (d)",
    statistic="error(NTK), and error(NTK, L=1) - error(NTK, L=7), largest N",
    whole=True,
)
def ntk_depth_for_3_global(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "samples")
    criteria = []
    for task in tasks_of(cells, global_(3)):
        criteria.append(criterion(f"{task}, L = 1", measures.kernel_error, cells, task, SHALLOW, above=FAILS))
        criteria.append(criterion(f"{task}, L = 7", measures.kernel_error, cells, task, DEEP, below=FAILS))
        gain = measures.kernel_depth_gain
        criteria.append(criterion(f"{task}, gain of depth", gain, cells, task, SHALLOW, DEEP, above=LEARNS))
    return criteria


@claim(
    "the NTK does not capture the depth dependence: local labels prefer L = 7 and global ones L = 1, the NTK does not",
    source="abstract",
    statistic="half of what the better depth gains in networks, minus what it gains in the NTK, largest N",
)
def ntk_misses_the_depth_dependence(tree: xr.DataTree) -> list[Criterion]:
    cells, measure = grid_of(tree, "samples"), measures.depth_dependence_missed
    deep_better = by_task(measure, cells, local(2, 3), SHALLOW, DEEP, above=0)
    return deep_better + by_task(measure, cells, global_(2, 3), DEEP, SHALLOW, above=0)


@claim(
    "k-local, k >= 2: networks do not come closer to the NTK as they widen",
    source="section 3.3",
    statistic="error(NTK) - error(widest) minus half of error(NTK) - error(narrowest), largest N",
)
def wide_networks_stay_away_from_the_ntk(tree: xr.DataTree) -> list[Criterion]:
    return by_task_and_depth(measures.distance_kept, grid_of(tree, "samples"), local(2, 3), above=0)


@claim(
    "small learning rates approach the NTK",
    source="Fig. 4",
    statistic="error(smallest rate at which all networks fit) / error(NTK) - 1; half of the distance at the searched "
    "rate (where none was searched, at the largest at which all fit), minus that at the smallest",
    whole=True,
)
def small_rates_approach_ntk(tree: xr.DataTree) -> list[Criterion]:
    swept, searched = grid_of(tree, "learning_rate", protocol="sgd_sweep"), grid_of(tree, "samples")
    cells = [(task, SHALLOW) for task in tasks_of(swept, local(2) + global_(2))]
    cells += list(product(tasks_of(swept, global_(3)), (SHALLOW, DEEP)))
    criteria = []
    for task, depth in cells:
        label, close, nearer = f"{task}, L = {depth}", measures.lowest_rate_against_kernel, measures.approach_to_kernel
        criteria.append(criterion(f"{label}, close", close, swept, task, depth, **CLOSE))
        criteria.append(criterion(f"{label}, nearer", nearer, swept, searched, task, depth, above=0))
    return criteria


@claim(
    "2-local depends on the learning rate far more than 2-global",
    source="Fig. 4 (a)",
    statistic="[error(smallest rate at which all networks on the label fit) - error(searched rate)] of 2-local minus "
    "that of 2-global",
    misworded=("[error(smallest rate) - error(searched rate)] of 2-local minus that of 2-global",),
)
def rate_matters_more_for_local(tree: xr.DataTree) -> list[Criterion]:
    searched = grid_of(tree, "samples")
    swept = grid_of(tree, "learning_rate", protocol="sgd_sweep")
    pairs = product(tasks_of(swept, local(2)), tasks_of(swept, global_(2)))
    measure = measures.rate_dependence
    return [criterion(" and ".join(pair), measure, swept, searched, *pair, above=LEARNS) for pair in pairs]


@claim(
    "3-global: L = 1 depends on the learning rate much more than L = 7",
    source="Fig. 4 (b)",
    statistic="[error(smallest rate at which both fit) - error(searched rate)] of L = 1 minus that of L = 7",
)
def rate_matters_more_for_shallow(tree: xr.DataTree) -> list[Criterion]:
    searched = grid_of(tree, "samples")
    swept = grid_of(tree, "learning_rate", protocol="sgd_sweep")
    measure = measures.rate_dependence_of_depths
    return [criterion(task, measure, swept, searched, task, above=LEARNS) for task in tasks_of(swept, global_(3))]


@claim(
    "3-global: L = 7 beats L = 1 at small rates, and the order reverses at the best rates",
    source="Fig. 4 (b)",
    statistic="error(L=1) - error(L=7) at the smallest rate at which both fit; minus that at the searched rates",
    whole=True,
)
def order_reverses_with_rate(tree: xr.DataTree) -> list[Criterion]:
    searched = grid_of(tree, "samples")
    swept = grid_of(tree, "learning_rate", protocol="sgd_sweep")
    criteria = []
    for task in tasks_of(swept, global_(3)):
        small, best = measures.depth_gain_at_lowest_rate, measures.depth_loss_at_searched_rate
        criteria.append(criterion(f"{task}, smallest rate", small, swept, task, above=0))
        criteria.append(criterion(f"{task}, best rate", best, swept, searched, task, above=0))
    return criteria
