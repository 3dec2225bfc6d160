"""The density of Eldan & Shamir by quadrature and in closed form, with the ball of volume one and the unit ball.

- ``radii``: radii at which the density is computed
- ``far``: radius to which masses are quadratures
"""

import math

import numpy as np
import xarray as xr

from isobath.separation.radial import ball_radius, ball_volume, density, mass_beyond, mass_within, tail
from isobath.settings import Count, Positive, Values

ABOUT = {
    "density": (["dimension", "radius"], "density of the radius"),
    "mass_within": (["dimension", "radius"], "probability of a radius of at most r, by quadrature"),
    "exact_mass_within": (["dimension", "radius"], "the same in closed form, for even d"),
    "first_order_tail": (["dimension", "radius"], "d / (2 pi^2 R_d r), the probability beyond r to first order"),
    "ball_radius": (["dimension"], "R_d, the radius of the ball of volume one"),
    "mass": (["dimension"], "total mass with the ball of volume one"),
    "unit_ball_mass": (["dimension"], "total mass with the ball of radius one, as the source has it"),
    "unit_ball_volume": (["dimension"], "volume of the ball of radius one"),
}


def calculate(
    *, generator: np.random.Generator, dimensions: Values[Count], radii: Values[Positive], far: Positive = 200.0
) -> xr.Dataset:
    """Return the masses of the density for each of ``dimensions`` and ``radii``; nothing is random.

    Masses are quadratures to a radius ``far`` and, beyond it, the closed form for even d; for odd d they are the first
    order of the tail, which is good to (far)^-2. With radius one in place of R_d lengths scale, so that the
    quadrature goes to R_d ``far``.
    """
    rows = [_row(d, np.array(radii), far) for d in dimensions]
    columns = {
        name: (dims, np.array([row[name] for row in rows]), {"long_name": long_name, "units": "1"})
        for name, (dims, long_name) in ABOUT.items()
    }
    return xr.Dataset(columns, coords={"dimension": list(dimensions), "radius": list(radii), "far": far})


def panels_to(r: float) -> int:
    """Return the number of panels on which the density of R_d, which oscillates, is resolved to a radius."""
    return max(400, math.ceil(8 * r))


def _row(d: int, radii: np.ndarray, far: float) -> dict[str, np.ndarray | float]:
    radius, even = ball_radius(d), d % 2 == 0
    beyond = float(mass_beyond(np.array(far), d)) if even else tail(far, d)
    panels = panels_to(far)
    unit = mass_within(radius * far, d, radius=1.0, panels=panels)
    return {
        "density": density(radii, d, radius=radius),
        "mass_within": np.array([mass_within(r, d, radius=radius, panels=panels_to(r)) for r in radii]),
        "exact_mass_within": 1 - mass_beyond(radii, d) if even else np.full(len(radii), np.nan),
        "first_order_tail": np.array([tail(r, d) for r in radii]),
        "ball_radius": radius,
        "mass": mass_within(far, d, radius=radius, panels=panels) + beyond,
        "unit_ball_mass": unit + beyond * ball_volume(d),
        "unit_ball_volume": ball_volume(d),
    }
