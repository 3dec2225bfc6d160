"""Ensembles as subsets of networks: which there are, averages over them, and the jackknife over networks."""

import itertools
import math
from collections.abc import Iterator

import numpy as np

BLOCK = 2**21  # numbers in a block of the outputs of ensembles


def subsets(networks: int, size: int, count: int, generator: np.random.Generator) -> np.ndarray:
    """Draw ``count`` different subsets of ``size`` out of R ``networks``, uniformly: bool, (S, R).

    S is ``count``, or the number of subsets there are if that is less. Raises ValueError for sizes that cannot be.
    """
    if not 1 <= size <= networks or count < 1:
        raise ValueError(f"{count} subsets of {size} networks: allowed are sizes 1 to {networks}, one subset or more")
    possible = math.comb(networks, size)
    if possible <= 4 * count:  # few enough to list
        rows = np.array(list(itertools.combinations(range(networks), size)))
        rows = rows if possible <= count else rows[generator.permutation(possible)[:count]]
        members = np.zeros((len(rows), networks), dtype=bool)
        np.put_along_axis(members, rows, True, axis=1)
        return members
    members = np.zeros((0, networks), dtype=bool)
    while len(members) < count:
        candidates = generator.random((count, networks)).argsort(1) < size
        members = np.concatenate([members, candidates])
        members = members[np.sort(np.unique(members, axis=0, return_index=True)[1])]
    return members[:count]


def size_of(members: np.ndarray) -> int:
    """Return the number of networks in each ensemble of ``members`` (S, R). Raises ValueError for several sizes."""
    sizes = np.unique(members.sum(1))
    if len(sizes) != 1:
        raise ValueError(f"the ensembles have the sizes {sizes.tolist()}; allowed is one size")
    return int(sizes[0])


def averages(values: np.ndarray, members: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Average values (R, T, K) over each ensemble, (S, t, K) for the t samples of a slice, in bounded memory."""
    weights = members / members.sum(1, keepdims=True)
    step = max(1, BLOCK // (max(members.shape) * values.shape[2]))
    for start in range(0, values.shape[1], step):
        samples = slice(start, start + step)
        block = weights @ values[:, samples].reshape(len(values), -1)
        yield samples, block.reshape(len(members), -1, values.shape[2])


def pseudo_values(values: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return jackknife pseudo-values (R,) of the mean over all ensembles of one size, from the ``values`` (S,) of some.

    W values of each ensemble, (S, W), have W pseudo-values of each network, (R, W). They are n times the coefficients
    of a linear regression of values on membership. With every subset of a size this is R theta - (R - 1) theta_(-i),
    theta_(-i) the mean over ensembles without network i. With some of them it is less noisy: the contributions of the
    other networks of an ensemble are accounted for. Ensembles with a value that is not finite are left out. All are NaN
    where ensembles do not tell the networks apart. Raises ValueError for several sizes.
    """
    finite = np.isfinite(values).all(axis=tuple(range(1, values.ndim)))
    membership, networks = members[finite].astype(float), members.shape[1]
    coefficients, _, rank, _ = np.linalg.lstsq(membership, values[finite], rcond=None)
    pseudo: np.ndarray = size_of(members) * np.where(rank == networks, coefficients, np.nan)
    return pseudo
