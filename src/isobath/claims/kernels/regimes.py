"""Claims of our own on networks between the lazy and the feature regime: alpha (f - f_0) with growing alpha."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis import crossings, selection
from isobath.analysis.cells import Cells
from isobath.analysis.combinations import slope
from isobath.analysis.equivalence import ROOM, require_learning
from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.analysis.term_families import term_families
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.kernels.thresholds import (
    CROSSES,
    EQUAL_TO_KERNEL,
    GUESSING,
    HALVED_WIDTHS,
    PLATEAU,
    SAME_CROSSOVER,
    VANISHED,
)

SHALLOW, DEEP = 1, 7  # hidden layers
KERNEL = "linearised"  # kind of networks
SUMS = "k_terms"  # kind of labels


def error(cells: Cells, **coords: Any) -> Estimate:
    """Estimate the test error of a cell at the step and the rate that the other half of the test set chooses.

    A network counts if it did not diverge at some rate. Raises Undetermined where the best rate was not found.
    """
    return cells.error_at_best_rate(selection.CLEAN, diverged_ends=True, **coords)


def alphas(cells: Cells) -> dict[float, str]:
    """Return the protocols of lazy networks by their alpha, increasing. Raises NotRun for fewer than two."""
    networks = cells.group("networks")
    if "protocol_network_alpha" not in networks.coords:
        raise NotRun(f"grid {cells.grid} has no lazy networks")
    pairs = zip(networks.protocol_network_alpha.values.tolist(), networks.protocol.values.tolist(), strict=True)
    protocols = {alpha: str(protocol) for alpha, protocol in sorted(pairs) if np.isfinite(alpha)}
    if len(protocols) < 2:
        raise NotRun(f"grid {cells.grid} has one alpha")
    return protocols


def extremes(cells: Cells) -> tuple[str, str]:
    """Return the protocols of the smallest and of the largest alpha."""
    protocols = [*alphas(cells).values()]
    return protocols[0], protocols[-1]


def kernel(cells: Cells) -> str:
    """Return the protocol that regresses with the tangent kernel of the same networks."""
    networks = cells.group("networks")
    protocols = networks.protocol.values[(networks.protocol_network == KERNEL).values]
    if not len(protocols):
        raise NotRun(f"grid {cells.grid} has no regression with the kernel of its networks")
    return str(protocols[0])


def gap_to_kernel(cells: Cells, **coords: Any) -> Estimate:
    """Estimate the error of networks at the largest alpha minus that of regression with their own tangent kernel.

    Raises Undetermined where both do little better than guessing.
    """
    lazy, own_kernel = (error(cells, protocol=name, **coords) for name in (extremes(cells)[1], kernel(cells)))
    require_learning(EQUAL_TO_KERNEL, GUESSING, lazy, own_kernel)
    return lazy - own_kernel


def grid_of(tree: xr.DataTree, grid: str) -> Cells:
    """Return the cells of a grid, at its only n_train and, but for ``crossover``, its only width."""
    return Cells.of(tree, grid, first=("n_train",) if grid == "crossover" else ("n_train", "width"))


@claim(
    "Networks at a large alpha are regression with their own tangent kernel",
    statistic="error at the largest alpha minus that of regression with the tangent kernel of the same networks at "
    f"their start, for each label and depth; undetermined where both are within {ROOM * EQUAL_TO_KERNEL:g} of guessing",
    own=True,
)
def lazy_networks_are_their_kernel(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "lazy")
    bounds: dict[str, Any] = {"above": -EQUAL_TO_KERNEL, "below": EQUAL_TO_KERNEL}
    return [
        criterion(f"{task}, L = {depth}", gap_to_kernel, cells, task=task, depth=depth, **bounds)
        for tasks in term_families(cells, SUMS).values()
        for task in tasks.values()
        for depth in (SHALLOW, DEEP)
    ]


def gain(cells: Cells, **coords: Any) -> Estimate:
    """Estimate error(L = 1) - error(L = 7)."""
    return error(cells, depth=SHALLOW, **coords) - error(cells, depth=DEEP, **coords)


def gain_left(cells: Cells, lazy: str, **coords: Any) -> Estimate:
    """Estimate the gain of depth of lazy networks.

    Raises Undetermined where the feature regime has no gain, and where lazy networks do little better than guessing.
    """
    features_gain = gain_of_features(cells, **coords)
    low, high = features_gain.interval()
    if not low > 0:
        raise Undetermined(
            f"there is no gain that could vanish: it is {features_gain.value:.3g} [{low:.3g}, {high:.3g}]"
        )
    errors = [error(cells, protocol=lazy, depth=depth, **coords) for depth in (SHALLOW, DEEP)]
    require_learning(VANISHED, GUESSING, *errors)
    return errors[0] - errors[1]


def gain_of_features(cells: Cells, **coords: Any) -> Estimate:
    """Estimate the gain of depth at the smallest alpha.

    Raises Undetermined where the gain at the next alpha has the other sign.
    """
    first, second = (gain(cells, protocol=protocol, **coords) for protocol in [*alphas(cells).values()][:2])
    low, high = second.interval()
    if (high < 0 < first.value) or (first.value < 0 < low):
        next_gain = f"{second.value:.3g} [{low:.3g}, {high:.3g}]"
        raise Undetermined(f"the gain is {first.value:.3g} at the smallest alpha and {next_gain} at the next")
    return first


@claim(
    "The gain of depth on local labels vanishes as networks become lazy",
    statistic="error(L = 1) - error(L = 7) on one term, at the smallest alpha, undetermined where the next has the "
    "other sign, and, where it is a gain there, at the largest",
    own=True,
)
def gain_of_depth_vanishes_when_lazy(tree: xr.DataTree) -> list[Criterion]:
    cells, criteria = grid_of(tree, "lazy"), []
    _, lazy = extremes(cells)
    local = {family: tasks[1] for family, tasks in term_families(cells, SUMS).items() if 1 in tasks}
    for (k, d), task in local.items():
        label = f"{k}-local" + f", d = {d}" * (sum(order == k for order, _ in local) > 1)
        bounds: dict[str, Any] = {"above": -VANISHED, "below": VANISHED}
        criteria.append(criterion(f"{label}, smallest alpha", gain_of_features, cells, task=task, above=0))
        criteria.append(criterion(f"{label}, largest alpha", gain_left, cells, lazy, task=task, **bounds))
    return criteria


@claim(
    "The gain of depth on 3-global labels changes its sign as networks become lazy",
    statistic="error(L = 1) - error(L = 7) on all d terms of k = 3: below 0 at the smallest alpha, above 0 at the "
    "largest",
    own=True,
)
def gain_of_depth_changes_sign_when_lazy(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "lazy")
    feature, lazy = extremes(cells)
    global_tasks = [tasks[d] for (k, d), tasks in term_families(cells, SUMS).items() if k == 3 and d in tasks]
    if not global_tasks:
        raise NotRun("there is no 3-global label")
    coords: dict[str, Any] = {"task": global_tasks[0]}
    return [
        criterion("smallest alpha", gain, cells, protocol=feature, **coords, below=0),
        criterion("largest alpha", gain, cells, protocol=lazy, **coords, above=0),
    ]


def value_of_features(cells: Cells, **coords: Any) -> Estimate:
    """Estimate the error at the largest alpha minus that at the smallest."""
    feature, lazy = extremes(cells)
    return error(cells, protocol=lazy, **coords) - error(cells, protocol=feature, **coords)


def fall_with_terms(cells: Cells, tasks: Mapping[int, str], depth: int) -> Estimate:
    """Estimate the slope of the value of features against ln m."""
    return slope(np.log(list(tasks)), [value_of_features(cells, task=task, depth=depth) for task in tasks.values()])


@claim(
    "The value of features falls with the number of terms of a label",
    statistic="slope of error(largest alpha) - error(smallest alpha) against ln m",
    own=True,
)
def value_of_features_falls_with_terms(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "lazy")
    return [
        criterion(f"k = {k}, d = {d}, L = {depth}", fall_with_terms, cells, tasks, depth, below=0)
        for (k, d), tasks in term_families(cells, SUMS).items()
        if len(tasks) > 1
        for depth in (SHALLOW, DEEP)
    ]


def log_crossover(cells: Cells, **coords: Any) -> Estimate:
    """Estimate ln alpha*, at which the error is halfway between those of the smallest and the largest alpha.

    Raises Undetermined where these do not differ by more than CROSSES, and where the error is no plateau at the
    smallest alpha: from there to the next alpha it changes by more than PLATEAU of its rise to the largest, so that
    halfway depends on the list.
    """
    protocols = alphas(cells)
    errors = [error(cells, protocol=protocol, **coords) for protocol in protocols.values()]
    if abs(errors[-1].value - errors[0].value) <= CROSSES:
        raise Undetermined(f"the errors at both ends of alpha differ by less than {CROSSES:g}: nothing crosses over")
    change, rise = (errors[i].value - errors[0].value for i in (1, -1))
    if abs(change) > PLATEAU * abs(rise):
        raise Undetermined(f"from the smallest alpha to the next the error changes by {change:.2g} of {rise:.2g}")
    return crossings.halfway(np.log([*protocols]), errors)


def exponent_of_crossover(cells: Cells, **coords: Any) -> Estimate:
    """Estimate the slope of ln alpha* against ln H.

    Raises Undetermined where the slope over the larger half of the widths lies outside of the interval.
    """
    widths = cells.values("width", **coords)
    if len(widths) < 2:
        raise NotRun("there is one width")
    x, crossed = np.log(widths), [log_crossover(cells, width=width, **coords) for width in widths]
    fitted, half = slope(x, crossed), len(widths) // 2
    low, high = fitted.interval()
    upper = slope(x[half:], crossed[half:]).value if len(widths) >= HALVED_WIDTHS else fitted.value
    if not low <= upper <= high:
        raise Undetermined(
            f"no power law: {fitted.value:.2g} [{low:.2g}, {high:.2g}], {upper:.2g} of the larger widths"
        )
    return fitted


@claim(
    "The alpha at which networks become lazy falls with their width as H^(-1/2)",
    statistic="slope of ln alpha* against ln H; at alpha* the error is halfway between the ends. Undetermined where "
    "the error has no plateau at the smallest alpha, or the larger widths have another slope",
    own=True,
)
def crossover_falls_with_width(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "crossover")
    bounds: dict[str, Any] = {"above": -0.5 - SAME_CROSSOVER, "below": -0.5 + SAME_CROSSOVER}
    places = [{"task": task, "depth": d} for task in cells.values("task") for d in cells.values("depth", task=task)]
    return [
        criterion(f"{coords['task']}, L = {coords['depth']}", exponent_of_crossover, cells, **coords, **bounds)
        for coords in places
    ]
