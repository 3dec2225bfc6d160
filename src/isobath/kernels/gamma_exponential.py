"""The gamma-exponential kernel of dot products; gamma 0.5 is the Laplace kernel of the sphere (Bietti & Bach).

- ``c``: scale c of the exponent
- ``gamma``: power gamma of 1 - u
"""

from isobath.regression.functions import Array
from isobath.regression.pairs import Pairs
from isobath.settings import Open, Positive
from isobath.spectra.decay import Singularities


def profile(pairs: Pairs, *, c: Positive = 1, gamma: Open = 0.5) -> Array:
    """Return |x||y| exp(-c (1 - u)^gamma), (n, m).

    gamma 1 would be Gaussian, whose eigenvalues are no power law; beyond it the kernel is not positive definite. Where
    inputs are parallel and not equal, rounding leaves a deficit 1 - u of some 1e-33, of which a small power is no
    longer small: 3e-9 for gamma = 1/4. Equal inputs have none.
    """
    return pairs.x * pairs.y * pairs.ops.exp(-c * pairs.e**gamma)


def singularities(*, c: float, gamma: float) -> Singularities:
    """Return the singularity at u = 1, -c (1 - u)^gamma; the kernel is smooth at u = -1."""
    return Singularities(gamma, -c, 0.0)
