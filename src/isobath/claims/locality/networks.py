"""Claims on the depth and width of networks (Mori & Ueda, Figs. 1 to 3)."""

from itertools import product

import numpy as np
import xarray as xr

from isobath.analysis.verdicts import Estimate, Grid, NotRun, Part, average, claim, part
from isobath.claims.locality.measures import (
    ALIKE,
    DEEP,
    FAILS,
    SHALLOW,
    common_cells,
    common_widths,
    depth_gains,
    largest_n,
    narrowest_and_widest,
    tasks_of,
)


@claim("k = 1: the error falls with the width", source="Fig. 1", statistic="error(narrowest) - error(widest), over N")
def width_helps_at_k1(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "samples")

    def gain(task: str, depth: int) -> Estimate:
        cells = narrowest_and_widest(grid, task, depth)
        return average(grid.error(width=narrow, **at) - grid.error(width=wide, **at) for at, narrow, wide in cells)

    tasks = tasks_of(grid, ("k_local", 1), ("k_global", 1))
    return [part(f"{t}, L = {depth}", gain, t, depth, above=0) for t, depth in product(tasks, (SHALLOW, DEEP))]


@claim("k = 1: L = 1 beats L = 7", source="Fig. 1", statistic="error(L=7) - error(L=1), over N and widths")
def shallow_better_at_k1(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "samples")

    def gain(task: str) -> Estimate:
        cells = common_cells(grid, task, SHALLOW, DEEP)
        return average(grid.error(depth=DEEP, **cell) - grid.error(depth=SHALLOW, **cell) for cell in cells)

    return [part(t, gain, t, above=0) for t in tasks_of(grid, ("k_local", 1), ("k_global", 1))]


@claim("k = 1: the perceptron is best", source="Fig. 1", statistic="error(widest network) - error(L=0), over N")
def perceptron_best_at_k1(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "samples")

    def gain(task: str, depth: int) -> Estimate:
        width = max(common_widths(grid, task, depth), default=0)
        sizes = set(grid.values("n_train", task, depth=0)) & set(grid.values("n_train", task, depth=depth, width=width))
        at = [{"task": task, "n_train": n} for n in sorted(sizes)]
        return average(grid.error(depth=depth, width=width, **a) - grid.error(depth=0, width=0, **a) for a in at)

    tasks = tasks_of(grid, ("k_local", 1), ("k_global", 1))
    return [part(f"{t}, L = {depth}", gain, t, depth, above=0) for t, depth in product(tasks, (SHALLOW, DEEP))]


@claim(
    "k = 1: no important difference between local and global",
    source="Fig. 1",
    statistic="(error(local) - error(global)) / mean error, over N and widths",
)
def local_equals_global_at_k1(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "samples")

    def difference(depth: int) -> Estimate:
        local = [cell for t in tasks_of(grid, ("k_local", 1)) for cell in common_cells(grid, t, depth)]
        global_ = [cell for t in tasks_of(grid, ("k_global", 1)) for cell in common_cells(grid, t, depth)]
        a = average(grid.error(depth=depth, **cell) for cell in local)
        b = average(grid.error(depth=depth, **cell) for cell in global_)
        return (a - b) * (2 / (a.value + b.value))

    return [part(f"L = {depth}", difference, depth, above=-ALIKE, below=ALIKE) for depth in (0, SHALLOW, DEEP)]


@claim(
    "k-local, k >= 2: L = 7 beats L = 1",
    source="Fig. 2 (a), (b)",
    statistic="error(L=1) - error(L=7), largest N, over widths",
)
def deep_better_for_local(tree: xr.DataTree) -> list[Part]:
    return depth_gains(Grid(tree, "samples"), "k_local", (2, 3), worse=SHALLOW, better=DEEP)


