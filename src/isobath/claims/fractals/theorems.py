"""Claims about networks that are exact: Theorems 1 and 2 of Malach & Shalev-Shwartz, and Corollary 1.

Networks known in closed form, counts that are exact and networks above a bound that is proved are checks: they could
fail only if the code or a proof were wrong.
"""

import math
from collections.abc import Iterator

import numpy as np
import xarray as xr

from isobath.analysis.cells import At, Cells
from isobath.analysis.estimates import Estimate, exactly
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.fractals.cells import cells_of, curve_of, grid_of, maps_and_dimensions
from isobath.claims.fractals.foldings import Folding, foldings, of_each
from isobath.claims.fractals.measures import depth_of, error_on, exact_and_small, least_error_of, not_run, scored
from isobath.claims.fractals.thresholds import EXACT, WHOLE
from isobath.fractals.bounds import least_width

CENTRAL = ("cantor",)  # negatives of the 2D Cantor set fill the central square alone, which leaves holes


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
    own=True,
)
def theorem_1_needs_its_margin(tree: xr.DataTree) -> list[Criterion]:
    def criteria(task: str, row: xr.Dataset) -> list[Criterion]:
        positives = criterion(f"{task}: positives", error_on, row, 1, above=0, check=True)
        return [positives, criterion(f"{task}: negatives", error_on, row, 0, below=EXACT, check=True)]

    return scored(grid_of(tree, "theory"), "folding_wide_margin", criteria)


@claim(
    "The Cantor set needs no more than a width of 2 d and n + 1 hidden layers, and no margin",
    source="not in the paper",
    statistic="error of the network that folds the line; its width and depth beyond these",
    own=True,
)
def smaller_network_is_exact(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")

    def criteria(task: str, row: xr.Dataset) -> list[Criterion]:
        (_, d), n = maps_and_dimensions(cells, task), cells.settings(task)["levels"]
        layers = {"hidden layers beyond n + 1": row.n_hidden_layers - n - 1}
        return exact_and_small(task, row, {"width beyond 2 d": row.largest_width - 2 * d, **layers})

    return scored(cells, "certificate", criteria)


def whole_foldings(cells: Cells, *, divides: bool) -> list[Folding]:
    """List the foldings of all n levels, s > 1 at once, where s divides n, or where it does not."""
    return [f for f in foldings(cells) if f.known == f.levels and f.shortcut > 1 and f.divides is divides]


@claim(
    "Of a smaller depth, 2 floor(n / s) + 2, a network of width 5 d r^s has zero error: here where s divides n",
    source="Malach & Shalev-Shwartz, Corollary 1, which has every s <= n",
    statistic="error of the network by closed form for several s; its width and depth beyond the corollary's",
)
def corollary_1(tree: xr.DataTree) -> list[Criterion]:
    listed = whole_foldings(grid_of(tree, "theory"), divides=True)
    return of_each("foldings", listed, lambda f: exact_and_small(f.label, f.row, f.excess()))


@claim(
    "Where s does not divide n a network of one layer more than Corollary 1 has is exact; whether one of its depth is "
    "remains open",
    source="not in the paper, whose Corollary 1 has a depth of 2 floor(n / s) + 2 for every s <= n",
    statistic="error of the network by closed form, its width beyond 5 d r^s, its depth minus (2 floor(n / s) + 2), "
    "which is one",
    own=True,
    misworded=("error of the network by closed form, its width beyond 5 d r^s, its depth minus 2 floor(n / s) + 3",),
)
def corollary_1_takes_a_layer_more(tree: xr.DataTree) -> list[Criterion]:
    listed = whole_foldings(grid_of(tree, "theory"), divides=False)

    def criteria(folding: Folding) -> list[Criterion]:
        width, depth = folding.excess().items()
        more = Criterion(f"{folding.label}: {depth[0]}", exactly(depth[1]), above=WHOLE, below=1 + WHOLE, check=True)
        return [*exact_and_small(folding.label, folding.row, dict([width])), more]

    return of_each("foldings", listed, criteria)


def log_ratio(cells: Cells, upper: str, lower: str) -> Estimate:
    """Return the largest ln of one count of regions over another."""
    counts = cells.group("calculations/region_counts")
    return exactly(np.log(counts[upper] / counts[lower]).max())


def has_holes(cells: Cells, task: str) -> bool:
    """Tell whether a task leaves a part of the cell outside of the set without negatives, which Theorem 2 excludes."""
    return cells.settings(task)["system"] in CENTRAL or bool((np.diff(curve_of(cells, task)) == 0).any())


def errors_of_narrow_networks(cells: Cells) -> Iterator[Criterion]:
    """Yield the error of every cell without holes that is too narrow for r^n linear regions at its depth."""
    for coords in (
        coords for task in cells.tasks("networks") if not has_holes(cells, task) for coords in cells_of(cells, task)
    ):
        (r, d), levels = maps_and_dimensions(cells, coords["task"]), cells.settings(coords["task"])["levels"]
        if coords["width"] < least_width(depth=coords["depth"], levels=levels, maps=r, n_inputs=d):
            yield criterion(label_of(coords), least_error_of, cells, coords, above=0, check=True)


def label_of(coords: At) -> str:
    """Return the label of a cell."""
    return f"{coords['task']}: depth {coords['depth']}, width {coords['width']}"


def log_width(folding: Folding) -> Criterion:
    """Return the ln of the width of an exact network over the least that Theorem 2 leaves to its depth."""
    layers, levels = int(folding.row.n_hidden_layers), folding.levels
    least = least_width(depth=layers, levels=levels, maps=folding.maps, n_inputs=folding.n_inputs)
    spare = exactly(math.log(float(folding.row.largest_width) / least))
    return Criterion(f"{folding.label}: width over the least", spare, above=0, check=True)


@claim(
    "Networks with fewer than r^n linear regions cannot be exact, and (e k / d)^(t d) bounds their number",
    source="Malach & Shalev-Shwartz, Theorem 2",
    statistic="ln of the counted regions over their bound, and of r^n over the counted regions of a network that knows "
    "the set; errors of trained networks that are too narrow; ln of the widths of exact networks in two dimensions "
    "over the least, for several s",
    misworded=(
        "ln of the counted regions over their bound, and over r^n where a network knows the set; errors of trained "
        "networks that are too narrow; widths of exact networks in two dimensions over the least, for several s",
    ),
)
def theorem_2(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "theory")
    line = grid_of(tree, "line")
    ratios = {
        "random networks over their bound": ("regions", "region_bound"),
        "networks that know the set over their bound": ("known_regions", "known_bound"),
        "what is needed over what they have": ("needed_regions", "known_regions"),
    }
    counted = [criterion(label, log_ratio, cells, *pair, below=0, check=True) for label, pair in ratios.items()]
    exact = [f for f in foldings(cells) if f.known == f.levels and not has_holes(cells, f.task)]
    wide = of_each("widths of exact networks", exact, lambda f: [log_width(f)])
    return counted + wide + (list(errors_of_narrow_networks(line)) or not_run(line))
