"""Trained networks: blocks of networks of a cell that differ in their seed alone, trained as one stack."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

from isobath import plugins
from isobath.cell_labels import flat
from isobath.results import (
    CELL,
    DEVIATION,
    DEVIATIONS,
    Inputs,
    Member,
    SeedBlocks,
    Variable,
    Wildcards,
    learning_rates,
    split_test_sets,
    test_sets,
    training_sets,
)
from isobath.sizes import Counted
from isobath.study.grids import Grid, plain
from isobath.study.network_cells import (
    NetworkCell,
    all_cells,
    cell,
    check_formulas,
    learning_rate,
    recorded,
    searched,
    training_spec,
)
from isobath.study.network_cells import cells as network_cells
from isobath.study.run import StudyRun, ends_of, is_split
from isobath.study.schema import Block, ConfigError, Study
from isobath.study.seed_blocks import SeedBlock, named_blocks, of_cell, seed_blocks
from isobath.study.training_costs import rates_tried, size_in, stored_bytes, trained, training_cost, weights_mb

PATH = "networks/{task}/{protocol}/depth{depth}_width{width}_n{n_train}_draw{draw}_seeds{seeds}.zarr.zip"
GROUPS = {"networks": (*CELL, "seed")}
PRESENT = "status"
RESUMES = True
OVERHEAD = 0.3  # with a share of what the first job of a protocol compiles
ABSENT = "grid {grid} trains none"  # why it has no such group
DIMENSIONS = {
    "protocol": "way of training, as the study names it",
    "step": "epochs of training until a record",
    "output": "output unit of the network",
    "parameter": "weight or bias of a network, or parameter of a law",
}
LONG_DIMS = ("output",)
ALONG = ("step", "learning_rate")
APART = ("weights",)
NETWORK = ("seed",)
VARIABLES = {
    "status": Variable("what became of the training: fitted, unfitted or diverged", NETWORK),
    "epochs": Variable("epochs of training", NETWORK),
    "train_error": Variable("misclassified fraction of the training set", NETWORK),
    "test_error": Variable("misclassified fraction of the test set", NETWORK),
    DEVIATION: Variable(DEVIATIONS, NETWORK, optional=True),
    "loss": Variable("mean training loss", NETWORK),
    "unmet": Variable("fraction of the training set that the loss does not count as learned", NETWORK),
    "n_parameters": Variable("number of weights and biases", NETWORK),
    "n_weights": Variable("N, number of weights without biases", NETWORK),
    "learning_rate": Variable("learning rate"),
    "first_half_error": Variable("misclassified fraction of the first half of the test set", NETWORK, optional=True),
    "second_half_error": Variable("misclassified fraction of the second half of the test set", NETWORK, optional=True),
    "n_unmet": Variable("N_Delta, training samples that the loss does not count as learned", NETWORK, optional=True),
    "train_norm": Variable("||f|| over the training set", NETWORK, optional=True),
    "test_norm": Variable("||f|| over the test set", NETWORK, optional=True),
    "early_stopping_error": Variable(
        "test error of stopping early: chosen on one half of the test set, judged on the other", NETWORK, optional=True
    ),
    "best_error": Variable("smallest test error on the way, chosen by the test set itself", NETWORK, optional=True),
    "outputs": Variable("f(x) on the test set", (*NETWORK, "test_sample", "output"), optional=True),
    "test_labels": Variable("class index of the test samples", ("test_sample",), optional=True),
    "test_targets": Variable("real target y", ("test_sample", "output"), optional=True),
    "weights": Variable(
        "weights and biases of all layers, one after the other", (*NETWORK, "parameter"), optional=True
    ),
}
# The variables that are recorded on the way of a training, as recorded_<name> with the dim step.
OBSERVED = (
    "loss",
    "n_unmet",
    "train_error",
    "train_norm",
    "test_error",
    "first_half_error",
    "second_half_error",
    "test_norm",
)
RECORDED = {
    f"recorded_{name}": Variable(VARIABLES[name].long_name, (*NETWORK, "step"), optional=True) for name in OBSERVED
}
VARIABLES |= RECORDED


def blocks_of(run: StudyRun, place: NetworkCell, seeds: int) -> Iterator[tuple[int, int]]:
    """Yield the blocks (first, last) that hold the first ``seeds`` networks of a cell."""
    path = run.home / run.path(PATH, **place._asdict(), seeds="")
    blocks = seed_blocks(
        of_cell(_blocks_on_disk(run, path.parent), path), all_cells(run)[place], run.config.seeds_per_job
    )
    return ((first, last) for first, last in blocks if first < seeds)


@lru_cache(maxsize=256)
def _blocks_on_disk(run: StudyRun, folder: Path) -> dict[str, list[SeedBlock]]:
    """Return the blocks that were on disk in a folder when the run first looked there, by cell."""
    return named_blocks(folder)


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    """Return the spec of a block of seeds; a search for the learning rate has its settings in a spec of its own."""
    place, protocol = cell(names), run.study.protocols[names["protocol"]]
    training = training_spec(run.study, run.config.seed, place)
    rate = None if searched(run.study, place.protocol) else training["learning_rate"]
    seeds = [int(seed) for seed in names["seeds"].split("-")]
    return {**training, "learning_rate": rate, "seeds": seeds, "records": recorded(protocol), "store": protocol.store}


def data_sets(run: StudyRun, names: Wildcards) -> dict[str, str | list[str]]:
    """Return the training set of a cell and its test set: that of the task, or the rest of a finite data set."""
    test_set = split_test_sets.PATH if is_split(run.study, names["task"]) else test_sets.PATH
    return {"training_set": run.path(training_sets.PATH, **names), "test_set": run.path(test_set, **names)}


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    rate: str | list[str] = []
    if searched(run.study, names["protocol"]):
        rate = learning_rates.path(run, names)
    return {**data_sets(run, names), "learning_rate": rate}


def lengths(spec: dict[str, Any]) -> dict[str, int]:
    first, last = spec["seeds"]
    return {"seed": last - first + 1}


def members(grid: Grid, blocks_of: SeedBlocks) -> Iterator[Member]:
    """Yield the blocks of networks; of a block that has more seeds than the grid asks for, the first."""
    for place, seeds in network_cells(grid.blocks).items():
        for first, last in blocks_of(place, seeds):
            coords = place._asdict() | {"seed": range(first, min(last + 1, seeds))}
            yield Member("networks", coords, PATH, {**place._asdict(), "seeds": f"{first}-{last}"})


def check(study: Study, where: str, name: str) -> None:
    """Refuse grids whose networks can't be trained: without width, with mixed rates, with a formula that fails."""
    for grid, blocks in study.grids.items():
        key = f"{where}: grids.{grid}"
        for i, block in enumerate(blocks):
            if block.protocols and not block.width and any(block.depth):
                raise ConfigError(f"{key}[{i}].width is missing; networks of depth {max(block.depth)} need one")
        protocols = {entry: study.protocols[entry] for block in blocks for entry in block.protocols}
        if len({isinstance(protocol.learning_rate, list) for protocol in protocols.values()}) > 1:
            raise ConfigError(f"{key} mixes protocols with swept and with other learning rates; use two grids")
        for entry, protocol in protocols.items():
            if protocol.store == "outputs" and isinstance(protocol.learning_rate, list):
                raise ConfigError(
                    f"{where}: protocols.{entry}.learning_rate is a sweep and store is 'outputs'; "
                    "outputs are stored at one rate: a number, a formula or a search"
                )
        check_formulas(study, blocks, where)
        for i, block in enumerate(blocks):
            for task, entry in product(block.tasks, block.protocols):
                _check_loss(study, task, entry, f"{key}[{i}]")
                _check_shapes(study, task, entry, block, f"{key}[{i}]")
        _check_truths(study, [task for block in blocks for task in block.tasks], key)


