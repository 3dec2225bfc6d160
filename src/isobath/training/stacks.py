"""A stack: R networks that train side by side on rows of one shared data set."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from isobath.training.architecture import Architecture, Weights

ALIGNMENT = 16  # numbers, 64 bytes of float32: batched products round differently on memory that is not aligned


def pack(weights: Weights) -> Tensor:
    """Return all weights (R, ...) of a stack in one row, one after the other, each aligned."""
    shapes = [w.shape[1:] for w in weights]
    parameters = weights[0].new_zeros(_starts(shapes, len(weights[0]))[-1])
    for view, w in zip(unpack(parameters, shapes, len(weights[0])), weights, strict=True):
        view.copy_(w)
    return parameters


def unpack(parameters: Tensor, shapes: Sequence[Sequence[int]], networks: int) -> Weights:
    """Return the weights (R, ...) of R ``networks`` as views of ``parameters``; ``shapes`` are those of one network."""
    ends = (start + networks * math.prod(shape) for start, shape in zip(starts(shapes, networks), shapes, strict=True))
    slices = itertools.starmap(slice, zip(starts(shapes, networks), ends, strict=True))
    return [parameters[part].view(networks, *shape) for part, shape in zip(slices, shapes, strict=True)]


def starts(shapes: Sequence[Sequence[int]], networks: int) -> list[int]:
    """Return where each parameter of R ``networks`` begins in their row."""
    return _starts(shapes, networks)[:-1]


def _starts(shapes: Sequence[Sequence[int]], networks: int) -> list[int]:
    return [0, *itertools.accumulate(aligned(networks * math.prod(shape)) for shape in shapes)]


def aligned(numbers: int) -> int:
    """Return the next multiple of ALIGNMENT."""
    return -(-numbers // ALIGNMENT) * ALIGNMENT


@dataclass(frozen=True)
class Stack:
    """R networks, each with its own training rows, learning rate and minibatch order.

    ``parameters`` holds all weights in one row (see ``pack``), ``shapes`` those of one network's weights.
    ``rows`` (R, n) indexes the shared data; a network with fewer rows is padded with -1.
    ``orders`` holds the key of each network's minibatch order (see randomness.permutation).
    ``moments`` are the arrays of an optimiser, each laid out as the parameters: with them, the parameters and the
    number of epochs a training resumes where it stopped, bit by bit.
    """

    architecture: Architecture
    parameters: Tensor
    shapes: Sequence[Sequence[int]]
    rows: np.ndarray
    rates: Tensor
    orders: Sequence[int]
    moments: dict[str, Tensor] = field(default_factory=dict)

    @classmethod
    def of(
        cls, architecture: Architecture, weights: Weights, *, rows: np.ndarray, rates: Tensor, orders: Sequence[int]
    ) -> "Stack":
        """Return a stack of networks that begin at ``weights`` (R, ...), copied to the device of the ``rates``."""
        shapes = [w.shape[1:] for w in weights]
        return cls(architecture, pack(weights).to(rates.device), shapes, rows=rows, rates=rates, orders=orders)

    def __len__(self) -> int:
        return len(self.orders)

    @property
    def weights(self) -> Weights:
        """Return the weights (R, ...), views of the parameters."""
        return unpack(self.parameters, self.shapes, len(self))

    @property
    def network_of_parameter(self) -> Tensor:
        """Return the index of the network that each of ``parameters`` belongs to."""
        index = torch.arange(len(self), device=self.parameters.device)
        return pack([index.view(-1, *[1] * len(shape)).expand(-1, *shape) for shape in self.shapes])

    def moments_in_rows(self, names: Sequence[str]) -> Tensor:
        """Return what an optimiser remembers as rows, (moments, parameters), of which ``moments`` become views."""
        rows = self.parameters.new_zeros(len(names), len(self.parameters))
        for row, name in zip(rows, names, strict=True):
            row.copy_(self.moments.get(name, row))
            self.moments[name] = row
        return rows

    def select(self, members: Sequence[int]) -> "Stack":
        """Return the stack of the given members only, in the given order; parameters are copied."""
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

    @cached_property
    def _memberships(self) -> dict[int, Tensor]:
        return {}

    def membership(self, n: int) -> Tensor:
        """Return which of the n shared samples each network trains on: bool, (R, n), built once."""
        if n not in self._memberships:
            mask = np.zeros((len(self), n + 1), dtype=bool)  # the last column takes the padding
            np.put_along_axis(mask, self.rows, True, axis=1)
            self._memberships[n] = torch.from_numpy(mask[:, :n]).to(self.parameters.device)
        return self._memberships[n]
