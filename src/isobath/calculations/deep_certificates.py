"""Networks that know fine Cantor sets of any depth, in rationals (Malach & Shalev-Shwartz, Corollary 2).

The negatives of the fine distribution are all of the last level n, whose gaps are of 3^-n: beyond float32 from n = 15
on. Points are drawn here by their ternary digits, and the network folds them without any rounding. Its output is
1 - |T^n(z)|, with T of cantor_certificate.py: positive inside C_n and negative outside, without a margin.

- ``shortcut``: levels that fold at once
"""

from fractions import Fraction
from typing import Any

import numpy as np
import xarray as xr

from isobath.constructions import cantor_certificate
from isobath.geometry.linear_regions import rational
from isobath.settings import Count, Values

MOST = 16  # levels of a shortcut, whose kinks are 2^MOST
WITHIN = 2**20  # places of a point in its interval or gap, of which none is an end


def calculate(*, generator: np.random.Generator, levels: Values[Count], shortcut: Count, samples: Count) -> xr.Dataset:
    """Return sizes and errors of the network of each of ``levels`` on ``samples`` points of either class.

    Beside them is the least error, on the fine distribution, of one hidden layer with fewer than 2^(t - 1) units, where
    t is the network's depth in weight layers. Raises ValueError for a ``shortcut`` above a level.
    """
    check(levels=levels, shortcut=shortcut)
    rows = [_row(n, shortcut, samples, generator) for n in levels]
    long_names = {
        "depth": "weight layers t of the network",
        "largest_width": "units of its largest layer",
        "wrong_positives": "positives that it takes for negatives",
        "wrong_negatives": "negatives that it takes for positives",
        "shallow_error": "least error of one hidden layer of fewer than 2^(t - 1) units on the fine distribution",
    }
    columns = {
        name: ("level", [row[name] for row in rows], {"long_name": long_name, "units": "1"})
        for name, long_name in long_names.items()
    }
    return xr.Dataset(columns, coords={"level": list(levels), "samples": samples})


def check(*, levels: tuple[int, ...], shortcut: int, **_: Any) -> None:
    """Refuse a ``shortcut`` above a level, or of more kinks, 2^shortcut, than a network can hold (ValueError)."""
    if shortcut > MOST:
        raise ValueError(f"shortcut is {shortcut}; it must be {MOST} or less")
    if shortcut > min(levels):
        raise ValueError(f"shortcut is {shortcut}; it must not exceed levels, of which one is {min(levels)}")


def fine_error(levels: int, changes: int) -> float:
    """Return the least error on the fine distribution of functions with ``changes`` sign changes.

    It is 1/2 - changes / 2^(n + 1): the 2^(n - 1) gaps of the last level have equal shares of the negatives, and two
    changes cut one out.
    """
    return max(0.5 - float(Fraction(changes, 2 ** (levels + 1))), 0.0)


def _row(levels: int, shortcut: int, samples: int, generator: np.random.Generator) -> dict[str, float]:
    network = _network(levels, shortcut)
    wrong = {
        "wrong_positives": int((_outputs(network, _points(levels, samples, generator, inside=True)) <= 0).sum()),
        "wrong_negatives": int((_outputs(network, _points(levels, samples, generator, inside=False)) > 0).sum()),
    }
    depth = len(network) // 2
    changes = 2 ** (depth - 1)  # fewer units make as many linear regions at most, of a sign change each
    width = max(len(bias.ravel()) for bias in network[1:-1:2])
    return {"depth": depth, "largest_width": width, **wrong, "shallow_error": fine_error(levels, changes)}


def _network(levels: int, shortcut: int) -> list[np.ndarray]:
    """Return the weights and biases of 1 - |T^n(z)|, where |T| = T_+ + (-T)_+."""
    task = {"kind": "fractal", "system": "cantor_1d", "levels": levels}
    network = [w[0].numpy() for w in cantor_certificate.build(task, shortcut=shortcut).weights]
    network[-3], network[-1] = network[-3] + 1, np.ones_like(network[-1])
    return network


def _points(levels: int, samples: int, generator: np.random.Generator, *, inside: bool) -> np.ndarray:
    """Draw points of C_n, or of the gaps that its last level leaves, as fractions (samples,)."""
    digits = 2 * generator.integers(0, 2, (samples, levels))
    if not inside:
        digits[:, -1] = 1
    places = generator.integers(1, WITHIN, samples)
    starts = [sum(int(digit) * 3 ** (levels - 1 - i) for i, digit in enumerate(row)) for row in digits]
    return np.array(
        [(a + Fraction(int(place), WITHIN)) / 3**levels for a, place in zip(starts, places, strict=True)], dtype=object
    )


def _outputs(network: list[np.ndarray], x: np.ndarray) -> np.ndarray:
    """Return the outputs of a network at points, in rationals."""
    weights = rational(network)
    values = x[:, None]
    for i, (w, b) in enumerate(zip(weights[::2], weights[1::2], strict=True)):
        values = values @ w.reshape(w.shape[-2:]).T + b.ravel()
        values = np.maximum(values, 0) if 2 * i + 2 < len(weights) else values
    return values[:, 0]
