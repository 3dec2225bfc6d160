"""The width at which two hidden layers make any function of the radius, over the dimension (Eldan & Shamir).

The first layer has m units for each coordinate, which make x_i^2 of an activation: affine pieces of ReLUs, or steps.
Their sum q(x) is |x|^2 up to an error, and a second layer of q makes any profile: its width does not depend on d.
Here |sqrt(q) - |x|| is to be at most ``error`` for all but a share of 1 % of points.
"""

import numpy as np
import xarray as xr

from isobath.separation.radial import points, square_nodes
from isobath.settings import Count, Open

ACTIVATIONS = ("relu", "step")
SHARE = 0.99  # of points that are to be within the error
MOST = 2**16  # units for each coordinate, beyond which none are tried


def calculate(
    *, generator: np.random.Generator, dimensions: tuple[Count, ...], error: Open = 0.05, samples: Count = 2000
) -> xr.Dataset:
    """Return the least ``width`` d m of the first layer for each of ACTIVATIONS and ``dimensions``, by bisection.

    Points have uniform directions and radii uniform in [0, 2]. Beside it is ``sure_width``, the least d m with ReLUs
    for which no point of the ball is further off than the error: |q - |x|^2| <= d h^2 / 6, h = 4 / m, and |sqrt(q) -
    |x|| <= sqrt(|q - |x|^2|). A width is NaN where no m is enough.
    """
    width = np.array([[_least(points(samples, d, generator=generator)[0], a, error) for d in dimensions]
                      for a in ACTIVATIONS])  # fmt: skip
    d = np.array(dimensions)
    sure = d * np.ceil(4 * np.sqrt(d / 6) / error)
    one = {"units": "1"}
    return xr.Dataset(
        {
            "width": (["activation", "dimension"], width, {"long_name": "least width of the first layer", **one}),
            "sure_width": (["dimension"], sure, {"long_name": "width with ReLUs for every point", **one}),
        },
        coords={"activation": list(ACTIVATIONS), "dimension": list(dimensions), "error": error},
    )


def squares(x: np.ndarray, kinks: int, activation: str) -> np.ndarray:
    """Return q(x), (n,), of x (n, d) with m = ``kinks`` units for each coordinate; its mean error is taken off."""
    nodes = square_nodes(kinks)
    step = nodes[1] - nodes[0]
    if activation == "relu":
        return np.asarray((np.interp(x, nodes, nodes**2) - step**2 / 6).sum(1))
    cell = np.clip(((x - nodes[0]) / step).astype(int), 0, kinks - 1)
    middle = (nodes[1:] + nodes[:-1]) / 2
    return np.asarray((middle[cell] ** 2 + step**2 / 12).sum(1))


def _least(x: np.ndarray, activation: str, error: float) -> float:
    """Return d m for the least m that is enough."""
    radius = np.linalg.norm(x, axis=1)

    def enough(kinks: int) -> bool:
        q = squares(x, kinks, activation)
        return bool((np.abs(np.sqrt(np.maximum(q, 0)) - radius) <= error).mean() >= SHARE)

    high = 2
    while not enough(high):
        high *= 2
        if high > MOST:
            return float("nan")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return float(high * x.shape[1])
