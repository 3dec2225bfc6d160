"""Claims about networks that were trained: section 5 of Malach & Shalev-Shwartz, but for those about curves."""

import xarray as xr

from isobath.analysis.verdicts import Criterion, claim
from isobath.claims.fractals.cells import (
    COARSE,
    deep_as_the_fractal,
    ends,
    grid_of,
    labelled,
    shared_widths,
    steps,
    within_budget,
)
from isobath.claims.fractals.measures import (
    by_rule,
    error,
    gain_beyond_guessing,
    gap,
    gap_to_good,
    not_run,
    where_training_suffices,
)
from isobath.claims.fractals.published import FIGURE_5, published_error
from isobath.claims.fractals.thresholds import CHANCE, GOOD, HALF, NEARLY


@claim(
    "On the coarse curve deeper networks perform better",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 4",
    statistic="error of the shallowest minus that of the deepest networks, at each width",
)
def deeper_is_better(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "depth")
    rows = [
        (f"{name}width {width}", *ends(cells, task, width))
        for task, name in labelled(cells.tasks("networks", curve=COARSE))
        for width in shared_widths(cells, task)
    ]
    return by_rule(gap, cells, rows, above=0)


@claim(
    "On the coarse curve every step of depth helps",
    source="Malach & Shalev-Shwartz, Fig. 4",
    statistic="error of networks minus that of the next deeper ones, at each width that both have",
)
def every_step_of_depth_helps(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "depth")
    rows = [
        (f"{name}{label}", *pair)
        for task, name in labelled(cells.tasks("networks", curve=COARSE))
        for width in shared_widths(cells, task)
        for label, *pair in steps(cells, task, width)
    ]
    return by_rule(gap, cells, rows, above=0)


@claim(
    "On the coarse curve deeper networks use their parameters better",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 4",
    statistic="error of the widest shallowest networks minus that of the widest of a depth with no more parameters",
)
def depth_uses_parameters_better(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "depth")
    rows = [
        (f"{name}{label}", *pair)
        for task, name in labelled(cells.tasks("networks", curve=COARSE))
        for label, *pair in within_budget(cells, task)
    ]
    return by_rule(gap, cells, rows, above=0)


@claim(
    "A wide enough network of the depth of the fractal gets almost zero error on the coarse curve",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 4",
    statistic="error of the widest networks with as many hidden layers as the fractal has levels, claimed to be below "
    f"{NEARLY:g}",
)
def wide_deep_networks_nearly_solve_it(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "depth")
    criteria = []
    for task, name in labelled(cells.tasks("networks", curve=COARSE)):
        for coords in deep_as_the_fractal(cells, task):
            best = published_error(cells, coords, FIGURE_5[COARSE], "Fig. 5, curve 1")
            row = (f"{name}depth {coords['depth']}, width {coords['width']}", coords)
            criteria += by_rule(error, cells, [row], below=NEARLY, published=best)
    return criteria or not_run(cells)


@claim(
    "On fine Vicsek distributions of depth 6 all networks are slightly better than chance, whatever their depth",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 6",
    statistic=f"error at the best depth and width, within {CHANCE:g} of 1/2; what depth gains at the largest width, "
    f"within {CHANCE:g} of 0; on the curve that Fig. 2 calls fine and on the finest: Fig. 6 does not say which it has. "
    f"Asked first, whether the training suffices: an error below {GOOD * HALF:g} on the coarse curve of as many levels",
)
def fine_distribution_is_not_learned(tree: xr.DataTree) -> list[Criterion]:
    cells, criteria = grid_of(tree, "fine"), []
    coarse = next(iter(cells.tasks("networks", curve=COARSE)), "")
    for task in (task for task in cells.tasks("networks") if task != coarse):
        best = [(f"{task}: best depth and width", coarse, error, {"task": task})]
        criteria += by_rule(where_training_suffices, cells, best, over=("depth", "width"), above=HALF - CHANCE)
        for width in shared_widths(cells, task)[-1:]:
            rows = [(f"{task}: gain of depth, width {width}", coarse, gap, *ends(cells, task, width))]
            criteria += by_rule(where_training_suffices, cells, rows, above=-CHANCE, below=CHANCE)
    return criteria or not_run(cells)


@claim(
    "Depth helps on every fractal",
    source="Malach & Shalev-Shwartz, section 5 and Tables 1 and 2",
    statistic="error of the shallowest minus that of the deepest networks on the coarse curve, at the largest width",
)
def depth_helps_on_every_fractal(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "fractals")
    tasks = cells.tasks("networks", curve=COARSE)
    pairs = [(task, width) for task in tasks for width in shared_widths(cells, task)[-1:]]
    return by_rule(gap, cells, [(task, *ends(cells, task, width)) for task, width in pairs], above=0)


@claim(
    "CIFAR-10 is like a coarse curve: deeper networks are better, and a shallow one is already good",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 7",
    statistic=f"error of the shallowest minus that of the deepest, and minus that of {GOOD:.0%} of its gain on chance",
    whole=True,
)
def cifar_is_like_a_coarse_curve(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "cifar")
    criteria = []
    for task, name in labelled(cells.tasks("networks")):
        for width in shared_widths(cells, task)[-1:]:
            pair = ends(cells, task, width)
            criteria += by_rule(gap, cells, [(f"{name}gain of depth, width {width}", *pair)], above=0)
            criteria += by_rule(gap_to_good, cells, [(f"{name}shallow networks, width {width}", *pair)], below=0)
    return criteria or not_run(cells)


@claim(
    "On CIFAR-10 depth gives only gradual improvement",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 7",
    statistic="error of networks minus that of the next deeper ones, at the largest width; what the shallowest gain "
    "over guessing minus that",
)
def cifar_gains_are_gradual(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "cifar")
    criteria = []
    for task, name in labelled(cells.tasks("networks")):
        for width in shared_widths(cells, task)[-1:]:
            shallow, _ = ends(cells, task, width)
            rows = [(f"{name}{label}", *pair) for label, *pair in steps(cells, task, width)]
            criteria += by_rule(gap, cells, rows, above=0)
            small = [(f"{label}, against the first layer", shallow, *pair) for label, *pair in rows]
            criteria += by_rule(gain_beyond_guessing, cells, small, above=0)
    return criteria or not_run(cells)
