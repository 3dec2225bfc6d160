"""Tangent kernels of trained networks: how they scatter at the start, move in training, and what they predict."""

from collections.abc import Iterator
from typing import Any

from isobath.results import CELL, Inputs, Member, SeedBlocks, Variable, Wildcards, ensembles, without_parts
from isobath.sizes import STORE, Counted, Work
from isobath.study.grids import Grid
from isobath.study.network_cells import NetworkCell, cell, training_spec
from isobath.study.network_cells import cells as network_cells
from isobath.study.run import StudyRun, n_test
from isobath.study.schema import Block, ConfigError, Study
from isobath.study.training_costs import DOUBLE, network_size, output_units, weights_mb

PATH = (
    "tangent_kernels/{task}/{protocol}/depth{depth}_width{width}_n{n_train}_draw{draw}_of{networks}_at{points}.zarr.zip"
)
BLOCK = {"tangent_kernels": ("Count | None", None, "test samples at which tangent kernels are compared")}
(KEY,) = BLOCK
GROUPS = {"tangent_kernels": CELL}
PRESENT = "n_weights"
ABSENT = "grid {grid} needs a block with tangent_kernels"  # why it has no such group
OF_KERNELS = {  # also without each part of the test samples (analysis/sample_parts.py)
    "kernel_fluctuation": Variable("|Theta - mean| / |mean| over networks at the start, unbiased", ("seed",)),
    "kernel_change": Variable("|Theta(t) - Theta(0)| / |Theta(0)| at the end of training", ("seed",)),
}
VARIABLES = {
    **OF_KERNELS,
    **without_parts(OF_KERNELS),
    "n_weights": Variable("N, number of weights"),
    "kernel_norm": Variable("|Theta| at the start over the number of its rows, Frobenius norm", ("seed",)),
    "predicted_correlation": Variable("correlation of f - fbar with what the kernel at the start predicts", ("seed",)),
    "jitter": Variable("jitter of the Gram matrix behind the prediction, in units of its mean diagonal", ("seed",)),
}


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    training = training_spec(run.study, run.config.seed, cell(names))
    protocol = {key: training["protocol"][key] for key in ("network", "loss", "precision")}
    numbers = {"seeds": int(names["networks"]), "points": int(names["points"]), "seed": run.config.seed}
    return {"cell": training["cell"], "protocol": protocol, **numbers}


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    return ensembles.inputs(run, names)


def members(grid: Grid, blocks_of: SeedBlocks) -> Iterator[Member]:
    """Yield the tangent kernels of the cells whose blocks ask for them and whose networks store their outputs."""
    for place, (seeds, points) in cells(grid).items():
        yield Member("tangent_kernels", place._asdict(), PATH, {**place._asdict(), "networks": seeds, "points": points})


def cells(grid: Grid) -> dict[NetworkCell, tuple[int, int]]:
    """Return the cells of a grid with their numbers of networks and of test samples; the larger of several."""
    amounts: dict[NetworkCell, tuple[int, int]] = {}
    for block in grid.blocks:
        points = points_of(block)
        for place, n in network_cells([block]).items() if points else ():
            if grid.protocols[place.protocol]["store"] == "outputs":
                seeds, n_points = amounts.get(place, (0, 0))
                amounts[place] = max(n, seeds), max(points, n_points)
    return amounts


def points_of(block: Block) -> int:
    """Return the number of test samples at which a block asks for tangent kernels; 0 if it does not."""
    return getattr(block, KEY, None) or 0


def check(study: Study, where: str, name: str) -> None:
    """Refuse tangent kernels of networks without stored weights, of one network, and at more than all test samples."""
    for grid, blocks in study.grids.items():
        for i, block in enumerate(blocks):
            if not points_of(block):
                continue
            key = f"{where}: grids.{grid}[{i}].{KEY}"
            for protocol in block.protocols:
                if study.protocols[protocol].store != "outputs":
                    raise ConfigError(f"{key} needs the weights of networks; set protocols.{protocol}.store: outputs")
            if not block.protocols or block.seeds < 2:
                raise ConfigError(f"{key} needs protocols, and seeds: 2 or more to be compared")
            if (tested := min(n_test(study, task) for task in block.tasks)) < points_of(block):
                raise ConfigError(f"{key} is {points_of(block)}; it must not exceed n_test, which is {tested}")


def cost(run: StudyRun, names: Wildcards) -> Counted:
    """Return the cost of Gram matrices of the training set and of their factors, one network after the other."""
    job_spec = spec(run, names)
    size = network_size(run.study, job_spec)
    if size is None:
        return Counted(known=False)
    rows = (job_spec["cell"]["n_train"] + job_spec["points"]) * output_units(run.study, job_spec)
    gram = size.operations / job_spec["cell"]["width"] if job_spec["cell"]["width"] else size.operations
    work = Work(operations=job_spec["seeds"] * (rows**2 * gram + rows**3 / 3))
    return Counted(work, None, 4 * DOUBLE * rows**2, STORE)


def memory(run: StudyRun, names: Wildcards) -> int:
    """Return the MB of the job: 4 GB, the weights of all networks, and four Gram matrices."""
    gram = (
        4 * DOUBLE * ((int(names["n_train"]) + int(names["points"])) * output_units(run.study, spec(run, names))) ** 2
    )
    return weights_mb(run.study, spec(run, names), networks=int(names["networks"]), copies=5) + int(gram / 1e6)
