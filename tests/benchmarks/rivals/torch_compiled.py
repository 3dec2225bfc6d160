"""A step of a stack by torch.compile: vmap over the gradient of one network, the gather and the update inside."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from cases import Case, Problem
from rivals.torch_losses import mean_loss, version

__all__ = ["COMPILES", "prepare", "version"]
COMPILES = True


def loss(kind: str, weights: list[torch.Tensor], x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the mean loss of one network."""
    for number in range(0, len(weights), 2):
        x = torch.nn.functional.linear(x, weights[number], weights[number + 1])
        x = x.relu() if number < len(weights) - 2 else x
    return mean_loss(kind, x, y)


def prepare(
    case: Case, problem: Problem, *, mode: str = "default", options: dict[str, Any] | None = None
) -> tuple[Callable[[Any], None], Callable[[], list[np.ndarray]]]:
    """Return a function that trains an epoch in the orders that it is handed, and one for the weights."""
    x, y = torch.from_numpy(problem.inputs), torch.from_numpy(problem.targets)
    weights = [torch.from_numpy(w.copy()) for w in problem.starts]
    first, second = ([torch.zeros_like(w) for w in weights] for _ in range(2))
    whole = case.batch == case.samples
    gradient = torch.func.vmap(torch.func.grad(partial(loss, case.loss)), in_dims=(0, None, None) if whole else 0)

    def step(rows: torch.Tensor, factor: torch.Tensor, shift: torch.Tensor) -> None:
        inputs, targets = (x, y) if whole else (x[rows], y[rows])
        for w, g, m, v in zip(weights, gradient(weights, inputs, targets), first, second, strict=True):
            if case.optimiser == "sgd":
                w.sub_(g, alpha=case.rate)
            else:
                m.lerp_(g, 0.1)
                v.mul_(0.999).addcmul_(g, g, value=0.001)
                w.sub_(factor * m / (v.sqrt() + shift))

    how = {"options": options} if options else {"mode": mode}
    compiled, taken = torch.compile(step, dynamic=False, fullgraph=True, **how), [0]

    def epoch(orders: Callable[[], np.ndarray]) -> None:
        t = np.arange(taken[0] + 1, taken[0] + case.steps + 1)
        c1, c2 = 1 - 0.9**t, np.sqrt(1 - 0.999**t)
        factors, shifts = (torch.from_numpy(z.astype(case.dtype)) for z in (case.rate * c2 / c1, 1e-8 * c2))
        rows = torch.from_numpy(orders()).view(case.networks, case.steps, case.batch).transpose(0, 1).contiguous()
        with torch.no_grad():
            for arguments in zip(rows, factors, shifts, strict=True):
                compiled(*arguments)
        taken[0] += case.steps

    return epoch, lambda: [w.numpy() for w in weights]
