"""The parity of the digits of MNIST (Jacot, Geiger et al. 2020, section 1.2)."""

from collections.abc import Mapping

import numpy as np

from isobath.data import idx
from isobath.data.images import Split, parity_split
from isobath.settings import Count
from isobath.tasks import Ends

FILES = (
    "mnist/train-images-idx3-ubyte.gz",
    "mnist/train-labels-idx1-ubyte.gz",
    "mnist/t10k-images-idx3-ubyte.gz",
    "mnist/t10k-labels-idx1-ubyte.gz",
)
DOWNLOADS = "isobath.data.mnist"


def split(
    n_train: int,
    n_test: int,
    *,
    generator: np.random.Generator,
    files: Mapping[str, bytes],
    dimension: Count = 10,
) -> Split:
    """Return both parts: inputs float64 (n, dimension) on the sphere, labels (n,), 0 for even and 1 for odd.

    The 70,000 digits are pooled and taken in turn of 0 .. 9 in an order that the generator draws:
    the first ``n_train`` train, the next ``n_test`` test. With one generator a smaller training set
    is the start of a larger, and the test part moves with ``n_train``. ``files`` holds FILES as
    they are published. Raises ValueError.
    """
    missing = [name for name in FILES if name not in files]
    if missing:
        raise ValueError(f"{', '.join(missing)} is missing; mnist_parity needs {', '.join(FILES)}")
    pairs = [idx.pair((files[a], files[b]), names=(a, b)) for a, b in (FILES[:2], FILES[2:])]
    shapes = [images.shape[1:] for images, _ in pairs]
    if shapes[0] != shapes[1]:
        raise ValueError(f"the images of {FILES[0]} are {shapes[0]} and of {FILES[2]} {shapes[1]}; they must be alike")
    images = np.concatenate([images.reshape(len(images), -1) for images, _ in pairs])
    digits = np.concatenate([digits for _, digits in pairs])
    return parity_split(images, digits, n_train, n_test, generator=generator, dimension=dimension)


def ends(*, dimension: int) -> Ends:
    """Return the principal components and two classes."""
    return Ends(dimension, 2)
