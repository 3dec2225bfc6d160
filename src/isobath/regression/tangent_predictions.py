"""Tangent kernels of finite networks at the start and the end of training, and what those at the start predict.

With Theta the kernel of one network at the start, on the samples X of the training set with targets y, eq. 16 of
Jacot, Geiger et al. predicts its output at the end, without training:

    f(x) = f0(x) + Theta(x, X) Theta(X, X)^-1 (y - f0(X))
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from isobath.regression.linear_systems import IllConditioned, solve
from isobath.regression.tangent_kernel import tangent_kernel
from isobath.training.architecture import Architecture, Weights, outputs_in_blocks


class Prediction(NamedTuple):
    """Outputs (m, K) of one network that eq. 16 predicts, and the jitter that it took; NaN where there is none."""

    outputs: Tensor
    jitter: float


def compare(
    architecture: Architecture, start: Weights, end: Weights, x: Tensor, y: Tensor, points: Tensor, weights: np.ndarray
) -> dict[str, np.ndarray]:
    """Compare the kernels of R networks at the start and the end of training on samples x (n, d), y (n, K).

    Return, each (R,): the norm of the kernel at the start at ``points`` (m, d) over its number of rows, the correlation
    of outputs at the end with what it predicts, and the jitter of that; and its fluctuation over networks and its
    change (W, R), by each column of the ``weights`` (m, W) of the points.
    """
    n, k, both = len(x), y.shape[1], torch.cat([x, points])
    rows = torch.from_numpy(weights).to(x).repeat_interleave(k, 0)
    f, outputs = (outputs_in_blocks(architecture, *arguments) for arguments in ((start, both), (end, points)))
    at_start, change, predictions = [], [], []
    for i in range(len(start[0])):
        joint = tangent_kernel(architecture, _one(start, i), both).flatten(2).flatten(0, 1)
        kernel = joint[n * k :, n * k :].clone()
        later = tangent_kernel(architecture, _one(end, i), points).flatten(2).flatten(0, 1)
        at_start.append(kernel)
        change.append((norms(later - kernel, rows) / norms(kernel, rows)).numpy(force=True))
        predictions.append(predict(joint, f[i], y))
    kernels = torch.stack(at_start) if at_start else x.new_zeros(0, len(points) * k, len(points) * k)
    predicted = torch.stack([p.outputs for p in predictions]) if predictions else x.new_zeros(0, len(points), k)
    return {
        "kernel_norm": (kernels.flatten(1).norm(dim=1) / kernels.shape[-1]).numpy(force=True),
        "kernel_fluctuation": fluctuations(kernels, rows),
        "kernel_change": np.array(change).reshape(-1, weights.shape[1]).T,
        "predicted_correlation": correlations(outputs.numpy(force=True), predicted.numpy(force=True)),
        "jitter": np.array([p.jitter for p in predictions]),
    }


def predict(kernel: Tensor, f: Tensor, y: Tensor) -> Prediction:
    """Return the prediction of eq. 16 by the kernel (n K + m K, ...) and the outputs f (n + m, K) at the start."""
    n = len(y)
    rows = y.numel()
    try:
        solution = solve(kernel[:rows, :rows], (y - f[:n]).reshape(-1, 1))
    except IllConditioned:
        return Prediction(torch.full_like(f[n:], torch.nan), np.nan)
    return Prediction(f[n:] + (kernel[rows:, :rows] @ solution.coefficients).view_as(f[n:]), solution.jitter)


def norms(matrices: Tensor, weights: Tensor) -> Tensor:
    """Return the Frobenius norms (..., W) of matrices (..., m, m) with weights (m, W) of their rows and columns."""
    squares = matrices.square() @ weights
    return (squares * weights).sum(-2).sqrt()


def fluctuations(kernels: Tensor, weights: Tensor) -> np.ndarray:
    """Return |Theta - mean| / |mean| of each of the kernels (R, m, m), unbiased in the mean square; NaN for one.

    It is (W, R), by each column of the weights (m, W) of rows and columns.
    """
    r = len(kernels)
    if r < 2:
        return np.full((weights.shape[1], r), np.nan)
    mean = kernels.mean(0)
    relative = norms(kernels - mean, weights) / norms(mean, weights)
    return np.asarray((relative * (r / (r - 1)) ** 0.5).numpy(force=True).T)


def correlations(f: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return the correlation over samples of f - fbar with its prediction, for each network of (R, m, K).

    It is NaN for networks without a prediction, over which no mean is taken either, and where one alone has one.
    """
    result, usable = np.full(len(f), np.nan), np.isfinite(predicted).all((1, 2))
    if usable.sum() < 2:
        return result
    measured, expected = ((v[usable] - v[usable].mean(0)).reshape(usable.sum(), -1) for v in (f, predicted))
    measured, expected = (v - v.mean(1, keepdims=True) for v in (measured, expected))
    result[usable] = (measured * expected).sum(1) / np.sqrt((measured**2).sum(1) * (expected**2).sum(1))
    return result


def _one(weights: Weights, i: int) -> Weights:
    return [w[i : i + 1] for w in weights]
