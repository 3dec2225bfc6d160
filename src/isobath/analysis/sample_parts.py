"""Test samples without one part of them, for a delete-a-group jackknife: how far others would move a number.

Weights (T, 1 + P) sum values (..., T) over samples: column 0 over all of them, column p over all but those of part p.
A data set has the numbers of all samples under their name, and those without each part, with the dim PART of
results, under that name with the ending WITHOUT_PART.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from isobath.results import PARTS, WITHOUT_PART


def but_one_part(samples: int) -> np.ndarray:
    """Return weights (T, 1 + P): those of all samples, and of all but each of the P parts.

    Parts are drawn at random, always the same ones: samples may be in an order, such as one class after the other in
    turns. P is PARTS, or the number of samples if that is less; a single sample has no parts.
    """
    parts = min(PARTS, samples) if samples > 1 else 0
    part = np.random.default_rng(0).permutation(samples) % max(parts, 1)
    return np.concatenate([np.ones((samples, 1)), part[:, None] != np.arange(parts)], 1)


def named(by_weights: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Name numbers by each column of the weights: those of all samples, and those without each part (P, ...)."""
    whole, *others = by_weights
    without = {name: np.array([other[name] for other in others]).reshape(-1, *whole[name].shape) for name in whole}
    return {**whole, **{name + WITHOUT_PART: values for name, values in without.items()}}
