"""Epochs in compiled code: a loss and a protocol say what is particular to them, as functions that Numba compiles.

A loss has ``Compiled``, a NamedTuple of its settings, and ``fill_derivative``; a protocol hands over its own
``Compiled`` with the function ``update`` (see their families). Both are found by the type of the NamedTuple, so that
what was compiled can be kept on disk.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from isobath.training.compiled.matrices import compiled
from isobath.training.compiled.perceptron import backward, forward

Settings = Any  # a NamedTuple of floats; its type names the loss or the protocol


class Descent(NamedTuple):
    """Plain gradient descent, w <- w - eta grad L: made by the products of the backward pass, if a step is one part."""


class Memory(NamedTuple):
    """Memory of one network in an epoch, used again by the next: flat and aligned arrays."""

    parameters: np.ndarray
    gradient: np.ndarray
    moments: np.ndarray  # (moments, parameters)
    activations: np.ndarray
    derivatives: np.ndarray
    targets: np.ndarray  # (part, K): of samples that pass together
    applied: np.ndarray  # the weights that a lazy network applies, w0 + v / alpha


def derivative(loss: Settings, outputs: Any, targets: Any, into: Any) -> None:
    """Fill ``into`` (B, K) with the derivative of the loss of each sample."""


def update(rule: Settings, parameters: Any, gradient: Any, moments: Any, rate: float, step: int) -> None:
    """Move the parameters by the step number ``step`` = 1, 2, ...; all but ``moments`` are flat."""


@cache
def register(stub: Callable[..., None], settings: Any, function: Callable[..., None]) -> None:
    """Register the function that compiled code calls in place of the stub where its first argument is ``settings``."""
    # Numba names machine code by this name: two classes of one name in two modules would share it.
    settings.__name__ = f"{settings.__module__}.{settings.__qualname__}"

    def typed(kind: Any) -> Callable[..., None] | None:
        return function if isinstance(kind, types.BaseNamedTuple) and kind.instance_class is settings else None

    if stub is derivative:
        overload(derivative, strict=False)(lambda loss, outputs, targets, into: typed(loss))
    else:
        overload(update, strict=False)(lambda rule, parameters, gradient, moments, rate, step: typed(rule))


def _descend(rule: Descent, parameters: Any, gradient: Any, moments: Any, rate: float, step: int) -> None:
    """Descend along a gradient that was added up part by part."""
    eta = parameters.dtype.type(rate)
    for i in range(len(parameters)):
        parameters[i] -= eta * gradient[i]


DESCENT = Descent()
register(update, Descent, _descend)


@compiled
def _take(stacked: Any, row: Any, layout: Any, network: int) -> None:
    """Copy the parameters of a network from the row of its stack to its own row, without slices, slow to compile."""
    for start, to, size in layout.T:
        for i in range(size):
            row[to + i] = stacked[start + network * size + i]


@compiled
def _give_back(stacked: Any, row: Any, layout: Any, network: int) -> None:
    """Copy the parameters of a network from its own row to that of its stack."""
    for start, to, size in layout.T:
        for i in range(size):
            stacked[start + network * size + i] = row[to + i]


@compiled
def _displace(row: Any, laziness: float, applied: Any) -> None:
    """Set the weights that a lazy network applies to w0 + v / alpha; its own row holds v, then w0."""
    factor = np.ones(1, row.dtype)
    factor[0] /= laziness
    for i in range(len(applied)):
        applied[i] = row[len(applied) + i] + factor[0] * row[i]


@compiled
def _gather(samples: Any, rows: Any, into: Any) -> None:
    """Copy some rows of the samples (n, d) to where ``into`` begins, number by number: Numba is slow to make slices."""
    d = samples.shape[1]
    for i in range(len(rows)):
        row, place = rows[i], i * d
        for j in range(d):
            into[place + j] = samples[row, j]


@compiled
def _change(outputs: Any, start: Any, rows: Any, laziness: float) -> None:
    """Set outputs (B, K) to alpha times what they have changed from the start (n, K)."""
    for i, row in enumerate(rows):
        for j in range(outputs.shape[1]):
            outputs[i, j] = laziness * (outputs[i, j] - start[row, j])


@compiled
def _averaged(delta: Any, samples: int) -> bool:
    """Divide derivatives (B, K) by the number of ``samples`` of the step; return whether they are finite."""
    finite = True
    for i in range(len(delta)):
        for j in range(delta.shape[1]):
            finite &= np.isfinite(delta[i, j])
            delta[i, j] /= samples
    return finite


@compiled
def outputs_at_start(
    address: int, perceptron: Any, offsets: Any, inputs: Any, stacked: Any, layout: Any, memory: Any, into: Any
) -> None:
    """Set ``into`` (R, n, K) to the outputs f(w0) of lazy networks at all inputs."""
    last, half = len(perceptron.units) - 1, len(memory.applied)
    k, all_rows = perceptron.units[last], np.arange(len(inputs))
    for network in range(len(into)):
        _take(stacked, memory.parameters, layout, network)
        for i in range(half):
            memory.applied[i] = memory.parameters[half + i]
        for first in range(0, len(inputs), len(memory.targets)):
            samples = min(len(memory.targets), len(inputs) - first)
            _gather(inputs, all_rows[first : first + samples], memory.activations)
            forward(address, perceptron, offsets, memory.applied, memory.activations, samples)
            outputs = memory.activations[offsets.activations[last] :][: samples * k].reshape(samples, k)
            into[network, first : first + samples] = outputs


@compiled
def one_epoch(
    address: int, perceptron: Any, offsets: Any, loss: Any, rule: Any, inputs: Any, targets: Any, start: Any,
    orders: Any, counts: Any, stacked: Any, moments: Any, layout: Any, rates: Any, past: Any, batch: int,
    direct: bool, memory: Any, finite: Any,
) -> None:  # fmt: skip
    """Train each network for an epoch, in place; note whether the last derivative of its loss is finite.

    ``orders`` (R, n) are its rows in their order, ``counts`` (R,) their number, ``past`` (R,) its steps so far.
    ``start`` (R, n, K) are the outputs at the start of lazy networks, and not looked at for others. The samples of a
    step pass part by part, and the gradients of the parts are added up in their order.
    """
    last, part = len(perceptron.units) - 1, len(memory.targets)
    k, lazy = perceptron.units[last], perceptron.laziness > 0
    parameters, weights = memory.parameters, memory.applied if lazy else memory.parameters
    for network in range(len(counts)):
        _take(stacked, parameters, layout, network)
        for m in range(len(moments)):
            _take(moments[m], memory.moments[m], layout, network)
        step = past[network]
        for first in range(0, counts[network], batch):
            samples = min(batch, counts[network] - first)
            rate, step, finite[network] = rates[network], step + 1, True
            at_once = direct and samples <= part
            into, factor = (parameters, -rate) if at_once else (memory.gradient, 1.0)
            if lazy:
                _displace(parameters, perceptron.laziness, weights)
            for begin in range(first, first + samples, part):
                some = min(part, first + samples - begin)
                rows = orders[network, begin : begin + some]
                _gather(inputs, rows, memory.activations)
                _gather(targets, rows, memory.targets.reshape(-1))
                forward(address, perceptron, offsets, weights, memory.activations, some)
                outputs = memory.activations[offsets.activations[last] :][: some * k].reshape(some, k)
                if lazy:
                    _change(outputs, start[network], rows, perceptron.laziness)
                delta = memory.derivatives[offsets.activations[last] :][: some * k].reshape(some, k)
                derivative(loss, outputs, memory.targets[:some], delta)
                finite[network] &= _averaged(delta, samples)
                data, keep = (memory.activations, memory.derivatives), 1.0 if at_once or begin > first else 0.0
                backward(address, perceptron, offsets, weights, *data, into, some, factor, keep)
            if not at_once:
                update(rule, parameters, memory.gradient, memory.moments, rate, step)
        _give_back(stacked, parameters, layout, network)
        for m in range(len(moments)):
            _give_back(moments[m], memory.moments[m], layout, network)
