"""What a job will cost, from its spec: operations, counted, at the rates of a machine; bytes in memory and on disk.

Time limits are for every network to train to its last epoch. What is expected is less, since networks stop when
they fit: see ``epochs``.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from isobath import plugins, sizes
from isobath.study import grids
from isobath.workflow import plan
from isobath.workflow.plan import Job, Run

DELAY = 5.0  # minutes for a job to start, read, test and write, at most
MARGIN = 2.0  # of a time limit over the estimate
LONGEST = 24 * 60  # minutes; a training that needs more saves its progress and continues in the next attempt
DOUBLE = 8  # bytes of a float64
ROOM = 4e9  # bytes that a job may take besides the weights that it keeps; half of them for a stack

# How much longer a network takes to fit that is not much larger than its training set, times n_train / parameters: a
# prior, read off runs of two studies, as the EPOCHS that protocols declare.
TIGHT = 10.0

# Of a start, by what a stage imports: most take torch and xarray, a search takes scikit-learn, a figure matplotlib.
DATA = {"training_set": 0.4, "test_set": 0.4, "split_test_set": 0.8}
STARTS = {**DATA, "learning_rate": 1.5, "ensembles": 1.3, "figure": 1.5}
ENTRY = 1e-8  # seconds for an entry of a kernel to pass through a layer
PASSES = 5  # of the test set through a network and back, for the boundaries of an ensemble (measured)
PROCESS = 3e8  # bytes of a process that has imported torch and xarray
STORE = 12_000  # bytes of a store of small arrays
BOUNDARIES = 250_000  # bytes of a plane, of profiles and of pseudo-values
RECORDED = 8  # numbers that are recorded of a network at a time
FIGURE = 40_000  # bytes of a drawing
NOTES = 10_000  # bytes of log, benchmark and Snakemake's metadata


class Rates(NamedTuple):
    """How fast a machine is: seconds for a start, a layer's part of a step, a number of a layer to pass; operations."""

    start: float
    launch: float
    activation: float  # forward and back, in float32
    operations: float  # per second, of a stack in float32


CORE = Rates(start=2.8, launch=3e-5, activation=2e-9, operations=6e10)  # one core of 2024, off 130 jobs


class Counted(NamedTuple):
    """What is counted of a job: seconds of work, and of work to the last epoch; bytes at the worst moment, and left."""

    work: float = 0.0
    longest: float = math.inf
    memory: float = 0.0
    disk: float = STORE


class Cost(NamedTuple):
    """What a job is expected to take, on one core or GPU: as Counted, and the seconds before and after its work."""

    start: float
    work: float
    longest: float
    memory: float
    disk: float


def training_seconds(
    size: sizes.Size,
    depth: int,
    n_train: int,
    epochs: float,
    networks: int,
    *,
    batch: int | None,
    number: int = sizes.NUMBER,
    rates: Rates = CORE,
) -> float:
    """Of training a stack for so many epochs on one core: launched, multiplied, passed through (``make bench``)."""
    steps = epochs * math.ceil(n_train / (batch or n_train))
    sample = size.operations / rates.operations + size.activations * rates.activation
    return steps * (depth + 1) * rates.launch + networks * n_train * epochs * sample * number / sizes.NUMBER


def network_size(spec: Mapping[str, Any], task: Mapping[str, Any]) -> sizes.Size | None:
    """Of a network of a networks or learning_rates spec; None for an architecture whose size is not known."""
    network, cell = spec["protocol"]["network"], spec["cell"]
    kind = plugins.literal("network", network["kind"], "SIZE")
    if kind is None:
        return None
    inputs, outputs = _ends(task)
    shape = {"n_inputs": inputs, "n_outputs": outputs, "depth": cell["depth"], "width": cell["width"]}
    try:
        return sizes.size(kind, shape, network)
    except ValueError:  # not the images that are assumed
        return None


def training_minutes(spec: Mapping[str, Any], task: Mapping[str, Any]) -> int:
    """A time limit in minutes: every network to its last epoch on one core, with a margin."""
    size = network_size(spec, task)
    if size is None:
        return LONGEST
    seconds = _training(spec, size, spec["protocol"]["max_epochs"], CORE)
    return _limit(seconds)


