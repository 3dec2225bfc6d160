"""Gradients and moments of all weights in one row, for optimisers with a memory, which leave waiting networks alone."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from isobath.training.minibatches import Schedule
from isobath.training.replay import Number, at
from isobath.training.stacks import Stack, unpack


class Gradients:
    """The gradients of a stack, laid out as its parameters."""

    def __init__(self, stack: Stack, schedule: Schedule) -> None:
        self.parameters, self.schedule = stack.parameters, schedule
        self._row = torch.zeros_like(stack.parameters)
        self._into = unpack(self._row, stack.shapes, len(stack))

    def gradients(self, workspace: Any, delta: Tensor, k: Number) -> Tensor:
        """Return the gradients of step k in one row, which may be overwritten; ``delta`` is that of the outputs."""
        workspace.backward(delta.mul_(at(self.schedule.weights, k)), self._into)
        return self._row


class Updates(Gradients):
    """The gradients of a stack, its rates and its moments, each laid out as its parameters.

    Moments begin at 0, unless the stack has them from an earlier epoch.
    """

    def __init__(self, stack: Stack, schedule: Schedule, *, moments: Sequence[str]) -> None:
        super().__init__(stack, schedule)
        w, networks = stack.parameters, stack.network_of_parameter
        self.moments = [stack.moments.setdefault(name, torch.zeros_like(w)) for name in moments]
        self.rates = stack.rates.index_select(0, networks)
        self._networks, self._idle = networks, torch.from_numpy(schedule.idle).to(w.device)
        self._some_wait = [bool(waits.any()) for waits in schedule.idle]  # in each step

    @contextmanager
    def of_step(self, k: Number) -> Iterator[None]:
        """Keep networks without a minibatch in step k as they were: else their moments alone would move them."""
        some_wait = any(self._some_wait) if isinstance(k, Tensor) else self._some_wait[k % self.schedule.steps]
        if not some_wait:
            yield
            return
        tensors = (self.parameters, *self.moments)
        before = [x.clone() for x in tensors]
        yield
        waits = at(self._idle, k).index_select(0, self._networks)
        for x, values in zip(tensors, before, strict=True):
            x.copy_(torch.where(waits, values, x))