@claim(
    "k-local, k >= 2: a narrow deep network beats a wide shallow one with more parameters",
    source="Fig. 2 (a), (b)",
    statistic="error(L=1, widest) - error(L=7, narrowest), largest N of both",
)
def small_deep_beats_large_shallow(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "samples")

    def gain(task: str) -> Estimate:
        narrow, wide = common_widths(grid, task, DEEP)[:1], common_widths(grid, task, SHALLOW)[-1:]
        if not (narrow and wide):
            raise NotRun
        deep, shallow = {"depth": DEEP, "width": narrow[0]}, {"depth": SHALLOW, "width": wide[0]}
        common = set(grid.values("n_train", task, **deep)) & set(grid.values("n_train", task, **shallow))
        if not common:
            raise NotRun
        at = {"task": task, "n_train": max(common)}
        if not grid.cell(**at, **shallow).n_parameters.max() > grid.cell(**at, **deep).n_parameters.max():
            raise NotRun
        return grid.error(**at, **shallow) - grid.error(**at, **deep)

    return [part(t, gain, t, above=0) for t in tasks_of(grid, ("k_local", 2), ("k_local", 3))]


@claim(
    "k-global, k >= 2: L = 1 beats L = 7",
    source="Fig. 2 (c), (d)",
    statistic="error(L=7) - error(L=1), largest N, over widths",
)
def shallow_better_for_global(tree: xr.DataTree) -> list[Part]:
    return depth_gains(Grid(tree, "samples"), "k_global", (2, 3), worse=DEEP, better=SHALLOW)


@claim(
    "k-global, k >= 2: at L = 7 the error falls strongly with the width",
    source="Fig. 2 (c), (d)",
    statistic="error(narrowest) - error(widest), L = 7, largest N",
)
def width_helps_deep_for_global(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "samples")

    def gain(task: str) -> Estimate:
        largest = narrowest_and_widest(grid, task, DEEP)[-1:]
        return average(grid.error(width=narrow, **at) - grid.error(width=wide, **at) for at, narrow, wide in largest)

    return [part(t, gain, t, above=0) for t in tasks_of(grid, ("k_global", 2), ("k_global", 3))]


@claim(
    "the error falls with the depth for 2-local and rises for 2-global",
    source="Fig. 3",
    statistic="slope of the error per layer, least squares",
    whole=True,
)
def opposite_depth_trends(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "depth")

    def slope(task: str) -> Estimate:
        depths = grid.values("depth", task)
        if len(depths) < 3:
            raise NotRun
        centred = np.array(depths) - np.mean(depths)
        n, widths = largest_n(grid, task), common_widths(grid, task, *depths)
        errors = [average(grid.error(task=task, depth=d, n_train=n, width=w) for w in widths) for d in depths]
        total = average(e * float(c) for e, c in zip(errors, centred, strict=True)) * len(depths)
        return total * float(1 / (centred**2).sum())

    falls = [part(t, slope, t, below=0) for t in tasks_of(grid, ("k_local", 2))]
    return falls + [part(t, slope, t, above=0) for t in tasks_of(grid, ("k_global", 2))]


@claim(
    "L = 7 with narrow layers fails on 3-local at small N, with a wide spread that shrinks with the width",
    source="Fig. 2 (b)",
    statistic="error(narrowest, smallest N); sd(narrowest) - sd(widest), over N",
)
def narrow_deep_fails_at_small_n(tree: xr.DataTree) -> list[Part]:
    grid = Grid(tree, "samples")

    def error(task: str) -> Estimate:
        smallest = narrowest_and_widest(grid, task, DEEP)[:1]
        return average(grid.error(width=narrow, **at) for at, narrow, _ in smallest)

    def narrowing(task: str) -> Estimate:
        cells = narrowest_and_widest(grid, task, DEEP)
        return average(grid.spread(width=narrow, **at) - grid.spread(width=wide, **at) for at, narrow, wide in cells)

    parts = []
    for t in tasks_of(grid, ("k_local", 3)):
        parts += [part(f"{t}, error", error, t, above=FAILS), part(f"{t}, spread", narrowing, t, above=0)]
    return parts
