"""Claims about the approximation curve: section 5 of Malach & Shalev-Shwartz, and the share of dying ReLUs."""

import xarray as xr

from isobath.analysis.cells import At, Cells
from isobath.analysis.estimates import Bounded, Estimate, Undetermined, proportion
from isobath.analysis.printed import as_printed
from isobath.analysis.selection import PAPERS
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.fractals.cells import extremes, from_coarse_to_fine, grid_of, widest
from isobath.claims.fractals.measures import (
    Pair,
    by_rule,
    error,
    gap,
    interaction,
    loss_beyond_drastic,
    not_run,
    slope_with_fineness,
    within_others,
)
from isobath.claims.fractals.published import FIGURE_5, published_error
from isobath.claims.fractals.sweeps import (
    dead_by_draw,
    error_at_the_usual_rate,
    lost_at_the_usual_rate,
    part_of_dead_networks,
    usual_rate,
)
from isobath.claims.fractals.thresholds import AGREES, DRASTIC, HALF, NO_EFFECT, USUAL_RATE

SIERPINSKY = "sierpinsky"
BEST = ("width",)
SIDES = (("not worse", 1), ("not better", -1))


def deepest(cells: Cells) -> list[At]:
    """List the deepest networks of all widths on each task of a grid, from coarse to fine."""
    return [{"task": task, "depth": max(cells.shapes(task))} for task in from_coarse_to_fine(cells)]


@claim(
    "The finer the curve, the worse the best of the deepest networks; a fine one degrades it drastically",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 5",
    statistic="slope of the error, at its best width, against 1 - P(j), mean over levels; error on the finest curve "
    f"minus that on the coarse one, minus {DRASTIC:.0%} of what is gained over guessing there",
)
def error_grows_with_fineness(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "curves")
    places = deepest(cells)
    if len(places) < 2:
        return not_run(cells)
    coarse, *_, fine = places
    ends = [(f"{fine['task']} against {coarse['task']}", fine, coarse)]
    grows = by_rule(slope_with_fineness, cells, [("slope", *places)], over=BEST, above=0)
    return grows + by_rule(loss_beyond_drastic, cells, ends, over=BEST, above=0)


@claim(
    "The best of the deepest networks have the accuracies that Fig. 5 prints",
    source="Malach & Shalev-Shwartz, Fig. 5",
    statistic=f"error by the paper's rule at the paper's sizes, within {AGREES:g} of the published one",
)
def accuracies_are_as_published(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "curves")
    criteria = []
    for coords in deepest(cells):
        number = published_error(cells, coords, FIGURE_5[cells.settings(coords["task"])["curve"]], "Fig. 5")
        criteria.append(as_printed(str(coords["task"]), number, error, cells, PAPERS, coords, over=BEST))
    return criteria or not_run(cells)


def by_system(cells: Cells) -> dict[str, Pair]:
    """Return the finest and the coarsest cells of each fractal that has several curves."""
    systems = dict.fromkeys(str(cells.settings(task)["system"]) for task in from_coarse_to_fine(cells))
    pairs = {system: extremes(cells, system) for system in systems}
    return {system: pair for system, pair in pairs.items() if pair}


@claim(
    "The approximation curve matters on all fractals but the Sierpinsky triangle",
    source="Malach & Shalev-Shwartz, section 5 and Tables 1 and 2",
    statistic="error on the finest curve minus that on the coarse one, deepest networks of the largest width; this "
    "minus the same on the Sierpinsky triangle",
)
def curve_matters_on_other_fractals(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "fractals")
    pairs = by_system(cells)
    triangle = pairs.pop(SIERPINSKY, None)
    rows = [(f"{fine['task']} against {coarse['task']}", fine, coarse) for fine, coarse in pairs.values()]
    more = [(f"{system} against {SIERPINSKY}", pair, triangle) for system, pair in pairs.items() if triangle]
    matters = by_rule(gap, cells, rows, above=0)
    return matters + (by_rule(interaction, cells, more, above=0) if more else [Criterion(SIERPINSKY, None)])


