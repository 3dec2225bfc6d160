"""A stack: R networks that train side by side on rows of one shared data set."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class Network:
    """A network plug-in together with its settings."""

    module: ModuleType
    settings: dict[str, Any]

    def init(self, generators: Sequence[np.random.Generator], **shape: Any) -> list[Tensor]:
        weights: list[Tensor] = self.module.init(generators, **shape, **self.settings)
        return weights

    def apply(self, weights: list[Tensor], x: Tensor) -> Tensor:
        outputs: Tensor = self.module.apply(weights, x, **self.settings)
        return outputs

    def workspace(self, weights: list[Tensor], batch: int) -> Any:
        return self.module.Workspace(weights, batch, **self.settings)


@dataclass(frozen=True)
class Stack:
    """R networks, each with its own training rows, learning rate and minibatch order.

    ``rows`` (R, n) indexes the shared data; a network with fewer rows is padded with -1.
    ``orders`` holds the key of each network's minibatch order (see randomness.permutation).
    """

    network: Network
    weights: list[Tensor]
    rows: np.ndarray
    rates: Tensor
    orders: Sequence[int]

    def __len__(self) -> int:
        return len(self.orders)

    def select(self, members: Sequence[int]) -> "Stack":
        """The stack of the given members only, in the given order; weights are copied."""
        index = torch.as_tensor(members, dtype=torch.long)
        on_device = index.to(self.weights[0].device)
        return replace(
            self,
            weights=[w.index_select(0, on_device) for w in self.weights],
            rows=self.rows[index.numpy()],
            rates=self.rates.index_select(0, on_device),
            orders=[self.orders[i] for i in members],
        )

    def membership(self, n: int) -> Tensor:
        """Which of the n shared samples each network trains on: bool, (R, n)."""
        mask = np.zeros((len(self), n + 1), dtype=bool)  # the last column takes the padding
        np.put_along_axis(mask, self.rows, True, axis=1)
        return torch.from_numpy(mask[:, :n]).to(self.weights[0].device)


def outputs_in_blocks(network: Network, weights: list[Tensor], x: Tensor, floats: int = 2**22) -> Tensor:
    """f(x) of every network, (R, n, K), without ever holding more than ``floats`` per layer."""
    widest = max(w.shape[-1] for w in weights)
    rows = max(1, floats // (widest * len(weights[0])))
    return torch.cat([network.apply(weights, block) for block in torch.split(x, rows)], dim=1)
