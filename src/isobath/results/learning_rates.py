"""Learning rates that are searched for: one search per cell, with all its trials."""

from collections.abc import Iterator
from typing import Any

from isobath.results import CELL, Inputs, Member, SeedBlocks, Variable, Wildcards, training_sets
from isobath.sizes import Counted
from isobath.study.grids import Grid
from isobath.study.network_cells import cell, searched_at, training_spec
from isobath.study.network_cells import cells as network_cells
from isobath.study.run import StudyRun
from isobath.study.schema import ConfigError, LearningRateSearch, Study
from isobath.study.training_costs import rates_tried, training_cost, weights_mb

PATH = "learning_rates/{task}/{protocol}/depth{depth}_width{width}_n{n_train}_draw{draw}.zarr.zip"
GROUPS = {"learning_rates": CELL}
PRESENT = "learning_rate"
RESUMES = True
OVERHEAD = 0.3
DIMENSIONS = {"trial": "number of the trial of a search", "fold": "number of the fold of a cross-validation"}
LONG_DIMS = ("trial", "fold")
VARIABLES = {
    "learning_rate": Variable("learning rate that was chosen"),
    "trial_rate": Variable("learning rate", ("trial",)),
    "cost": Variable("cost that the search minimised", ("trial",)),
    "validation_error": Variable("misclassified fraction of the fold that is left out", ("trial", "fold")),
    "status": Variable("what became of the training: fitted, unfitted, diverged or untried", ("trial", "fold")),
    "epochs": Variable("epochs of training", ("trial", "fold")),
    "verdict": Variable("worst status among the folds", ("trial",)),
}


def path(run: StudyRun, names: Wildcards) -> str:
    """Return the path of the search for the rate of a cell: data sets may share one."""
    return run.path(PATH, **searched_at(run.study, cell(names))._asdict())


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    return training_spec(run.study, run.config.seed, cell(names))


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    return {"training_set": run.path(training_sets.PATH, **names)}


def members(grid: Grid, blocks_of: SeedBlocks) -> Iterator[Member]:
    """Yield the searches: one per cell, or for several data sets that share it."""
    for place in network_cells(grid.blocks):
        rate = grid.protocols[place.protocol]["learning_rate"]
        if isinstance(rate, dict) and place.draw % rate["draws"] == 0:
            yield Member("learning_rates", place._asdict(), PATH, place._asdict())


def check(study: Study, where: str, name: str) -> None:
    """Refuse a search with more folds than there are training samples."""
    for grid, blocks in study.grids.items():
        for i, block in enumerate(blocks):
            for protocol in block.protocols:
                rate = study.protocols[protocol].learning_rate
                if isinstance(rate, LearningRateSearch) and rate.folds > min(block.n_train):
                    raise ConfigError(
                        f"{where}: grids.{grid}[{i}].n_train is {min(block.n_train)}; it must be at least folds "
                        f"of protocols.{protocol}.learning_rate, which is {rate.folds}"
                    )


def cost(run: StudyRun, names: Wildcards) -> Counted:
    job_spec = spec(run, names)
    return training_cost(run.study, job_spec, rates_tried(job_spec["learning_rate"], searching=True))


def memory(run: StudyRun, names: Wildcards) -> int:
    """Return the MB of the job: 4 GB for the stack, and what one network takes, with copies."""
    return weights_mb(run.study, spec(run, names), networks=1, copies=4)
