"""Eigenvalues of kernels on the sphere S^(d-1), and their decay, against what singularities predict (Bietti & Bach).

mu_k is that of the kernel under the uniform probability measure, for each of the N(d, k) harmonics of degree k: on
vectors with |x|^2 = d, and on unit vectors of a kernel that is |x||y| times a function of the cosine.
Layers L count the readout: L = depth + 1.

- ``digits``: decimal digits of the arithmetic
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import xarray as xr

from isobath.settings import Count, Depths, Kernel, Values
from isobath.spectra.decay import Exponent, Singularities, fit
from isobath.spectra.harmonics import check_dimension, multiplicities
from isobath.spectra.kernels import Family, coordinates, families, spectra

FINER = 1.5  # the factor between the steps of two quadratures, whose difference is the estimate of the error
LAST = 4  # degrees at the end at which the quadratures are compared
TRUSTED = 100  # an eigenvalue counts as known from this many times its estimated error on
LEAST_DEGREES, LEAST_DIGITS = 40, 30
ABOUT = {
    "eigenvalue": "eigenvalue mu_k on each harmonic of degree k",
    "multiplicity": "number N(d, k) of harmonics of degree k",
    "prediction": "mu_k that the leading singularities of the kernel predict for large k",
    "self_estimate": "estimated error of mu_k: largest difference of two quadratures at the last degrees",
    "exponent": "fitted exponent of k in mu_k",
    "low": "lower end of the interval of the exponent over windows",
    "high": "upper end of the interval of the exponent over windows",
    "first_degree": "first degree that the exponent is fitted to",
    "last_degree": "last degree that the exponent is fitted to",
    "expected_exponent": "exponent -d - 2 nu + 1 of the theorem",
    "value_at_one": "kernel at u = 1",
    "trace_captured": "share of the value at u = 1 in the degrees up to the last",
}
PARITIES = ("even", "odd")


def calculate(
    *,
    generator: np.random.Generator,
    kernels: Values[tuple[str, Kernel, Depths]],
    dimensions: Values[Count],
    degrees: Count,
    digits: Count = 80,
) -> xr.Dataset:
    """Return the eigenvalues for each kernel, dimension d and degree 0 .. ``degrees``. Nothing is random.

    Coordinates say the family and the layers L of a kernel (0 without depth), the functions that log mu_k is fitted
    with (basis), and for which reason there is no exponent (reason).

    ``kernels`` are triples of a name, a kernel and its depths, none for a kernel without. Exponents are fitted for each
    parity, from a third of the degrees on. An eigenvalue is 0 where it is below TRUSTED times its error, or its share
    of the trace below 10^(-digits / 2). Raises ValueError for fewer than 40 degrees, 30 digits or 3 dimensions.
    """
    check(kernels=kernels, dimensions=dimensions, degrees=degrees, digits=digits)
    kernel_families = families(kernels)
    mu, errors = _spectra(kernel_families, dimensions, degrees, digits)
    singularities = [s for family in kernel_families for s in family.known_singularities()]
    at_one = np.array([value for family in kernel_families for value in family.at_one])
    n = np.stack([multiplicities(d, degrees) for d in dimensions])
    mu[_vanishing(mu, n, errors, digits)] = 0.0
    exponents, reasons = _exponents(mu, errors, singularities, dimensions)
    variables: dict[str, Any] = {
        "eigenvalue": (["kernel", "dimension", "degree"], mu),
        "multiplicity": (["dimension", "degree"], n),
        "prediction": (["kernel", "dimension", "degree"], _predictions(singularities, dimensions, degrees)),
        "self_estimate": (["kernel", "dimension", "parity"], errors),
        **exponents,
        "value_at_one": (["kernel"], at_one),
        "trace_captured": (["kernel", "dimension"], (mu * n).sum(-1) / at_one[:, None]),
    }
    coords = {
        **coordinates(kernel_families),
        "dimension": list(dimensions),
        "degree": np.arange(degrees + 1),
        "parity": np.array(PARITIES, dtype=object),
        "basis": ("kernel", np.array([s.basis if s else "" for s in singularities], dtype=object)),
        "reason": reasons,
    }
    table = {name: (*column, {"long_name": ABOUT[name], "units": "1"}) for name, column in variables.items()}
    return xr.Dataset(table, coords={**coords, "digits": digits})


def check(*, kernels: Any, dimensions: tuple[int, ...], degrees: int, digits: int) -> None:
    """Refuse too few degrees, digits or dimensions, and kernels that have no such depths (ValueError)."""
    families(kernels)
    for dimension in dimensions:
        check_dimension(dimension)
    for name, value, least in (("degrees", degrees, LEAST_DEGREES), ("digits", digits, LEAST_DIGITS)):
        if value < least:
            raise ValueError(f"{name} is {value}; it must be at least {least}")


def _spectra(
    kernel_families: list[Family], dimensions: tuple[int, ...], degrees: int, digits: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return mu (kernel, dimension, degree) and its estimated error (kernel, dimension, parity)."""
    last = range(degrees + 1 - LAST, degrees + 1)
    mu = spectra(kernel_families, dimensions, range(degrees + 1), digits=digits)
    finer = spectra(kernel_families, dimensions, last, digits=digits, finer=FINER)
    gaps = np.abs(mu[..., list(last)] - finer)
    errors = np.stack([gaps[..., [i for i, k in enumerate(last) if k % 2 == parity]].max(-1) for parity in (0, 1)], -1)
    return mu.astype(float), errors.astype(float)


