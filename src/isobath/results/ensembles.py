"""Ensembles: averages of the first networks of a cell, and how far their boundaries lie apart."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from isobath.results import (
    CELL,
    PARTS,
    WITHOUT_PART,
    Inputs,
    Member,
    SeedBlocks,
    Variable,
    Wildcards,
    networks,
    without_parts,
)
from isobath.sizes import NUMBER, STORE, Counted, Work
from isobath.study.grids import Grid
from isobath.study.network_cells import cell, training_spec
from isobath.study.network_cells import cells as network_cells
from isobath.study.run import StudyRun, ends_of, n_test
from isobath.study.schema import Study
from isobath.study.training_costs import DOUBLE, n_outputs, network_size, units_of, weights_mb

PATH = "ensembles/{task}/{protocol}/depth{depth}_width{width}_n{n_train}_draw{draw}_of{networks}.zarr.zip"
GROUPS = {"ensembles": CELL}
PRESENT = "n_weights"
ABSENT = "grid {grid} needs a protocol with store: outputs and two seeds"  # why it has no such group
OVERHEAD = 1.2
DIMENSIONS = {
    "size": "n, networks in an ensemble",
    "subset": "number of the ensemble among those of its size",
    "measure": "where outputs are compared: on test samples, on training samples, on normal inputs",
    "point": "number of the test sample at which boundaries are looked for",
    "position": "place on the line through a point along the gradient",
    "corner": "number of the test sample among the three that span the plane",
    "axis": "coordinate in the plane",
    "plane_column": "column of the grid in the plane",
    "plane_row": "row of the grid in the plane",
}
LONG_DIMS = ("point", "position", "corner", "axis", "plane_column", "plane_row")
REPEATED = ("subset",)
ALONG = ("size",)
MEASURES = ("test", "train", "normal")  # the last where networks have one output
JAMMING = True  # the number of weights of an ensemble is read in units of N*
OF_NETWORKS = {  # also without each part of the test samples (analysis/sample_parts.py)
    "network_error": Variable("test error of a network", ("seed",), optional=True),
    "ensemble_error_pseudo": Variable("pseudo-values of ensemble_error", ("seed", "size"), optional=True),
    "limit_error_pseudo": Variable("pseudo-values of limit_error", ("seed",), optional=True),
    "excess_error": Variable("pseudo-values of the error of one network beyond limit_error", ("seed",), optional=True),
    "fluctuation": Variable(
        "||f - fbar|| of a network, unbiased in the mean square", ("measure", "seed"), optional=True
    ),
    "variance": Variable("(f - fbar)^2 of a network, unbiased", ("measure", "seed"), optional=True),
    "gradient_norm": Variable("||grad f|| over the test set", ("seed",), optional=True),
    "distance": Variable("distance of the boundary from that of the mean, eq. 2, unbiased", ("seed",), optional=True),
    "distance_estimate": Variable("||f - fbar|| / ||grad f||, unbiased", ("seed",), optional=True),
    "distance_pseudo": Variable(
        "pseudo-values of the distance of ensembles of n, unbiased", ("seed", "size"), optional=True
    ),
}
VARIABLES = {
    **OF_NETWORKS,
    **without_parts(OF_NETWORKS),
    "n_weights": Variable("N, number of weights"),
    "ensemble_error": Variable("test error of the mean of n networks", ("size",), optional=True),
    "subsets": Variable("ensembles behind ensemble_error", ("size",), optional=True),
    "limit_error": Variable("test error extrapolated to n -> infinity", (), optional=True),
    "limit_slope": Variable("a of ensemble_error = limit_error + a / n + b / n^2 + c / n^3", (), optional=True),
    "limit_reason": Variable("why limit_error is not known", (), optional=True),
    "excess": Variable("ensemble_error beyond limit_error", ("size",), optional=True),
    "excess_pseudo": Variable("pseudo-values of excess", ("seed", "size"), optional=True),
    "variance_unbiased": Variable("variance of f over networks, unbiased", ("measure",), optional=True),
    "variance_biased": Variable("variance of f over networks, biased", ("measure",), optional=True),
    "distance_biased": Variable(
        "distance of the boundary from that of the mean that holds it, eq. 2", ("seed",), optional=True
    ),
    "differing": Variable("test samples classified differently than by the mean", ("seed",), optional=True),
    "ensemble_distance": Variable("distance of an ensemble of n, unbiased", ("size", "subset"), optional=True),
    "ensemble_distance_estimate": Variable("its estimate, unbiased", ("size", "subset"), optional=True),
    "distance_along_gradient": Variable("distance of boundaries along the gradient", ("seed",), optional=True),
    "linear_error": Variable("mean |s - 1| at which the output along its gradient vanishes", ("seed",), optional=True),
    "missed": Variable("points without a zero within reach", ("seed",), optional=True),
    "profile": Variable("f(x - s delta u) / f(x)", ("point", "position"), optional=True),
    "crossing": Variable("s at which f vanishes", ("point",), optional=True),
    "plane_network": Variable("f of one network on a plane", ("plane_row", "plane_column"), optional=True),
    "plane_mean": Variable("fbar on a plane", ("plane_row", "plane_column"), optional=True),
    "plane_first": Variable("first coordinate in the plane", ("plane_column",), optional=True),
    "plane_second": Variable("second coordinate in the plane", ("plane_row",), optional=True),
    "plane_corners": Variable("place in the plane of the samples that span it", ("corner", "axis"), optional=True),
}
OF_BOUNDARIES = {  # of two classes in one output
    *("gradient_norm", "distance", "distance_estimate", "distance_pseudo", "distance_biased", "differing"),
    *("ensemble_distance", "ensemble_distance_estimate", "distance_along_gradient", "linear_error", "missed"),
    *("profile", "crossing", "plane_network", "plane_mean", "plane_first", "plane_second", "plane_corners"),
}
OF_CLASSES = {
    *("network_error", "ensemble_error", "ensemble_error_pseudo", "subsets", "excess", "excess_pseudo"),
    *("excess_error", "limit_error", "limit_error_pseudo", "limit_slope", "limit_reason"),
}
PASSES = 5  # of the test set through a network and back, for the boundaries of an ensemble (measured)
BOUNDARIES = 250_000  # bytes of a plane, of profiles and of pseudo-values


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    training = training_spec(run.study, run.config.seed, cell(names))
    protocol = {key: training["protocol"][key] for key in ("network", "loss", "precision")}
    return {"cell": training["cell"], "protocol": protocol, "seeds": int(names["networks"]), "seed": run.config.seed}


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    place = cell(names)
    blocks = networks.blocks_of(run, place, int(names["networks"]))
    paths = [run.path(networks.PATH, **place._asdict(), seeds=f"{first}-{last}") for first, last in blocks]
    return {**networks.data_sets(run, names), "networks": paths}


def members(grid: Grid, blocks_of: SeedBlocks) -> Iterator[Member]:
    """Yield the ensembles of the cells that have several networks and store their outputs."""
    for place, n in network_cells(grid.blocks).items():
        if grid.protocols[place.protocol]["store"] == "outputs" and n > 1:
            yield Member("ensembles", place._asdict(), PATH, {**place._asdict(), "networks": n})


def values(study: Study, grid: str) -> dict[str, list[Any]]:
    """Return the measures on which outputs are compared, and the sizes that the ensembles of a grid may have."""
    most = max(block.seeds for block in study.grids[grid])
    measures = MEASURES if any(units == 1 for _, units in _outputs(study, grid)) else MEASURES[:-1]
    return {"measure": [*measures], "size": [*range(1, most + 1)]}


def lacking(study: Study, grid: str, variable: str) -> str:
    """Say why no ensemble of a grid has a variable, "" where one has it."""
    name, outputs = variable.removesuffix(WITHOUT_PART), _outputs(study, grid)
    if not outputs or name not in OF_CLASSES | OF_BOUNDARIES:
        return ""
    of_classes = [units for real, units in outputs if not real]
    if not of_classes:
        return f"the tasks of grid {grid} have real targets: it is a number of classes"
    if name in OF_BOUNDARIES and 1 not in of_classes:
        return f"the networks of grid {grid} have several outputs each: it is a number of two classes in one output"
    return ""


def _outputs(study: Study, grid: str) -> set[tuple[bool, int]]:
    """Return whether targets are real, and the number of outputs, of the networks of a grid that store theirs."""
    pairs = {pair for block in study.grids[grid] for pair in product(block.tasks, block.protocols)}
    found = set()
    for task, entry in pairs:
        if (protocol := study.protocols[entry]).store == "outputs":
            task_ends = ends_of(study, task)
            found.add((task_ends.real, units_of(task_ends, protocol.loss.kind)))
    return found


def cost(run: StudyRun, names: Wildcards) -> Counted:
    """Return the cost of outputs on the training set and, with one output, of boundaries on the test set."""
    job_spec = spec(run, names)
    size = network_size(run.study, job_spec)
    if size is None:
        return Counted(known=False)
    outputs, n_tested = n_outputs(run.study, job_spec), n_test(run.study, names["task"])
    has_classes = not ends_of(run.study, names["task"]).real
    has_boundaries = has_classes and outputs == n_tested
    samples = job_spec["cell"]["n_train"] / 3 + (PASSES * n_tested if has_boundaries else 0)
    work = Work(operations=job_spec["seeds"] * samples * size.operations * DOUBLE / NUMBER)
    held_bytes = 5 * DOUBLE * job_spec["seeds"] * (size.parameters + outputs)
    pseudo_values = (has_classes + has_boundaries) * job_spec["seeds"] ** 2 * PARTS * DOUBLE
    return Counted(work, None, held_bytes, STORE + (BOUNDARIES if has_boundaries else STORE) + pseudo_values)


def memory(run: StudyRun, names: Wildcards) -> int:
    """Return the MB of the job: 4 GB, the weights of all networks, and the copies that reading and merging takes."""
    return weights_mb(run.study, spec(run, names), networks=int(names["networks"]), copies=5)
