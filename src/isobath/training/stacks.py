"""A stack: R networks that train side by side on rows of one shared data set."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isobath import sizes
from isobath.sizes import Size

Weights = list[Tensor]


@dataclass(frozen=True)
class Network:
    """A network plug-in together with its settings."""

    module: ModuleType
    settings: dict[str, Any]

    def init(self, generators: Sequence[np.random.Generator], **shape: Any) -> Weights:
        weights: Weights = self.module.init(generators, **shape, **self.settings)
        return weights

    def apply(self, weights: Weights, x: Tensor) -> Tensor:
        outputs: Tensor = self.module.apply(weights, x, **self.settings)
        return outputs

    def size(self, *, n_inputs: int, n_outputs: int, depth: int, width: int) -> Size:
        """What one network takes: as the plug-in says, else from a start, with one number per unit of a layer."""
        shape = {"n_inputs": n_inputs, "n_outputs": n_outputs, "depth": depth, "width": width}
        if hasattr(self.module, "SIZE"):
            return sizes.size(self.module.SIZE, shape, self.settings)
        weights = self.init([np.random.default_rng(0)], **shape)
        numbers = sum(w.numel() for w in weights)
        return Size(numbers, n_inputs + n_outputs + sum(w.shape[1] for w in weights), 6 * numbers)

    def n_weights(self, weights: Weights) -> int:
        """N, parameters without biases, where the plug-in tells them apart; else all."""
        if hasattr(self.module, "n_weights"):
            return int(self.module.n_weights(weights))
        return sum(w[0].numel() for w in weights)

    def workspace(self, weights: Weights, inputs: Tensor) -> Any:
        """What computes outputs and gradients: the plug-in's own, written by hand, or autograd."""
        if hasattr(self.module, "Workspace"):
            return self.module.Workspace(weights, inputs, **self.settings)
        return AutogradWorkspace(self, weights, inputs)


class AutogradWorkspace:
    """Outputs and gradients of any network that has ``apply``; see networks.mlp.Workspace for the interface."""

    def __init__(self, network: Network, weights: Weights, inputs: Tensor) -> None:
        self.network, self.weights, self.inputs = network, weights, inputs

    def forward(self) -> Tensor:
        self._leaves = [w.detach().requires_grad_() for w in self.weights]
        self._outputs = self.network.apply(self._leaves, self.inputs)
        return self._outputs.detach().clone()

    def backward(self, delta: Tensor, into: Weights, *, factor: float = 1.0, keep: bool = False) -> None:
        for target, g in zip(into, torch.autograd.grad(self._outputs, self._leaves, delta), strict=True):
            if keep:
                target.add_(g, alpha=factor)
            else:
                torch.mul(g, factor, out=target)

    def descend(self, delta: Tensor) -> None:
        self.backward(delta, self.weights, factor=-1.0, keep=True)


ALIGNMENT = 16  # numbers, 64 bytes of float32: batched products round differently on memory that is not aligned


def pack(weights: Weights) -> Tensor:
    """All weights (R, ...) of a stack in one row, one after the other, each aligned."""
    shapes = [w.shape[1:] for w in weights]
    total = sum(_aligned(w.numel()) for w in weights)
    parameters = weights[0].new_zeros(total)
    for view, w in zip(unpack(parameters, shapes, len(weights[0])), weights, strict=True):
        view.copy_(w)
    return parameters


def unpack(parameters: Tensor, shapes: Sequence[Sequence[int]], networks: int) -> Weights:
    """The weights (R, ...) of R ``networks`` as views of ``parameters``; ``shapes`` are those of one network."""
    views, start = [], 0
    for shape in shapes:
        size = networks * math.prod(shape)
        views.append(parameters[start : start + size].view(networks, *shape))
        start += _aligned(size)
    return views


def _aligned(numbers: int) -> int:
    return -(-numbers // ALIGNMENT) * ALIGNMENT


@dataclass(frozen=True)
class Stack:
    """R networks, each with its own training rows, learning rate and minibatch order.

    ``parameters`` holds all weights in one row (see ``pack``), ``shapes`` those of one network's weights.
    ``rows`` (R, n) indexes the shared data; a network with fewer rows is padded with -1.
    ``orders`` holds the key of each network's minibatch order (see randomness.permutation).
    ``moments`` is what an optimiser remembers, each laid out as the parameters: with it, the parameters
    and the number of epochs a training resumes where it stopped, bit by bit.
    """

    network: Network
    parameters: Tensor
    shapes: Sequence[Sequence[int]]
    rows: np.ndarray
    rates: Tensor
    orders: Sequence[int]
    moments: dict[str, Tensor] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.orders)

    @property
    def weights(self) -> Weights:
        """Views of the parameters."""
        return unpack(self.parameters, self.shapes, len(self))

    @property
    def owners(self) -> Tensor:
        """The network that each of ``parameters`` belongs to."""
        own = torch.arange(len(self), device=self.parameters.device)
        return pack([own.view(-1, *[1] * len(shape)).expand(-1, *shape) for shape in self.shapes])

    def select(self, members: Sequence[int]) -> "Stack":
        """The stack of the given members only, in the given order; parameters are copied."""
        index = torch.as_tensor(members, dtype=torch.long)
        on_device = index.to(self.parameters.device)

        def of_members(parameters: Tensor) -> Tensor:
            return pack([w.index_select(0, on_device) for w in unpack(parameters, self.shapes, len(self))])

        return replace(
            self,
            parameters=of_members(self.parameters),
            rows=self.rows[index.numpy()],
            rates=self.rates.index_select(0, on_device),
            orders=[self.orders[i] for i in members],
            moments={name: of_members(moment) for name, moment in self.moments.items()},
        )

    def membership(self, n: int) -> Tensor:
        """Which of the n shared samples each network trains on: bool, (R, n)."""
        mask = np.zeros((len(self), n + 1), dtype=bool)  # the last column takes the padding
        np.put_along_axis(mask, self.rows, True, axis=1)
        return torch.from_numpy(mask[:, :n]).to(self.parameters.device)


def outputs_in_blocks(network: Network, weights: Weights, x: Tensor, floats: int = 2**20) -> Tensor:
    """f(x) of every network, (R, n, K), without ever holding more than ``floats`` per layer."""
    widest = getattr(network.module, "widest", _widest)(weights)
    rows = max(1, floats // (widest * len(weights[0])))
    return torch.cat([network.apply(weights, block) for block in torch.split(x, rows)], dim=1)


def _widest(weights: Weights) -> int:
    """Numbers per sample of the largest layer."""
    return max(w.shape[1] for w in weights)
