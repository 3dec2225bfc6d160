"""Kernels of a step, compiled by Numba: each thread has a number of a layer or a few, a sample, or some parameters.

Each sums in one order, whatever the stack: what a network becomes does not depend on its neighbours.
"""

import functools
import warnings
from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
import torch
from numba import cuda
from torch import Tensor

LANES, ROWS = 32, 8  # threads of a block: over the samples of a unit, and over units
THREADS = 256  # of a block that moves parameters
EACH = 16  # parameters that a thread moves in a large array
# Samples that a thread reads before it writes any: else each read would wait for the write of the sample before.
AHEAD = 4

# Of small stacks Numba says at each compilation that they leave the GPU idle; docs/speed.md says what to do.
warnings.filterwarnings("ignore", r".*Grid size \d+ will likely result in GPU under-utilization")

compiled = cast("Callable[[Any], Any]", cuda.jit)


def launch(kernel: Any, grid: tuple[int, ...], block: tuple[int, ...], *arguments: Any) -> None:
    """Call a kernel on torch's current stream, which may be recording; it sees tensors as arrays."""
    arrays = [cuda.as_cuda_array(x) if isinstance(x, Tensor) else x for x in arguments]
    kernel[grid, block, cuda.external_stream(torch.cuda.current_stream().cuda_stream)](*arrays)


