"""Oscillations of networks of one input on sawtooth labels, at their start and after training (Telgarsky).

A kind for some studies only: it asks for the cells of tasks of the kind ``sawtooth`` whose protocol stores the weights
of networks with ReLUs and one output.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from isobath import plugins
from isobath.results import CELL, Inputs, Member, SeedBlocks, Variable, Wildcards, networks
from isobath.study.grids import Grid, plain
from isobath.study.network_cells import cell, training_spec
from isobath.study.run import StudyRun
from isobath.study.schema import Study

Settings = Mapping[str, Any]
TASK = "sawtooth"
RELU = {"kind": "mlp", "activation": "relu"}  # settings of the networks whose kinks can be counted
PATH = "oscillation_counts/{task}/{protocol}/depth{depth}_width{width}_n{n_train}_draw{draw}_seeds{seeds}.zarr.zip"
GROUPS = {"oscillation_counts": (*CELL, "seed")}
PRESENT = "intervals"
OVERHEAD = 0.2
ABSENT = "grid {grid} needs sawtooth labels and a protocol with store: weights"  # why it has no such group
DIMENSIONS = {"moment": "start, or end of the training", "x": "place on [0, 1]"}
LONG_DIMS = ("x",)
MOMENTS = ("start", "end")
VARIABLES = {
    "intervals": Variable("Cr(f), intervals of the classifier 1[f >= 0], from its kinks", ("moment", "seed")),
    "wrong": Variable("share of the wave's intervals where it is wrong throughout", ("moment", "seed")),
    "accuracy": Variable("accuracy on the wave, in closed form", ("moment", "seed")),
    "output": Variable("f at the end of the training", ("seed", "x")),
}


def _counted(task: Settings, protocol: Settings) -> bool:
    """Tell whether the kinks of networks can be counted: their weights are stored, with ReLUs and one output."""
    network, loss = {"activation": "relu"} | protocol["network"], protocol["loss"]["kind"]
    one_output = plugins.literal("loss", loss, "TWO_CLASSES", 2) == 1
    return bool(
        task["kind"] == TASK and protocol["store"] != "errors" and network.items() >= RELU.items() and one_output
    )


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    """Return the settings from which the starts of the networks are drawn, and those of the wave."""
    training, task = training_spec(run.study, run.config.seed, cell(names)), plain(run.study.tasks[names["task"]])
    protocol = {key: training["protocol"][key] for key in ("network", "precision")}
    wave = {key: task[key] for key in ("folds", "triangles")}
    return {"cell": training["cell"], "protocol": protocol, "seed": run.config.seed, "wave": wave}


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    return {"networks": run.path(networks.PATH, **names)}


def members(grid: Grid, blocks_of: SeedBlocks) -> Iterator[Member]:
    """Yield the counts of each block of networks that can be counted."""
    for block in networks.members(grid, blocks_of):
        if _counted(grid.tasks[block.cell["task"]], grid.protocols[block.cell["protocol"]]):
            yield block._replace(group="oscillation_counts", template=PATH)


def values(study: Study, grid: str) -> dict[str, list[str]]:
    """Return the moments at which intervals are counted."""
    return {"moment": [*MOMENTS]}
