"""Stored data sets as tensors."""

from pathlib import Path

import torch
from torch import Tensor

from isobath import store


def tensors(path: Path, device: torch.device) -> tuple[Tensor, Tensor]:
    """Inputs (n, d) and class indices (n,) of a training or test set."""
    data = store.read(path)
    return torch.from_numpy(data.inputs.values).to(device), torch.from_numpy(data.labels.values).to(device)
