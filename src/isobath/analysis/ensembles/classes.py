"""Checks of the arrays that ensembles are made of: outputs are finite, and labels are class indices of outputs."""

import numpy as np


def check_outputs(outputs: np.ndarray) -> None:
    """Raise ValueError where an output is not finite."""
    finite = np.isfinite(outputs)
    if not finite.all():
        raise ValueError(f"{(~finite).sum()} outputs are not finite; a network that diverged has no class")


def check_labels(outputs: np.ndarray, labels: np.ndarray) -> None:
    """Raise ValueError for labels that are not (T,) integers in 0 .. K - 1, or 0 and 1 with K = 1."""
    samples, k = outputs.shape[-2], max(outputs.shape[-1], 2)
    if labels.shape != (samples,):
        raise ValueError(f"labels have the shape {labels.shape}; outputs on {samples} samples allow ({samples},)")
    if not samples or (labels != np.round(labels)).any():
        raise ValueError(f"labels are {labels[:5]}...; they have to be whole numbers, one or more")
    if labels.min() < 0 or labels.max() >= k:
        raise ValueError(f"labels run from {labels.min()} to {labels.max()}; allowed are 0 to {k - 1}")