def work_minutes(run: Run, job: Job) -> int:
    """A time limit in minutes of a job that is no training: on one core, with a margin."""
    return _limit(COUNTED[job.rule](run, job, CORE).work)


def memory_mb(spec: Mapping[str, Any], task: Mapping[str, Any], *, networks: int, copies: int) -> int:
    """What a job takes that holds ``copies`` of the weights of so many networks in float64, and 4 GB besides."""
    size = network_size(spec, task)
    return math.ceil(ROOM / 1e6) + math.ceil(copies * networks * DOUBLE * (size.parameters if size else 0) / 1e6)


def cost(run: Run, job: Job, rates: Rates = CORE) -> Cost:
    """Of any job of a run. What is not counted, such as cubes and figures, takes its start."""
    counted = COUNTED[job.rule](run, job, rates) if job.rule in COUNTED else Counted()
    start = rates.start * STARTS.get(job.rule, 1.0)
    return Cost(start, counted.work, counted.longest, PROCESS + counted.memory, NOTES + counted.disk)


def epochs(spec: Mapping[str, Any], size: sizes.Size | None, learning_rates: Sequence[float]) -> float:
    """How many epochs a network is expected to train, on average over the rates at which it does.

    A prior: EPOCHS of the protocol / rate * (1 + TIGHT * n_train / parameters), up to the next look and at most
    ``max_epochs``, which is what is expected of a protocol or an architecture that is not known.
    """
    protocol = spec["protocol"]
    last, every = float(protocol["max_epochs"]), int(protocol["check_every"])
    path = plugins.literal("protocol", protocol["kind"], "EPOCHS", math.inf)
    if size is None or math.isinf(path):
        return last
    length = path * (1 + TIGHT * spec["cell"]["n_train"] / size.parameters)
    looks = [every * math.ceil(length / rate / every) for rate in learning_rates]
    return sum(min(last, float(epoch)) for epoch in looks) / len(looks)


def _limit(seconds: float) -> int:
    return int(min(LONGEST, math.ceil(DELAY + MARGIN * seconds / 60)))


def _training(spec: Mapping[str, Any], size: sizes.Size, epochs: float, rates: Rates) -> float:
    """Seconds of all networks of a networks or learning_rates spec."""
    cell, protocol = spec["cell"], spec["protocol"]
    batch, number = protocol.get("batch_size"), _number(spec)
    how = {"batch": batch, "number": number, "rates": rates}
    return training_seconds(size, cell["depth"], cell["n_train"], epochs, _trained(spec), **how)


def _trained(spec: Mapping[str, Any]) -> int:
    """How many networks a job trains: seeds of every rate, or folds of every trial of a search."""
    rate = spec["learning_rate"]
    if "seeds" in spec:
        first, last = spec["seeds"]
        return int(last - first + 1) * (len(rate) if isinstance(rate, list) else 1)
    return int(rate["folds"]) * (int(rate["initial"]) + int(rate["rounds"]) * int(rate["suggestions"]))


def _learning_rates(rate: Any, *, searching: bool) -> list[float]:
    """The rates at which a job trains; those of a search that are not known yet are the middle of its range."""
    if not isinstance(rate, Mapping):
        return list(rate) if isinstance(rate, list) else [rate]
    low, high = math.log(rate["minimum"]), math.log(rate["maximum"])
    spread = [math.exp(low + (high - low) * (i + 0.5) / rate["initial"]) for i in range(rate["initial"])]
    middle = math.exp((low + high) / 2)
    return [*spread, *[middle] * (rate["rounds"] * rate["suggestions"])] if searching else [middle]


