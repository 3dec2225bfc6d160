"""What networks can know: section 3 of Malach & Shalev-Shwartz, and where its assumptions end."""

from collections.abc import Iterator

import numpy as np
import xarray as xr

from isobath.analysis.verdicts import Bounded, Estimate, Part, claim, part
from isobath.claims.fractals.measures import EXACT, TINY, At, Trained, asked, error_on, group, number, scored, settings
from isobath.fractals import approximation_curves
from isobath.fractals.bounds import unavoidable_error
from isobath.fractals.sets import of_task
from isobath.geometry.linear_regions import least_width

CLEAN = "chosen on one half"  # bounds hold for errors that no choice has lowered


@claim(
    "A network of width 5 d r and depth 2 n + 1 has zero error.",
    source="Malach & Shalev-Shwartz, Theorem 1",
    statistic="error of the network by closed form, also where images touch (against Assumption 1); its size",
)
def theorem_1(tree: xr.DataTree) -> list[Part]:
    def parts(task: str, row: xr.Dataset) -> list[Part]:
        known = settings(tree, "theory")[task]
        r, d = of_task(known).maps.offsets.shape
        return [
            part(f"{task}: error", error_on, row, below=EXACT),
            Part(f"{task}: width beyond 5 d r", number(row.largest_width - 5 * d * r), below=1),
            Part(f"{task}: depth beyond 2 n + 1", number(row.n_hidden_layers + 1 - 2 * known["levels"] - 1), below=1),
        ]

    return scored(tree, "folding", parts)


@claim(
    "Without a margin of the positives (Assumption 3) the network of Theorem 1 misses some of them, and no negative.",
    source="not in the paper",
    statistic="errors on positives and negatives of a network that relies on a margin which its task lacks",
)
def theorem_1_needs_its_margin(tree: xr.DataTree) -> list[Part]:
    def parts(task: str, row: xr.Dataset) -> list[Part]:
        return [
            part(f"{task}: positives", error_on, row, 1, above=0),
            part(f"{task}: negatives", error_on, row, 0, below=EXACT),
        ]

    return scored(tree, "folding_wide_margin", parts)


@claim(
    "The Cantor set needs no more than a width of 2 d and n + 1 hidden layers, and no margin.",
    source="not in the paper",
    statistic="error of the network that folds the line; its width and depth beyond these",
)
def smaller_network_is_exact(tree: xr.DataTree) -> list[Part]:
    def parts(task: str, row: xr.Dataset) -> list[Part]:
        known = settings(tree, "theory")[task]
        d = of_task(known).maps.offsets.shape[1]
        return [
            part(f"{task}: error", error_on, row, below=EXACT),
            Part(f"{task}: width beyond 2 d", number(row.largest_width - 2 * d), below=1),
            Part(f"{task}: hidden layers beyond n + 1", number(row.n_hidden_layers - known["levels"] - 1), below=1),
        ]

    return scored(tree, "certificate", parts)


@claim(
    "Of a smaller depth, 2 floor(n / s) + 2, a network of width 5 d r^s has zero error.",
    source="Malach & Shalev-Shwartz, Corollary 1",
    statistic="error of the network by closed form at s = 2; its width and depth beyond the corollary's",
)
def corollary_1(tree: xr.DataTree) -> list[Part]:
    def parts(task: str, row: xr.Dataset) -> list[Part]:
        known, s = settings(tree, "theory")[task], int(row.construction_shortcut)
        r, d = of_task(known).maps.offsets.shape
        depth = 2 * (known["levels"] // s) + 2
        return [
            part(f"{task}: error", error_on, row, below=EXACT),
            Part(f"{task}: width beyond 5 d r^s", number(row.largest_width - 5 * d * r**s), below=1),
            Part(f"{task}: depth beyond 2 floor(n / s) + 2", number(row.n_hidden_layers + 1 - depth), below=1),
        ]

    return scored(tree, "folding_by_two", parts)


@claim(
    "Networks with fewer than r^n linear regions cannot be exact, and (e k / d)^(t d) bounds their number.",
    source="Malach & Shalev-Shwartz, Theorem 2",
    statistic="ln of the counted regions over their bound, and over r^n where a network knows the set; least errors",
)
def theorem_2(tree: xr.DataTree) -> list[Part]:
    def largest(upper: str, lower: str) -> Estimate:
        counts = group(tree, "calculations/region_counts")
        return number(np.log(counts[upper] / counts[lower]).max())

    def narrow(trained: Trained) -> Iterator[Part]:
        tasks = settings(tree, "line")
        for task in trained.tasks():
            for depth, widths in trained.shapes(task).items():
                least = least_width(depth=depth, levels=tasks[task]["levels"], maps=2, n_inputs=1)
                for width in (w for w in widths if w < least):
                    at = {"task": task, "depth": depth, "width": width}
                    yield part(f"{task}: depth {depth}, width {width}", trained.error, CLEAN, at, above=0)

    return [
        part("random networks over their bound", largest, "regions", "region_bound", below=0),
        part("networks that know the set over their bound", largest, "known_regions", "known_bound", below=0),
        part("what is needed over what they have", largest, "needed_regions", "known_regions", below=0),
        *asked(tree, "line", narrow),
    ]


@claim(
    "A network that knows j levels has an error of at most 1 - P(j).",
    source="Malach & Shalev-Shwartz, Theorem 3",
    statistic="error of the network of 2 levels by closed form minus 1 - P(2), below 0.01",
)
def theorem_3(tree: xr.DataTree) -> list[Part]:
    def parts(task: str, row: xr.Dataset) -> list[Part]:
        curve, error = approximation_curves.of_task(settings(tree, "theory")[task]), error_on(row)
        bound = 1 - curve[int(row.construction_levels)]
        gap = Bounded(error.value - bound, low=error.low - bound, high=error.high - bound, count=error.count)
        return [Part(task, gap, below=0.01)]

    return scored(tree, "folding_two_levels", parts)


@claim(
    "On the line a network of depth t and width k < r^s has an error of at least (1 - r^(s t - j)) (1 - P(j)).",
    source="Malach & Shalev-Shwartz, Theorem 4",
    statistic="least error of functions with as many sign changes, and of trained networks, minus the bound",
)
def theorem_4(tree: xr.DataTree) -> list[Part]:
    def least() -> Estimate:
        errors = group(tree, "calculations/least_errors")
        return number((errors.least_error - errors.error_bound).min())

    def trained_ones(trained: Trained) -> Iterator[Part]:
        def beyond(at: At, bound: float) -> Estimate:
            return trained.error(CLEAN, at) - Estimate(bound)

        tasks = settings(tree, "line")
        for task in trained.tasks():
            shapes = [(depth, width) for depth, widths in trained.shapes(task).items() for width in widths]
            for depth, width in shapes:
                curve = approximation_curves.of_task(tasks[task])
                bound = unavoidable_error(curve, depth=depth, width=width, maps=2)
                at = {"task": task, "depth": depth, "width": width}
                if bound:
                    yield part(f"{task}: depth {depth}, width {width}", beyond, at, bound, above=0)

    return [part("functions with few sign changes", least, above=-TINY), *asked(tree, "line", trained_ones)]
