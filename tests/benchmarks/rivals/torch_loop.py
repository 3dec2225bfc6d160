"""PyTorch as in tutorials: one network after the other, nn.Module, autograd and an optimiser, batches by index."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from cases import Case, Problem
from rivals.torch_losses import mean_loss, version
from torch import nn

__all__ = ["prepare", "version"]


def perceptron(case: Case, starts: list[torch.Tensor]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for (fan_in, fan_out), w, b in zip(pairwise(case.sizes), starts[::2], starts[1::2], strict=True):
        linear = nn.Linear(fan_in, fan_out, dtype=w.dtype)
        linear.weight.data, linear.bias.data = w, b
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def prepare(case: Case, problem: Problem) -> tuple[Callable[[Any], None], Callable[[], list[np.ndarray]]]:
    """Return a function that trains an epoch in the orders that it is handed, and one for the weights."""
    x, y = torch.from_numpy(problem.inputs), torch.from_numpy(problem.targets)
    models = [perceptron(case, [torch.from_numpy(w[i].copy()) for w in problem.starts]) for i in range(case.networks)]
    kind = torch.optim.Adam if case.optimiser == "adam" else torch.optim.SGD
    optimisers = [kind(model.parameters(), lr=case.rate) for model in models]

    def epoch(orders: Callable[[], np.ndarray]) -> None:
        for model, optimiser, order in zip(models, optimisers, torch.from_numpy(orders()), strict=True):
            for rows in order.split(case.batch):
                optimiser.zero_grad()
                mean_loss(case.loss, model(x[rows]), y[rows]).backward()
                optimiser.step()

    def weights() -> list[np.ndarray]:
        return [torch.stack(w).detach().numpy() for w in zip(*[m.parameters() for m in models], strict=True)]

    return epoch, weights
