"""Sizes of networks, and the counted work, memory and disk of jobs. Results depend on counts, never on seconds.

A multiplication and an addition are two operations. ``number`` is the bytes of a number.
"""

import importlib
import inspect
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

NUMBER = 4  # bytes of a float32
# Numbers in memory per weight: the weight, its gradient, two moments and scratch; a copy of all these when networks
# leave a stack; and the memory that is not returned after the networks trained before (measured).
COPIES = 13
STORE = 12_000  # bytes of a store of small arrays
# Bytes per sample of the training set, measured: rows, orders of two epochs, and an evaluation of all outputs.
SAMPLE = 450
# Times that a device which replays steps holds the memory of one: of the first, which is called, and of the graphs of
# one step and of several, each with a pool of its own.
POOLS = 3


class Size(NamedTuple):
    """Size of one network: its parameters, and numbers and operations per sample of a training step."""

    parameters: int  # weights and biases
    activations: int  # of all layers, inputs and outputs included
    operations: int  # forward, the weights' derivatives, and the inputs' but for the first layer's
    patches: int = 0  # numbers of the patches of convolutions, which a GPU multiplies as matrices


class Work(NamedTuple):
    """Work of a job, in the units for which a machine has rates (workflow/job_costs.py), in float32."""

    launches: float = 0.0  # a layer's part of a step
    operations: float = 0.0
    activations: float = 0.0  # numbers that pass through a layer, forward and back

    def __mul__(self, factor: float) -> "Work":  # type: ignore[override]
        return Work(*(factor * count for count in self))


class Counted(NamedTuple):
    """Costs of a job: its work, the work to the last epoch (None: not known), peak memory and disk in bytes."""

    work: Work = Work()
    longest: Work | None = None
    memory: float = 0.0
    disk: float = STORE
    known: bool = True  # False where the size of a network is not known: then a time limit is the longest


def size(path: str, shape: Mapping[str, int], settings: Mapping[str, Any]) -> Size:
    """Return the size by the function at ``path``, ``module:function``, which gets those ``settings`` that it names.

    ``settings`` are all of the network's, those at their defaults included.
    """
    if not isinstance(path, str):  # of a plug-in, whose constants have any type
        raise ValueError(f"SIZE is {path!r}; it must be 'module:function'")
    function, parameters = _function(path)
    try:
        return function(**shape, **{key: value for key, value in settings.items() if key in parameters})
    except TypeError as error:  # it takes other sizes
        raise ValueError(f"SIZE is {path!r}; it can't be called with {', '.join(shape)}: {error}") from None


@cache
def _function(path: str) -> tuple[Callable[..., Size], Mapping[str, inspect.Parameter]]:
    """Return the function at ``path``, ``module:function``, and its parameters. Raises ValueError if there is none."""
    module, _, name = path.partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"SIZE is {path!r}; it must be 'module:function': {error}") from None
    return function, inspect.signature(function).parameters


def step_bytes(size: Size, batch: int, *, number: int = NUMBER) -> int:
    """Return the bytes that a step of one network touches: weights, activations and their derivatives."""
    return number * (size.parameters + 2 * batch * size.activations)


def network_bytes(size: Size, n_train: int, batch: int, *, number: int = NUMBER, replayed: bool = False) -> int:
    """Return the bytes that one network of a stack takes at its peak; ``replayed`` is on a GPU, which replays steps."""
    step = step_bytes(size, batch, number=number)
    if replayed:
        step = POOLS * (step + 2 * number * batch * size.patches)
    return number * COPIES * size.parameters + SAMPLE * n_train + step


def regression_bytes(n_train: int) -> int:
    """Return the bytes of the Gram matrix and its factor, in float64."""
    return 2 * 8 * n_train**2


def regression_operations(n_train: int, depths: int) -> int:
    """Return the operations of the Cholesky factorisations; the entries of the kernel come on top."""
    return depths * n_train**3 // 3


def training_work(
    size: Size, depth: int, n_train: int, epochs: float, networks: int, *, batch: int | None, number: int = NUMBER
) -> Work:
    """Return the work of training a stack of networks for ``epochs`` on ``n_train`` samples each."""
    steps = epochs * math.ceil(n_train / (batch or n_train))
    samples = networks * n_train * epochs * number / NUMBER
    return Work(steps * (depth + 1), samples * size.operations, samples * size.activations)


def rungs(folds: int) -> list[int]:
    """Return the numbers of folds on which a search tries rates, one after the other: a quarter, half and all."""
    return sorted({math.ceil(folds / 4), math.ceil(folds / 2), folds})


def spread(minimum: float, maximum: float, initial: int) -> list[float]:
    """Return the first rates of a search, the middles of ``initial`` equal intervals of the logarithmic range."""
    low, high = math.log10(minimum), math.log10(maximum)
    return [10 ** (low + (high - low) * (i + 0.5) / initial) for i in range(initial)]


def trials(folds: int, initial: int, later: int) -> int:
    """Count the trainings of a search, one for each rate and fold.

    After each rung the better half of the ``initial`` rates goes on; a ``later`` rate counts with half of the folds.
    """
    trained, rates, previous = later * folds / 2, initial, 0
    for rung in rungs(folds):
        trained, rates, previous = trained + rates * (rung - previous), math.ceil(rates / 2), rung
    return math.ceil(trained)


def data_set(ends: tuple[int, int], samples: int, *, beside: int = 0) -> Counted:
    """Return the cost of a data set of ``samples`` with ``ends`` (features, classes), cut off from those ``beside``."""
    row = NUMBER * (ends[0] + 1)
    return Counted(memory=2 * row * (samples + beside), disk=STORE + row * samples)