@claim(
    "On the Sierpinsky triangle the curve seems to have no effect where the network is wide enough",
    source="Malach & Shalev-Shwartz, section 5 and Tables 1 and 2",
    statistic="error on a finer curve minus that on the coarse one, deepest and widest networks, on either side within "
    f"{NO_EFFECT:.0%} of the smallest effect of the finest curve on another fractal",
)
def sierpinsky_hardly_feels_the_curve(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "fractals")
    other_pairs = [pair for system, pair in by_system(cells).items() if system != SIERPINSKY]
    tasks = from_coarse_to_fine(cells, system=SIERPINSKY)
    if not other_pairs:
        return not_run(cells)
    rows = [(f"{t} against {tasks[0]}", (widest(cells, t), widest(cells, tasks[0])), other_pairs) for t in tasks[1:]]
    sides = [
        (f"{label}, {word}", fine_and_coarse, references, side)
        for label, fine_and_coarse, references in rows
        for word, side in SIDES
    ]
    criteria = []
    for label, fine_and_coarse, references, side in sides:
        criteria += by_rule(within_others, cells, [(label, fine_and_coarse, references)], side=side, above=0)
    return criteria or not_run(cells)


def gap_less_best(cells: Cells, fine: At, coarse: At) -> Estimate:
    """Return the rise of the error with the curve at the usual rate, minus that at each network's best rate."""
    return lost_at_the_usual_rate(cells, fine, over=BEST) - lost_at_the_usual_rate(cells, coarse, over=BEST)


def dead_at_the_usual_rate(cells: Cells, coords: At) -> dict[int, bool]:
    """Return, for each data set, whether the networks of all widths are dead at the usual rate."""
    return dead_by_draw(cells, coords, rate=usual_rate(cells, coords))


def fall_by_dead_networks(cells: Cells, fine: At, coarse: At) -> Estimate:
    """Return the part of the rise of the error with the curve, at the usual rate, that dead networks make."""
    rise = error_at_the_usual_rate(cells, fine, over=BEST) - error_at_the_usual_rate(cells, coarse, over=BEST)
    died = [dead_at_the_usual_rate(cells, coords) for coords in (fine, coarse)]
    return part_of_dead_networks(rise.draws, {draw for dead in died for draw, is_dead in dead.items() if is_dead})


def dead_on_the_finer(cells: Cells, fine: At, coarse: At) -> Bounded:
    """Return, of the data sets on which networks are dead on one of two curves alone, the share where it is the finer.

    Both curves of a data set are a pair: this is the sign test, with the interval of Clopper and Pearson.
    """
    on_fine, on_coarse = (dead_at_the_usual_rate(cells, coords) for coords in (fine, coarse))
    apart = [on_fine[draw] for draw in on_fine.keys() & on_coarse.keys() if on_fine[draw] != on_coarse[draw]]
    if not apart:
        raise Undetermined("on no data set networks are dead on one of the curves alone")
    return proportion(sum(apart), len(apart))


@claim(
    "A part of the fall with the curve is dying ReLUs at Adam's usual rate, of which Theorem 5 does not speak",
    source="not in the paper",
    statistic="error on the finest curve minus that on the coarse one, deepest networks at their best width, at the "
    f"rate nearest to {USUAL_RATE:g}, minus the same at each network's best rate; of the data sets on which the "
    "networks of all widths are dead (of constant output) at that rate on one of the two curves alone, the share where "
    "it is the finest, claimed to be above 1/2; the part of that rise which they make, 1 - (mean over data sets where "
    "networks live) / (mean over all), hardly negative where networks die on the finest curve alone",
    own=True,
    misworded=(
        "error on the finest curve minus that on the coarse one, deepest networks at their best width, at the "
        f"rate nearest to {USUAL_RATE:g}, minus the same at each network's best rate; of the data sets on which the "
        "networks of all widths are dead (of constant output) at that rate on one of the two curves alone, the share "
        "where it is the finest, claimed to be above 1/2; the part of that rise which they make, 1 - (mean over data "
        "sets where networks live) / (mean over all)",
    ),
)
def dying_units_are_a_part_of_the_fall(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "curves")
    places = deepest(cells)
    if len(places) < 2:
        return not_run(cells)
    coarse, fine = places[0], places[-1]
    return [
        criterion("fall at the usual rate minus at the best", gap_less_best, cells, fine, coarse, above=0),
        criterion("dead at the usual rate on the finest curve", dead_on_the_finer, cells, fine, coarse, above=HALF),
        criterion("part of the fall by dead networks", fall_by_dead_networks, cells, fine, coarse, above=0),
    ]
