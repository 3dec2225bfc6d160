"""The rule by which outputs of a network become classes: the largest output, or the sign of a single one.

Arrays are those of NumPy or of torch. Everything that classifies uses this rule.
"""

from typing import Any

Array = Any


def predicted(outputs: Array) -> Array:
    """Return the class (...) of outputs (..., K): the argmax, or for K = 1 whether f > 0."""
    return outputs[..., 0] > 0 if outputs.shape[-1] == 1 else outputs.argmax(-1)


def misclassified(outputs: Array, labels: Array) -> Array:
    """Return whether each sample is put in another class than its label: bool (...), of outputs (..., K)."""
    return predicted(outputs) != labels
