"""Objects that a spec and its files stand for: plug-ins together with their settings, data sets as tensors."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from isobath import binding
from isobath.disk import store
from isobath.training.objective import Loss
from isobath.training.precision import require_held


def tensors(path: Path, device: torch.device, precision: str = "float64") -> tuple[Tensor, Tensor]:
    """Return the inputs (n, d) of a data set, and its class indices (n,) or its real targets (n, K).

    Raises ValueError where a computation in ``precision`` would lose their variation.
    """
    data = store.read(path)
    truth = data.labels if "labels" in data else data.targets
    for numbers in (data.inputs, truth):
        remedy = "the task must shift and scale it, or the protocol say precision: float64"
        require_held(numbers.values, f"{path}, array {numbers.name},", precision, remedy)
    return torch.from_numpy(data.inputs.values).to(device), torch.from_numpy(truth.values).to(device)


def loss(plugin: str | Mapping[str, Any]) -> Loss:
    """Return the loss of a plug-in: a kind, or a mapping of ``kind`` and settings."""
    kind, settings = binding.parts(plugin)
    return Loss(binding.load("loss", kind), settings)
