"""The width at which two hidden layers make a function of the radius, over the dimension (Eldan & Shamir).

The networks are those of ``radial_networks``, with both layers built and evaluated: m units for each coordinate, whose
squares sum to q(x), and n units of q for the profile g. They are to have |f(x) - g(|x|)| <= ``error`` for all but a
share of 1 % of points. First n is found, for the profile alone and within half of the error: it is the same in every
dimension. Then m for the whole, such that m - 1 is not enough.

- ``profiles``: functions of the radius
- ``error``: error within which the network has to be
"""

import bisect
from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
import xarray as xr

from isobath.fractals.affine import Affine, network
from isobath.separation.radial import points
from isobath.separation.radial_networks import blocks, layers, second_layer, stepped, summed, sure_kinks
from isobath.separation.radial_profiles import (
    PROFILES,
    Activation,
    Pieces,
    Profile,
    deviation,
    evaluated,
    pieces,
    sure_units,
)
from isobath.settings import Count, Open, Values

ACTIVATIONS: tuple[Activation, ...] = get_args(Activation)
SHARE = 0.99  # of points that are to be within the error
MOST = 2**17  # units of the first layer, beyond which none are tried
MOST_OF_SECOND = 2**11
ROUNDING = 1e-12


def calculate(
    *,
    generator: np.random.Generator,
    dimensions: Values[Count],
    profiles: Values[Literal["cosine", "gaussian", "triangle_wave"]] = ("cosine", "gaussian", "triangle_wave"),
    error: Open = 0.05,
    samples: Count = 2000,
) -> xr.Dataset:
    """Return the least ``width`` d m + n of both layers for each profile, activation and dimension.

    The width is NaN where more than MOST units of the first layer are needed, or MOST_OF_SECOND of the second. Points
    have uniform directions and radii uniform in [0, 2], the same for all networks of a dimension. Beside the width are
    ``second_width``, n of each profile and activation, and ``sure_width``, a width that is enough for every point of
    the ball: half of the error is left to the pieces of g, and half to its change where sqrt(q) is not |x|.
    """
    kinds = [(PROFILES[p], a) for p in profiles for a in ACTIVATIONS]
    second = [_units(g, a, error / 2) for g, a in kinds]
    xs = [points(samples, d, generator=generator)[0] for d in dimensions]
    width = [[_width(x, g, n, a, error) for x in xs] for (g, a), n in zip(kinds, second, strict=True)]
    sure = [[_sure_width(d, g, a, error) for d in dimensions] for g, a in kinds]
    return _table(np.array(width), np.array(second, float), np.array(sure), profiles, dimensions, error)


def within(x: np.ndarray, curve: Pieces, kinks: int, activation: Activation, profile: Profile, error: float) -> bool:
    """Return whether a network is built and evaluated within ``error`` of g(|x|) at enough of the points x (n, d)."""
    return _enough(outputs(x, curve, kinks, activation), x, profile, error)


def outputs(x: np.ndarray, curve: Pieces, kinks: int, activation: Activation) -> np.ndarray:
    """Return f (n,) of x (n, d) of the network with m = ``kinks`` and these pieces in its second layer."""
    evaluate = _function(layers(x.shape[1], kinks, second_layer(curve, activation), activation), activation)
    return np.concatenate([evaluate(part)[:, 0] for part in blocks(x, x.shape[1] * kinks)])


def _function(affine_layers: list[Affine], activation: Activation) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function that three layers compute, from (n, d) to (n, 1); ReLUs are a network of the family."""
    if activation == "step":
        return lambda x: stepped(affine_layers, x)
    import torch  # noqa: PLC0415 (checking settings does without)

    from isobath.networks import mlp  # noqa: PLC0415

    weights = network(affine_layers)
    return lambda x: mlp.apply(weights, torch.from_numpy(x))[0].numpy()


def _enough(f: np.ndarray, x: np.ndarray, profile: Profile, error: float) -> bool:
    deviations = np.abs(f - profile.values(np.linalg.norm(x, axis=1)))
    return bool((deviations <= error).mean() >= SHARE)


def _width(x: np.ndarray, profile: Profile, units: int | None, activation: Activation, error: float) -> float:
    """Return d m + n for the least m that is enough, NaN if none is.

    Bisection takes the formula of the network, which is faster; the network itself then decides on m and m - 1.
    """
    if units is None:
        return float("nan")
    d, curve = x.shape[1], pieces(profile, units, activation)

    def expected(m: int) -> bool:
        return _enough(evaluated(curve, summed(x, m, activation), activation), x, profile, error)

    kinks = _least(expected, most=MOST // d)
    if kinks is None:
        return float("nan")
    while not within(x, curve, kinks, activation, profile, error):
        kinks += 1
    while kinks > 1 and within(x, curve, kinks - 1, activation, profile, error):
        kinks -= 1
    return float(d * kinks + units)


def _units(profile: Profile, activation: Activation, error: float) -> int | None:
    """Return the least n whose pieces of a profile are within ``error`` at every radius.

    Each n is tried in turn, since more units may be worse: kinks of g then lie off the places of units.
    """
    enough = (n for n in range(1, MOST_OF_SECOND) if deviation(profile, n, activation) <= error + ROUNDING)
    return next(enough, None)


def _least(enough: Callable[[int], bool], *, most: int) -> int | None:
    """Return a whole number up to ``most`` that is enough where the one before it is not, by doubling and bisection."""
    low, high = 0, 1
    while not enough(high):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    return low + 1 + bisect.bisect_left(range(low + 1, high), True, key=enough)


def _sure_width(dimension: int, profile: Profile, activation: Activation, error: float) -> float:
    kinks = sure_kinks(dimension, error / 2 / profile.lipschitz, activation)
    return float(dimension * kinks + sure_units(profile, error / 2, activation))


def _table(
    width: np.ndarray,
    second: np.ndarray,
    sure: np.ndarray,
    profiles: tuple[str, ...],
    dimensions: tuple[int, ...],
    error: float,
) -> xr.Dataset:
    """Return the widths of all pairs of profile and activation, labelled."""
    kind_dims, unitless = ["profile", "activation"], {"units": "1"}
    shape, dims = (len(profiles), len(ACTIVATIONS)), [*kind_dims, "dimension"]
    return xr.Dataset(
        {
            "width": (dims, width.reshape(*shape, -1), {"long_name": "least width of both layers", **unitless}),
            "second_width": (kind_dims, second.reshape(shape), {"long_name": "width of the second layer", **unitless}),
            "sure_width": (dims, sure.reshape(*shape, -1), {"long_name": "width for every point", **unitless}),
        },
        coords={
            "profile": list(profiles),
            "activation": list(ACTIVATIONS),
            "dimension": list(dimensions),
            "error": error,
        },
    )
