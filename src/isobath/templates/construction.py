"""The 1-local label as a network: f(x) = -x_i, without a hidden layer."""

from collections.abc import Mapping
from typing import Any

import torch

from isobath.constructions import Built


def build(task: Mapping[str, Any]) -> Built:
    """Return the perceptron (R = 1), float64, that is positive where the component is negative."""
    accept(task)
    (component,) = task.get("offsets") or (1,)
    weight = torch.zeros(1, 1, task["dimension"], dtype=torch.float64)
    weight[0, 0, component - 1] = -1
    return Built([weight, torch.zeros(1, 1, 1, dtype=torch.float64)], "mlp")


def accept(task: Mapping[str, Any]) -> None:
    """Refuse a task that is not 1-local (ValueError)."""
    if task["kind"] != "k_local" or task["k"] != 1:
        raise ValueError(f"the task is {dict(task)}; first_component knows k_local labels with k = 1 alone")
