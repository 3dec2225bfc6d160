"""Eigenvalues of Gram matrices of uniform points on the sphere, against those of the kernel with their multiplicities.

As long as the harmonics up to a degree are few against n, the eigenvalues of K / n lie at mu_k, N(d, k) of them around
each. Kernels are divided by their values at u = 1.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from isobath.settings import Count, Depths, Kernel, Values
from isobath.spectra.harmonics import check_dimension, multiplicities
from isobath.spectra.kernels import coordinates, families, spectra

if TYPE_CHECKING:
    from torch import Tensor

LARGEST = 2**62  # number of harmonics that is told from larger ones
ABOUT = {
    "eigenvalue": "eigenvalue of the kernel at the rank, by its multiplicities",
    "degree": "degree k of the eigenvalue at the rank",
    "cumulated": "number of harmonics of eigenvalues as large as that at the rank",
    "gram_eigenvalue": "eigenvalue of the Gram matrix over n",
}


def calculate(
    *,
    generator: np.random.Generator,
    kernels: Values[tuple[str, Kernel, Depths]],
    n_train: Count,
    draws: Count,
    dimension: Count = 4,
    degrees: Count = 60,
) -> xr.Dataset:
    """Return the eigenvalues of kernels (triples of a name, a kernel and its depths) and of draws of points.

    Ranks begin at 0, the largest eigenvalue first. Raises ValueError for fewer than 3 dimensions, or degrees with fewer
    harmonics in all than points.
    """
    check(kernels=kernels, dimension=dimension, degrees=degrees, n_train=n_train)
    kernel_families, counts = families(kernels), multiplicities(dimension, degrees)
    mu = spectra(kernel_families, [dimension], range(degrees + 1))[:, 0].astype(float)
    mu = np.maximum(mu / np.array([value for family in kernel_families for value in family.at_one])[:, None], 0)
    order = np.argsort(-mu, axis=1, kind="stable")
    ranked, cumulated = _by_rank(order, counts, n_train)
    points = [_points(n_train, dimension, generator) for _ in range(draws)]
    gram = np.array(
        [
            [np.linalg.eigvalsh(k)[::-1] / n_train for family in kernel_families for k in family.matrices(x, x)]
            for x in points
        ]
    )
    variables: dict[str, Any] = {
        "eigenvalue": (["kernel", "rank"], np.take_along_axis(mu, ranked, 1)),
        "degree": (["kernel", "rank"], ranked),
        "cumulated": (["kernel", "rank"], cumulated),
        "gram_eigenvalue": (["kernel", "draw", "rank"], gram.swapaxes(0, 1)),
    }
    coords = {
        "kernel": coordinates(kernel_families)["kernel"],
        "draw": range(draws),
        "rank": range(n_train),
        "n_train": n_train,
        "dimension": dimension,
    }
    labelled = {name: (*column, {"long_name": ABOUT[name], "units": "1"}) for name, column in variables.items()}
    return xr.Dataset(labelled, coords=coords)


def check(*, kernels: Any, dimension: int, degrees: int, n_train: int, **_: Any) -> None:
    """Refuse dimensions below 3, and degrees that have fewer harmonics than there are points (ValueError)."""
    families(kernels)
    check_dimension(dimension)
    total = int(multiplicities(dimension, degrees).sum())
    if total < n_train:
        raise ValueError(f"degrees is {degrees}, with {total} harmonics; n_train, {n_train}, must not exceed them")


def _by_rank(order: np.ndarray, counts: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the degrees at the first n ranks (kernel, n), and how many harmonics they and those before them have.

    ``order`` (kernel, degree) has the degrees by their eigenvalues, and ``counts`` (degree,) their harmonics.
    """
    copies = np.minimum(counts, n).astype(int)[order]  # later ones have no rank
    sums = np.minimum(counts[order].cumsum(1), LARGEST).astype(int)
    first, total = (
        np.stack([np.repeat(*pair)[:n] for pair in zip(values, copies, strict=True)]) for values in (order, sums)
    )
    return first, total


def _points(n: int, dimension: int, generator: np.random.Generator) -> "Tensor":
    import torch  # noqa: PLC0415 (the check of a study does without torch)

    z = generator.standard_normal((n, dimension))
    return torch.from_numpy(z * np.sqrt(dimension) / np.linalg.norm(z, axis=1, keepdims=True))
