"""The ten digits of MNIST, as pixels (Bietti & Bach, section on images)."""

from collections.abc import Mapping

import numpy as np

from isobath.data import idx
from isobath.data.images import Split, first
from isobath.randomness import stream
from isobath.tasks import Ends

FILES = (
    "mnist/train-images-idx3-ubyte.gz",
    "mnist/train-labels-idx1-ubyte.gz",
    "mnist/t10k-images-idx3-ubyte.gz",
    "mnist/t10k-labels-idx1-ubyte.gz",
)
DOWNLOADS = "isobath.data.mnist"
SIDE = 28  # pixels


def split(
    n_train: int,
    n_test: int,
    *,
    generator: np.random.Generator,
    files: Mapping[str, bytes],
) -> Split:
    """Return both parts: inputs float64 (n, 784) from 0 to 1, labels (n,), 0 .. 9.

    The training part is drawn from the official one. The test part is the official one, or images of it that are drawn
    once for all: kernels err twice as often on its first half as on its second. With one generator a smaller training
    set is the start of a larger. ``files`` holds FILES. Raises ValueError.
    """
    missing = [name for name in FILES if name not in files]
    if missing:
        raise ValueError(f"{', '.join(missing)} is missing; mnist needs {', '.join(FILES)}")
    train, test = (_pair(files, *names) for names in (FILES[:2], FILES[2:]))
    rows = first(n_train, generator.permutation(len(train[1])), key="n_train")
    drawn = stream(0, "mnist", "test part").permutation(len(test[1]))
    tested = np.sort(first(n_test, drawn, key="n_test"))
    return _scaled(*train, rows), _scaled(*test, tested)


def ends() -> Ends:
    """Return 28 x 28 pixels and ten classes."""
    return Ends(SIDE**2, idx.CLASSES)


def _pair(files: Mapping[str, bytes], images: str, labels: str) -> tuple[np.ndarray, np.ndarray]:
    pair = idx.pair((files[images], files[labels]), names=(images, labels))
    if pair[0].shape[1:] != (SIDE, SIDE):
        raise ValueError(f"the images of {images} are {pair[0].shape[1:]}; mnist has {SIDE} x {SIDE} pixels")
    return pair


def _scaled(images: np.ndarray, labels: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return images[rows].reshape(len(rows), -1) / 255.0, labels[rows].astype(np.int64)
