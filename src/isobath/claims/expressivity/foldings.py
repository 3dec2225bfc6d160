"""Claims on functions expressible but not learned: networks of the folding network's own size, and its basin."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import xarray as xr

from isobath.analysis import selection
from isobath.analysis.cells import Cells, choices
from isobath.analysis.estimates import (
    Bounded,
    Estimate,
    NotRun,
    Undetermined,
    over_networks,
    proportion,
)
from isobath.analysis.sweeps import require_rate
from isobath.analysis.tallies import Tally
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.expressivity.cells import grid_of, numbers
from isobath.claims.expressivity.thresholds import (
    FALLEN,
    FEW,
    FEWEST_FOLDS,
    FOUND,
    HALFWAY,
    LEAVING,
    LEFT,
    MANY,
    MOSTLY,
    RARELY,
    SHRINKS,
)
from isobath.statuses import TRAINED


def learning_share(cells: Cells, folds: int) -> Bounded:
    """Return the share of networks of k layers of two units that learn k folds, each at its own best rate.

    Networks that diverged did not learn them. Raises Undetermined where the best rate was not found among those that
    were offered.
    """
    tasks = cells.tasks("networks", kind="sawtooth", folds=folds)
    if not tasks:
        raise NotRun(f"no networks learn {folds} folds")
    cell = cells.cell(task=tasks[0], depth=folds, width=2)
    require_rate(cell)
    learned = selection.accuracies(cell, selection.CLEAN) > FOUND
    trained = cell.status.isin(TRAINED)
    networks = trained.any([dim for dim in trained.dims if dim in selection.CHOICES])
    return replace(proportion(int(learned.sum()), int(networks.sum())), fixed=choices(trained))


@claim(
    "Networks of the folding network's own size do not learn its folds",
    source="not in the source, which is about what is expressed",
    statistic=f"share of networks of k layers of two units, each at its own best rate, of an accuracy above {FOUND:g}; "
    "as a check, that most of them find one fold",
    own=True,
)
def expressible_is_not_learned(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "own_size")
    folds = sorted({cells.settings(task)["folds"] for task in cells.tasks("networks", kind="sawtooth")})
    control = [criterion("1 fold", learning_share, cells, 1, above=MOSTLY, check=True) for k in folds if k == 1]
    criteria = [criterion(f"{k} folds", learning_share, cells, k, below=RARELY) for k in folds if k >= FEW]
    return [*control, *criteria] if criteria else [Criterion(f"{FEW} folds or more", None)]


def halfway_noise(accuracy: xr.DataArray) -> np.ndarray:
    """Return the noise, log2, at which the accuracy (folds, noise, network) first falls to HALFWAY: (folds, network).

    Between two noises the accuracy is linear in the logarithm of the noise. The noise is NaN where the accuracy does
    not fall so far.
    """
    noisy = accuracy.sel(noise=accuracy.noise > 0).sortby("noise").transpose("folds", "network", "noise")
    logs, values = np.log2(noisy.noise.values), noisy.values
    below = values <= HALFWAY
    place = np.maximum(below.argmax(-1), 1)
    before, after = (np.take_along_axis(values, (place - shift)[..., None], -1)[..., 0] for shift in (1, 0))
    share = (before - HALFWAY) / np.where(before == after, np.nan, before - after)
    inside = below.any(-1) & ~below[..., 0]
    return np.where(inside, logs[place - 1] + share * (logs[place] - logs[place - 1]), np.nan)


def shrinkage(tree: xr.DataTree, when: str) -> Estimate:
    """Return the slope of the log2 of the halfway noise on the folds, mean over networks.

    Raises Undetermined where less than three numbers of folds have such a noise for nine of ten networks.
    """
    accuracy = numbers(tree, "own_size", "folding_basin")[when]
    noise = halfway_noise(accuracy)
    usable = np.isfinite(noise).mean(1) >= FALLEN
    if usable.sum() < FEWEST_FOLDS:
        raise Undetermined(
            f"the accuracy falls to {HALFWAY:g} within the noise at {int(usable.sum())} numbers of folds; "
            f"{FEWEST_FOLDS} are needed"
        )
    folds, noise = accuracy.folds.values[usable].astype(float), noise[usable]
    complete = noise[:, np.isfinite(noise).all(0)]
    centred = folds - folds.mean()
    tally = Tally.of(complete.shape[1], noise.shape[1])
    return replace(over_networks((centred @ complete) / (centred**2).sum()), tally=tally)


@claim(
    "Exact networks are fragile: the noise on their weights that they bear shrinks exponentially with the folds",
    source="not in the source",
    statistic=f"slope on the folds of log2 of the relative noise at which the accuracy is {HALFWAY:g}, before "
    "training; as a check, since the teeth of any exact network halve with each fold",
    own=True,
)
def exact_networks_are_fragile(tree: xr.DataTree) -> list[Criterion]:
    return [criterion("before training", shrinkage, tree, "before", below=SHRINKS, check=True)]


def left(basin: xr.Dataset) -> Estimate:
    """Return the accuracy after training from the exact network of MANY folds."""
    accuracy = basin.after.sel(folds=MANY, noise=0)
    tally = Tally.of(int(accuracy.notnull().sum()), accuracy.size)
    return replace(over_networks(accuracy), tally=tally)


def basins(tree: xr.DataTree) -> list[xr.Dataset]:
    """Return the calculations that train from the exact network of MANY folds, one for each learning rate."""
    cells = grid_of(tree, "own_size")
    calculations = [cells.group(path) for path in cells.paths("calculations/folding_basin")]
    return [basin for basin in calculations if MANY in basin.folds and 0 in basin.noise]


def leaving(tree: xr.DataTree, chosen: Callable[[float], bool]) -> list[Criterion]:
    """Return a criterion for each of the rates that are ``chosen`` from those that were tried, decreasing."""
    by_rate = {float(basin.learning_rate): basin for basin in basins(tree)}
    rates = sorted(filter(chosen, by_rate), reverse=True)
    parts = [criterion(f"rate {rate:g}", left, by_rate[rate], below=LEFT) for rate in rates]
    return parts or [Criterion(f"{MANY} folds", None)]


@claim(
    "Training leaves the exact network of eight folds: it comes to guessing",
    source="not in the source",
    statistic=f"accuracy, in closed form, after training with Adam from the exact network at the rate {LEAVING:g}",
    own=True,
)
def training_leaves_what_it_cannot_find(tree: xr.DataTree) -> list[Criterion]:
    return leaving(tree, lambda rate: rate == LEAVING)


@claim(
    "At smaller rates training from the exact network comes to guessing as well",
    source="not in the source",
    statistic="accuracy, in closed form, after training with Adam from the exact network, at each smaller rate",
    own=True,
)
def smaller_rates_leave_it_too(tree: xr.DataTree) -> list[Criterion]:
    return leaving(tree, lambda rate: rate < LEAVING)