def gather(table: Tensor, k: Tensor, inputs: Tensor, targets: Tensor, into: Tensor, targets_into: Tensor) -> None:
    """Copy the inputs (n, d) and targets (n, K) that row k (1,) of a ``table`` (steps, rows) names; see replay.at."""
    grid = (-(-table.shape[1] // ROWS), -(-inputs.shape[1] // LANES))
    launch(_gather, grid, (LANES, ROWS), table, k, inputs, targets, into, targets_into)


def add_bias(z: Tensor, bias: Tensor, beta: float, *, relu: bool) -> None:
    """Add beta b to z (units, B), in place, and take the positive part if ``relu``."""
    grid = (-(-len(z) // ROWS), -(-z.shape[1] // LANES))
    launch(_add_bias(z.dtype), grid, (LANES, ROWS), z, bias, beta, relu)


def take_derivative(delta: Tensor, z: Tensor, into: Tensor, *, relu: bool, factor: float, accumulate: bool) -> None:
    """Set delta (units, B) to 0 where z is, if ``relu``; set ``into`` to ``factor`` times its sums, or add them."""
    launch(_take_derivative(z.dtype), (-(-len(z) // ROWS),), (LANES, ROWS), delta, z, into, relu, factor, accumulate)


def loss_derivative(fill: Callable[..., None], loss: Any, outputs: Tensor, targets: Tensor, into: Tensor) -> None:
    """Write the derivative of a loss at outputs (R, B, K)."""
    networks, samples, _ = outputs.shape  # all along x, of which a grid may have the most blocks
    launch(_loss_derivative(fill), (networks * -(-samples // LANES),), (LANES,), loss, outputs, targets, into)


def move(
    update: Callable[..., None],
    rule: Any,
    parameters: Tensor,
    gradient: Tensor,
    moments: Tensor,
    rates: Tensor,
    layout: Tensor,
    largest: int,
    taken: Tensor,
    waits: Tensor,
    k: Tensor,
) -> None:
    """Take step k of a protocol: number ``taken`` (steps, R) of a network, unless it ``waits``, bool (steps, R).

    ``layout`` (2, parts) has the first number of each array of weights in the row of a stack, and its size in a
    network, ``largest`` at the most.
    """
    grid = (len(rates), layout.shape[1], -(-largest // (THREADS * EACH)))
    rows = (parameters, gradient, moments, rates, layout, taken, waits, k)
    launch(_move(update), grid, (THREADS,), rule, *rows)


def _number(dtype: torch.dtype) -> Any:
    return numba.from_dtype(np.dtype(str(dtype).removeprefix("torch.")))


@compiled
def _gather(table: Any, k: Any, inputs: Any, targets: Any, into: Any, targets_into: Any) -> None:
    row, column = cuda.blockIdx.x * ROWS + cuda.threadIdx.y, cuda.blockIdx.y * LANES + cuda.threadIdx.x
    if row < table.shape[1]:
        sample = table[k[0] if table.shape[0] > 1 else 0, row]
        if column < inputs.shape[1]:
            into[row, column] = inputs[sample, column]
        for output in range(column, targets.shape[1], cuda.gridDim.y * LANES):
            targets_into[row, output] = targets[sample, output]


@functools.cache
def _add_bias(dtype: torch.dtype) -> Any:
    number = _number(dtype)

    @compiled
    def kernel(z: Any, bias: Any, beta: Any, relu: Any) -> None:
        row, sample = cuda.blockIdx.x * ROWS + cuda.threadIdx.y, cuda.blockIdx.y * LANES + cuda.threadIdx.x
        if row < z.shape[0] and sample < z.shape[1]:
            value = z[row, sample] + number(beta) * bias[row]
            if relu and value < 0:
                value = number(0)  # NaN stays, to be noticed
            z[row, sample] = value

    return kernel


@functools.cache
def _take_derivative(dtype: torch.dtype) -> Any:
    number = _number(dtype)

    @compiled
    def kernel(delta: Any, z: Any, into: Any, relu: Any, factor: Any, accumulate: Any) -> None:
        row, lane = cuda.blockIdx.x * ROWS + cuda.threadIdx.y, cuda.threadIdx.x
        sums, ahead = cuda.shared.array((ROWS, LANES), number), cuda.local.array(AHEAD, number)
        total = number(0)
        if row < z.shape[0]:
            for first in range(lane, z.shape[1], AHEAD * LANES):
                for i in range(AHEAD):  # without a branch, so that no read waits for another
                    sample = min(first + i * LANES, z.shape[1] - 1)
                    below, value = z[row, sample] <= 0, delta[row, sample]
                    ahead[i] = number(0) if relu and below else value
                for i in range(AHEAD):
                    sample = first + i * LANES
                    if sample < z.shape[1]:
                        delta[row, sample] = ahead[i]
                        total += ahead[i]
        sums[cuda.threadIdx.y, lane] = total
        cuda.syncthreads()
        if lane == 0 and row < z.shape[0]:
            total = number(0)
            for other in range(LANES):
                total += sums[cuda.threadIdx.y, other]
            total *= number(factor)
            into[row] = into[row] + total if accumulate else total

    return kernel


@functools.cache
def _loss_derivative(fill: Callable[..., None]) -> Any:
    of_sample = cuda.jit(device=True)(fill)

    @compiled
    def kernel(loss: Any, outputs: Any, targets: Any, into: Any) -> None:
        blocks = (outputs.shape[1] + LANES - 1) // LANES  # of a network
        network, s = cuda.blockIdx.x // blocks, cuda.blockIdx.x % blocks * LANES + cuda.threadIdx.x
        if s < outputs.shape[1]:
            of_sample(loss, outputs[network, s : s + 1], targets[network, s : s + 1], into[network, s : s + 1])

    return kernel


@functools.cache
def _move(update: Callable[..., None]) -> Any:
    some = cuda.jit(device=True)(update)

    @compiled
    def kernel(
        rule: Any, parameters: Any, gradient: Any, moments: Any, rates: Any, layout: Any, taken: Any, waits: Any, k: Any
    ) -> None:
        network, part = cuda.blockIdx.x, cuda.blockIdx.y
        first, apart = cuda.blockIdx.z * THREADS + cuda.threadIdx.x, cuda.gridDim.z * THREADS
        start, size = layout[0, part] + network * layout[1, part], layout[1, part]
        step, at = k[0] if len(taken) > 1 else 0, k[0] if len(waits) > 1 else 0
        if first < size and not waits[at, network]:
            some(
                rule,
                parameters[start + first : start + size : apart],
                gradient[start + first : start + size : apart],
                moments[:, start + first : start + size : apart],
                rates[network],
                taken[step, network],
            )

    return kernel
