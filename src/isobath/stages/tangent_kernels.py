"""Compute the tangent kernels of the networks of a cell at their start and at the end of their training."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
import xarray as xr

from isobath.analysis.sample_parts import but_one_part, named
from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.device import choose_device
from isobath.jobs.provenance import provenance
from isobath.jobs.seed_blocks import converged
from isobath.jobs.specs import loss, tensors
from isobath.jobs.stored_networks import started, trained
from isobath.regression.tangent_predictions import compare
from isobath.results import PART, labelled
from isobath.results.tangent_kernels import OF_KERNELS, VARIABLES


def main(
    spec: dict[str, Any], code: str, training_set: Path, test_set: Path, networks: list[Path], output: Path
) -> None:
    """Write norm, fluctuation, change and predictions of the tangent kernels of networks that did not diverge.

    The kernels are those of the first test samples.
    """
    cell, device = spec["cell"], choose_device()
    block = converged(networks, first=spec["seeds"], variables=("weights", "n_weights"))
    train, test = tensors(training_set, device), tensors(test_set, device)
    x, points = train[0].double(), test[0][: spec["points"]].double()
    y = loss(spec["protocol"]["loss"]).targets(train[1], torch.float64)
    shape = {"inputs": x.shape[1], "outputs": y.shape[1]}
    end = trained(spec["protocol"], cell, block.weights.values, **shape, device=device)
    start = started(spec, end, block.seed.values.tolist(), **shape) if block.sizes["seed"] else end
    compared = compare(end.architecture, start.weights, end.weights, x, y, points, but_one_part(len(points)))
    by_weights = zip(*(compared.pop(name) for name in OF_KERNELS), strict=True)
    of_networks = named([dict(zip(OF_KERNELS, values, strict=True)) for values in by_weights])
    columns: dict[str, Any] = {**compared, **of_networks, "n_weights": int(block.n_weights.values.max(initial=0))}
    dataset = xr.Dataset(labelled(VARIABLES, columns), coords={"seed": block.seed.values, **cell})
    dataset = dataset.assign_coords({PART: np.arange(dataset.sizes[PART])})  # cubes align cells by it
    made_by = provenance(spec, code, training_set, test_set, *networks)
    store.write(dataset.assign_attrs(title="tangent kernels", device=device.type, **made_by), output)
    print(dataset)


if __name__ == "__main__":
    command_line.run(main)
