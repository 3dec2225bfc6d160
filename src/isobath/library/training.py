"""Training of networks on one's own arrays: the networks that the workflow would train, in one labelled data set."""

import json
import warnings
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import xarray as xr

from isobath import plugins
from isobath.analysis import rates
from isobath.analysis.cubes import gather
from isobath.classes import is_real
from isobath.jobs import searches, trainings
from isobath.jobs.training_specs import recipe
from isobath.library import arguments, labels
from isobath.library.computing import as_a_job
from isobath.library.data_sets import train_and_test
from isobath.results import labelled, learning_rates
from isobath.results.networks import GROUPS
from isobath.study import loading, network_cells
from isobath.study.checks import check_study
from isobath.study.network_cells import NetworkCell
from isobath.study.run import canonical
from isobath.study.schema import Block, ConfigError, LearningRateSearch, Protocol, Study
from isobath.study.training_costs import size_of
from isobath.training.recipes import Samples

WHERE = "isobath.train"
PROTOCOL, NETWORK = plugins.default("protocol"), plugins.default("network")


def train(
    X: Any,  # noqa: N803
    y: Any,
    *,
    test: tuple[Any, Any] | None = None,
    depth: int | Sequence[int] = 2,
    width: int | Sequence[int] = 50,
    networks: int | Sequence[int] = 10,
    protocol: Any = PROTOCOL,
    rate: Any = None,
    network: Any = None,
    seed: int = 0,
    name: str = "own",
    draw: int = 0,
    memory: float = 2e9,
    **settings: Any,
) -> xr.Dataset:
    """Train networks on inputs X (n, d) and labels or targets y, and test them on ``test``, inputs and labels alike.

    Integers y (n,) are class indices, floats (n,) or (n, K) are real targets, which need a ``loss`` that takes them.
    ``depth`` (hidden layers), ``width`` and ``rate`` can be lists: each is then a dim. ``networks`` is a number, or the
    seeds of networks. ``rate`` is a learning rate, several, a formula in depth, width and n_train, or the keys of a
    search, which warns if it found none; it is 0.1 unless the protocol says one. ``protocol``, ``network`` (``mlp``)
    and ``loss`` are kinds, or mappings of ``kind`` and settings; ``settings`` are those of a protocol of a study:
    ``loss``, ``batch_size``, ``max_epochs``, ``records``, ``store`` (config/README.md).
    Random streams are named by ``seed``, ``name``, ``draw`` and the cell, as in the workflow: equal arguments give
    equal numbers. At most ``memory`` bytes of networks are trained at a time, and one network at least.

    Returns status, epochs, errors, ... (see ``isobath kinds result networks``) of each network, along seed. Weights,
    of ``store="weights"``, are returned of a single depth and width: their number differs between cells. Networks of
    depth 0, which have no width, stand at each width beside deeper ones.
    Raises ValueError, one sentence, for what is not allowed.
    """
    checked_protocol = _protocol(protocol, settings, network=network, learning_rate=rate)
    seed, draw = arguments.index(seed, "seed"), arguments.index(draw, "draw")
    name, memory = arguments.name(name), arguments.memory(memory)
    depths = arguments.listed(depth, "depth", most=arguments.DEEPEST)
    widths = arguments.listed(width, "width", least=1)
    seeds = arguments.seeds(networks, "networks")
    with as_a_job() as device:
        data = train_and_test(X, y, test, device, precision=checked_protocol.precision)
        _require_shapes(checked_protocol, int(data[0][0].shape[1]), depths, widths)
        axes: dict[str, Any] = {"depth": depths, "width": widths, "n_train": [len(data[0][1])]}
        block = Block.model_construct(tasks=[name], protocols=[checked_protocol.kind], seeds=len(seeds), **axes)
        study = _study(checked_protocol, block)
        parts = _parts(study, block, data, seeds, seed=seed, draw=draw, memory=memory)
    result = _gathered(parts, [axis for axis, value in (("depth", depth), ("width", width)) if np.ndim(value)])
    spec = labels.settings(name, "protocols", checked_protocol.kind, checked_protocol.model_dump(mode="json"))
    result = result.assign_attrs(labels.attributes("trained networks", spec, device.type, len(data[1][1]), seed))
    return labels.explained(result)


