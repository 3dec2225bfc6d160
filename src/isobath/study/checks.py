"""What a schema can't say of a study: names that refer to each other, grids that can't be, formulas."""

import json
from collections.abc import Collection, Iterable
from itertools import product

from isobath import plugins
from isobath.results.variables import ENSEMBLES, NETWORKS, OBSERVED
from isobath.study import formulas, grids
from isobath.study.schema import Block, ConfigError, Figure, Law, Protocol, Search, Study

TABLES = ("tasks", "protocols", "kernels", "constructions")  # what a block names
AXES = ("depth", "width", "n_train", "draw", "seed")
NAMES = {  # what the groups of a cube hold, for laws
    "networks": (*NETWORKS, *(f"recorded_{name}" for name in OBSERVED), *AXES, "step"),
    "ensembles": (*ENSEMBLES, *AXES, "size"),
}
# The dims of a cube along which a law's points can lie.
ALONG = ("depth", "width", "n_train", "draw", "size", "learning_rate", "step")


def check_study(study: Study, where: str, claims: Collection[str]) -> None:
    """Raise ConfigError, one sentence, for the first thing that can't be."""
    for n, protocol in study.protocols.items():
        _check_rates(protocol, where, f"protocols.{n}.learning_rate")
        _check_records(protocol, where, f"protocols.{n}")
    for n, calculation in study.calculations.items():
        known(calculation.grid, study.grids, where, f"calculations.{n}.grid")
    for n, blocks in study.grids.items():
        if not blocks and n not in {calculation.grid for calculation in study.calculations.values()}:
            raise ConfigError(f"{where}: grids.{n} is empty; it needs a block, or a calculation whose grid it is")
        for i, block in enumerate(blocks):
            _check_block(block, study, where, f"grids.{n}[{i}]")
        _check_sweeps(blocks, study, where, f"grids.{n}")
        _check_formulas(blocks, study, where)
        _check_kept(blocks, study, where)
    for n, law in study.laws.items():
        _check_law(law, study, where, f"laws.{n}")
    for n, figure in study.figures.items():
        _check_figure(figure, study, where, f"figures.{n}")
    for i, claim in enumerate(study.claims):
        known(claim, claims, where, f"claims[{i}]")
        if claim in study.claims[:i]:
            raise ConfigError(f"{where}: claims[{i}] is {claim!r}, which stands there already")


def distinct(names: Iterable[str], where: str, key: str) -> None:
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            raise ConfigError(
                f"{where}: {key} has {seen[name.lower()]!r} and {name!r}, which some file systems take for one"
            )
        seen[name.lower()] = name


def known(name: str, names: Iterable[str], where: str, key: str) -> None:
    if name not in names:
        raise ConfigError(f"{where}: {key} is {name!r}; {plugins.nearest(name, list(names))}")


def _check_records(protocol: Protocol, where: str, key: str) -> None:
    if protocol.records and protocol.record_every:
        raise ConfigError(
            f"{where}: {key} has records {protocol.records} and record_every {protocol.record_every}; it can have one"
        )


def _check_rates(protocol: Protocol, where: str, key: str) -> None:
    rate = protocol.learning_rate
    if isinstance(rate, Search) and rate.minimum >= rate.maximum:
        raise ConfigError(
            f"{where}: {key}.minimum is {rate.minimum}; it must be less than maximum, which is {rate.maximum}"
        )
    if isinstance(rate, list) and len(set(rate)) != len(rate):
        raise ConfigError(f"{where}: {key} is {rate}; a value stands twice")


def _check_block(block: Block, study: Study, where: str, key: str) -> None:
    for axis in (*TABLES, "depth", "width", "n_train"):
        values = getattr(block, axis)
        if len(set(values)) != len(values):
            raise ConfigError(f"{where}: {key}.{axis} is {json.dumps(values)}; a value stands twice")
        if axis in TABLES:
            for name in values:
                known(name, getattr(study, axis), where, f"{key}.{axis}")
    if not (block.protocols or block.kernels or block.constructions):
        raise ConfigError(f"{where}: {key} has neither protocols nor kernels nor constructions; one of them is needed")
    for axis in ("depth", "n_train") if block.protocols or block.kernels else ():
        if not getattr(block, axis):
            raise ConfigError(f"{where}: {key}.{axis} is missing; protocols and kernels need it")
    for construction, name in product(block.constructions, block.tasks):
        _check_construction(construction, name, study, where, key)
    if block.protocols and not block.width and any(block.depth):
        raise ConfigError(f"{where}: {key}.width is missing; networks of depth {max(block.depth)} need one")
    for name, task in product(block.protocols, block.tasks):
        _check_loss(name, task, study, where, key)
    for name in block.protocols:
        rate = study.protocols[name].learning_rate
        if isinstance(rate, Search) and rate.folds > min(block.n_train):
            raise ConfigError(
                f"{where}: {key}.n_train is {min(block.n_train)}; it must be at least folds "
                f"of protocols.{name}.learning_rate, which is {rate.folds}"
            )


