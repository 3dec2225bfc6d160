"""Objects that a spec and its files stand for: plug-ins together with their settings, data sets as tensors."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from isobath import binding
from isobath.disk import store
from isobath.training.objective import Loss


def tensors(path: Path, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return the inputs (n, d) of a data set, and its class indices (n,) or its real targets (n, K)."""
    data = store.read(path)
    truth = data.labels if "labels" in data else data.targets
    return torch.from_numpy(data.inputs.values).to(device), torch.from_numpy(truth.values).to(device)


def loss(plugin: str | Mapping[str, Any]) -> Loss:
    """Return the loss of a plug-in: a kind, or a mapping of ``kind`` and settings."""
    kind, settings = binding.parts(plugin)
    return Loss(binding.load("loss", kind), settings)
