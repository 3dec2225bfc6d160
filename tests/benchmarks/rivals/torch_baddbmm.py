"""A stack in PyTorch as one would write it: batched products, autograd, a fused optimiser."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from cases import Case, Problem
from rivals.torch_losses import mean_loss, version

__all__ = ["prepare", "version"]


def outputs(weights: list[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    """Return f(x), (R, n, K), of inputs (R, n, d)."""
    for number in range(0, len(weights), 2):
        x = torch.baddbmm(weights[number + 1][:, None], x, weights[number].transpose(1, 2))
        x = x.relu() if number < len(weights) - 2 else x
    return x


def prepare(case: Case, problem: Problem) -> tuple[Callable[[Any], None], Callable[[], list[np.ndarray]]]:
    """Return a function that trains an epoch in the orders that it is handed, and one for the weights."""
    x, y = torch.from_numpy(problem.inputs), torch.from_numpy(problem.targets)
    weights = [torch.from_numpy(w.copy()).requires_grad_() for w in problem.starts]
    kind = torch.optim.Adam if case.optimiser == "adam" else torch.optim.SGD
    optimiser = kind(weights, lr=case.rate, fused=True)
    whole = case.batch == case.samples

    def epoch(orders: Callable[[], np.ndarray]) -> None:
        for rows in torch.from_numpy(orders()).split(case.batch, dim=1):
            inputs, targets = (x.expand(case.networks, *x.shape), y) if whole else (x[rows], y[rows])
            optimiser.zero_grad()
            mean_loss(case.loss, outputs(weights, inputs), targets).sum().backward()
            optimiser.step()

    return epoch, lambda: [w.detach().numpy() for w in weights]
