"""Gradients and moments of all weights in one row, and networks that wait: for optimisers with a memory."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from isobath.training.minibatches import Schedule
from isobath.training.stacks import Stack, unpack


class Updates:
    """The gradients of a stack, its rates and its moments, each laid out as its parameters.

    Moments begin at 0, unless the stack has them from an earlier epoch.
    """

    def __init__(self, stack: Stack, schedule: Schedule, *, moments: Sequence[str]) -> None:
        w, networks = stack.parameters, stack.network_of_parameter
        self.parameters, self.schedule = w, schedule
        self.moments = [stack.moments.setdefault(name, torch.zeros_like(w)) for name in moments]
        self.rates = stack.rates.index_select(0, networks)
        self._row = torch.zeros_like(w)
        self._into = unpack(self._row, stack.shapes, len(stack))
        self._waiting = [torch.isin(networks, idle).nonzero().squeeze(1) for idle in schedule.idle]

    def gradients(self, workspace: Any, delta: Tensor, k: int) -> Tensor:
        """Return the gradients of step k in one row, which may be overwritten; ``delta`` is that of the outputs."""
        workspace.backward(delta.mul_(self.schedule.weights[k]), self._into)
        return self._row

    @contextmanager
    def of_step(self, k: int) -> Iterator[None]:
        """Keep networks without a minibatch in step k as they were: a memory alone moves nothing."""
        waiting, kept = self._waiting[k], (self.parameters, *self.moments)
        before = [x[waiting] for x in kept] if len(waiting) else []
        yield
        for x, values in zip(kept, before, strict=False):
            x[waiting] = values