def _check_loss(protocol: str, task: str, study: Study, where: str, key: str) -> None:
    """Refuse a loss of classes for a task of real targets, and the other way round."""
    try:
        truth = "targets" if plugins.ends(study.tasks[task].model_dump()).real else "labels"
    except plugins.PluginError as error:
        raise ConfigError(f"{where}: tasks.{task}.kind is {study.tasks[task].kind!r}; {error}") from None
    loss = study.protocols[protocol].loss.kind
    takes = plugins.literal("loss", loss, "TAKES", ())
    if truth not in takes:
        raise ConfigError(
            f"{where}: {key}: the loss {loss} of protocols.{protocol} takes {' or '.join(takes)}; "
            f"tasks.{task} has {truth}"
        )


def _check_construction(name: str, task: str, study: Study, where: str, key: str) -> None:
    if grids.is_split(study, task):
        raise ConfigError(f"{where}: {key} has constructions for task {task!r}; they need one that is sampled")
    try:
        plugins.accept(study.constructions[name].model_dump(), study.tasks[task].model_dump())
    except ValueError as error:
        raise ConfigError(f"{where}: {key}: constructions.{name} on tasks.{task}: {error}") from None


def _check_kept(blocks: list[Block], study: Study, where: str) -> None:
    for name in {name for block in blocks for name in block.protocols}:
        protocol = study.protocols[name]
        if protocol.keep == "outputs" and isinstance(protocol.learning_rate, list):
            raise ConfigError(
                f"{where}: protocols.{name}.learning_rate is a sweep and keep is 'outputs'; "
                "outputs are kept at one rate: a number, a formula or a search"
            )


def _check_sweeps(blocks: list[Block], study: Study, where: str, key: str) -> None:
    names = {name for block in blocks for name in block.protocols}
    if len({isinstance(study.protocols[name].learning_rate, list) for name in names}) > 1:
        raise ConfigError(f"{where}: {key} mixes protocols with swept and with other learning rates; use two grids")


def _check_formulas(blocks: list[Block], study: Study, where: str) -> None:
    for cell in grids.network_cells(blocks):
        try:
            grids.learning_rate(study, cell)
        except formulas.FormulaError as error:
            at = ", ".join(f"{axis} {getattr(cell, axis)}" for axis in formulas.VARIABLES)
            raise ConfigError(f"{where}: protocols.{cell.protocol}.learning_rate at {at}: {error}") from None


def _check_law(law: Law, study: Study, where: str, key: str) -> None:
    known(law.grid, study.grids, where, f"{key}.grid")
    known(law.along, ALONG, where, f"{key}.along")
    blocks = study.grids[law.grid]
    if law.group == "ensembles" and not grids.ensemble_cells(study, blocks):
        raise ConfigError(
            f"{where}: {key}.group is 'ensembles'; grid {law.grid} needs a protocol with keep: outputs and two seeds"
        )
    if law.group == "networks" and not grids.network_cells(blocks):
        raise ConfigError(f"{where}: {key}.group is 'networks'; grid {law.grid} trains none")
    for role, name in (("variable", law.variable), ("axis", law.axis)):
        known(name, NAMES[law.group], where, f"{key}.{role}")
    for dim, values in law.select.items():
        allowed = _values(dim, blocks, study)
        for value in values if isinstance(values, list) else [values]:
            if allowed is not None and value not in allowed:
                near = ", ".join(map(str, allowed))
                raise ConfigError(f"{where}: {key}.select.{dim} is {value!r}; grid {law.grid} has {near}")
    if law.above is not None and law.below is not None and law.above >= law.below:
        raise ConfigError(f"{where}: {key}.above is {law.above}; it must be less than below, which is {law.below}")


def _values(dim: str, blocks: list[Block], study: Study) -> list[str | int] | None:
    """The values that a dim of a grid's cube has, where the study file says so."""
    if dim == "step":
        protocols = [study.protocols[name] for block in blocks for name in block.protocols]
        return sorted({step for protocol in protocols for step in grids.recorded(protocol)})
    attribute = f"{dim}s" if f"{dim}s" in TABLES else dim
    if attribute not in (*TABLES, "depth", "width", "n_train"):
        return None
    return sorted({value for block in blocks for value in getattr(block, attribute)})


def _check_figure(figure: Figure, study: Study, where: str, key: str) -> None:
    """What a figure's settings name has to exist: else a curve would be missing without a word."""
    known(figure.grid, study.grids, where, f"{key}.grid")
    for setting, value in figure.settings.items():
        table = getattr(study, {"groups": "tasks"}.get(setting, setting.removesuffix("s") + "s"), None)
        if not isinstance(table, dict) or value is None:
            continue
        names = [value] if isinstance(value, str) else [n for v in value for n in ([v] if isinstance(v, str) else v)]
        if not names:
            raise ConfigError(f"{where}: {key}.{setting} is empty; allowed: {', '.join(table)}")
        for name in names:
            known(name, table, where, f"{key}.{setting}")
        tasks = {n for block in study.grids[figure.grid] for n in block.tasks}
        if setting in ("task", "tasks") and not tasks.issuperset(names):
            absent = next(n for n in names if n not in tasks)
            raise ConfigError(f"{where}: {key}.{setting} has {absent!r}, which grid {figure.grid} does not")
        if setting == "protocol" and value not in {n for block in study.grids[figure.grid] for n in block.protocols}:
            raise ConfigError(f"{where}: {key}.protocol is {value!r}, which grid {figure.grid} does not train")
