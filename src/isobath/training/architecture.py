"""The architecture of a stack: a network plug-in together with its settings, and the defaults of its optional hooks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isobath import binding, sizes
from isobath.plugin_arrays import refused, shaped
from isobath.sizes import Size
from isobath.training.replay import replays

Weights = list[Tensor]

IN_CACHE, ON_GPU = 2**18, 2**26  # numbers per layer when outputs are computed in blocks


@dataclass(frozen=True)
class Architecture:
    """A network plug-in (see networks) together with its settings."""

    module: Any
    settings: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, network: str | Mapping[str, Any]) -> "Architecture":
        """Return the architecture of a network plug-in: a kind, or a mapping of ``kind`` and settings."""
        kind, settings = binding.parts(network)
        return cls(binding.load("network", kind), settings)

    def init(self, generators: Sequence[np.random.Generator], **shape: Any) -> Weights:
        """Return the starts of R networks, one per generator, each weight (R, ...)."""
        return self.module.init(generators, **shape, **self.settings)  # type: ignore[no-any-return]

    def apply(self, weights: Weights, x: Tensor) -> Tensor:
        """Return f(x), (R, n, K), for inputs (n, d) shared by the networks or (R, n, d)."""
        return self.module.apply(weights, x, **self.settings)  # type: ignore[no-any-return]

    def require_contract(self, weights: Weights, x: Tensor, *, networks: int, n_outputs: int) -> None:
        """Refuse starts of another number or dtype than that of ``networks`` and x (n, d), and outputs of other shapes.

        Raises ValueError, one sentence.
        """
        for w in weights:
            shaped(self.module.init, w, (networks, *w.shape[1:]), "weights")
            if w.dtype != x.dtype:
                raise refused(self.module.init, f"weights of the type {w.dtype}", str(x.dtype))
        f = self.apply([w[:1] for w in weights], x)
        shaped(self.module.apply, f, (1, len(x), n_outputs), "outputs of one network")

    def size(self, *, n_inputs: int, n_outputs: int, depth: int, width: int) -> Size:
        """Return the size of one network: by the plug-in, else counted from a start, one number per unit of a layer."""
        shape = {"n_inputs": n_inputs, "n_outputs": n_outputs, "depth": depth, "width": width}
        if hasattr(self.module, "SIZE"):
            defaults = self.module.init.__kwdefaults__ or {}
            return sizes.size(self.module.SIZE, shape, {**defaults, **self.settings})
        weights = self.init([np.random.default_rng(0)], **shape)
        return Size(n_parameters(weights), n_inputs + n_outputs + sum(self.widths(weights)), 6 * n_parameters(weights))

    def n_parameters(self, weights: Weights) -> int:
        """Return the number of parameters of one network that are trained."""
        return int(getattr(self.module, "n_parameters", n_parameters)(weights))

    def n_weights(self, weights: Weights) -> int:
        """Return N, the parameters of one network without biases where the plug-in tells them apart; else all."""
        return int(getattr(self.module, "n_weights", n_parameters)(weights))

    def widths(self, weights: Weights) -> list[int]:
        """Return the units of each layer, output last."""
        return list(getattr(self.module, "widths", _second_axes)(weights))

    def widest(self, weights: Weights, n_inputs: int) -> int:
        """Return the numbers per sample of the largest layer."""
        hook = getattr(self.module, "widest", None)
        return int(hook(weights, n_inputs)) if hook else max(self.widths(weights))

    def compiled(self, weights: Weights) -> Any:
        """Return the network as compiled code takes it (see training.compiled); None if the plug-in does not."""
        hook = getattr(self.module, "compiled", None)
        return hook(weights, **self.settings) if hook else None

    def tangent(self, weights: Weights) -> tuple[Any, Weights] | None:
        """Return a compiled perceptron and its weights, whose gradients are those of this network; None if none has."""
        hook = getattr(self.module, "tangent", None)
        if hook:
            return hook(weights, **self.settings)  # type: ignore[no-any-return]
        perceptron = self.compiled(weights)
        return None if perceptron is None else (perceptron, weights)

    def workspace(self, weights: Weights, inputs: Tensor) -> Any:
        """Return the workspace of a minibatch: the plug-in's own, written by hand, or autograd's."""
        if hasattr(self.module, "Workspace"):
            return self.module.Workspace(weights, inputs, **self.settings)
        return AutogradWorkspace(self, weights, inputs)


class AutogradWorkspace:
    """Outputs and gradients of any network that has ``apply``; see networks.mlp.Workspace for the interface."""

    def __init__(self, architecture: Architecture, weights: Weights, inputs: Tensor) -> None:
        self.architecture, self.weights, self.inputs = architecture, weights, inputs

    def forward(self) -> Tensor:
        """Return f(x) of the minibatch, (R, B, K)."""
        self._leaves = [w.detach().requires_grad_() for w in self.weights]
        with torch.enable_grad():  # a caller of the library may have switched it off
            self._outputs = self.architecture.apply(self._leaves, self.inputs)
        return self._outputs.detach().clone()

    def backward(self, delta: Tensor, into: Weights, *, factor: float = 1.0, accumulate: bool = False) -> None:
        """Write ``factor`` times the gradient into ``into``, or add it."""
        # The gradient of weights that do not enter the outputs is zero.
        gradients = torch.autograd.grad(self._outputs, self._leaves, delta, materialize_grads=True)
        for target, g in zip(into, gradients, strict=True):
            if accumulate:
                target.add_(g, alpha=factor)
            else:
                torch.mul(g, factor, out=target)

    def step_(self, delta: Tensor) -> None:
        """Take one step of gradient descent in place; ``delta`` has been multiplied by the learning rate."""
        self.backward(delta, self.weights, factor=-1.0, accumulate=True)


def n_parameters(weights: Weights) -> int:
    """Return the number of all parameters of one network."""
    return sum(math.prod(w.shape[1:]) for w in weights)


def outputs_in_blocks(architecture: Architecture, weights: Weights, x: Tensor, floats: int | None = None) -> Tensor:
    """Return f(x) of every network, (R, n, K), without ever holding more than ``floats`` numbers per layer.

    The default is as many as the cache of a CPU holds, or as keep a GPU at work for longer than a launch takes.
    """
    floats = floats or (ON_GPU if replays(x.device) else IN_CACHE)
    rows = max(1, floats // (architecture.widest(weights, x.shape[-1]) * max(1, len(weights[0]))))
    return torch.cat([architecture.apply(weights, block) for block in torch.split(x, rows)], dim=1)


def _second_axes(weights: Weights) -> list[int]:
    return [w.shape[1] for w in weights]
