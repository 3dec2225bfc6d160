"""Sweeps of the learning rate: the loss in accuracy at the authors' own rate, and the networks that died at each.

A network is dead if its output is constant, as after a layer of ReLUs that are all off. Its outputs have then the same
norm over the training and over the test set, which outputs that vary do not share to one in 10^5.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
import xarray as xr

from isobath.analysis.cells import At, Cells
from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.analysis.selection import CLEAN, recorded_steps
from isobath.analysis.sweeps import RATE
from isobath.claims.fractals.thresholds import SAME_NORM, USUAL_RATE
from isobath.statuses import FINITE


def usual_rate(cells: Cells, coords: At) -> float:
    """Return the rate that was offered nearest to the authors' default, on a logarithmic scale."""
    cell = cells.cell(**coords)
    if RATE not in cell.dims:
        raise NotRun("one rate was offered")
    rates = cell[RATE].values
    return float(rates[np.abs(np.log(rates / USUAL_RATE)).argmin()])


def lost_at_the_usual_rate(cells: Cells, coords: At, *, over: tuple[str, ...] = ()) -> Estimate:
    """Return the error at the usual rate minus that at the best of all, by the clean rule, of the same networks.

    Raises Undetermined where the best rate was not found.
    """
    return error_at_the_usual_rate(cells, coords, over=over) - cells.error_at_best_rate(CLEAN, over=over, **coords)


def error_at_the_usual_rate(cells: Cells, coords: At, *, over: tuple[str, ...] = ()) -> Estimate:
    """Return the error at the usual rate, by the clean rule."""
    usual = cells.one(over=(RATE, *over), **coords).sel({RATE: usual_rate(cells, coords)})
    return cells.quoted_error_of(usual, CLEAN, over=over)


def dead(networks: xr.Dataset) -> xr.DataArray:
    """Tell which networks end with a constant output: their norms over training and test set agree."""
    norms = [networks[f"recorded_{part}_norm"] for part in ("train", "test")]
    train, test = (norm.sel(step=recorded_steps(norm).max(initial=norm.step.values.min())) for norm in norms)
    constant: xr.DataArray = (abs(train - test) <= SAME_NORM * test) & networks.status.isin(FINITE)
    return constant


def dead_by_draw(cells: Cells, coords: At, *, rate: float) -> dict[int, bool]:
    """Return, for each data set, whether the networks of a cell are dead at a rate: those of all widths and starts.

    An error that is the best over widths is that of a dead network on these data sets alone.
    """
    cell = cells.cell(**coords)
    if RATE not in cell.dims or "recorded_train_norm" not in cell:
        raise NotRun("no rates were swept")
    networks = cell.sel({RATE: rate})
    networks = networks if "draw" in networks.dims else networks.expand_dims("draw")
    other_dims = [dim for dim in networks.status.dims if dim != "draw"]
    trained = networks.status.isin(FINITE)
    all_dead = (dead(networks) | ~trained).all(other_dims) & trained.any(other_dims)
    return {int(d): bool(all_dead.sel(draw=d)) for d in networks.draw.values if bool(trained.sel(draw=d).any())}


def part_of_dead_networks(rises: Mapping[int, float], dead_on: Collection[int]) -> Estimate:
    """Return the part of a mean rise of the error, by data set, that goes where networks are dead.

    It is 1 - (mean rise where they live) / (mean rise of all), with the standard error of the jackknife over data sets:
    what networks would have lost had they lived is taken from the other data sets. Raises Undetermined where they are
    dead on none, or live on fewer than two.
    """
    if not rises:
        raise Undetermined("there is one data set")
    living = rises.keys() - set(dead_on)
    if len(living) == len(rises) or len(living) < 2:
        raise Undetermined(f"networks are dead on {len(rises) - len(living)} of {len(rises)} data sets")

    def part(draws: Collection[int]) -> float:
        alive, everywhere = (np.mean([rises[draw] for draw in some]) for some in (living & set(draws), draws))
        return float(1 - alive / everywhere)

    whole, n = part(rises.keys()), len(rises)
    pseudo_values = {draw: n * whole - (n - 1) * part(rises.keys() - {draw}) for draw in rises}
    return replace(Estimate.over_draws(pseudo_values), value=whole)
