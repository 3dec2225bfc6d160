"""Controls: what the paper says in passing, and what is left without its confounds."""

from itertools import product

import xarray as xr

from isobath.analysis.verdicts import Estimate, Grid, Part, average, claim, part
from isobath.claims.locality.measures import (
    DEEP,
    LEARNS,
    PERFECT,
    SHALLOW,
    common_widths,
    depth_gains,
    kernel_error,
    largest_n,
    tasks_of,
)


@claim(
    "one hidden layer of 10 to 100 units expresses the k-local label at d = k almost perfectly",
    source="section 4 and footnote 3",
    statistic="error of the widest network of at most 100 units at d = k, fitted or not",
)
def narrow_networks_express_local(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "expressivity")

    def error(task: str) -> Estimate:
        width = max((w for w in common_widths(grid, task, SHALLOW) if w <= 100), default=0)
        at = {"task": task, "depth": SHALLOW, "width": width, "n_train": largest_n(grid, task)}
        # What it can express is the question, not whether it fits the last sample at a border.
        return grid.error(("fitted", "unfitted"), **at)

    return [part(t, error, t, below=PERFECT) for t in tasks_of(grid, ("k_local", 2), ("k_local", 3))]


def _conclusions(tree: xr.DataTree, protocol: str) -> list[Part]:
    grid = Grid(tree, "variants", protocol=protocol)
    local = depth_gains(grid, "k_local", (2, 3), worse=SHALLOW, better=DEEP)
    return local + depth_gains(grid, "k_global", (2, 3), worse=DEEP, better=SHALLOW)


@claim(
    "MSE does not change the conclusions", source="section 2.3", statistic="error(worse depth) - error(better depth)"
)
def mse_agrees(tree: xr.DataTree) -> list[Part]:
    return _conclusions(tree, "sgd_mse")


@claim(
    "He starts do not change the conclusions", source="footnote 2", statistic="error(worse depth) - error(better depth)"
)
def he_agrees(tree: xr.DataTree) -> list[Part]:
    return _conclusions(tree, "sgd_he")


@claim(
    "k-local: L = 7 beats L = 1 at the dimension of the global label too",
    source="not in the paper",
    statistic="error(L=1) - error(L=7)",
)
def deep_better_for_local_at_equal_dimension(tree: xr.DataTree) -> list[Part]:
    return depth_gains(Grid(tree, "equal_dimension"), "k_local", (2, 3), worse=SHALLOW, better=DEEP)


@claim(
    "k-global: L = 1 beats L = 7 at the dimension of the local label too",
    source="not in the paper",
    statistic="error(L=7) - error(L=1)",
)
def shallow_better_for_global_at_equal_dimension(tree: xr.DataTree) -> list[Part]:
    return depth_gains(Grid(tree, "equal_dimension"), "k_global", (2, 3), worse=DEEP, better=SHALLOW)


@claim(
    "the NTK fails on 2-local and works on 2-global at equal dimension too",
    source="not in the paper",
    statistic="error(NTK, local) - error(NTK, global), largest N",
)
def ntk_prefers_global_at_equal_dimension(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "equal_dimension")

    def excess(k: int, depth: int) -> Estimate:
        local, global_ = tasks_of(grid, ("k_local", k)), tasks_of(grid, ("k_global", k))
        errors = [average(kernel_error(grid, t, depth) for t in tasks) for tasks in (local, global_)]
        return errors[0] - errors[1]

    return [part(f"k = {k}, L = {d}", excess, k, d, above=LEARNS) for k, d in product((2, 3), (SHALLOW, DEEP))]


@claim(
    "3-global: with a larger bias the NTK of L = 1 learns it, so that its failure is one of parity",
    source="not in the paper",
    statistic="error(L=1, beta of the paper) - error(L=1, beta), largest N",
)
def bias_mends_shallow_ntk(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "bias")

    def gain(task: str, kernel: str) -> Estimate:
        n = int(tree["bias/kernels"].n_train.max())
        at = {"task": task, "depth": SHALLOW, "n_train": n}
        return grid.regression(**at) - grid.regression(kernel=kernel, **at)

    if "bias" not in tree.children or "kernels" not in tree["bias"]:
        return [Part("3-global", None, above=LEARNS)]
    kernels = tree["bias/kernels"].to_dataset().sortby("kernel_beta")
    larger = kernels.kernel.values[kernels.kernel_beta.values > 0.1].tolist()
    tasks = tasks_of(grid, ("k_global", 3))
    return [part(f"{t}, {name}", gain, t, name, above=LEARNS) for t in tasks for name in larger]