def _trainings(run: Run, job: Job, rates: Rates) -> Counted:
    """A block of networks, or a search."""
    study, spec, cell = run.studies[job.names["study"]], job.spec(run), plan.network_cell(job.names)
    size = network_size(spec, study.tasks[cell.task].model_dump())
    if size is None:
        return Counted()
    last, batch = spec["protocol"]["max_epochs"], spec["protocol"].get("batch_size") or cell.n_train
    tried = _learning_rates(grids.learning_rate(study, cell), searching=job.rule == "learning_rate")
    networks = _trained(spec)
    kept = _kept(run, job, spec, size) if job.rule == "networks" else 0
    held = networks * sizes.network_bytes(size, cell.n_train, batch, number=_number(spec))
    return Counted(
        work=_training(spec, size, epochs(spec, size, tried), rates),
        longest=_training(spec, size, last, rates),
        memory=min(held, 0.5 * ROOM) + 4 * networks * kept,
        disk=STORE + networks * kept,
    )


def _kept(run: Run, job: Job, spec: Mapping[str, Any], size: sizes.Size) -> int:
    """Bytes that a networks store keeps of a network: what was recorded, outputs and weights."""
    outputs = _number(spec) * (_outputs(run, job, spec) + size.parameters) if spec["keep"] == "outputs" else 0
    return int(DOUBLE * RECORDED * len(spec["records"]) + outputs)


def _outputs(run: Run, job: Job, spec: Mapping[str, Any]) -> int:
    """Numbers that a network gives on the test set; the loss says how many there are for two classes."""
    study = run.studies[job.names["study"]]
    ends = plugins.ends(study.tasks[job.names["task"]].model_dump())
    single = plugins.literal("loss", spec["protocol"]["loss"]["kind"], "TWO_CLASSES", 2)
    outputs = single if ends.outputs == 2 and not ends.real else ends.outputs
    return grids.n_test(study, job.names["task"]) * outputs


def _ensembles(run: Run, job: Job, rates: Rates) -> Counted:
    """Outputs of all networks on the training set; with one output, boundaries on the test set."""
    study, spec = run.studies[job.names["study"]], job.spec(run)
    size = network_size(spec, study.tasks[job.names["task"]].model_dump())
    if size is None:
        return Counted()
    outputs, n_test = _outputs(run, job, spec), grids.n_test(study, job.names["task"])
    bounded = outputs == n_test
    samples = spec["cell"]["n_train"] / 3 + (PASSES * n_test if bounded else 0)
    work = spec["seeds"] * samples * size.operations * DOUBLE / sizes.NUMBER / rates.operations
    memory = 5 * DOUBLE * spec["seeds"] * (size.parameters + outputs)
    return Counted(work, math.inf, memory, STORE + (BOUNDARIES if bounded else STORE))


def _kernels(run: Run, job: Job, rates: Rates) -> Counted:
    """The entries of the kernels of the deepest network, with those of all others on the way; the factors."""
    study, spec, n = run.studies[job.names["study"]], job.spec(run), int(job.names["n_train"])
    inputs, _ = _ends(study.tasks[job.names["task"]].model_dump())
    entries = n * (n / 2 + grids.n_test(study, job.names["task"]))
    operations = 2 * entries * inputs + sizes.regression_operations(n, len(spec["depth"]))
    work = entries * max(spec["depth"]) * ENTRY + operations * DOUBLE / sizes.NUMBER / rates.operations
    return Counted(work, math.inf, sizes.regression_bytes(n) * 1.05)


def _data(run: Run, job: Job, _: Rates) -> Counted:
    """A training or a test set."""
    spec = job.spec(run)
    inputs, _outputs = _ends(spec["task"])
    size = sizes.NUMBER * spec.get("n_test", spec["n"]) * (inputs + 1)
    return Counted(memory=2 * size, disk=STORE + size)


def _drawn(_: Run, job: Job, __: Rates) -> Counted:
    return Counted(disk=FIGURE * len(job.outputs))


def _ends(task: Mapping[str, Any]) -> tuple[int, int]:
    """Inputs and outputs of a network, as a task says."""
    return plugins.ends(task)[:2]


def _number(spec: Mapping[str, Any]) -> int:
    return DOUBLE if spec["protocol"]["precision"] == "float64" else sizes.NUMBER


COUNTED: dict[str, Callable[[Run, Job, Rates], Counted]] = {
    "training_set": _data,
    "test_set": _data,
    "split_test_set": _data,
    "networks": _trainings,
    "learning_rate": _trainings,
    "ensembles": _ensembles,
    "kernels": _kernels,
    "figure": _drawn,
}
