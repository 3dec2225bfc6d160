"""Operations between the products of a step on a GPU, as one kernel each: bias and relu, derivatives, an update.

torch starts a kernel for every operation, and each reads and writes a whole layer. Numba compiles the same losses and
updates for a GPU as for a CPU (training.compiled), where the package numba-cuda is installed; else torch does the work.
"""

import functools
import importlib.util
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch
from numba.core.errors import NumbaError
from torch import Tensor

from isobath.training.replay import Number

PACKAGE = "numba_cuda"  # compiles for a GPU
# Numbers of a layer in a step up to which fewer kernels are faster: measured on an H100 with layers of 100 units.
MOST = 2**20
Pair = tuple[Tensor, Tensor]


def kernels() -> ModuleType:
    """Return the module of the kernels, which takes long to import."""
    from isobath.training import fused_kernels  # noqa: PLC0415

    return fused_kernels


@functools.cache
def fuses(device: torch.device) -> bool:
    """Return whether kernels can be compiled for a device; warn if the compiler fails."""
    if device.type != "cuda" or importlib.util.find_spec(PACKAGE) is None:
        return False
    try:
        add_bias_(torch.zeros(1, 1, 1, device=device), torch.zeros(1, 1, 1, device=device), 1.0, relu=True)
    except Exception as error:
        warnings.warn(f"numba-cuda is installed and fails, so that torch does all of a step: {error!r}", stacklevel=2)
        return False
    return True


class Beside:
    """Work on a GPU stream of its own, beside the work that follows; on the current stream unless it is ``apart``."""

    def __init__(self, device: torch.device, *, apart: bool) -> None:
        self.stream = torch.cuda.Stream(device) if apart else None  # type: ignore[no-untyped-call]

    def __enter__(self) -> None:
        if self.stream is not None:
            self.stream.wait_stream(torch.cuda.current_stream())
            self.entered = torch.cuda.stream(self.stream)
            self.entered.__enter__()  # type: ignore[no-untyped-call]

    def __exit__(self, *error: object) -> None:
        if self.stream is not None:
            self.entered.__exit__(*error)

    def join(self) -> None:
        """Make all later work of the current stream wait for this work."""
        if self.stream is not None:
            torch.cuda.current_stream().wait_stream(self.stream)


def gather(table: Tensor, k: Number, sources: Pair, into: Pair) -> None:
    """Copy the rows of inputs and targets that row k of a ``table`` (steps, rows) names, each (rows, ...)."""
    rows = [x.flatten(1) for x in (*sources, *into)]
    kernels().gather(table, torch.as_tensor(k, device=table.device).view(1), *rows)


def add_bias_(z: Tensor, bias: Tensor, beta: float, *, relu: bool) -> None:
    """Add beta b to z (R, units, B), of biases (R, 1, units), and take the positive part if ``relu``, in place."""
    rows = z.shape[0] * z.shape[1]
    kernels().add_bias(z.view(rows, -1), bias.view(rows), beta, relu=relu)


def take_derivative_(delta: Tensor, z: Tensor, into: Tensor, *, relu: bool, factor: float, accumulate: bool) -> None:
    """Set delta (R, units, B) to 0 where z is, if ``relu``; write ``factor`` times its sums over B, or add them."""
    rows = z.shape[0] * z.shape[1]
    flat = (delta.view(rows, -1), z.view(rows, -1), into.view(rows))
    kernels().take_derivative(*flat, relu=relu, factor=factor, accumulate=accumulate)


def loss_derivative(fill: Callable[..., None], settings: Any, outputs: Tensor, targets: Tensor) -> Tensor | None:
    """Return the derivative of a loss at outputs (R, B, K), laid out as these; None if it compiles for a CPU alone.

    It is that of the function which compiled code calls on a CPU.
    """
    if fill in _FOR_A_CPU_ALONE:
        return None
    into = torch.empty_like(outputs)
    targets = targets.expand(outputs.shape).contiguous()  # a copy where all networks see the same rows at once
    try:
        kernels().loss_derivative(fill, settings, outputs, targets, into)
    except (NumbaError, KeyError):  # either, of a function that Numba does not know on a GPU
        _FOR_A_CPU_ALONE.add(fill)
        return None
    return into


_FOR_A_CPU_ALONE: set[Callable[..., None]] = set()