def _vanishing(mu: np.ndarray, n: np.ndarray, errors: np.ndarray, digits: int) -> np.ndarray:
    """Return the places (kernel, dimension, degree) at which eigenvalues are 0 within their accuracy."""
    degrees = np.arange(mu.shape[-1])
    least = TRUSTED * errors[..., degrees % 2]
    trace = np.abs(mu * n).sum(-1, keepdims=True)
    return np.asarray((np.abs(mu) < least) | (np.abs(mu) * n < 10.0 ** (-digits / 2) * trace))


def _predictions(singularities: list[Singularities | None], dimensions: tuple[int, ...], degrees: int) -> np.ndarray:
    undefined = np.full(degrees + 1, np.nan)
    return np.array([[s.eigenvalues(d, degrees) if s else undefined for d in dimensions] for s in singularities])


def _exponents(
    mu: np.ndarray, errors: np.ndarray, singularities: list[Singularities | None], dimensions: tuple[int, ...]
) -> tuple[dict[str, Any], Any]:
    """Return the fitted exponents with their intervals and those of the theorem, and the reasons for missing ones."""
    fits = list(_fits(mu, errors, singularities, dimensions))
    shape = errors.shape
    dims = ["kernel", "dimension", "parity"]
    columns = {"exponent": "value"} | {name: name for name in ("low", "high", "first_degree", "last_degree")}
    table: dict[str, Any] = {
        name: (dims, np.reshape([getattr(fitted, field) for fitted in fits], shape)) for name, field in columns.items()
    }
    reasons = np.array([fitted.reason for fitted in fits], dtype=object).reshape(shape)
    expected = [[s.exponent(d) if s else np.nan for d in dimensions] for s in singularities]
    return table | {"expected_exponent": (dims[:2], np.array(expected))}, (dims, reasons)


def _fits(
    mu: np.ndarray, errors: np.ndarray, singularities: list[Singularities | None], dimensions: tuple[int, ...]
) -> Iterator[Exponent]:
    degrees = np.arange(mu.shape[-1])
    for i, j, parity in np.ndindex(*errors.shape):
        values = mu[i, j]
        fitted = (degrees % 2 == parity) & (degrees >= degrees[-1] / 3) & (values != 0)
        singular = singularities[i]
        unknown = Exponent(reason="the singularities of the kernel are not known")
        yield fit(degrees[fitted], values[fitted], dimensions[j], singular) if singular else unknown
