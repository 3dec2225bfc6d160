"""Kernel regressions: one per task, kernel, size of the training set and draw, for every depth at once."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from isobath import plugins
from isobath.results import DEVIATION, DEVIATIONS, Inputs, Member, SeedBlocks, Variable, Wildcards, networks
from isobath.sizes import NUMBER, Counted, Work, regression_bytes, regression_operations
from isobath.store_metadata import dims
from isobath.study.grids import Grid, plain
from isobath.study.run import StudyRun, ends, n_test
from isobath.study.schema import Block, ConfigError, Kernel, Study
from isobath.study.training_costs import DOUBLE

PATH = "kernels/{task}/{kernel}/n{n_train}_draw{draw}.zarr.zip"
OVERHEAD = 0.15
AXES = ("task", "kernel", "n_train", "draw")
WITHOUT_DEPTH = "kernels_without_depth"  # the group of kernels that have no depth
GROUPS = {"kernels": (*AXES, "depth"), WITHOUT_DEPTH: AXES}
PRESENT = "test_error"
DIMENSIONS = {"kernel": "kernel, as the study names it", "ridge": "ridge lambda that was tried"}
VARIABLES = {
    "test_error": Variable("misclassified fraction of the test set"),
    DEVIATION: Variable(DEVIATIONS, optional=True),
    "jitter": Variable("jitter added to the Gram matrix, relative to its mean diagonal"),
    "residual": Variable("relative residual of the linear system"),
    "validation_error": Variable(
        "error on the samples held out of the training set, regressed from the others", ("ridge",), optional=True
    ),
    "chosen_ridge": Variable("ridge lambda with the smallest validation error", optional=True),
    "ridge_at_edge": Variable(
        "1 if the chosen ridge is an end of the list to which the errors still fall, else 0",
        optional=True,
    ),
}
ENTRY = 6.0  # activations of a network's layer that take as long as one entry of a kernel takes per layer (measured)


class KernelCell(NamedTuple):
    """A kernel regression, of every depth at once."""

    task: str
    kernel: str
    n_train: int
    draw: int


def cells(blocks: Iterable[Block]) -> dict[KernelCell, tuple[int, ...]]:
    """Return the depths of each cell, increasing; where blocks overlap, the union."""
    depths: dict[KernelCell, tuple[int, ...]] = {}
    for b in blocks:
        for task, kernel, n, draw in product(b.tasks, b.kernels, b.n_train, range(b.draws)):
            place = KernelCell(task, kernel, n, draw)
            depths[place] = tuple(sorted({*b.depth, *depths.get(place, ())}))
    return depths


@lru_cache(maxsize=64)
def all_cells(run: StudyRun) -> dict[KernelCell, tuple[int, ...]]:
    """Return the cells of all grids of a study: grids share them."""
    return cells(run.blocks)


def cell(names: Wildcards) -> KernelCell:
    """Return the cell that wildcards name, as text or numbers."""
    return KernelCell(names["task"], names["kernel"], int(names["n_train"]), int(names["draw"]))


def has_depth(kernel: Mapping[str, Any]) -> bool:
    """Return whether depth is an axis of a kernel (its kind and settings)."""
    return plugins.takes("kernel", kernel["kind"], "depth")


def spec(run: StudyRun, names: Wildcards) -> dict[str, Any]:
    """Return the spec of a regression; with ridges, the settings and the seed of their choice as well."""
    place, plugin = cell(names), run.study.kernels[names["kernel"]]
    kernel = {name: value for name, value in plain(plugin).items() if name not in ("ridges", "validation")}
    content: dict[str, Any] = {"kernel": kernel, "cell": place._asdict()}
    if has_depth(kernel):
        content["depth"] = list(all_cells(run)[place])
    if plugin.ridges:
        content |= {"ridges": sorted(plugin.ridges), "validation": plugin.validation, "seed": run.config.seed}
    return content


def inputs(run: StudyRun, names: Wildcards) -> Inputs:
    return networks.data_sets(run, names)


def lengths(spec: Mapping[str, Any]) -> dict[str, int]:
    return {dim: len(spec[key]) for dim, key in (("depth", "depth"), ("ridge", "ridges")) if key in spec}


def oddities(spec: Mapping[str, Any], arrays: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield a sentence for each variable without the dim depth, where the kernel has a depth."""
    for name in VARIABLES.keys() & arrays.keys() if "depth" in spec else ():
        if "depth" not in dims(arrays[name]):
            yield f"{name} has the dims {dims(arrays[name])}, not ['depth']"


def members(grid: Grid, blocks_of: SeedBlocks) -> Iterator[Member]:
    """Yield the regressions, with the depths that the grid asks for; those of kernels without depth lie apart."""
    for place, depth in cells(grid.blocks).items():
        deep = has_depth(grid.kernels[place.kernel])
        coords = place._asdict() | ({"depth": depth} if deep else {})
        yield Member("kernels" if deep else WITHOUT_DEPTH, coords, PATH, place._asdict())


def check(study: Study, where: str, name: str) -> None:
    """Refuse kernels without the depths that they need, or with depths that they do not have."""
    for entry, kernel in study.kernels.items():
        if len(set(kernel.ridges)) != len(kernel.ridges):
            raise ConfigError(f"{where}: kernels.{entry}.ridges is {kernel.ridges}; a value stands twice")
    for grid, blocks in study.grids.items():
        for i, block in enumerate(blocks):
            for entry in block.kernels:
                _check_kernel(study.kernels[entry], entry, block, f"{where}: grids.{grid}[{i}]")


def _check_kernel(kernel: Kernel, name: str, block: Block, key: str) -> None:
    deep = has_depth({"kind": kernel.kind})
    if deep and not block.depth:
        raise ConfigError(f"{key}.depth is missing; protocols and kernels need it")
    if not deep and len(block.depth) > 1:
        depths = json.dumps(block.depth)
        raise ConfigError(f"{key}.depth is {depths}; kernels.{name} has no depth: give it a block of its own")
    if deep and 0 in block.depth and not kernel.ridges:
        raise ConfigError(
            f"{key}.depth has 0, at which kernels.{name} is linear: its matrix has no inverse for more samples than "
            "inputs and one; give the kernel ridges, or depth 0 a block without kernels"
        )
    if kernel.ridges and min(block.n_train) < 2:
        raise ConfigError(f"{key}.n_train is {min(block.n_train)}; ridges of kernels.{name} need at least 2")
    try:
        plugins.accept("kernel", {"kind": kernel.kind, **kernel.settings}, block.depth)
    except ValueError as error:
        raise ConfigError(f"{key}: kernels.{name}: {error}") from None


def cost(run: StudyRun, names: Wildcards) -> Counted:
    """Return the cost of the kernels' entries, through the layers of the deepest network, and of the factors."""
    n, job_spec = int(names["n_train"]), spec(run, names)
    depth, ridges = job_spec.get("depth", [1]), job_spec.get("ridges", [])
    n_inputs, _ = ends(run.study, names["task"])
    entries = n * (n / 2 + n_test(run.study, names["task"]))
    systems = len(depth) * (1 + len(ridges) * (1 - job_spec.get("validation", 0)) ** 3)
    operations = (2 * entries * n_inputs + regression_operations(n, systems)) * DOUBLE / NUMBER
    work = Work(operations=operations, activations=ENTRY * entries * max(depth))
    return Counted(work, memory=regression_bytes(n) * 1.05)


def memory(run: StudyRun, names: Wildcards) -> int:
    """Return the MB of the Gram matrix and its factor, and a GB for the rest."""
    return 1000 + int(1.05 * regression_bytes(int(names["n_train"])) / 1e6)
