"""Claims about the functions of networks: section 3 of Malach & Shalev-Shwartz, and where its assumptions end."""

from collections.abc import Iterator

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Bounded, Estimate, exactly
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.fractals.cells import At, cells_of, curve_of, grid_of, maps_and_dimensions
from isobath.claims.fractals.measures import depth_of, error, error_beyond, error_on, exact_and_small, not_run, scored
from isobath.claims.fractals.thresholds import EXACT, SAMPLING, TINY
from isobath.fractals.bounds import unavoidable_error
from isobath.geometry.linear_regions import least_width

CLEAN = "chosen on one half"  # bounds hold for errors that no choice has lowered


@claim(
    "A network of width 5 d r and depth 2 n + 1 has zero error",
    source="Malach & Shalev-Shwartz, Theorem 1",
    statistic="error of the network by closed form, also where images touch (against Assumption 1); its size",
)
def theorem_1(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")

    def criteria(task: str, row: xr.Dataset) -> list[Criterion]:
        (r, d), n = maps_and_dimensions(cells, task), cells.settings(task)["levels"]
        excess = {
            "width beyond 5 d r": row.largest_width - 5 * d * r,
            "depth beyond 2 n + 1": depth_of(row) - 2 * n - 1,
        }
        return exact_and_small(task, row, excess)

    return scored(cells, "folding", criteria)


@claim(
    "Without a margin of the positives (Assumption 3) the network of Theorem 1 misses some of them, and no negative",
    source="not in the paper",
    statistic="errors on positives and negatives of a network that relies on a margin which its task lacks",
)
def theorem_1_needs_its_margin(tree: xr.DataTree) -> list[Criterion]:
    def criteria(task: str, row: xr.Dataset) -> list[Criterion]:
        positives = criterion(f"{task}: positives", error_on, row, 1, above=0)
        return [positives, criterion(f"{task}: negatives", error_on, row, 0, below=EXACT)]

    return scored(grid_of(tree, "theory"), "folding_wide_margin", criteria)


@claim(
    "The Cantor set needs no more than a width of 2 d and n + 1 hidden layers, and no margin",
    source="not in the paper",
    statistic="error of the network that folds the line; its width and depth beyond these",
)
def smaller_network_is_exact(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")

    def criteria(task: str, row: xr.Dataset) -> list[Criterion]:
        (_, d), n = maps_and_dimensions(cells, task), cells.settings(task)["levels"]
        layers = {"hidden layers beyond n + 1": row.n_hidden_layers - n - 1}
        return exact_and_small(task, row, {"width beyond 2 d": row.largest_width - 2 * d, **layers})

    return scored(cells, "certificate", criteria)


@claim(
    "Of a smaller depth, 2 floor(n / s) + 2, a network of width 5 d r^s has zero error",
    source="Malach & Shalev-Shwartz, Corollary 1",
    statistic="error of the network by closed form at s = 2; its width and depth beyond the corollary's",
)
def corollary_1(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")

    def criteria(task: str, row: xr.Dataset) -> list[Criterion]:
        (r, d), n = maps_and_dimensions(cells, task), cells.settings(task)["levels"]
        s = int(row.construction_shortcut)
        width, depth = row.largest_width - 5 * d * r**s, depth_of(row) - (2 * (n // s) + 2)
        return exact_and_small(task, row, {"width beyond 5 d r^s": width, "depth beyond 2 floor(n / s) + 2": depth})

    return scored(cells, "folding_by_two", criteria)


def log_ratio(cells: Cells, upper: str, lower: str) -> Estimate:
    """Return the largest ln of one count of regions over another."""
    counts = cells.group("calculations/region_counts")
    return exactly(np.log(counts[upper] / counts[lower]).max())


def errors_of_narrow_networks(cells: Cells) -> Iterator[Criterion]:
    """Yield the error of every cell that is too narrow for r^n linear regions at its depth, r = 2."""
    for at in (at for task in cells.tasks("networks") for at in cells_of(cells, task)):
        levels = cells.settings(at["task"])["levels"]
        if at["width"] < least_width(depth=at["depth"], levels=levels, maps=2, n_inputs=1):
            yield criterion(label_of(at), error, cells, CLEAN, at, above=0)


def label_of(at: At) -> str:
    """Return the label of a cell."""
    return f"{at['task']}: depth {at['depth']}, width {at['width']}"


@claim(
    "Networks with fewer than r^n linear regions cannot be exact, and (e k / d)^(t d) bounds their number",
    source="Malach & Shalev-Shwartz, Theorem 2",
    statistic="ln of the counted regions over their bound, and over r^n where a network knows the set; least errors",
)
def theorem_2(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")
    line = grid_of(tree, "line")
    ratios = {
        "random networks over their bound": ("regions", "region_bound"),
        "networks that know the set over their bound": ("known_regions", "known_bound"),
        "what is needed over what they have": ("needed_regions", "known_regions"),
    }
    counted = [criterion(label, log_ratio, cells, *pair, below=0) for label, pair in ratios.items()]
    return counted + (list(errors_of_narrow_networks(line)) or not_run(line))


@claim(
    "A network that knows j levels has an error of at most 1 - P(j)",
    source="Malach & Shalev-Shwartz, Theorem 3",
    statistic="error of the network of 2 levels by closed form minus 1 - P(2), below 0.01",
)
def theorem_3(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")

    def criteria(task: str, row: xr.Dataset) -> list[Criterion]:
        bound, error = 1 - curve_of(cells, task)[int(row.construction_levels)], error_on(row)
        gap = Bounded(error.value - bound, low=error.low - bound, high=error.high - bound, count=error.count)
        return [Criterion(task, gap, below=SAMPLING)]

    return scored(cells, "folding_two_levels", criteria)


def least_beyond_bound(cells: Cells) -> Estimate:
    """Return the least error of functions of few sign changes minus the bound of Theorem 4, smallest of all."""
    errors = cells.group("calculations/least_errors")
    return exactly((errors.least_error - errors.error_bound).min())


def errors_beyond_bound(cells: Cells) -> Iterator[Criterion]:
    """Yield the error of every cell that Theorem 4 bounds, minus its bound."""
    for at in (at for task in cells.tasks("networks") for at in cells_of(cells, task)):
        bound = unavoidable_error(curve_of(cells, at["task"]), depth=at["depth"], width=at["width"], maps=2)
        if bound:
            yield criterion(label_of(at), error_beyond, cells, CLEAN, at, bound, above=0)


@claim(
    "On the line a network of depth t and width k < r^s has an error of at least (1 - r^(s t - j)) (1 - P(j))",
    source="Malach & Shalev-Shwartz, Theorem 4",
    statistic="least error of functions with as many sign changes, and of trained networks, minus the bound",
)
def theorem_4(tree: xr.DataTree) -> list[Criterion]:
    line = grid_of(tree, "line")
    least = criterion("functions with few sign changes", least_beyond_bound, grid_of(tree, "theory"), above=-TINY)
    return [least, *(list(errors_beyond_bound(line)) or not_run(line))]
