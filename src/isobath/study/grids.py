"""What a study asks for: its grids as cells, and each job's spec.

A spec is the JSON of exactly what matters to a job's result; Snakemake runs a job again when
its spec, its code or its inputs change, and for no other reason.
"""

import json
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any, NamedTuple

from isobath import plugins
from isobath.study import formulas
from isobath.study.schedules import evenly_spaced, log_spaced
from isobath.study.schema import Block, Kernel, Plugin, Protocol, Search, Study


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


class ConstructionCell(NamedTuple):
    """A network known in closed form, on the test set of a task."""

    task: str
    construction: str


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


def construction_cells(blocks: Iterable[Block]) -> list[ConstructionCell]:
    """The cells of networks known in closed form, once each."""
    pairs = (pair for b in blocks for pair in product(b.tasks, b.constructions))
    return list(dict.fromkeys(ConstructionCell(*pair) for pair in pairs))


def all_blocks(study: Study) -> list[Block]:
    """The blocks of every grid: grids share their cells."""
    return [block for blocks in study.grids.values() for block in blocks]


def searched(study: Study, protocol: str) -> bool:
    """Whether a protocol's learning rate is searched for rather than given."""
    return isinstance(study.protocols[protocol].learning_rate, Search)


def canonical(spec: Mapping[str, Any]) -> str:
    """One text per meaning: sorted keys, no spaces."""
    return json.dumps(spec, sort_keys=True, separators=(",", ":"), allow_nan=False)


def is_split(study: Study, task: str) -> bool:
    """Whether a task is a finite data set, whose test part depends on the training part."""
    return plugins.verb_of("task", study.tasks[task].kind) == "split"


def n_test(study: Study, task: str) -> int:
    return study.tasks[task].n_test or study.n_test


def data_spec(study: Study, seed: int, task: str, n: int, draw: int | None) -> dict[str, Any]:
    """A training set, or with ``draw`` None the test set."""
    settings = study.tasks[task].model_dump(mode="json", exclude={"n_test"})
    return {"task": settings, "name": task, "n": n, "draw": draw, "seed": seed}


def split_test_spec(study: Study, seed: int, task: str, n: int, draw: int) -> dict[str, Any]:
    """The test part that goes with a training part of ``n`` samples."""
    return {**data_spec(study, seed, task, n, draw), "n_test": n_test(study, task)}


def learning_rate(study: Study, cell: NetworkCell) -> Any:
    """The rate of a cell, its sweep, or the settings of its search."""
    rate = study.protocols[cell.protocol].learning_rate
    if isinstance(rate, str):
        return formulas.positive(rate, cell._asdict())
    return rate.model_dump(mode="json") if isinstance(rate, Search) else rate


def training_spec(study: Study, seed: int, cell: NetworkCell) -> dict[str, Any]:
    """What the search for a learning rate and the training of networks have in common."""
    plugin = study.protocols[cell.protocol]
    protocol = plugin.model_dump(mode="json", exclude={"learning_rate", "records", "record_every", "keep"})
    protocol["network"] = _plain(plugin.network)
    return {"cell": cell._asdict(), "protocol": protocol, "learning_rate": learning_rate(study, cell), "seed": seed}


def recorded(protocol: Protocol) -> list[int]:
    """The epochs at which a training is recorded; none if it is not."""
    if protocol.record_every:
        return evenly_spaced(protocol.max_epochs, protocol.record_every)
    return log_spaced(protocol.max_epochs, protocol.records) if protocol.records else []


def networks_spec(study: Study, seed: int, cell: NetworkCell, first: int, last: int) -> dict[str, Any]:
    """A block of seeds. How the rate was found is the search's business, not the networks'."""
    spec = training_spec(study, seed, cell)
    protocol = study.protocols[cell.protocol]
    rate = None if searched(study, cell.protocol) else spec["learning_rate"]
    kept = {"records": recorded(protocol), "keep": protocol.keep}
    return {**spec, "learning_rate": rate, "seeds": [first, last], **kept}


