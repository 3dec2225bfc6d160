"""The end-to-end rule of deep linear networks against true steps of their layers (Arora, Cohen & Hazan).

- ``layers``: numbers of layers N
- ``decays``: weight decays
- ``rows``: outputs, rows of W
- ``columns``: inputs, columns of W
"""

import itertools

import numpy as np
import xarray as xr

from isobath.separation.deep_linear import balanced, descended, end_to_end, of_one_output, preconditioned, product
from isobath.settings import Count, NonNegative, Positive, Values


def calculate(
    *,
    generator: np.random.Generator,
    layers: Values[Count],
    rates: Values[Positive],
    decays: Values[NonNegative],
    rows: Count,
    columns: Count,
    draws: Count,
) -> xr.Dataset:
    """Return how far the rule is from a true step, over the length of the step, for N ``layers`` and several rates.

    ``deviation`` is that of balanced layers, ``unbalanced_deviation`` that of the same layers with W_1 doubled and W_N
    halved. ``vector_deviation`` compares the rule for one output with its closed form. ``gain`` is what the
    preconditioner makes of the direction u_r v_s' of W's singular vectors, over what it makes of the direction of the
    largest singular value. W and the gradient are normal.
    """
    shape = (rows, columns)
    pairs = [tuple(generator.standard_normal((2, *shape)) / np.sqrt(columns)) for _ in range(draws)]
    lines = [tuple(generator.standard_normal((2, 1, columns))) for _ in range(draws)]
    cases = list(itertools.product(layers, decays, rates, pairs))
    size = (len(layers), len(decays), len(rates), draws)
    dims, unitless = ["layers", "decay", "rate", "draw"], {"units": "1"}
    table = {
        "deviation": (dims, np.reshape([_deviation(*case) for case in cases], size), "balanced layers"),
        "unbalanced_deviation": (
            dims,
            np.reshape([_deviation(*case, tilt=2.0) for case in cases], size),
            "layers that are not balanced",
        ),
        "vector_deviation": (
            ["layers", "draw"],
            [[_vector_deviation(n, *line) for line in lines] for n in layers],
            "one output, closed form",
        ),
        "gain": (["layers", "draw", "left", "right"], [[_gains(w, n) for w, _ in pairs] for n in layers], "gain"),
    }
    long_names = {name: f"relative deviation of the rule: {text}" for name, (_, _, text) in table.items()}
    long_names["gain"] = "what the preconditioner makes of u_r v_s', over that of the largest"
    variables = {
        n: (axes, np.array(values), {"long_name": long_names[n], **unitless}) for n, (axes, values, _) in table.items()
    }
    rank = min(rows, columns)
    coords = {"layers": list(layers), "decay": list(decays), "rate": list(rates), "draw": range(draws)}
    return xr.Dataset(variables, coords={**coords, "left": range(rank), "right": range(rank)})


def _deviation(
    layers: int, decay: float, rate: float, pair: tuple[np.ndarray, np.ndarray], *, tilt: float = 1.0
) -> float:
    """Return |true - rule| / |true - W|; a single layer has nothing to be tilted."""
    w, gradient = pair
    factors = balanced(w, layers)
    if layers > 1:
        factors[0], factors[-1] = factors[0] * tilt, factors[-1] / tilt
    true = descended(factors, gradient, rate, decay=decay)
    rule = end_to_end(product(factors), gradient, layers, rate, decay=decay)
    return float(np.linalg.norm(true - rule) / np.linalg.norm(true - w))


def _vector_deviation(layers: int, w: np.ndarray, gradient: np.ndarray) -> float:
    exact = of_one_output(w, gradient, layers)
    return float(np.linalg.norm(preconditioned(w, gradient, layers) - exact) / np.linalg.norm(exact))


def _gains(w: np.ndarray, layers: int) -> np.ndarray:
    """Return the gains (left, right) from steps of the layers themselves, at a rate so small that they are linear."""
    u, s, v = np.linalg.svd(w, full_matrices=False)
    rate, factors = 1e-6, balanced(w, layers)
    gains = np.empty((len(s), len(s)))
    for r, c in itertools.product(range(len(s)), repeat=2):
        direction = np.outer(u[:, r], v[c])
        gains[r, c] = np.sum((w - descended(factors, direction, rate)) * direction) / rate
    return np.asarray(gains / gains[0, 0])
