"""Epochs on a GPU whose steps end in one pass over the parameters, by the update that compiled code calls on a CPU."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from isobath.training import fused
from isobath.training.minibatches import Epoch, Schedule, epochs
from isobath.training.objective import Loss
from isobath.training.replay import Number
from isobath.training.stacks import starts
from isobath.training.updates import Gradients


def fused_epochs(
    schedule: Schedule,
    inputs: Tensor,
    targets: Tensor,
    *,
    loss: Loss,
    first_epoch: int,
    rule: Any,
    update: Callable[..., None],
    moments: Sequence[str],
) -> Iterator[Epoch]:
    """Train the stack of a schedule by an ``update`` that moves each parameter by itself; see compiled.train."""
    stack, device = schedule.stack, inputs.device
    remembered, gradients = stack.moments_in_rows(moments), Gradients(stack, schedule)
    sizes = [math.prod(shape) for shape in stack.shapes]
    layout = torch.tensor([starts(stack.shapes, len(stack)), sizes], device=device)
    waits, taken = torch.from_numpy(schedule.idle).to(device), schedule.table(len(stack), dtype=torch.int64)

    def begin(epoch: int) -> None:
        taken.fill(torch.from_numpy(schedule.taken(epoch)))

    def step(workspace: Any, delta: Tensor, k: Number) -> None:
        rows = (stack.parameters, gradients.gradients(workspace, delta, k), remembered, stack.rates)
        number = torch.as_tensor(k, device=device).view(1)
        fused.kernels().move(update, rule, *rows, layout, max(sizes), taken.values, waits, number)

    return epochs(schedule, inputs, targets, loss=loss, first_epoch=first_epoch, step=step, begin=begin)
