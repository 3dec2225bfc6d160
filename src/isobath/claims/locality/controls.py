"""Controls: remarks of the paper, and its effects without their confounds."""

from itertools import product
from typing import Any

import xarray as xr

from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.locality.cells import global_, grid_of, grid_of_any_size, larger_biases, local, tasks_of
from isobath.claims.locality.criteria import by_task, by_task_and_depth
from isobath.claims.locality.kernel_measures import bias_gain, kernel_error, kernel_preference
from isobath.claims.locality.measures import depth_gain, error_of_narrow
from isobath.claims.locality.thresholds import DEEP, FAILS, LEARNS, PERFECT, SHALLOW


@claim(
    "one hidden layer of 10 to 100 units expresses the k-local label at d = k almost perfectly",
    source="section 4 and footnote 3",
    statistic="error of the widest network of at most 100 units at d = k, fitted or not",
)
def narrow_networks_express_local(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of_any_size(tree, "expressivity", protocol="sgd_fixed")
    return by_task(error_of_narrow, cells, local(2, 3), below=PERFECT)


def conclusions(tree: xr.DataTree, protocol: str) -> list[Criterion]:
    """Return the criteria of the paper's conclusions on depth, for another protocol."""
    cells = grid_of(tree, "variants", protocol=protocol)
    deep_better = by_task(depth_gain, cells, local(2, 3), SHALLOW, DEEP, above=0)
    return deep_better + by_task(depth_gain, cells, global_(2, 3), DEEP, SHALLOW, above=0)


@claim(
    "MSE does not change the conclusions", source="section 2.3", statistic="error(worse depth) - error(better depth)"
)
def mse_agrees(tree: xr.DataTree) -> list[Criterion]:
    return conclusions(tree, "sgd_mse")


@claim(
    "He starts do not change the conclusions", source="footnote 2", statistic="error(worse depth) - error(better depth)"
)
def he_agrees(tree: xr.DataTree) -> list[Criterion]:
    return conclusions(tree, "sgd_he")


@claim(
    "k-local: L = 7 beats L = 1 at the dimension of the global label too",
    own=True,
    statistic="error(L=1) - error(L=7)",
)
def deep_better_for_local_at_equal_dimension(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "equal_dimension")
    return by_task(depth_gain, cells, local(2, 3), SHALLOW, DEEP, above=0)


@claim(
    "the NTK fails on k-local at the dimension of the global label too",
    own=True,
    statistic="error(NTK), largest N",
)
def ntk_fails_for_local_at_equal_dimension(tree: xr.DataTree) -> list[Criterion]:
    return by_task_and_depth(kernel_error, grid_of(tree, "equal_dimension"), local(2, 3), above=FAILS)


@claim(
    "at equal dimension the NTK is worse on k-local than on k-global, where its parity lets it learn either",
    own=True,
    statistic="error(NTK, local) - error(NTK, global), largest N; without k = 3 at L = 1, whose degrees it is blind to",
)
def ntk_prefers_global_at_equal_dimension(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "equal_dimension")
    pairs = ((2, SHALLOW), (2, DEEP), (3, DEEP))
    return [criterion(f"k = {k}, L = {depth}", kernel_preference, cells, k, depth, above=LEARNS) for k, depth in pairs]


@claim(
    "with a larger bias the NTK of L = 1 learns 3-global, and gains nothing on 2-global: its failure is one of parity",
    own=True,
    statistic="error(L=1, beta of the paper) - error(L=1, beta), largest N",
)
def bias_mends_shallow_ntk(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "bias")
    bounds: dict[int, dict[str, Any]] = {3: {"above": LEARNS}, 2: {"below": LEARNS}}
    return [
        criterion(f"{task}, {kernel}", bias_gain, cells, task, kernel, **bounds[k])
        for k in bounds
        for task, kernel in product(tasks_of(cells, global_(k)), larger_biases(cells))
    ]