def _protocol(protocol: Any, settings: dict[str, Any], **given: Any) -> Protocol:
    """Return a protocol as a study completes it, with settings, and those that are ``given`` and not None.

    Raises ConfigError, in which the learning rate is the ``rate``, and ValueError for a rate that is given twice.
    """
    if given["learning_rate"] is not None and "learning_rate" in settings:
        raise ValueError("rate and learning_rate are one setting; it can be given once")
    options = {name: value for name, value in given.items() if value is not None} | settings
    content = {"network": NETWORK, "learning_rate": 0.1} | arguments.plugin(protocol, options, "protocol")
    try:
        completed = loading.completed("protocol", content, WHERE, "protocol", model=Protocol)
    except ConfigError as error:
        raise ConfigError(str(error).replace("protocol.learning_rate", "rate")) from None
    rate = completed.learning_rate
    if isinstance(rate, LearningRateSearch) and rate.draws > 1:
        raise ValueError(
            f"rate has draws {rate.draws}; it must be 1: only a workflow has data sets that share a search"
        )
    return completed


def _require_shapes(protocol: Protocol, features: int, depths: list[int], widths: list[int]) -> None:
    """Refuse networks that there are not, such as convolutions of inputs that are no image (ValueError)."""
    network = protocol.model_dump()["network"]
    for depth, width in product(depths, widths):
        try:
            size_of(network, {"n_inputs": features, "n_outputs": 1, "depth": depth, "width": width})
        except ValueError as error:
            given = f"network is {network['kind']!r}, depth is {depth}, and X has {features} features"
            raise ValueError(f"{given}: {error}") from None


def _study(protocol: Protocol, block: Block) -> Study:
    """Return a study of one protocol, without more, whose rate has a value at every cell of a block."""
    study = Study.model_construct(title=WHERE, source=WHERE, protocols={protocol.kind: protocol}, grids={})
    try:
        check_study(study, WHERE)
        network_cells.check_formulas(study, [block], WHERE)
    except ConfigError as error:
        raise ConfigError(str(error).replace(f"protocols.{protocol.kind}.learning_rate", "rate")) from None
    return study


def _parts(
    study: Study,
    block: Block,
    data: tuple[Samples, Samples],
    seeds: list[int],
    *,
    seed: int,
    draw: int,
    memory: float,
) -> list[xr.Dataset]:
    """Return the cells of a block; beside deeper ones that without hidden layers, which has no width, at each width."""
    parts: list[xr.Dataset] = []
    for place in network_cells.cells([block]):
        cell = _cell(study, place._replace(draw=draw), data, seeds, seed=seed, memory=memory)
        widths = block.width if any(block.depth) and not place.depth else [place.width]
        parts += [cell.assign_coords(width=width) for width in widths]
    return parts


def _cell(
    study: Study, place: NetworkCell, data: tuple[Samples, Samples], seeds: list[int], *, seed: int, memory: float
) -> xr.Dataset:
    """Train and test the networks of a cell, along seed, or along learning_rate and seed where rates are several."""
    protocol = study.protocols[place.protocol]
    training = network_cells.training_spec(study, seed, place)
    training |= {"records": network_cells.recorded(protocol), "store": protocol.store}
    spec = json.loads(canonical(training))  # as a job has it: its order names the streams of a search
    train, test = data
    recipe(spec).loss.require(is_real(train[1]))
    if training["records"] and len(test[1]) < 2:
        raise ValueError("test has 1 sample; with records it needs 2: early stopping is chosen on one half of them")
    rate = spec["learning_rate"]
    if isinstance(rate, dict):
        _require_samples(rate["folds"], len(train[1]))
        rate = _searched(spec, train, memory=memory)
    return trainings.networks(spec, rate, seeds, train, test, memory=memory)


def _searched(spec: dict[str, Any], train: Samples, *, memory: float) -> float:
    """Return the rate that a search chose, with a warning if it found none by the rule of the verdicts."""
    trials = searches.columns(searches.trials(spec, train, memory=memory), spec["learning_rate"]["ties"])
    search = xr.Dataset(labelled(learning_rates.VARIABLES, trials, real=is_real(train[1])))
    rate = float(search.learning_rate)
    if reason := rates.fault(search):
        cell = spec["cell"]
        where = f"depth {cell['depth']}, width {cell['width']}"
        warnings.warn(f"{where}: rate not found: {reason}; {rate:.3g} is taken", stacklevel=5)
    return rate


def _require_samples(folds: int, n: int) -> None:
    """Raise ValueError if a fold of n samples would be empty."""
    if folds > n:
        raise ValueError(f"rate has {folds} folds and X {n} samples; a fold needs one")


def _gathered(parts: list[xr.Dataset], listed: Sequence[str]) -> xr.Dataset:
    """Return cells side by side, as in a cube, with the axes of theirs that are ``listed`` as dims.

    Weights, whose number differs between cells, are kept of one cell.
    """
    cells = parts if len(parts) == 1 else [part.drop_dims("parameter", errors="ignore") for part in parts]
    axes = GROUPS["networks"]
    return gather(cells, list(axes)).isel({axis: 0 for axis in axes if axis not in (*listed, "seed")})
