"""Preparation of images: balanced order, and the map to principal components on a sphere.

Section 1.2 of Jacot, Geiger et al. (2020): the digits of MNIST by parity, on their first principal
components, whitened, on the sphere of radius sqrt(d). Here statistics come from the training
part alone; the authors' code centres and projects each part by itself.
"""

import math

import numpy as np

Samples = tuple[np.ndarray, np.ndarray]  # inputs (n, d), labels (n,)
Split = tuple[Samples, Samples]  # for training, for testing

ZERO = 1e-8  # eigenvalues, and gaps between two, below this fraction of the largest count as zero: they are rounding
TIE = 1e-6  # components of an eigenvector that differ by less than this fraction count as equally large
CENTRE = 1e-8  # a whitened image nearer than this to the mean has no direction


def balanced_order(labels: np.ndarray, classes: int, *, generator: np.random.Generator) -> np.ndarray:
    """Return rows (m,) in turn of class 0, 1, ..., each class shuffled, until a class is exhausted.

    ``labels`` (n,) are 0 .. classes - 1. The counts of two classes in any first rows differ by at most one.
    Raises ValueError for a class without images.
    """
    rows = [generator.permutation(np.flatnonzero(labels == label)) for label in range(classes)]
    rounds = min(map(len, rows))
    if rounds == 0:
        empty = next(label for label, members in enumerate(rows) if not len(members))
        raise ValueError(f"class {empty} has no images; each of the {classes} classes must have some")
    return np.stack([members[:rounds] for members in rows], axis=1).ravel()


def first(n: int, rows: np.ndarray, *, key: str) -> np.ndarray:
    """Return the first ``n`` of the rows (m,). Raises ValueError, which calls n ``key``, unless 1 <= n <= m."""
    if not 1 <= n <= len(rows):
        raise ValueError(f"{key} is {n}; it must be 1 to {len(rows)}, the number of images to choose from")
    return rows[:n]


def components(images: np.ndarray, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean (D,) of images (n, D) and the map W (D, d) to d whitened principal components.

        W = V Lambda^(-1/2),  C V = V Lambda,  C = <x x^T> - <x> <x>^T

    Pixels are integers, so sums are exact in float64 and C does not depend on the order in which a BLAS adds. Raises
    ValueError if the components are not defined: n <= d, d > D, an eigenvalue of zero, or two equal eigenvalues.
    """
    n, pixels = images.shape
    if n <= dimension:
        raise ValueError(f"n_train is {n}; it must be larger than dimension, which is {dimension}")
    if dimension > pixels:
        raise ValueError(f"dimension is {dimension}; it must not exceed the number of pixels, which is {pixels}")
    x = images.astype(np.float64)
    total = x.sum(axis=0)
    covariance = (n * (x.T @ x) - np.outer(total, total)) / n**2
    values, vectors = np.linalg.eigh(covariance)
    values, vectors = values[::-1], vectors[:, ::-1]
    _require_distinct(values, dimension)
    return total / n, fix_signs(vectors[:, :dimension]) / np.sqrt(values[:dimension])


def _require_distinct(values: np.ndarray, dimension: int) -> None:
    """Raise ValueError unless the first ``dimension`` of decreasing eigenvalues (D,) define their eigenvectors."""
    least = ZERO * values[0]
    rank = int((values > max(least, 0.0)).sum())
    if rank < dimension:
        raise ValueError(
            f"dimension is {dimension}; it must not exceed {rank}, the directions that training images have"
        )
    gaps = -np.diff(values[: dimension + 1])
    if (gaps <= least).any():
        i = int(gaps.argmin()) + 1
        raise ValueError(f"the eigenvalues {i} and {i + 1} of the training images are equal; they must differ")


def fix_signs(vectors: np.ndarray) -> np.ndarray:
    """Return eigenvectors (D, d), each with the sign that makes its component of largest magnitude positive.

    The first decides where several components are equally large up to rounding.
    """
    size = np.abs(vectors)
    leading = (size >= (1 - TIE) * size.max(axis=0)).argmax(axis=0)
    return np.where(np.take_along_axis(vectors, leading[None], axis=0) < 0, -vectors, vectors)


def on_sphere(images: np.ndarray, mean: np.ndarray, whitening: np.ndarray) -> np.ndarray:
    """Map images (n, D) to sqrt(d) z / |z|, with z = (x - mean) W: float64 (n, d). Raises ValueError at z = 0."""
    z = images.astype(np.float64) @ whitening - mean @ whitening
    norm = np.linalg.norm(z, axis=1, keepdims=True)
    if (norm <= CENTRE).any():
        raise ValueError(f"image {int(norm.argmin())} is the mean image in its components; it must have a direction")
    unit: np.ndarray = z / norm * np.sqrt(whitening.shape[1])
    return unit


def parity_split(
    images: np.ndarray,
    digits: np.ndarray,
    n_train: int,
    n_test: int,
    *,
    generator: np.random.Generator,
    dimension: int,
) -> Split:
    """Split digits by parity: inputs float64 (n, dimension) on the sphere, labels int64 (n,), 0: even, 1: odd.

    ``images`` (m, D) and ``digits`` (m,) are put in balanced order; the first ``n_train`` are
    for training, the ``n_test`` that follow for testing. Raises ValueError.
    """
    order = balanced_order(digits, 10, generator=generator)
    if min(n_train, n_test) < 1 or n_train + n_test > len(order):
        raise ValueError(
            f"n_train + n_test is {n_train} + {n_test}; they must be at least 1 each and at most {len(order)} in all, "
            f"the images there are when digits are balanced"
        )
    parts = order[:n_train], order[n_train : n_train + n_test]
    mean, whitening = components(images[parts[0]], dimension)
    train, test = ((on_sphere(images[rows], mean, whitening), digits[rows].astype(np.int64) % 2) for rows in parts)
    return train, test


def standardised(images: np.ndarray, mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Standardise images uint8 (n, c, p) by the mean (c,) and deviation (c,) of their channels: float32 (n, c p)."""
    table = ((np.arange(256) - mean[:, None]) / deviation[:, None]).astype(np.float32)  # for the 256 values of a pixel
    channels = [table[channel][images[:, channel]] for channel in range(len(mean))]
    return np.concatenate(channels, axis=1)


def channel_statistics(images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation (c,) of each channel of images uint8 (n, c, p), from exact sums.

    Raises ValueError for a channel that is constant.
    """
    means, deviations = zip(*(_moments(images[:, c], c) for c in range(images.shape[1])), strict=True)
    return np.array(means), np.array(deviations)


def _moments(pixels: np.ndarray, channel: int) -> tuple[float, float]:
    histogram = np.bincount(pixels.ravel(), minlength=256)
    value = np.arange(256)
    count, total, squares = (
        int(histogram @ value**power) for power in range(3)
    )  # Python integers: the products exceed 64 bits
    variance = (count * squares - total**2) / count**2
    if variance == 0:
        raise ValueError(f"channel {channel} of the training images is constant; its pixels must vary")
    return total / count, math.sqrt(variance)
