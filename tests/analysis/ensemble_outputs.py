"""Random outputs of networks, and every subset of them, on which ensembles are tested."""

import itertools

import numpy as np

from isobath.randomness import stream


def outputs(networks=6, samples=40, k=1, name="outputs"):
    """Draw outputs (R, T, K) and labels (T,) of networks that agree on most samples and err on some."""
    draw = stream(0, name, networks, samples, k)
    labels = draw.integers(0, max(k, 2), samples)
    signal = (2 * labels - 1)[:, None] if k == 1 else np.eye(k)[labels]
    return signal + 0.8 * draw.standard_normal((samples, k)) + draw.standard_normal((networks, samples, k)), labels


def every_subset(networks, size):
    return np.array([[i in c for i in range(networks)] for c in itertools.combinations(range(networks), size)])


def of_all_samples(function, outputs, *arguments, **options):
    """Return what a function of outputs (R, T, K) and of weights of samples gives for all samples."""
    found = function(outputs, *arguments, np.ones((outputs.shape[1], 1)), **options)
    return found[0] if isinstance(found, list) else found[:, 0]
