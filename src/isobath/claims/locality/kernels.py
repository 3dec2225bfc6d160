"""Claims on the NTK and on the learning rate that leads to it (Mori & Ueda, Figs. 1, 2 and 4)."""

from itertools import product
from typing import Any

import xarray as xr

from isobath.analysis.verdicts import Estimate, Grid, NotRun, Part, claim, part
from isobath.claims.locality.measures import (
    COMPARABLE,
    DEEP,
    FAILS,
    LEARNS,
    SHALLOW,
    kernel_error,
    kernel_minus_network,
    largest_n,
    tasks_of,
)
from isobath.statuses import UNTRAINED


@claim("k = 1: the NTK is comparable with networks", source="Fig. 1", statistic="error(NTK) - error(widest), largest N")
def ntk_close_at_k1(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "samples")
    cells = product(tasks_of(grid, ("k_local", 1), ("k_global", 1)), (SHALLOW, DEEP))
    close = {"above": -COMPARABLE, "below": COMPARABLE}
    return [part(f"{t}, L = {depth}", kernel_minus_network, grid, t, depth, **close) for t, depth in cells]


@claim(
    "2-global: the NTK is comparable or better", source="Fig. 2 (c)", statistic="error(NTK) - error(widest), largest N"
)
def ntk_good_for_2_global(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "samples")
    cells = product(tasks_of(grid, ("k_global", 2)), (SHALLOW, DEEP))
    return [part(f"{t}, L = {depth}", kernel_minus_network, grid, t, depth, below=COMPARABLE) for t, depth in cells]


@claim(
    "k-local, k >= 2: the NTK fails where networks succeed",
    source="Fig. 2 (a), (b)",
    statistic="error(NTK) and error(NTK) - error(widest), largest N",
)
def ntk_fails_for_local(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "samples")
    parts = []
    for t, depth in product(tasks_of(grid, ("k_local", 2), ("k_local", 3)), (SHALLOW, DEEP)):
        parts.append(part(f"{t}, L = {depth}, error", kernel_error, grid, t, depth, above=FAILS))
        parts.append(part(f"{t}, L = {depth}, excess", kernel_minus_network, grid, t, depth, above=LEARNS))
    return parts


@claim(
    "3-global: the NTK works at L = 7 and fails at L = 1",
    source="Fig. 2 (d)",
    statistic="error(NTK), largest N",
    whole=True,
)
def ntk_depth_for_3_global(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "samples")
    parts = []
    for t in tasks_of(grid, ("k_global", 3)):
        parts.append(part(f"{t}, L = 1", kernel_error, grid, t, SHALLOW, above=FAILS))
        parts.append(part(f"{t}, L = 7", kernel_error, grid, t, DEEP, below=FAILS))
    return parts


def _rates(grid: Grid, task: str, depth: int) -> tuple[dict[str, Any], list[float]]:
    """The cell of a sweep, and the rates at which all of its networks fitted, increasing."""
    widths = grid.values("width", task, depth=depth)
    if not widths:
        raise NotRun
    at = {"task": task, "depth": depth, "width": widths[-1], "n_train": largest_n(grid, task, depth=depth)}
    cell = grid.cell(**at)
    seen = ~cell.status.isin(UNTRAINED)
    fitted = ((cell.status == "fitted") | ~seen).all(["draw", "seed"]) & seen.any(["draw", "seed"])
    rates = cell.learning_rate.values[fitted.values].tolist()
    if not rates:
        raise NotRun
    return at, rates


def _lowest_rate(grid: Grid, task: str, depth: int) -> Estimate:
    at, rates = _rates(grid, task, depth)
    return grid.error(learning_rate=rates[0], **at)


def _searched_rate(tree: xr.DataTree, task: str, depth: int) -> Estimate:
    """Error at the rate that cross-validation chose: the optimum of a sweep by test error would select on test data."""
    at, _ = _rates(Grid(tree, "learning_rate", protocol="sgd_sweep"), task, depth)
    return Grid(tree, "samples").error(**at)


@claim(
    "small learning rates approach the NTK",
    source="Fig. 4",
    statistic="error(smallest rate at which all networks fit) - error(NTK)",
)
def small_rates_approach_ntk(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "learning_rate", protocol="sgd_sweep")

    def difference(task: str, depth: int) -> Estimate:
        at, _ = _rates(grid, task, depth)
        at.pop("width")
        return _lowest_rate(grid, task, depth) - grid.regression(**at)

    cells = [(task, SHALLOW) for task in tasks_of(grid, ("k_local", 2), ("k_global", 2))]
    cells += [(task, depth) for task in tasks_of(grid, ("k_global", 3)) for depth in (SHALLOW, DEEP)]
    close = {"above": -COMPARABLE, "below": COMPARABLE}
    return [part(f"{task}, L = {depth}", difference, task, depth, **close) for task, depth in cells]


@claim(
    "2-local depends on the learning rate far more than 2-global",
    source="Fig. 4 (a)",
    statistic="[error(smallest rate) - error(searched rate)] of 2-local minus that of 2-global",
)
def rate_matters_more_for_local(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "learning_rate", protocol="sgd_sweep")
    pairs = product(tasks_of(grid, ("k_local", 2)), tasks_of(grid, ("k_global", 2)))

    def fall(task: str) -> Estimate:
        return _lowest_rate(grid, task, SHALLOW) - _searched_rate(tree, task, SHALLOW)

    def difference(local: str, global_: str) -> Estimate:
        return fall(local) - fall(global_)

    return [part(f"{local} and {global_}", difference, local, global_, above=LEARNS) for local, global_ in pairs]


@claim(
    "3-global: L = 7 beats L = 1 at small rates, and the order reverses at the best rates",
    source="Fig. 4 (b)",
    statistic="error(L=1) - error(L=7) at the smallest rate; error(L=7) - error(L=1) at the searched rate",
    whole=True,
)
def order_reverses_with_rate(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "learning_rate", protocol="sgd_sweep")

    def small(task: str) -> Estimate:
        return _lowest_rate(grid, task, SHALLOW) - _lowest_rate(grid, task, DEEP)

    def best(task: str) -> Estimate:
        return _searched_rate(tree, task, DEEP) - _searched_rate(tree, task, SHALLOW)

    parts = []
    for t in tasks_of(grid, ("k_global", 3)):
        parts += [part(f"{t}, smallest rate", small, t, above=0), part(f"{t}, best rate", best, t, above=0)]
    return parts