def ensembles_spec(study: Study, seed: int, cell: NetworkCell, seeds: int) -> dict[str, Any]:
    """The ensembles of the first ``seeds`` networks of a cell."""
    spec = training_spec(study, seed, cell)
    kept = {key: spec["protocol"][key] for key in ("network", "loss", "precision")}
    return {"cell": cell._asdict(), "protocol": kept, "seeds": seeds, "seed": seed}


def ensemble_cells(study: Study, blocks: Iterable[Block]) -> dict[NetworkCell, int]:
    """The cells whose networks keep their outputs, and the number of seeds of each."""
    cells = network_cells(blocks)
    return {c: n for c, n in cells.items() if study.protocols[c.protocol].keep == "outputs" and n > 1}


def has_depth(study: Study, kernel: str) -> bool:
    """Tell whether depth is an axis of a kernel."""
    return plugins.takes("kernel", study.kernels[kernel].kind, "depth")


def kernels_spec(study: Study, seed: int, cell: KernelCell) -> dict[str, Any]:
    """Return the spec of a regression; with ridges, what their choice depends on as well."""
    plugin = study.kernels[cell.kernel]
    kernel = plugin.model_dump(mode="json", exclude_none=True, exclude={"ridges", "validation"})
    spec: dict[str, Any] = {"kernel": kernel, "cell": cell._asdict()}
    if has_depth(study, cell.kernel):
        spec["depth"] = list(kernel_cells(all_blocks(study))[cell])
    if plugin.ridges:
        spec |= {"ridges": sorted(plugin.ridges), "validation": plugin.validation, "seed": seed}
    return spec


def construction_spec(study: Study, cell: ConstructionCell) -> dict[str, Any]:
    """A construction with its settings, and the task that it knows."""
    named = {"construction": _plain(study.constructions[cell.construction]), "task": _plain(study.tasks[cell.task])}
    return {**named, "cell": cell._asdict()}


def calculation_spec(study: Study, seed: int, name: str) -> dict[str, Any]:
    plugin = study.calculations[name]
    return {"calculation": {"kind": plugin.kind, **plugin.settings}, "name": name, "seed": seed}


def calculations(study: Study, grid: str) -> list[str]:
    """The calculations whose numbers go into the cube of a grid."""
    return [name for name, calculation in study.calculations.items() if calculation.grid == grid]


def cube_spec(study: Study, grid: str) -> dict[str, Any]:
    """The blocks of a grid, and the settings of what they name."""
    blocks = study.grids[grid]
    tables = ("tasks", "protocols", "kernels", "constructions")
    named = {f: sorted({n for b in blocks for n in getattr(b, f)}) for f in tables}
    settings = {f: {n: _plain(getattr(study, f)[n]) for n in names} for f, names in named.items()}
    asked = {"grid": grid, "blocks": [b.model_dump() for b in blocks], "n_test": study.n_test}
    kept = sorted({n for n in settings["protocols"] if study.protocols[n].keep == "outputs"})
    laws = {name: law_spec(study, name) for name, law in study.laws.items() if law.grid == grid}
    derived = {"ensembles": kept, "calculations": calculations(study, grid), "laws": laws}
    return {"title": study.title, "source": study.source, **asked, **settings, **derived}


def law_spec(study: Study, name: str) -> dict[str, Any]:
    """A law: what is fitted to what, and the form with its settings."""
    law = study.laws[name]
    asked = law.model_dump(mode="json", include=set(type(law).model_fields) - {"kind", "grid"})
    return {**asked, "form": {"kind": law.kind, **law.settings}}


def figure_spec(study: Study, figure: str) -> dict[str, Any]:
    plugin = study.figures[figure]
    about = {"grid": plugin.grid, "caption": plugin.caption}
    return {"figure": {"kind": plugin.kind, **plugin.settings}, "name": figure, **about}


def _plain(plugin: Plugin) -> dict[str, Any]:
    interpolates = isinstance(plugin, Kernel) and not plugin.ridges
    return plugin.model_dump(mode="json", exclude_none=True, exclude={"ridges", "validation"} if interpolates else None)


def verdicts_spec(study: Study, name: str, scale: str) -> dict[str, Any]:
    return {"study": name, "scale": scale, "source": study.source, "claims": study.claims, "grids": list(study.grids)}
