"""Tubes that hold the Fourier transform of one hidden layer times phi (Eldan & Shamir): how little they cover.

A network of k units times phi has its transform in k tubes of radius R_d through 0. Of the sphere of radius c sqrt(d),
c above R_d / sqrt(d) = 0.24 .. 0.4, they cover a share that falls exponentially with d: a function whose transform is
spread over the shell, such as one of the radius alone, needs as many units.

- ``tubes``: number of tubes
- ``distance``: radius of the sphere over sqrt(d)
- ``units``: units of a random network
"""

import math

import numpy as np
import xarray as xr
from scipy.special import expit

from isobath.separation.radial import tube_share
from isobath.separation.spectra import energies, plane
from isobath.settings import Count, Positive, Values

ACTIVATIONS = ("relu", "sigmoid")
SHELL = 3.0  # the radius about which the transform of the shells lies, times phi's: well outside of the ball


def calculate(
    *,
    generator: np.random.Generator,
    dimensions: Values[Count],
    tubes: Count,
    distance: Positive = 0.5,
    networks: Count = 3,
    units: Count = 3,
) -> xr.Dataset:
    """Return the largest ``share`` of the sphere of radius ``distance`` sqrt(d) that ``tubes`` cover, for each d.

    A discrete transform in the plane gives ``outside_tubes``, the energy outside of the tubes over that outside of the
    ball, for ``networks`` random networks of ``units`` units of each activation, and ``shells_outside_tubes``, the same
    for shells about 0 with the same tubes.
    """
    share = [min(1.0, tubes * tube_share(d, distance=distance * math.sqrt(d))) for d in dimensions]
    measured = np.array([[_outside(generator, a, units) for _ in range(networks)] for a in ACTIVATIONS])
    dims, unitless = ["activation", "network"], {"units": "1"}
    long_name = "energy outside of the tubes over that outside of the ball"
    return xr.Dataset(
        {
            "share": (["dimension"], share, {"long_name": "share of the sphere within the tubes, at most", **unitless}),
            "outside_tubes": (dims, measured[..., 0], {"long_name": f"{long_name}, of a network", **unitless}),
            "shells_outside_tubes": (dims, measured[..., 1], {"long_name": f"{long_name}, of shells", **unitless}),
        },
        coords={
            "dimension": list(dimensions),
            "activation": list(ACTIVATIONS),
            "network": range(networks),
            "tubes": tubes,
            "distance": distance,
        },
    )


def _outside(generator: np.random.Generator, activation: str, units: int) -> tuple[float, float]:
    """Return the energy outside of a network's tubes over that outside of the ball, of the network and of shells."""
    angle, shift, weight = (
        generator.uniform(0, math.pi, units),
        generator.standard_normal(units),
        generator.standard_normal(units),
    )
    directions, (x, y) = np.stack([np.cos(angle), np.sin(angle)], axis=1), plane()
    inputs = [v[0] * x + v[1] * y + s for v, s in zip(directions, shift, strict=True)]
    network = sum(a * _activated(z, activation) for a, z in zip(weight, inputs, strict=True))
    shells = np.cos(2 * math.pi * SHELL * np.hypot(x, y))
    (ball, tubes), (ball_of_shells, tubes_of_shells) = (energies(f, directions) for f in (network, shells))
    return tubes / ball, tubes_of_shells / ball_of_shells


def _activated(z: np.ndarray, activation: str) -> np.ndarray:
    return np.asarray(np.maximum(z, 0) if activation == "relu" else expit(4 * z))
