"""Population gradients at the start of training on 1D Cantor sets (Malach & Shalev-Shwartz, Theorem 5).

Negatives are of level j with p_j ~ growth^j: as many at every level for a growth of 1, ever finer for a larger one;
of the last level alone in the fine distribution. Where the theorem has numbers, they are its bounds at n' = the
least that it allows for delta.

- ``growth``: ratios of p_j to that of the level before
- ``delta``: probability with which the bound may fail
"""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import xarray as xr

from isobath.fractals.bounds import needed_levels, start_bounds
from isobath.fractals.population_gradients import (
    cantor_moments,
    gradient_norm,
    population_error,
    population_gradient,
    start,
)
from isobath.geometry.linear_regions import Network, affine_layers, kinks
from isobath.settings import Count, Initialisation, Open, Positive, Values

LARGEST = 1e300  # of the terms of a geometric series
MEASURED = {
    "gradient_norm": "largest entry of the population gradient at the start",
    "error": "population error at the start",
    "imbalance": "share of samples by which one class exceeds the other, summed over linear regions at the start",
    "largest_output": "largest |f| on [0, 1] at the start",
}
FINE = {
    "fine_gradient_norm": "largest entry of the population gradient at the start, on the fine distribution",
    "fine_error": "population error at the start, on the fine distribution",
    "fine_imbalance": "share of samples by which one class exceeds the other, summed over linear regions, on the fine "
    "distribution",
}
BOUNDS = {
    "gradient_bound": "5 (P(n') - 1/2), the largest norm that Theorem 5 allows",
    "error_bound": "(3/2 - P(n')) (1 - P(n')), the least error that Theorem 5 allows",
}


def calculate(
    *,
    generator: np.random.Generator,
    levels: Count,
    growth: Values[Positive],
    depth: Values[Count],
    width: Count,
    networks: Count,
    initialisations: Values[tuple[str, Initialisation]],
    delta: Open = 0.1,
) -> xr.Dataset:
    """Return MEASURED and FINE of ``networks`` random networks of each start, depth and growth, and BOUNDS.

    ``initialisations`` are pairs of the name of a start and its initialisation. Raises ValueError where ``levels`` n is
    not above the n' of the deepest networks.
    """
    check(levels=levels, growth=growth, depth=depth, width=width, delta=delta)
    needed = [needed_levels(delta, depth=d, width=width) for d in depth]
    p = [g ** np.arange(levels) / (g ** np.arange(levels)).sum() for g in growth]
    fine = np.eye(levels)[-1]
    numbers = [
        [_measured(start(generator, depth=d, width=width, initialisation=law), [*p, fine]) for _ in range(networks)]
        for (_, law), d in product(initialisations, depth)
    ]
    table = np.reshape(numbers, (len(initialisations), len(depth), networks, len(p) + 1, len(MEASURED)))
    bounds = [[start_bounds(0.5 + float(probabilities[:n].sum()) / 2) for probabilities in p] for n in needed]
    long_names = {**MEASURED, **FINE, **BOUNDS, "needed_levels": "n', the least that Theorem 5 allows"}
    columns = {name: (["start", "depth", "network", "growth"], table[..., :-1, i]) for i, name in enumerate(MEASURED)}
    columns |= {name: (["start", "depth", "network"], table[..., -1, i]) for i, name in enumerate(FINE)}
    columns |= {name: (["depth", "growth"], np.array(bounds)[..., i]) for i, name in enumerate(BOUNDS)}
    columns["needed_levels"] = (["depth"], np.array(needed))
    variables = {name: (*column, {"long_name": long_names[name], "units": "1"}) for name, column in columns.items()}
    coords = {
        "start": [name for name, _ in initialisations],
        "depth": list(depth),
        "network": range(networks),
        "growth": list(growth),
    }
    scalars = {"levels": levels, "width": width, "delta": delta}
    return xr.Dataset(variables, coords={**coords, **scalars})


def check(
    *, levels: int, growth: tuple[float, ...], depth: tuple[int, ...], width: int, delta: float, **_: Any
) -> None:
    """Refuse ``levels`` n that are not above the n' of the deepest networks, and a growth to no number (ValueError)."""
    if max(growth) > LARGEST ** (1 / levels):
        raise ValueError(f"growth has {max(growth):g}, whose power {levels} is too large a number")
    needed = needed_levels(delta, depth=max(depth), width=width)
    if levels <= needed:
        raise ValueError(f"levels is {levels}; Theorem 5 needs more than n' = {needed}")


def _measured(network: Network, p: list[np.ndarray]) -> list[list[float]]:
    """Return the numbers of MEASURED of one network, for each distribution over levels."""
    edges = kinks(network)
    *_, output = affine_layers(network, edges)
    ends = [np.abs(output.offset[:, 0] + output.slope[:, 0] * x).max() for x in (edges[:-1], edges[1:])]
    return [
        [
            gradient_norm(population_gradient(network, probabilities)),
            float(population_error(network, probabilities)),
            imbalance,
            max(ends),
        ]
        for probabilities, imbalance in zip(p, _imbalances(edges, p), strict=True)
    ]


def _imbalances(edges: np.ndarray, p: list[np.ndarray]) -> list[float]:
    """Return the sum over regions between ``edges`` of |positives - negatives|, as a share of all samples, for each p.

    Sums are in rationals, so that classes that balance cancel exactly.
    """
    below = np.array([[mass for mass, _ in cantor_moments(x, len(p[0]))] for x in edges])
    uniform = np.diff(below, axis=0)  # on C_0 .. C_n, in each region
    gaps = 3 * uniform[:, :-1] - 2 * uniform[:, 1:]  # on E_1 .. E_n
    shares = [np.array([Fraction(share) for share in probabilities]) for probabilities in p]
    return [float(abs(uniform[:, -1] - gaps @ levels / levels.sum()).sum() / 2) for levels in shares]
