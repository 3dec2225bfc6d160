"""What gradient descent cannot learn: section 4 of Malach & Shalev-Shwartz, and where its assumptions end."""

import math

import numpy as np
import xarray as xr

from isobath.analysis.verdicts import Estimate, NotRun, Part, claim, part, proportion
from isobath.calculations.least_errors import least_errors
from isobath.claims.fractals.measures import EXACT, TINY, error_on, group, number, scored, settings
from isobath.fractals import approximation_curves
from isobath.fractals.bounds import separation_bounds

PRINTED, OTHER = "uniform, b = 0.5", "uniform, b = 0.25"  # starts of Theorem 5 and its footnote


def _gradients(tree: xr.DataTree) -> xr.Dataset:
    return group(tree, "calculations/initial_gradients")


def _of_start(tree: xr.DataTree, start: str) -> xr.Dataset:
    table = _gradients(tree)
    if start not in table.start:
        raise NotRun
    return table.sel(start=start)


def _within(tree: xr.DataTree, start: str, *, small: bool = False) -> Estimate:
    """The share of networks whose gradient and error keep the bounds of Theorem 5; ``small``: of those with |f| < 1."""
    one = _of_start(tree, start)
    kept = ((one.gradient_norm <= one.gradient_bound) & (one.error >= one.error_bound)).all("growth").values
    asked_of = (one.largest_output.max("growth") < 1).values if small else np.ones_like(kept)
    if not asked_of.any():
        raise NotRun
    return proportion(int(kept[asked_of].sum()), int(asked_of.sum()))


def _probability(tree: xr.DataTree) -> float:
    try:
        return 1 - float(_gradients(tree).delta)
    except NotRun:
        return math.nan


@claim(
    "At the start the population gradient is at most 5 (P(n') - 1/2), with probability 1 - delta.",
    source="Malach & Shalev-Shwartz, Theorem 5 and its footnote",
    statistic="share of networks that keep the bounds on gradient and error, for fine to coarse distributions",
)
def theorem_5(tree: xr.DataTree) -> list[Part]:
    return [part(start, _within, tree, start, above=_probability(tree)) for start in (PRINTED, OTHER)]


@claim(
    "The start that Theorem 5 prints is degenerate: its gradient vanishes on coarse distributions as well.",
    source="not in the paper",
    statistic="norm of the gradient on the coarsest distribution, at b = 1/2 and b = 1/4",
)
def printed_start_is_degenerate(tree: xr.DataTree) -> list[Part]:
    def norm(start: str) -> Estimate:
        norms = _of_start(tree, start).gradient_norm.isel(growth=0).values.ravel()
        return Estimate(float(norms.mean()), float(norms.std(ddof=1) / math.sqrt(len(norms))), 0.0, len(norms))

    return [part(PRINTED, norm, PRINTED, below=TINY), part(OTHER, norm, OTHER, above=TINY)]


def _usual(tree: xr.DataTree, *, small: bool) -> list[Part]:
    try:
        names = [str(name) for name in _gradients(tree).start.values if name not in (PRINTED, OTHER)]
    except NotRun:
        names = ["usual starts"]
    return [part(name, _within, tree, name, small=small, above=_probability(tree)) for name in names]


@claim(
    "The gradient of the usual starts vanishes likewise.",
    source="not in the paper, which says it of starts with |w| <= 1 / (2 n_in)",
    statistic="share of networks that keep the bounds of Theorem 5",
)
def usual_starts_vanish_as_well(tree: xr.DataTree) -> list[Part]:
    return _usual(tree, small=False)


@claim(
    "The gradient of the usual starts vanishes likewise where |f| < 1: otherwise one class is not felt.",
    source="not in the paper",
    statistic="share of the networks with |f| < 1 on [0, 1] that keep the bounds of Theorem 5",
)
def gradients_vanish_where_outputs_are_small(tree: xr.DataTree) -> list[Part]:
    return _usual(tree, small=True)


def _stuck(tree: xr.DataTree, start: str) -> Estimate:
    """The share of networks without any gradient on the fine distribution, whose error is that of guessing."""
    one = _of_start(tree, start)
    stuck = ((one.fine_gradient_norm == 0) & (one.fine_error == 0.5)).values
    return proportion(int(stuck.sum()), stuck.size)


def _size(task: str, row: xr.Dataset, levels: int) -> list[Part]:
    """That a construction is exact, of width 10 at most and of a depth t <= n."""
    return [
        part(f"{task}: error", error_on, row, below=EXACT),
        Part(f"{task}: width beyond 10", number(row.largest_width - 10), below=1),
        Part(f"{task}: depth beyond n", number(_depth(row) - levels), below=1),
    ]


def _depth(row: xr.Dataset) -> int:
    return int(row.n_hidden_layers) + 1


@claim(
    "There are distributions that a network of depth t and width 10 knows, no network of one hidden layer and fewer "
    "than 2^(t - 1) units does, and no gradient leads to.",
    source="Malach & Shalev-Shwartz, Corollary 2 and the fine distribution before it",
    statistic="on the line: error, width and depth of the network that folds by three; least error of functions of "
    "2^(t - 1) sign changes; share of networks with no gradient and an error of 1/2 on the fine distribution",
)
def corollary_2(tree: xr.DataTree) -> list[Part]:
    def parts(task: str, row: xr.Dataset) -> list[Part]:
        known = settings(tree, "theory")[task]
        least = least_errors(approximation_curves.of_task(known))  # by sign changes; the last is 0
        changes = min(2 ** (_depth(row) - 1), len(least) - 1)
        return [
            *_size(task, row, known["levels"]),
            Part(f"{task}: least error of one hidden layer", number(least[changes]), above=TINY),
        ]

    starts = [part(f"stuck, {start}", _stuck, tree, start, above=_probability(tree)) for start in (PRINTED, OTHER)]
    return scored(tree, "certificate_by_three", parts) + starts


@claim(
    "Corollary 3 says nothing of Cantor sets: what it supposes leaves its bounds void.",
    source="not in the paper, whose Corollary 3 this is about",
    statistic="error, width and depth of a network that knows the set; the bounds on gradient, which is never above "
    "1 there, and on error, at the least epsilon that this network leaves",
)
def corollary_3_is_void(tree: xr.DataTree) -> list[Part]:
    """It supposes errors of 1/2 - epsilon^(n - t') or more at width 10 and any depth t' < n.

    A network of width 10 and depth t < n that makes no error leaves epsilon >= 2^(-1 / (n - t)). Here t is about n / 3,
    and so epsilon^(n / 2) tends to 2^(-3/4) from below as n grows. With weights of at most 1 / (2 n_in) and biases
    of at most 1/2 no activation on [0, 1] and no derivative is above 1.
    """

    def parts(task: str, row: xr.Dataset) -> list[Part]:
        levels = int(settings(tree, "theory")[task]["levels"])
        if _depth(row) >= levels:
            return [*_size(task, row, levels), Part(f"{task}: bounds", None)]
        gradient, error = separation_bounds(0.5 ** (1 / (levels - _depth(row))), levels)
        return [
            *_size(task, row, levels),
            Part(f"{task}: bound on the gradient", number(gradient), above=1),
            Part(f"{task}: bound on the error", number(error), below=0),
        ]

    return scored(tree, "certificate_by_three", parts)
