"""The parity of the 8 x 8 digits that come with scikit-learn: mnist_parity where nothing can be downloaded."""

from collections.abc import Mapping

import numpy as np

from isobath.data.images import Split, parity_split
from isobath.settings import Count
from isobath.tasks import Ends


def split(
    n_train: int,
    n_test: int,
    *,
    generator: np.random.Generator,
    files: Mapping[str, bytes],
    dimension: Count = 10,
) -> Split:
    """Return training and test part, by the same map as mnist_parity, of 1797 digits, 1740 of them when balanced.

    Inputs float64 (n, dimension) on the sphere, labels (n,), 0 for even and 1 for odd. ``files``
    is not looked at. Raises ValueError.
    """
    from sklearn.datasets import load_digits  # noqa: PLC0415 (a second, which the workflow does without)

    images, digits = load_digits(return_X_y=True)
    return parity_split(images, digits, n_train, n_test, generator=generator, dimension=dimension)


def ends(*, dimension: int) -> Ends:
    """Return the principal components and two classes."""
    return Ends(dimension, 2)