def _check_shapes(study: Study, task: str, entry: str, block: Block, key: str) -> None:
    """Refuse networks that there are not, such as convolutions of inputs that are no image."""
    network = study.protocols[entry].model_dump()["network"]
    for depth, width in product(block.depth, block.width or [0]):
        try:
            size_in(study, task, network, depth=depth, width=width)
        except ValueError as error:
            raise ConfigError(f"{key}: protocols.{entry}.network on tasks.{task}, depth {depth}: {error}") from None


def _check_truths(study: Study, tasks: list[str], key: str) -> None:
    """Refuse a grid of classes and of real targets: a cube has one kind of error, a share or a mean square."""
    real = {task: ends_of(study, task).real for task in tasks}
    if len({*real.values()}) > 1:
        classes, targets = (next(task for task in tasks if real[task] is kind) for kind in (False, True))
        raise ConfigError(
            f"{key} has tasks.{classes}, which has classes, and tasks.{targets}, which has real targets; use two grids"
        )


def values(study: Study, grid: str) -> dict[str, list[int]]:
    """Return the steps at which networks of a grid are recorded."""
    protocols = (study.protocols[name] for block in study.grids[grid] for name in block.protocols)
    return {"step": sorted({step for protocol in protocols for step in recorded(protocol)})}


FAMILIES = ("task", "protocol")  # whose settings cubes of networks have beside them


def lacking(study: Study, grid: str, variable: str) -> str:
    """Say why no network of a grid has a variable, "" where one has it: what is recorded on the way needs records.

    A variable such as ``task_folds`` or ``protocol_loss_p`` is a setting that a task or a protocol needs.
    """
    family, _, setting = variable.partition("_")
    if family in FAMILIES:
        table = f"{family}s"
        entries = {entry for block in study.grids[grid] for entry in getattr(block, table)}
        if any(flat(plain(getattr(study, table)[entry])).get(setting) is not None for entry in entries):
            return ""
        return f"no {family} of grid {grid} has the setting {setting}"
    entries = {entry for block in study.grids[grid] for entry in block.protocols}
    if not VARIABLES.get(variable, VARIABLES["status"]).optional or any(recorded(study.protocols[e]) for e in entries):
        return ""
    return f"no protocol of grid {grid} has records, or record_every, on which it depends"


def _check_loss(study: Study, task: str, protocol: str, key: str) -> None:
    """Refuse a loss of classes for a task of real targets, and the other way round."""
    truth = "targets" if ends_of(study, task).real else "labels"
    loss = study.protocols[protocol].loss.kind
    takes = plugins.words("loss", loss, "TAKES")
    if truth not in takes:
        accepted = " or ".join(takes) or f"nothing, for {plugins.path('loss', loss)} has no TAKES"
        raise ConfigError(f"{key}: the loss {loss} of protocols.{protocol} takes {accepted}; tasks.{task} has {truth}")


def cost(run: StudyRun, names: Wildcards) -> Counted:
    job_spec = spec(run, names)
    training = training_cost(run.study, job_spec, rates_tried(learning_rate(run.study, cell(names)), searching=False))
    stored = trained(job_spec) * stored_bytes(run.study, job_spec)
    return training._replace(memory=training.memory + 4 * stored, disk=training.disk + stored)


def memory(run: StudyRun, names: Wildcards) -> int:
    """Return the MB of the job: 4 GB for the stack, and the stored weights, with the copies that writing takes."""
    job_spec = spec(run, names)
    networks = trained(job_spec) if job_spec["store"] != "errors" else 1
    return weights_mb(run.study, job_spec, networks=networks, copies=4)
