"""What a study asks for: its grids as cells, and each job's spec.

A spec is the JSON of exactly what matters to a job's result; Snakemake runs a job again when
its spec, its code or its inputs change, and for no other reason.
"""

import json
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any, NamedTuple

from isobath.schema import Block, Plugin, Search, Study


class NetworkCell(NamedTuple):
    """Networks that differ in their seed alone. Width is 0 where depth is: a perceptron has none."""

    task: str
    protocol: str
    depth: int
    width: int
    n_train: int
    draw: int


class KernelCell(NamedTuple):
    """A kernel regression, of every depth at once."""

    task: str
    kernel: str
    n_train: int
    draw: int


def network_cells(blocks: Iterable[Block]) -> dict[NetworkCell, int]:
    """The number of seeds of each cell; where blocks overlap, the larger."""
    cells: dict[NetworkCell, int] = {}
    for b in blocks:
        for task, protocol, depth, n, draw in product(b.tasks, b.protocols, b.depth, b.n_train, range(b.draws)):
            for width in b.width if depth else [0]:
                cell = NetworkCell(task, protocol, depth, width, n, draw)
                cells[cell] = max(b.seeds, cells.get(cell, 0))
    return cells


def kernel_cells(blocks: Iterable[Block]) -> dict[KernelCell, tuple[int, ...]]:
    """The depths of each cell, increasing; where blocks overlap, the union."""
    cells: dict[KernelCell, tuple[int, ...]] = {}
    for b in blocks:
        for task, kernel, n, draw in product(b.tasks, b.kernels, b.n_train, range(b.draws)):
            cell = KernelCell(task, kernel, n, draw)
            cells[cell] = tuple(sorted({*b.depth, *cells.get(cell, ())}))
    return cells


def all_blocks(study: Study) -> list[Block]:
    """The blocks of every grid: grids share their cells."""
    return [block for blocks in study.grids.values() for block in blocks]


def searched(study: Study, protocol: str) -> bool:
    """Whether a protocol's learning rate is searched for rather than given."""
    return isinstance(study.protocols[protocol].learning_rate, Search)


def canonical(spec: Mapping[str, Any]) -> str:
    """One text per meaning: sorted keys, no spaces."""
    return json.dumps(spec, sort_keys=True, separators=(",", ":"), allow_nan=False)


def data_spec(study: Study, seed: int, task: str, n: int, draw: int | None) -> dict[str, Any]:
    """A training set, or with ``draw`` None the test set."""
    return {"task": _plain(study.tasks[task]), "name": task, "n": n, "draw": draw, "seed": seed}


def training_spec(study: Study, seed: int, cell: NetworkCell) -> dict[str, Any]:
    """What the search for a learning rate and the training of networks have in common."""
    protocol = _plain(study.protocols[cell.protocol])
    protocol["network"] = _plain(study.protocols[cell.protocol].network)
    rate = protocol.pop("learning_rate")
    return {"cell": cell._asdict(), "protocol": protocol, "learning_rate": rate, "seed": seed}


def networks_spec(study: Study, seed: int, cell: NetworkCell, first: int, last: int) -> dict[str, Any]:
    """A block of seeds. How the rate was found is the search's business, not the networks'."""
    spec = training_spec(study, seed, cell)
    rate = None if searched(study, cell.protocol) else spec["learning_rate"]
    return {**spec, "learning_rate": rate, "seeds": [first, last]}


def kernels_spec(study: Study, cell: KernelCell) -> dict[str, Any]:
    depth = kernel_cells(all_blocks(study))[cell]
    return {"kernel": _plain(study.kernels[cell.kernel]), "cell": cell._asdict(), "depth": list(depth)}


def cube_spec(study: Study, grid: str) -> dict[str, Any]:
    """The blocks of a grid, and the settings of what they name."""
    blocks = study.grids[grid]
    named = {f: sorted({n for b in blocks for n in getattr(b, f)}) for f in ("tasks", "protocols", "kernels")}
    settings = {f: {n: _plain(getattr(study, f)[n]) for n in names} for f, names in named.items()}
    asked = {"grid": grid, "blocks": [b.model_dump() for b in blocks], "n_test": study.n_test}
    return {"title": study.title, "source": study.source, **asked, **settings}


def figure_spec(study: Study, figure: str) -> dict[str, Any]:
    plugin = study.figures[figure]
    return {"figure": {"kind": plugin.kind, **plugin.settings}, "name": figure}


def _plain(plugin: Plugin) -> dict[str, Any]:
    return plugin.model_dump(mode="json")


def verdicts_spec(study: Study, name: str, scale: str) -> dict[str, Any]:
    return {"study": name, "scale": scale, "source": study.source, "claims": study.claims, "grids": list(study.grids)}
