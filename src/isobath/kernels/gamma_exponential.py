"""The gamma-exponential kernel of dot products; gamma 0.5 is the Laplace kernel of the sphere (Bietti & Bach)."""

from isobath.regression.functions import Array
from isobath.regression.pairs import Pairs
from isobath.settings import Open, Positive


def profile(pairs: Pairs, *, c: Positive = 1, gamma: Open = 0.5) -> Array:
    """Return |x||y| exp(-c (1 - u)^gamma), (n, m).

    gamma 1 would be Gaussian, whose eigenvalues are no power law; beyond it the kernel is not positive definite.
    """
    return pairs.x * pairs.y * pairs.ops.exp(-c * pairs.e**gamma)
