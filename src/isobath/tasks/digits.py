"""The 8 x 8 digits that come with scikit-learn, as pixels: mnist where nothing can be downloaded."""

from collections.abc import Mapping

import numpy as np

from isobath.data.images import Split, first
from isobath.tasks import Ends

FULL = 16  # the largest value of a pixel


def split(
    n_train: int,
    n_test: int,
    *,
    generator: np.random.Generator,
    files: Mapping[str, bytes],
) -> Split:
    """Return both parts of 1797 digits: inputs float64 (n, 64) from 0 to 1, labels (n,), 0 .. 9.

    The last ``n_test`` of a random order test, and the first ``n_train`` train. ``files`` is not looked at. Raises
    ValueError.
    """
    from sklearn.datasets import load_digits  # noqa: PLC0415 (a second, which the workflow does without)

    images, digits = load_digits(return_X_y=True)
    order = generator.permutation(len(digits))
    if n_train + n_test > len(order):
        raise ValueError(f"n_train + n_test is {n_train} + {n_test}; it must be at most {len(order)}, all digits")
    parts = first(n_train, order, key="n_train"), first(n_test, order[::-1], key="n_test")
    train, test = ((images[rows] / FULL, digits[rows].astype(np.int64)) for rows in parts)
    return train, test


def ends() -> Ends:
    """Return 8 x 8 pixels and ten classes."""
    return Ends(64, 10)
