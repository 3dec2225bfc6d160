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
from torch import Tensor

from isobath.training import replay
from isobath.training.replay import Number

PACKAGE = "numba_cuda"  # compiles for a GPU
# Numbers of a layer in a step up to which fewer kernels are faster: measured on an H100 with layers of 100 units.
MOST = 2**20
Pair = tuple[Tensor, Tensor]


def kernels() -> ModuleType:
    """Return the module of the kernels, which takes long to import."""
    from isobath.training import fused_kernels  # noqa: PLC0415

    return fused_kernels


def installed() -> bool:
    """Return whether the package that compiles for a GPU is there."""
    return importlib.util.find_spec(PACKAGE) is not None


@functools.cache
def fuses(device: torch.device) -> bool:
    """Return whether kernels can be compiled for a device; warn if the compiler fails."""
    if device.type != "cuda" or not installed():
        return False
    return _runs(try_kernels, device, failure="numba-cuda is installed and fails, so that torch does all of a step")


@functools.cache
def moves(update: Callable[..., None], rule: Any, moments: int, device: torch.device) -> bool:
    """Return whether the ``update`` of a protocol compiles for a device; warn if not, as where it uses NumPy."""
    failure = f"{update.__module__}.{update.__name__} does not compile for a GPU, so that torch takes its steps"
    return _runs(try_update, update, rule, moments, device, failure=failure)


def _runs(trial: Callable[..., None], *arguments: Any, failure: str) -> bool:
    try:
        trial(*arguments)
    except Exception as error:
        warnings.warn(f"{failure}: {error!r}", stacklevel=3)
        return False
    return True


def try_kernels(device: torch.device) -> None:
    """Call the kernels that every step has, on one number each."""
    z, into = torch.zeros(1, 1, 1, device=device), torch.zeros(1, 1, 1, device=device)
    add_bias_(z, into, 1.0, relu=True)
    take_derivative_(z.clone(), z, into, relu=True, factor=1.0, accumulate=False)
    gather(torch.zeros(1, 1, dtype=torch.int64, device=device), 0, (z, z), (into, into.clone()))


def try_update(update: Callable[..., None], rule: Any, moments: int, device: torch.device) -> None:
    """Take a step of one parameter, whose gradient is 0."""
    parameters, gradient, rates = torch.zeros(3, 1, device=device)
    remembered, waits = torch.zeros(moments, 1, device=device), torch.zeros(1, 1, dtype=torch.bool, device=device)
    layout, taken = torch.tensor([[0], [1]], device=device), torch.ones(1, 1, dtype=torch.int64, device=device)
    k = torch.zeros(1, dtype=torch.int64, device=device)
    kernels().move(update, rule, parameters, gradient, remembered, rates, layout, 1, taken, waits, k)


class Beside:
    """Work on a GPU stream of its own, beside the work that follows; on the current stream unless it is ``apart``."""

    def __init__(self, device: torch.device, *, apart: bool) -> None:
        self.stream = replay.side_stream(device) if apart else None

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

    It is that of the function which compiled code calls on a CPU. A first call that fails is told by a warning.
    """
    key = (fill, outputs.dtype)
    if not _DERIVES.get(key, True):
        return None
    into = torch.empty_like(outputs)
    targets = targets.expand(outputs.shape).contiguous()  # a copy where all networks see the same rows at once
    call = functools.partial(kernels().loss_derivative, fill, settings, outputs, targets, into)
    if key in _DERIVES:
        call()
        return into
    failure = f"{fill.__module__}.{fill.__name__} does not compile for a GPU, so that torch derives this loss"
    _DERIVES[key] = _runs(call, failure=failure)
    return into if _DERIVES[key] else None


_DERIVES: dict[tuple[Callable[..., None], torch.dtype], bool] = {}  # whether a first call of a function was good
