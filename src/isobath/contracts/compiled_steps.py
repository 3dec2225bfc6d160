"""Training in compiled code and by torch, of which the contracts of protocols and losses ask for equal networks."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from isobath.contracts.tiny_stacks import padded, stack
from isobath.training import fused
from isobath.training.architecture import Architecture
from isobath.training.compiled import epochs as compiled
from isobath.training.compiled import train as compiled_train
from isobath.training.minibatches import Epoch
from isobath.training.stacks import Stack, unpack

ROWS = padded(53, [range(53), range(20, 50), range(7)])  # in the last minibatches of an epoch some networks wait
RATES = [0.02, 0.01, 0.03]
EPOCHS = 3

Training = Callable[[Stack], Iterator[Epoch]]


class OnTorch(Architecture):
    """An architecture that hands out no compiled code."""

    def compiled(self, weights: Any) -> None:
        """Return None: the training goes on by torch."""


def check_steps(training: Training, outputs: int) -> None:
    """Assert that training in compiled code and by torch gives the same networks and moments."""
    check_bounds(training, outputs)
    compiled_stack, torch_stack = stack(RATES, ROWS, outputs=outputs), stack(RATES, ROWS, outputs=outputs)
    torch_stack = replace(
        torch_stack, architecture=OnTorch(torch_stack.architecture.module, torch_stack.architecture.settings)
    )
    for trained in (compiled_stack, torch_stack):
        epochs = training(trained)
        for _ in range(EPOCHS):
            assert next(epochs).finite.all()
    message = "networks differ by how they were trained: the step in compiled code is not that in torch"
    for fast, slow in zip(_remembered(compiled_stack), _remembered(torch_stack), strict=True):
        torch.testing.assert_close(fast, slow, rtol=1e-8, atol=1e-11, msg=lambda text: f"{message}\n{text}")


def check_bounds(training: Training, outputs: int) -> None:
    """Assert that functions for compiled code stay within their arrays: Numba does not check, and Python would crash.

    The functions are called once, in plain Python, on arrays as an epoch hands them over.
    """
    functions: dict[Any, Callable[..., None]] = {}

    def epoch(*arguments: Any) -> None:
        bound = inspect.signature(compiled.one_epoch.py_func).bind(*arguments).arguments
        memory, (samples, k) = bound["memory"], bound["memory"].targets.shape
        delta = memory.parameters.dtype.type(0.5) * np.ones((samples, k))
        _within(functions[compiled.derivative], bound["loss"], delta, memory.targets, np.empty_like(delta))
        step = functions.get(compiled.update, compiled.update)
        _within(step, bound["rule"], memory.parameters, memory.gradient, memory.moments, 0.1, 1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_train, "register", lambda stub, _, function: functions.setdefault(stub, function))
        patch.setattr(compiled_train, "outputs_at_start", lambda *_: None)
        patch.setattr(compiled_train, "one_epoch", epoch)
        next(training(stack(RATES, ROWS, outputs=outputs)))


def check_alone(training: Training, outputs: int) -> None:
    """Assert that an update which is said to move each parameter alone does: every second one, then the others."""
    found: list[tuple[Any, Callable[..., None], int]] = []

    def epochs(*_: Any, rule: Any, update: Callable[..., None], moments: Any, **__: Any) -> Iterator[Epoch]:
        found.append((rule, update, len(moments)))
        return iter(())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fused, "fuses", lambda device: True)
        patch.setattr(fused, "moves", lambda *_: True)
        patch.setattr(compiled_train, "fused_epochs", epochs)
        training(stack(RATES, ROWS, outputs=outputs))
    for rule, update, count in found:
        rng = np.random.default_rng(0)
        together = [rng.standard_normal(12), rng.standard_normal(12), rng.random((count, 12))]
        apart = [x.copy() for x in together]
        update(rule, *together, 0.1, 3)
        for some in (slice(0, None, 2), slice(1, None, 2)):
            update(rule, *(x[..., some] for x in apart), 0.1, 3)
        message = "the update moves parameters by others than themselves: call compiled_epochs without each_alone"
        assert all(np.array_equal(a, b) for a, b in zip(together, apart, strict=True)), message


def _within(function: Callable[..., None], *arguments: Any) -> None:
    with np.errstate(all="ignore"):
        try:
            function(*arguments)
        except IndexError as error:
            name = f"{function.__module__}.{function.__qualname__}"
            pytest.fail(f"{name} leaves its arrays: {error}; is every moment named in moments=?", pytrace=False)


def _remembered(trained: Stack) -> list[torch.Tensor]:
    """Return the weights of a stack and their moments, without the gaps between the arrays of its row."""
    rows = [trained.parameters, *(trained.moments[name] for name in sorted(trained.moments))]
    return [weights for row in rows for weights in unpack(row, trained.shapes, len(trained))]
