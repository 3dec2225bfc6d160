"""Kernel regressions: one per task, kernel, size of the training set and draw, for every depth at once."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from isobath.results import Inputs, Member, Names, SeedBlocks, Variable, networks
from isobath.sizes import NUMBER, Counted, Work, regression_bytes, regression_operations
from isobath.study.run import StudyRun, ends, n_test, names_in, plain
from isobath.study.schema import Block, Study
from isobath.study.training_costs import DOUBLE

PATH = "kernels/{task}/{kernel}/n{n_train}_draw{draw}.zarr.zip"
GROUP = "kernels"
AXES = ("task", "kernel", "n_train", "draw", "depth")
PRESENT = "test_error"
DIMENSIONS = {"kernel": "kernel, as the study names it"}
VARIABLES = {
    "test_error": Variable("misclassified fraction of the test set", ("depth",)),
    "jitter": Variable("jitter added to the Gram matrix, relative to its mean diagonal", ("depth",)),
    "residual": Variable("relative residual of the linear system", ("depth",)),
}
ENTRY = 5.0  # numbers of a layer of a network that take as long to pass as an entry of a kernel takes for a layer


class KernelCell(NamedTuple):
    """A kernel regression, of every depth at once."""

    task: str
    kernel: str
    n_train: int
    draw: int


def cells(study: Study | None, blocks: Iterable[Block]) -> dict[KernelCell, tuple[int, ...]]:
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
    return cells(run.study, run.blocks)


def cell(names: Names) -> KernelCell:
    """Return the cell that wildcards name, as text or numbers."""
    return KernelCell(names["task"], names["kernel"], int(names["n_train"]), int(names["draw"]))


def names(run: StudyRun) -> Iterator[dict[str, Any]]:
    return (place._asdict() for place in all_cells(run))


def spec(run: StudyRun, names: Names) -> dict[str, Any]:
    place = cell(names)
    kernel = plain(run.study.kernels[place.kernel])
    return {"kernel": kernel, "cell": place._asdict(), "depth": list(all_cells(run)[place])}


def inputs(run: StudyRun, names: Names) -> Inputs:
    return networks.data_sets(run, names)


def lengths(spec: dict[str, Any]) -> dict[str, int]:
    return {"depth": len(spec["depth"])}


def members(spec: Mapping[str, Any], blocks_of: SeedBlocks) -> Iterator[Member]:
    """Yield the regressions of a cube, with the depths that its grid asks for."""
    blocks = [Block.model_validate(block) for block in spec["blocks"]]
    for place, depth in cells(None, blocks).items():
        yield Member(GROUP, place._asdict() | {"depth": depth}, PATH.format(**place._asdict()))


def described(study: Study, grid: str) -> dict[str, Any]:
    """Return the settings of the kernels of a grid."""
    return {"kernels": {name: plain(study.kernels[name]) for name in names_in(study.grids[grid], "kernels")}}


def cost(run: StudyRun, names: Names) -> Counted:
    """Return the cost of the kernels' entries, through the layers of the deepest network, and of the factors."""
    n, depth = int(names["n_train"]), spec(run, names)["depth"]
    n_inputs, _ = ends(run.study, names["task"])
    entries = n * (n / 2 + n_test(run.study, names["task"]))
    operations = (2 * entries * n_inputs + regression_operations(n, len(depth))) * DOUBLE / NUMBER
    work = Work(operations=operations, activations=ENTRY * entries * max(depth))
    return Counted(work, memory=regression_bytes(n) * 1.05)


def memory(run: StudyRun, names: Names) -> int:
    """Return the MB of the Gram matrix and its factor, and a GB for the rest."""
    return 1000 + int(1.05 * regression_bytes(int(names["n_train"])) / 1e6)
