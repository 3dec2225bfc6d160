"""Claims about networks that were trained: section 5 of Malach & Shalev-Shwartz."""

import xarray as xr

from isobath.analysis.verdicts import Criterion, claim
from isobath.claims.fractals.cells import (
    COARSE,
    ends,
    from_coarse_to_fine,
    grid_of,
    shapes,
    shared_widths,
    widest,
    within_budget,
)
from isobath.claims.fractals.measures import by_rule, error, gap, gap_to_good, not_run, slope_with_fineness
from isobath.claims.fractals.thresholds import CHANCE, DRASTIC, GOOD, HARDLY, NEARLY


@claim(
    "On the coarse curve deeper networks perform better",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 4",
    statistic="error of the shallowest minus that of the deepest networks, at each width",
)
def deeper_is_better(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "depth")
    pairs = [(task, width) for task in cells.tasks("networks", curve=COARSE) for width in shared_widths(cells, task)]
    return by_rule(gap, cells, [(f"width {width}", *ends(cells, task, width)) for task, width in pairs], above=0)


@claim(
    "On the coarse curve deeper networks use their parameters better",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 4",
    statistic="error of the widest shallowest networks minus that of the widest of a depth with no more parameters",
)
def depth_uses_parameters_better(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "depth")
    rows = [row for task in cells.tasks("networks", curve=COARSE) for row in within_budget(cells, task)]
    return by_rule(gap, cells, rows, above=0)


@claim(
    "A wide enough network of the depth of the fractal gets almost zero error on the coarse curve",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 4",
    statistic=f"error of the widest of the deepest networks, claimed to be below {NEARLY:g}",
)
def wide_deep_networks_nearly_solve_it(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "depth")
    places = [widest(cells, task) for task in cells.tasks("networks", curve=COARSE)]
    return by_rule(error, cells, [(f"depth {at['depth']}, width {at['width']}", at) for at in places], below=NEARLY)


@claim(
    "The finer the curve, the worse the best of the deepest networks; a fine one degrades it drastically",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 5",
    statistic="slope of the error, at its best width, against 1 - P(j), mean over levels; "
    f"error on the finest curve minus that on the coarse one, claimed to be above {DRASTIC:g}",
)
def error_grows_with_fineness(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "curves")
    over = ("width",)
    places = [{"task": task, "depth": max(shapes(cells, task))} for task in from_coarse_to_fine(cells)]
    if len(places) < 2:
        return not_run(cells)
    coarse, *_, fine = places
    extremes = [(f"{fine['task']} against {coarse['task']}", fine, coarse)]
    grows = by_rule(slope_with_fineness, cells, [("slope", *places)], over=over, above=0)
    return grows + by_rule(gap, cells, extremes, over=over, above=DRASTIC)


@claim(
    "On the fine Vicsek distribution of depth 6 all networks are slightly better than chance, whatever their depth",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 6",
    statistic=f"error at the best depth and width, within {CHANCE:g} of 1/2; what depth gains at the largest width",
)
def fine_distribution_is_not_learned(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "fine")
    criteria = []
    for task in cells.tasks("networks"):
        best = [("best depth and width", {"task": task})]
        criteria += by_rule(error, cells, best, over=("depth", "width"), above=0.5 - CHANCE)
        for width in shared_widths(cells, task)[-1:]:
            criteria += by_rule(
                gap, cells, [(f"gain of depth, width {width}", *ends(cells, task, width))], below=CHANCE
            )
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
    "The approximation curve matters on all fractals but the Sierpinsky triangle",
    source="Malach & Shalev-Shwartz, section 5 and Tables 1 and 2",
    statistic="error on the finest curve minus that on the coarse one, deepest networks of the largest width",
)
def curve_matters_on_other_fractals(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "fractals")
    systems = dict.fromkeys(cells.settings(task)["system"] for task in cells.tasks("networks"))
    curves = [from_coarse_to_fine(cells, system=system) for system in systems if system != "sierpinsky"]
    pairs = [(tasks[-1], tasks[0]) for tasks in curves if len(tasks) > 1]
    rows = [(f"{a} against {b}", widest(cells, a), widest(cells, b)) for a, b in pairs]
    return by_rule(gap, cells, rows, above=0)


@claim(
    "On the Sierpinsky triangle the curve seems to have no effect where the network is wide enough",
    source="Malach & Shalev-Shwartz, section 5 and Tables 1 and 2",
    statistic=f"error on a finer curve minus that on the coarse one, deepest and widest networks, below {HARDLY:g}",
)
def sierpinsky_hardly_feels_the_curve(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "fractals")
    tasks = from_coarse_to_fine(cells, system="sierpinsky")
    rows = [(f"{fine} against {tasks[0]}", widest(cells, fine), widest(cells, tasks[0])) for fine in tasks[1:]]
    return by_rule(gap, cells, rows, below=HARDLY)


@claim(
    "CIFAR-10 is like a coarse curve: deeper networks are better, and a shallow one is already good",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 7",
    statistic=f"error of the shallowest minus that of the deepest, and minus that of {GOOD:.0%} of its gain on chance",
    whole=True,
)
def cifar_is_like_a_coarse_curve(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "cifar")
    criteria = []
    for task in cells.tasks("networks"):
        for width in shared_widths(cells, task)[-1:]:
            pair = ends(cells, task, width)
            criteria += by_rule(gap, cells, [(f"gain of depth, width {width}", *pair)], above=0)
            criteria += by_rule(gap_to_good, cells, [(f"shallow networks, width {width}", *pair)], below=0)
    return criteria or not_run(cells)
