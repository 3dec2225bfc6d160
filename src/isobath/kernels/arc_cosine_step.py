"""The kernel of random features with step activations, the arc-cosine kernel of order 0 composed (Cho & Saul)."""

from collections.abc import Iterator, Sequence

from isobath.regression.functions import Array
from isobath.regression.pairs import Pairs
from isobath.regression.relu_singularities import ROOT
from isobath.spectra.decay import Singularities


def profile(pairs: Pairs, *, depth: Sequence[int]) -> Iterator[Array]:
    """Yield |x||y| kappa_0(... kappa_0(u)), (n, m), composed L times, for each L of the increasing ``depth``.

    kappa_0(u) = 1 - theta / pi with tan(theta / 2) = sqrt((1 - u) / (1 + u)). It is the one kernel of Bietti & Bach,
    with L + 1 layers, whose decay depends on depth. A yielded array is overwritten by the next.

    Points nearby keep fourteen digits at L up to 10. Distant points in one direction, as x and 3 x, keep fewer from
    L = 2 on, since layers take roots of a 1 - u that is rounding: the relative error is up to 3e-9 at L = 2, 2e-3 at
    L = 4 and 7e-2 at L = 6, the worst of 160 random x.
    """
    ops = pairs.ops
    norms, (e, f, k) = pairs.x * pairs.y, ops.workspace(pairs.e, 3)
    e[...], f[...] = pairs.e, pairs.f
    for level in range(max(depth) + 1):
        if level > 0:
            ops.arctan(ops.root_of_ratio(e, f, out=e), out=e)
            e *= 2 / ops.pi
            f[...] = 2 - e
        if level in depth:
            yield ops.add_product(norms, norms, e, scale=-1, out=k)


def singularities(*, depth: int) -> Singularities:
    """Return the singularities of depth L >= 1, of nu = 2^-L, since every layer takes a root of 1 - u.

    The one at u = -1 is of this order with one layer alone: further layers are smooth where kappa_0 is 0.
    """
    nu = 0.5**depth
    at_one = -(ROOT ** (2 - 2 * nu))
    return Singularities(nu, at_one, ROOT if depth == 1 else 0.0)
