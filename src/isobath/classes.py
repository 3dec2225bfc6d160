"""The rules by which outputs of a network become classes and errors, of class indices or of real targets.

The class is that of the largest output, or the sign of a single one. Arrays are those of NumPy or of torch. Everything
that classifies uses the first rule; regressions and the squared loss use both.
"""

from typing import Any

Array = Any


def predicted(outputs: Array) -> Array:
    """Return the class (...) of outputs (..., K): the argmax, or for K = 1 whether f > 0."""
    return outputs[..., 0] > 0 if outputs.shape[-1] == 1 else outputs.argmax(-1)


def misclassified(outputs: Array, labels: Array) -> Array:
    """Return whether each sample is put in another class than its label: bool (...), of outputs (..., K)."""
    return predicted(outputs) != labels


def is_real(truth: Array) -> bool:
    """Return whether the truth of a data set is real targets (n, K) rather than class indices (n,)."""
    return bool(truth.ndim > 1)


def errors(outputs: Array, truth: Array) -> Array:
    """Return the error of each sample, (...), of outputs (..., K): whether it is misclassified by labels (n,), bool.

    For real targets (n, K) it is the squared error, averaged over the K outputs.
    """
    return ((outputs - truth) ** 2).mean(-1) if is_real(truth) else misclassified(outputs, truth)
