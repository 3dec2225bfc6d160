"""Trainings of a few epochs whose weights are compared: with graphs and without, twice, and on the CPU."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from isobath import binding
from isobath.jobs.specs import loss
from isobath.randomness import stream
from isobath.training import replay
from isobath.training.architecture import Architecture
from isobath.training.minibatches import Epoch
from isobath.training.stacks import Stack, pack

EPOCHS = 5


@dataclass(frozen=True)
class Training:
    """A stack of networks and how it is trained; every second network has fewer rows, and waits in some steps."""

    name: str
    protocol: dict[str, Any]
    network: dict[str, Any] = field(default_factory=lambda: {"kind": "mlp"})
    networks: int = 20
    samples: int = 400
    fewer: int = 60
    inputs: int = 48  # images of 3 channels and 4 x 4 pixels
    depth: int = 2
    width: int = 30
    rate: float = 0.01
    objective: str = "cross_entropy"
    dtype: torch.dtype = torch.float32

    def stack(self, device: torch.device) -> Stack:
        """Return the networks as they start."""
        architecture = Architecture.of(self.network)
        starts = [stream(0, "bench", r) for r in range(self.networks)]
        shape = {"n_inputs": self.inputs, "n_outputs": self.classes, "depth": self.depth, "width": self.width}
        weights = architecture.init(starts, **shape, dtype=self.dtype)
        rows = np.tile(np.arange(self.samples), (self.networks, 1))
        rows[1::2, self.samples - self.fewer :] = -1
        return Stack(
            architecture=architecture,
            parameters=pack(weights).to(device),
            shapes=[w.shape[1:] for w in weights],
            rows=rows,
            rates=torch.full((self.networks,), self.rate, dtype=self.dtype, device=device),
            orders=list(range(self.networks)),
        )

    @property
    def classes(self) -> int:
        return 2 if self.objective in ("cross_entropy", "mean_squared_error") else 1

    def epochs(self, stack: Stack) -> Iterator[Epoch]:
        """Train a stack for ever, on the device where it is."""
        x = stream(0, "inputs").standard_normal((self.samples, self.inputs))
        inputs = torch.from_numpy(x).to(stack.parameters)
        labels = torch.from_numpy((x[:, 0] * x[:, 1] > 0).astype(np.int64)).to(inputs.device)
        objective = loss(self.objective)
        train = binding.bound("protocol", self.protocol)
        return train(stack, inputs, objective.targets(labels, inputs.dtype), loss=objective)  # type: ignore[no-any-return]

    def ended(self, device: torch.device) -> torch.Tensor:
        """Return the parameters after EPOCHS epochs, on the CPU."""
        stack = self.stack(device)
        epochs = self.epochs(stack)
        for _ in range(EPOCHS):
            next(epochs)
        return stack.parameters.cpu()

    def in_double(self) -> "Training":
        """Return the same training in float64."""
        return replace(self, dtype=torch.float64)


POOLED = {"kind": "cnn", "kernel": 3, "stride": 1, "pools": 1}
TRAININGS = (
    Training("SGD", {"kind": "sgd", "batch_size": 20}, fewer=0),
    Training("SGD, uneven rows", {"kind": "sgd", "batch_size": 20}),
    Training("momentum, uneven rows", {"kind": "momentum", "batch_size": 20}),
    Training("Adam", {"kind": "adam", "batch_size": 20}, objective="linear_hinge", rate=0.001, fewer=0),
    Training("Adam, all rows", {"kind": "adam", "batch_size": None}, objective="squared_hinge", rate=0.001),
    Training("Adam, all rows of all networks", {"kind": "adam", "batch_size": None}, fewer=0, rate=0.001),
    Training("momentum, a smaller last minibatch", {"kind": "momentum", "batch_size": 30}, fewer=0),
    Training("AdaGrad, one network", {"kind": "adagrad", "batch_size": 20}, networks=1, fewer=0),
    Training("AdaDelta, uneven rows", {"kind": "adadelta", "batch_size": 20}),
    Training("SGD, layers too large for kernels", {"kind": "sgd", "batch_size": None}, samples=2000, width=64),
    Training("convolutions", {"kind": "sgd", "batch_size": 20}, {"kind": "cnn", "kernel": 3}, width=8),
    Training("convolutions with a maximum", {"kind": "sgd", "batch_size": 20}, POOLED, width=8, depth=1),
    Training("residual", {"kind": "sgd", "batch_size": 20}, {"kind": "residual", "normalisation": "layer"}),
    Training("lazy", {"kind": "sgd", "batch_size": 20}, {"kind": "lazy", "alpha": 3.0}, objective="mean_squared_error"),
    Training("linearised", {"kind": "sgd", "batch_size": 20}, {"kind": "linearised"}, objective="linear_hinge"),
    Training("deep linear", {"kind": "sgd", "batch_size": 20}, {"kind": "deep_linear"}, objective="mean_squared_error"),
    Training("maximal update", {"kind": "sgd", "batch_size": 20}, {"kind": "maximal_update"}),
)


@contextmanager
def without_graphs() -> Iterator[None]:
    """Let every device take its steps one by one."""
    devices, replay.DEVICES = replay.DEVICES, ()
    try:
        yield
    finally:
        replay.DEVICES = devices
