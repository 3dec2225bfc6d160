"""The cost of training networks, counted from the spec of a job: work, memory and disk.

Time limits are for every network to train to its last epoch. The expected work is less, since networks stop when they
fit: see ``expected_epochs``.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from isobath import plugins, sizes
from isobath.ends import Ends
from isobath.sizes import NUMBER, STORE, Counted, Size, training_work
from isobath.study.run import ends, ends_of, n_test
from isobath.study.schema import Study

# A network takes 1 + TIGHT n_train / parameters times as many epochs to fit as one that is much larger than its
# training set: a prior, read off runs of two studies, as the EPOCHS that protocols declare.
TIGHT = 10.0
DOUBLE = 8  # bytes of a float64
ROOM = 4e9  # bytes that a job may take besides the weights that it stores; half of them for a stack
RECORDED = 8  # numbers that are recorded of a network at a time

Spec = Mapping[str, Any]


def network_size(study: Study, spec: Spec) -> Size | None:
    """Return the size of a network of a job; None for an architecture whose size is not known."""
    cell = spec["cell"]
    return size_in(study, cell["task"], spec["protocol"]["network"], depth=cell["depth"], width=cell["width"])


def size_in(study: Study, task: str, network: Mapping[str, Any], *, depth: int, width: int) -> Size | None:
    """Return the size of a network with all settings on a task; None where it is not known.

    Raises ValueError for one that there is not, such as convolutions of inputs that are no image.
    """
    n_inputs, n_outputs = ends(study, task)
    return size_of(network, {"n_inputs": n_inputs, "n_outputs": n_outputs, "depth": depth, "width": width})


def size_of(network: Mapping[str, Any], shape: Mapping[str, int]) -> Size | None:
    """Return the size of a network with all settings and a shape; None where it is not known. Raises ValueError."""
    path = plugins.literal("network", network["kind"], "SIZE")
    if path is None:
        return None
    try:
        return sizes.size(path, shape, network)
    except LookupError:  # of a network inside
        return None


def number(spec: Spec) -> int:
    """Return the bytes of a number of a training."""
    return DOUBLE if spec["protocol"]["precision"] == "float64" else NUMBER


def trained(spec: Spec) -> int:
    """Return the number of trainings of a job: seeds of every rate, or about as many folds as a search tries."""
    rate = spec["learning_rate"]
    if "seeds" in spec:
        first, last = spec["seeds"]
        return int(last - first + 1) * (len(rate) if isinstance(rate, list) else 1)
    return sizes.trials(int(rate["folds"]), int(rate["initial"]), int(rate["rounds"]) * int(rate["suggestions"]))


def rates_tried(rate: Any, *, searching: bool) -> list[float]:
    """Return the learning rates at which a job trains; unknown ones of a search are the middle of its range."""
    if not isinstance(rate, Mapping):
        return list(rate) if isinstance(rate, list) else [rate]
    middle = math.sqrt(rate["minimum"]) * math.sqrt(rate["maximum"])
    first = sizes.spread(rate["minimum"], rate["maximum"], rate["initial"])
    return [*first, *[middle] * (rate["rounds"] * rate["suggestions"])] if searching else [middle]


def expected_epochs(spec: Spec, size: Size | None, rates: Sequence[float], *, real: bool = False) -> float:
    """Return the epochs that a network is expected to train, on average over the learning ``rates``.

    It is a prior: EPOCHS of the protocol / rate * (1 + TIGHT * n_train / parameters), up to the next evaluation, at
    most as many as a search has patience for and at most ``max_epochs``. That is expected without a prior, and on
    ``real`` targets, which hardly any network fits exactly.
    """
    protocol = spec["protocol"]
    last, every = float(protocol["max_epochs"]), int(protocol["check_every"])
    epochs_times_rate = _epochs_times_rate(protocol["kind"])
    if size is None or math.isinf(epochs_times_rate) or real:
        return last
    length = epochs_times_rate * (1 + TIGHT * spec["cell"]["n_train"] / size.parameters)
    looks = [every * math.ceil(min(length / rate, last) / every) for rate in rates]
    if isinstance(spec["learning_rate"], Mapping):  # of a search, which gives up folds that take much longer
        last = min(last, spec["learning_rate"]["patience"] * min(looks))
    return sum(min(last, float(epoch)) for epoch in looks) / len(looks)


def _epochs_times_rate(kind: str) -> float:
    """Return EPOCHS of a protocol, infinite where it has none. Raises PluginError for what is no number."""
    value = plugins.literal("protocol", kind, "EPOCHS", math.inf)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise plugins.PluginError(f"{plugins.path('protocol', kind)}: EPOCHS is {value!r}; it must be a number above 0")
    return float(value)


def training_cost(study: Study, spec: Spec, rates: Sequence[float]) -> Counted:
    """Return the cost of a search or of a block of networks, without the outputs that are stored."""
    size, protocol = network_size(study, spec), spec["protocol"]
    if size is None:
        return Counted(known=False)
    n, batch, networks = spec["cell"]["n_train"], protocol.get("batch_size"), trained(spec)

    def work(epochs: float) -> sizes.Work:
        return work_of(study, spec, size, samples=n, epochs=epochs, networks=networks)

    each = sizes.network_bytes(size, n, min(batch or n, n), number=number(spec))
    expected = expected_epochs(spec, size, rates, real=ends_of(study, spec["cell"]["task"]).real)
    return Counted(work(expected), work(protocol["max_epochs"]), min(networks * each, max(each, 0.5 * ROOM)), STORE)


def work_of(study: Study, spec: Spec, size: Size, *, samples: int, epochs: float, networks: int) -> sizes.Work:
    """Return the work of training networks of a job, of ``size``, for a number of epochs."""
    cell, batch = spec["cell"], spec["protocol"].get("batch_size")
    layers = size._replace(activations=size.activations - ends(study, cell["task"])[0])  # inputs pass no layer
    return training_work(layers, cell["depth"], samples, epochs, networks, batch=batch, number=number(spec))


def output_units(study: Study, spec: Spec) -> int:
    """Return the number of outputs K of the networks of a job."""
    return units_of(ends_of(study, spec["cell"]["task"]), spec["protocol"]["loss"]["kind"])


def units_of(task_ends: Ends, loss: str) -> int:
    """Return the number of outputs K of networks with a loss: it says how many there are for two classes."""
    of_two = int(plugins.literal("loss", loss, "TWO_CLASSES", 2))
    return of_two if task_ends.outputs == 2 and not task_ends.real else task_ends.outputs


def n_outputs(study: Study, spec: Spec) -> int:
    """Return how many numbers a network gives on the test set."""
    return n_test(study, spec["cell"]["task"]) * output_units(study, spec)


def stored_bytes(study: Study, spec: Spec) -> int:
    """Return the bytes that a store keeps of a network: records, and outputs and weights where they are stored."""
    size = network_size(study, spec)
    weights = size.parameters if size and spec["store"] != "errors" else 0
    outputs = n_outputs(study, spec) if size and spec["store"] == "outputs" else 0
    return int(DOUBLE * RECORDED * len(spec["records"]) + number(spec) * (weights + outputs))


def weights_mb(study: Study, spec: Spec, *, networks: int, copies: int) -> int:
    """Return the MB of a job that holds ``copies`` of the weights of ``networks`` in float64, and 4 GB besides."""
    size = network_size(study, spec)
    return math.ceil(ROOM / 1e6) + math.ceil(copies * networks * DOUBLE * (size.parameters if size else 0) / 1e6)
