"""Intervals of piecewise polynomials: Cr of a (t, alpha)-poly is at most t (1 + alpha) (Telgarsky).

A (t, alpha)-poly is a polynomial of degree alpha at most on each of t intervals. 1[f >= 1/2] changes at most alpha
times inside of an interval, and once between two.

- ``parts``: numbers of parts t
"""

import itertools

import numpy as np
import xarray as xr
from numpy.polynomial import Polynomial, chebyshev

from isobath.settings import Count, Values

MOST = 14  # degree up to which roots in powers of x are those of 200 random polynomials in 200
STEEP = 1e-9  # imaginary parts of roots below it are rounding


def calculate(
    *, generator: np.random.Generator, parts: Values[Count], degrees: Values[Count], samples: Count
) -> xr.Dataset:
    """Return ``intervals`` of random piecewise polynomials of each number of ``parts`` t and degree alpha.

    They interpolate random values at random points of each part; no continuity is asked for. Beside them are
    ``tight_intervals``, of Chebyshev polynomials that turn their sign from one part to the next, and
    ``most_intervals``, t (1 + alpha).
    """
    check(degrees=degrees)
    shapes = list(itertools.product(parts, degrees))
    random = [[count_intervals(_random(generator, t, a)) for _ in range(samples)] for t, a in shapes]
    tight = [count_intervals(_chebyshev(t, a)) for t, a in shapes]
    size = (len(parts), len(degrees))
    columns = {
        "intervals": (["parts", "degree", "sample"], np.reshape(random, (*size, samples)), "Cr of a random one"),
        "tight_intervals": (["parts", "degree"], np.reshape(tight, size), "Cr of Chebyshev polynomials"),
        "most_intervals": (["parts", "degree"], np.reshape([t * (1 + a) for t, a in shapes], size), "t (1 + alpha)"),
    }
    variables = {
        n: (dims, values, {"long_name": long_name, "units": "1"}) for n, (dims, values, long_name) in columns.items()
    }
    return xr.Dataset(variables, coords={"parts": list(parts), "degree": list(degrees), "sample": range(samples)})


def check(*, degrees: tuple[int, ...], **_: object) -> None:
    """Refuse degrees at which roots in powers of x are lost by rounding (ValueError)."""
    if max(degrees) > MOST:
        raise ValueError(f"degrees has {max(degrees)}; it must be {MOST} or less")


def count_intervals(polynomials: list[Polynomial]) -> int:
    """Return the intervals of 1[f >= 1/2] for polynomials on [0, 1), [1, 2), ..., of the variable x of [0, 1)."""
    marks = [mark for p in polynomials for mark in _classes(p)]
    return 1 + sum(a != b for a, b in itertools.pairwise(marks))


def _classes(polynomial: Polynomial) -> list[bool]:
    """Return the classes between the zeros of f - 1/2, in order."""
    roots = (polynomial - 0.5).roots()
    inside = roots.real[(np.abs(roots.imag) < STEEP) & (roots.real > 0) & (roots.real < 1)]
    edges = np.concatenate([[0.0], np.sort(inside), [1.0]])
    return [bool(polynomial(x) >= 0.5) for x in (edges[1:] + edges[:-1]) / 2]


def _random(generator: np.random.Generator, parts: int, degree: int) -> list[Polynomial]:
    return [
        Polynomial.fit(
            np.sort(generator.uniform(size=degree + 1)), generator.uniform(size=degree + 1), degree, domain=[0, 1]
        )
        for _ in range(parts)
    ]


def _chebyshev(parts: int, degree: int) -> list[Polynomial]:
    """Return 1/2 +- T_alpha(2 x - 1) for each part, with signs by which the class changes from one part to the next."""
    t = Polynomial(chebyshev.cheb2poly([0] * degree + [1]), domain=[0, 1], window=[-1, 1])
    ends_as_it_starts = degree % 2 == 0
    signs = [(-1) ** i if ends_as_it_starts else 1 for i in range(parts)]
    return [t * sign + 0.5 for sign in signs]
