"""Linear regions of networks of one input, counted, against what bounds them (Malach & Shalev-Shwartz, Theorem 2)."""

import itertools
from typing import Any

import numpy as np
import xarray as xr

from isobath.constructions import cantor_certificate
from isobath.fractals.bounds import region_bound
from isobath.fractals.population_gradients import start
from isobath.geometry.linear_regions import count_regions, most_regions
from isobath.settings import Count, Initialisation, Values


def calculate(
    *,
    generator: np.random.Generator,
    depth: Values[Count],
    width: Values[Count],
    networks: Count,
    initialisations: Values[tuple[str, Initialisation]],
    levels: Values[Count],
) -> xr.Dataset:
    """Return the linear regions on [0, 1] of ``networks`` random networks of each start, depth and width.

    ``initialisations`` are pairs of the name of a start and its initialisation. Beside them are the bounds of each
    (depth, width), the regions on [-1, 1] of the network that knows the 1D Cantor set of each of ``levels``
    (cantor_certificate.py), and the 2^n that Theorem 2 asks for.
    """
    shapes = list(itertools.product(depth, width))
    counts = [
        [count_regions(start(generator, depth=d, width=w, initialisation=law)) for _ in range(networks)]
        for _, law in initialisations
        for d, w in shapes
    ]
    table = {
        "regions": (
            ["start", "depth", "width", "network"],
            np.reshape(counts, (len(initialisations), len(depth), len(width), networks)),
            "linear regions on [0, 1] of a random network",
        ),
        "most_regions": _of_shape([most_regions(depth=d, width=w) for d, w in shapes], depth, "the most, (k + 1)^L"),
        "region_bound": _of_shape(
            [region_bound(depth=d, width=w, n_inputs=1) for d, w in shapes], depth, "the bound (e k / d)^(t d)"
        ),
        **_of_levels(levels),
    }
    coords = {"start": [name for name, _ in initialisations], "depth": list(depth), "width": list(width)}
    variables = {
        n: (dims, values, {"long_name": long_name, "units": "1"}) for n, (dims, values, long_name) in table.items()
    }
    return xr.Dataset(variables, coords={**coords, "level": list(levels), "network": range(networks)})


def _of_levels(levels: tuple[int, ...]) -> dict[str, tuple[list[str], list[Any], str]]:
    """Return the regions of the network that knows the 1D Cantor set of each of ``levels``, their bound, and r^n."""
    bounds = [region_bound(depth=n + 1, width=2, n_inputs=1) for n in levels]
    return {
        "known_regions": (
            ["level"],
            [_certificate_regions(n) for n in levels],
            "linear regions of a network that knows the set",
        ),
        "needed_regions": (["level"], [2**n for n in levels], "regions that Theorem 2 asks for, r^n"),
        "known_bound": (["level"], bounds, "the bound (e k / d)^(t d) for a network that knows the set"),
    }


def _of_shape(values: list[float], depth: tuple[int, ...], long_name: str) -> tuple[list[str], np.ndarray, str]:
    return ["depth", "width"], np.reshape(values, (len(depth), -1)).astype(float), long_name


def _certificate_regions(levels: int) -> int:
    task = {"system": "given", "ratio": 3, "offsets": [(-2,), (2,)], "levels": levels}
    return count_regions([w[0].numpy() for w in cantor_certificate.build(task).weights], low=-1, high=1)
