"""The ten classes of CIFAR-10."""

from collections.abc import Mapping

import numpy as np

from isobath.data import cifar_binary
from isobath.data.images import Split, balanced_order, channel_statistics, first, standardised
from isobath.tasks import Ends

FILES = ("cifar10/cifar-10-binary.tar.gz",)
DOWNLOADS = "isobath.data.cifar10"


def split(
    n_train: int,
    n_test: int,
    *,
    generator: np.random.Generator,
    files: Mapping[str, bytes],
) -> Split:
    """Return training and test part: inputs float32 (n, 3072), channel first, labels (n,), 0 .. 9.

    Either part is the start of the official one, with classes in turn, in an order that the
    generator draws. With one generator a smaller training set is the start of a larger, and the
    images of the test part do not depend on ``n_train``; of each channel the mean and standard
    deviation of the training part are removed. ``files`` holds FILES. Raises ValueError.
    """
    if FILES[0] not in files:
        raise ValueError(f"{FILES[0]} is missing; cifar10 needs it")
    official = cifar_binary.batches(files[FILES[0]], name=FILES[0])
    (train, train_labels), (test, test_labels) = (
        _start(*part, n, generator=generator, key=key)
        for part, n, key in zip(official, (n_train, n_test), ("n_train", "n_test"), strict=True)
    )
    statistics = channel_statistics(train)
    return (standardised(train, *statistics), train_labels), (standardised(test, *statistics), test_labels)


def ends() -> Ends:
    """Return 3 x 32 x 32 features and ten classes."""
    return Ends(3072, cifar_binary.CLASSES)


def _start(
    images: np.ndarray, labels: np.ndarray, n: int, *, generator: np.random.Generator, key: str
) -> tuple[np.ndarray, np.ndarray]:
    rows = first(n, balanced_order(labels, cifar_binary.CLASSES, generator=generator), key=key)
    return images[rows], labels[rows].astype(np.int64)
