"""Intervals, linear pieces and triangles of composed triangles, counted from the kinks of their networks (Telgarsky).

Networks in closed form with t triangles per fold, k folds: Cr = (2 t)^k + 1 intervals of 1[f >= 1/2], (2 t)^k linear
pieces, and 2^(k - 1) t^k triangles, where the source prints (2 t)^l.

- ``triangles``: numbers of triangles t
"""

import itertools

import numpy as np
import xarray as xr

from isobath.constructions import sawtooth_folding
from isobath.geometry.linear_regions import count_regions, crossings
from isobath.separation.sawtooth import pieces
from isobath.settings import Count, Values

ABOUT = {
    "intervals": "Cr, intervals of 1[f >= 1/2]",
    "regions": "linear pieces",
    "peaks": "triangles: maxima of f",
    "expected": "(2 t)^k",
    "n_parameters": "weights and biases of the network",
}
MOST = 10**6  # pieces that are counted


def calculate(*, generator: np.random.Generator, triangles: Values[Count], folds: Values[Count]) -> xr.Dataset:
    """Return the counts for each number of ``triangles`` t and of ``folds`` k; NaN above a million pieces.

    Nothing is random. Raises ValueError where no combination has fewer.
    """
    check(triangles=triangles, folds=folds)
    rows = [_counts(t, k) for t, k in itertools.product(triangles, folds)]
    table = np.reshape(rows, (len(triangles), len(folds), len(ABOUT)))
    variables = {
        name: (["triangles", "folds"], table[..., i], {"long_name": long_name, "units": "1"})
        for i, (name, long_name) in enumerate(ABOUT.items())
    }
    return xr.Dataset(variables, coords={"triangles": list(triangles), "folds": list(folds)})


def check(*, triangles: tuple[int, ...], folds: tuple[int, ...]) -> None:
    """Refuse settings of which no combination has few enough pieces to be counted (ValueError)."""
    if pieces(folds=min(folds), triangles=min(triangles)) > MOST:
        raise ValueError(f"triangles are {[*triangles]} and folds {[*folds]}; all have more than {MOST} pieces")


def _counts(triangles: int, folds: int) -> list[float]:
    count = pieces(folds=folds, triangles=triangles)
    if count > MOST:
        return [np.nan] * len(ABOUT)
    construction = sawtooth_folding.build({"kind": "sawtooth", "folds": folds, "triangles": triangles})
    network, interval = [w[0].numpy() for w in construction.weights], {"low": -1, "high": 1}
    peaks = len(crossings(network, level=0.25, **interval)) // 2  # each triangle is above 3/4 once
    size = sum(w.size for w in network)
    return [len(crossings(network, **interval)) + 1, count_regions(network, **interval), peaks, count, size]
