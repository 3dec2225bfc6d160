"""Epochs of a stack by compiled code, where its network, its loss and its protocol have it.

On a CPU a whole epoch is compiled, on a GPU the update of the protocol, in one pass over the parameters.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from isobath.training import fused
from isobath.training.compiled.epochs import (
    DESCENT,
    Memory,
    Settings,
    derivative,
    one_epoch,
    outputs_at_start,
    register,
)
from isobath.training.compiled.epochs import update as update_of
from isobath.training.compiled.matrices import GEMM
from isobath.training.compiled.perceptron import Perceptron, Places, places
from isobath.training.fused_update import fused_epochs
from isobath.training.minibatches import Epoch, Schedule
from isobath.training.objective import Loss
from isobath.training.stacks import Stack, starts

PART = 256  # samples of a step that pass together: the activations of many more leave the cache of a core


def compiled_epochs(
    schedule: Schedule,
    inputs: Tensor,
    targets: Tensor,
    *,
    loss: Loss,
    first_epoch: int,
    rule: Settings = DESCENT,
    update: Callable[..., None] | None = None,
    moments: Sequence[str] = (),
    each_alone: bool = False,
) -> Iterator[Epoch] | None:
    """Return epochs that train the stack of a schedule in place for ever; None where there is no compiled code.

    ``update`` is the step of a protocol and ``rule`` its settings; without it, weights descend along the gradient.
    ``moments`` names what the protocol remembers, in the order in which ``update`` is handed it. If it moves
    ``each_alone``, each parameter by its own gradient and moments, a GPU takes the step in one pass over them.
    """
    stack = schedule.stack
    perceptron, objective = stack.architecture.compiled(stack.weights), loss.compiled()
    device = stack.parameters.device
    if update and each_alone and fused.fuses(device) and fused.moves(update, rule, len(moments), device):
        how = {"rule": rule, "update": update, "moments": moments, "loss": loss, "first_epoch": first_epoch}
        return fused_epochs(schedule, inputs, targets, **how)
    if perceptron is None or objective is None or device.type != "cpu":
        return None
    register(derivative, objective.__class__, loss.module.fill_derivative)
    if update is not None:
        register(update_of, rule.__class__, update)
    remembered = stack.moments_in_rows(moments).numpy()
    data = (inputs.numpy(), targets.numpy())
    return _epochs(schedule, perceptron, objective, rule, data, remembered, first_epoch, direct=update is None)


def _epochs(
    schedule: Schedule,
    perceptron: Perceptron,
    objective: Settings,
    rule: Settings,
    data: tuple[np.ndarray, np.ndarray],
    remembered: np.ndarray,
    first_epoch: int,
    *,
    direct: bool,
) -> Iterator[Epoch]:
    """Train by compiled code on inputs and targets; ``direct`` is descent by the products of the backward pass."""
    (inputs, targets), stack = data, schedule.stack
    part = min(schedule.batch_size, PART)
    offsets, layout, memory = _memory(stack, perceptron, part, targets.shape[1], len(remembered))
    address, rates = GEMM[str(memory.parameters.dtype)], stack.rates.double().numpy()
    finite, arrays = np.ones(len(stack), dtype=bool), (stack.parameters.numpy(), remembered, layout, rates)
    start = np.zeros((len(stack) * (perceptron.laziness > 0), len(inputs), targets.shape[1]), inputs.dtype)
    if len(start):  # else this compiled code need not even be loaded
        outputs_at_start(address, perceptron, offsets, inputs, arrays[0], layout, memory, start)
    for epoch in itertools.count(first_epoch):
        rows, past = (schedule.order(epoch), schedule.counts), epoch * schedule.steps_per_network
        tables = (*data, start, *rows, *arrays)
        batches = (past, schedule.batch_size, direct)
        one_epoch(address, perceptron, offsets, objective, rule, *tables, *batches, memory, finite)
        yield Epoch(epoch + 1, lambda: torch.from_numpy(finite))


def _memory(
    stack: Stack, perceptron: Perceptron, samples: int, n_outputs: int, moments: int
) -> tuple[Places, np.ndarray, Memory]:
    """Return the places of one network, its layout, and the memory of one network for some ``samples`` at a time.

    Rows of the layout (3, arrays) are where an array starts in the stack, where in a network, and its size there.
    """
    offsets, n_parameters, n_activations = places(stack.shapes, perceptron, samples)
    network_starts = np.stack([offsets.weights, offsets.biases], axis=1).ravel()
    layout = np.array([starts(stack.shapes, len(stack)), network_starts, [math.prod(shape) for shape in stack.shapes]])

    def empty(*shape: int) -> np.ndarray:
        memory: np.ndarray = stack.parameters.new_zeros(*shape).numpy()  # aligned, as NumPy's is not
        return memory

    return (
        offsets,
        layout,
        Memory(
            parameters=empty(n_parameters),
            gradient=empty(n_parameters),
            moments=empty(moments, n_parameters),
            activations=empty(n_activations),
            derivatives=empty(n_activations),
            targets=empty(samples, n_outputs),
            applied=empty(n_parameters // 2 if perceptron.laziness > 0 else 0),
        ),
    )
