"""Stage of tangent kernels: those of the networks of a cell at their start and at the end of their training.

With Theta the kernel of one network at the start, on the samples X of the training set with targets y, eq. 16 of
Jacot, Geiger et al. predicts its output at the end, without training:

    f(x) = f0(x) + Theta(x, X) Theta(X, X)^-1 (y - f0(X))
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import xarray as xr
from torch import Tensor

from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.device import choose_device
from isobath.jobs.provenance import provenance
from isobath.jobs.specs import loss, tensors
from isobath.jobs.stored_networks import Trained, started, trained
from isobath.regression.linear_systems import IllConditioned, solve
from isobath.regression.tangent_kernel import tangent_kernel
from isobath.results.tangent_kernels import VARIABLES
from isobath.statuses import DIVERGED
from isobath.training.architecture import Weights


class Prediction(NamedTuple):
    """Outputs (m, K) of one network that eq. 16 predicts, and the jitter that it took; NaN where there is none."""

    outputs: Tensor
    jitter: float


def main(
    spec: dict[str, Any], code: str, training_set: Path, test_set: Path, networks: list[Path], output: Path
) -> None:
    """Write VARIABLES for the networks that did not diverge, on the first test samples."""
    cell, device = spec["cell"], choose_device()
    blocks = [store.read(path)[["status", "weights", "n_weights"]] for path in networks]
    block = (
        xr.concat(blocks, "seed", join="outer", combine_attrs="drop").sortby("seed").isel(seed=slice(0, spec["seeds"]))
    )
    block = block.isel(seed=(block.status != DIVERGED).values)
    train, test = tensors(training_set, device), tensors(test_set, device)
    x, points = train[0].double(), test[0][: spec["points"]].double()
    y = loss(spec["protocol"]["loss"]).targets(train[1], torch.float64)
    shape = {"inputs": x.shape[1], "outputs": y.shape[1], "device": device}
    end = trained(spec["protocol"], cell, block.weights.values, **shape)
    start = started(spec, end, block.seed.values.tolist())
    columns = compare(start, end, x, y, points)
    columns["n_weights"] = int(block.n_weights.values.max(initial=0))
    dims = {name: VARIABLES[name].dims for name in columns}
    dataset = xr.Dataset({name: (dims[name], values, VARIABLES[name].attrs) for name, values in columns.items()})
    dataset = dataset.assign_coords(seed=block.seed.values, **cell)
    made_by = provenance(spec, code, training_set, test_set, *networks)
    store.write(dataset.assign_attrs(title="tangent kernels", device=device.type, **made_by), output)
    print(dataset)


def compare(start: Trained, end: Trained, x: Tensor, y: Tensor, points: Tensor) -> dict[str, Any]:
    """Return VARIABLES but N of networks at the start and the end of training, for samples x (n, d), y (n, K)."""
    n, k, both = len(x), y.shape[1], torch.cat([x, points])
    at_start, change, predictions = [], [], []
    for i in range(len(start)):
        whole = tangent_kernel(start.architecture, _one(start, i), both).flatten(2).flatten(0, 1)
        kernel = whole[n * k :, n * k :].clone()
        later = tangent_kernel(end.architecture, _one(end, i), points).flatten(2).flatten(0, 1)
        at_start.append(kernel)
        change.append(((later - kernel).norm() / kernel.norm()).item())
        predictions.append(predict(whole, torch.from_numpy(start.outputs(both)[i]).to(x), y))
    kernels = torch.stack(at_start) if at_start else x.new_zeros(0, len(points) * k, len(points) * k)
    predicted = torch.stack([p.outputs for p in predictions]) if predictions else x.new_zeros(0, len(points), k)
    return {
        "kernel_norm": (kernels.flatten(1).norm(dim=1) / kernels.shape[-1]).numpy(force=True),
        "kernel_fluctuation": fluctuations(kernels),
        "kernel_change": np.array(change),
        "predicted_correlation": correlations(end.outputs(points), predicted.numpy(force=True)),
        "jitter": np.array([p.jitter for p in predictions]),
    }


def predict(kernel: Tensor, f: Tensor, y: Tensor) -> Prediction:
    """Return the prediction of eq. 16 by the kernel (n K + m K, ...) and the outputs f (n + m, K) at the start."""
    n = len(y)
    rows = y.numel()
    try:
        found = solve(kernel[:rows, :rows], (y - f[:n]).reshape(-1, 1))
    except IllConditioned:
        return Prediction(torch.full_like(f[n:], torch.nan), np.nan)
    return Prediction(f[n:] + (kernel[rows:, :rows] @ found.coefficients).view_as(f[n:]), found.jitter)


def fluctuations(kernels: Tensor) -> np.ndarray:
    """Return |Theta - mean| / |mean| of each of the kernels (R, m, m), unbiased in the mean square; NaN for one."""
    r = len(kernels)
    if r < 2:
        return np.full(r, np.nan)
    mean = kernels.mean(0)
    found = (kernels - mean).flatten(1).norm(dim=1) / mean.norm()
    return np.asarray((found * (r / (r - 1)) ** 0.5).numpy(force=True))


def correlations(f: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return the correlation over samples of f - fbar with its prediction, for each network of (R, m, K).

    It is NaN for networks without a prediction, over which no mean is taken either, and where one alone has one.
    """
    found, known = np.full(len(f), np.nan), np.isfinite(predicted).all((1, 2))
    if known.sum() < 2:
        return found
    own, told = ((v[known] - v[known].mean(0)).reshape(known.sum(), -1) for v in (f, predicted))
    own, told = (v - v.mean(1, keepdims=True) for v in (own, told))
    found[known] = (own * told).sum(1) / np.sqrt((own**2).sum(1) * (told**2).sum(1))
    return found


def _one(made: Trained, i: int) -> Weights:
    return [w[i : i + 1] for w in made.weights]


if __name__ == "__main__":
    command_line.run(main)
