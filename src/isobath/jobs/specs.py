"""What a spec and its files say, as things that compute: plug-ins bound to settings, data sets as tensors."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from isobath import plugins
from isobath.disk import store


def tensors(path: Path, device: torch.device) -> tuple[Tensor, Tensor]:
    """Inputs (n, d) and class indices (n,) of a training or test set."""
    data = store.read(path)
    return torch.from_numpy(data.inputs.values).to(device), torch.from_numpy(data.labels.values).to(device)


def bound(family: str, spec: dict[str, Any]) -> Callable[..., Any]:
    """The verb of the plug-in that ``spec`` names by its kind, with the other entries as settings."""
    settings = dict(spec)
    module = plugins.load(family, settings.pop("kind"))
    return partial(getattr(module, plugins.verb_of(family, spec["kind"])), **settings)
