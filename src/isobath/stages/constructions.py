"""Construct a network whose weights are known in closed form, and score it on the test set of a task."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
import xarray as xr

from isobath.binding import bound, parts
from isobath.classes import is_real
from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.device import choose_device
from isobath.jobs.provenance import provenance
from isobath.jobs.specs import tensors
from isobath.regression.errors import sample_errors
from isobath.results import labelled
from isobath.results.constructions import VARIABLES
from isobath.training.architecture import Architecture, n_parameters, outputs_in_blocks


def main(spec: dict[str, Any], code: str, test_set: Path, output: Path) -> None:
    """Write the variables of results/constructions.py for the network built for the task, in float64."""
    device = choose_device()
    built = bound("construction", spec["construction"])(spec["task"])
    _require_named(built.network, spec)
    network, weights = Architecture.of(built.network), [w.to(device) for w in built.weights]
    inputs, truth = tensors(test_set, device)
    real = is_real(truth)
    errors = sample_errors(outputs_in_blocks(network, weights, inputs.double()), truth)[0]
    widths = network.widths(weights)
    columns: dict[str, Any] = {
        "test_error": errors.mean().item(),
        "n_parameters": n_parameters(weights),
        "n_hidden_layers": len(widths) - 1,
        "largest_width": max(widths),
    }
    if not real:
        counts = torch.bincount(truth)
        columns["class_error"] = (torch.bincount(truth, errors) / counts).cpu().numpy()
        columns["class_count"] = counts.cpu().numpy()
    coords = spec["cell"] | ({} if real else {"class": np.arange(len(counts))})
    attrs = {"title": "construction", "device": device.type, **provenance(spec, code, test_set)}
    store.write(xr.Dataset(labelled(VARIABLES, columns, real=real), coords=coords, attrs=attrs), output)
    print(columns)


def _require_named(network: str | Mapping[str, Any], spec: Mapping[str, Any]) -> None:
    """Refuse a network that the construction does not name: no fingerprint would have its code (ValueError)."""
    if parts(network) != parts(spec["network"]):
        kind = spec["construction"]["kind"]
        raise ValueError(
            f"the construction {kind} gives weights of {network!r}; NETWORK = {network!r} must stand in it"
        )


if __name__ == "__main__":
    command_line.run(main)
