"""Kernel ridge regression on the sphere, against the error that eigenvalues predict (Bietti & Bach; Simon et al.).

The target is the indicator of a cap, without noise. Kernels are divided by their values at u = 1, so that one ridge
means the same for all, and all kernels see the same points, axes and validation samples. The ridge is the one that errs
least on samples for validation.

- ``ridges``: ridges lambda
- ``n_validation``: samples on which a ridge is chosen
- ``n_test``: test samples
- ``cap``: cosine at which the cap begins, whose indicator is the target
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import xarray as xr

from isobath.regression import ridge_lists
from isobath.settings import Count, Depths, Fraction, Kernel, Positive, Values
from isobath.spectra.eigenlearning import Spectrum, predict
from isobath.spectra.harmonics import check_dimension, multiplicities
from isobath.spectra.kernels import Family, coordinates, families, spectra
from isobath.spectra.sphere_regression import Cap, Population, Samples, angles, draw, regress

NOISE = 1e-12  # of the eigenvalue of the next degree: one below that vanishes, and what is left of it is rounding
LEAST_DEGREES, LEAST_TRAIN = 100, 10
ABOUT = {
    "error": "mean squared error over the sphere",
    "validation_error": "mean squared error on the samples for validation",
    "test_error": "mean squared error on samples for testing",
    "chosen_ridge": "ridge with the smallest error on the samples for validation",
    "ridge_at_edge": "1 if the chosen ridge is an end of the list to which the errors still fall, else 0",
    "chosen_error": "mean squared error over the sphere at the chosen ridge",
    "predicted_error": "mean squared error that the eigenvalues predict",
    "effective_ridge": "effective ridge kappa",
    "unseen_power": "part of |f*|^2 in degrees whose eigenvalue is 0",
    "target_power": "|f*|^2, the error of the function 0",
}
BY_RIDGE = ("kernel", "n_train", "draw", "ridge")
MEASURED = ("error", "validation_error", "test_error")


def calculate(
    *,
    generator: np.random.Generator,
    kernels: Values[tuple[str, Kernel, Depths]],
    n_train: Values[Count],
    draws: Count,
    ridges: Values[Positive],
    n_validation: Count,
    n_test: Count,
    dimension: Count = 4,
    cap: Fraction = 0.7,
    degrees: Count = 400,
) -> xr.Dataset:
    """Return errors of kernels (triples of a name, a kernel and its depths), by size of the training set and ridge.

    lambda n is added to the Gram matrix. The training sets of a draw are the first points of the largest one. Raises
    ValueError for fewer than 3 dimensions, 10 training samples or 100 degrees.
    """
    check(kernels=kernels, dimension=dimension, n_train=n_train, ridges=ridges, degrees=degrees)
    kernel_families, target = families(kernels), Cap.of(cap, dimension, degrees)
    mu = spectra(kernel_families, [dimension], range(degrees + 1))[:, 0].astype(float)
    mu /= np.array([value for family in kernel_families for value in family.at_one])[:, None]
    mu = without_noise(mu)
    counts = multiplicities(dimension, degrees)
    populations = [Population.of(row, target) for row in mu]
    numbers = [
        list(_of_draw(kernel_families, populations, target, n_train, ridges, (n_validation, n_test), generator))
        for _ in range(draws)
    ]
    table = np.array(numbers).reshape(draws, len(n_train), len(mu), len(MEASURED), len(ridges))
    columns = {name: (BY_RIDGE, np.moveaxis(table[:, :, :, i], 0, 2).swapaxes(0, 1)) for i, name in enumerate(MEASURED)}
    spectrums = [Spectrum(row, counts, 1.0) for row in mu]
    variables: dict[str, Any] = {**columns, **_predictions(spectrums, target, n_train, ridges)}
    variables["target_power"] = ((), target.power)
    powers = counts * target.coefficients**2
    variables["unseen_power"] = (("kernel",), np.array([powers[row == 0].sum() for row in mu]))
    labelled = {name: (*column, {"long_name": ABOUT[name], "units": "1"}) for name, column in variables.items()}
    coords = {"n_train": list(n_train), "draw": range(draws), "ridge": list(ridges), "dimension": dimension, "cap": cap}
    return _with_choice(xr.Dataset(labelled, coords={**coordinates(kernel_families), **coords}))


def without_noise(mu: np.ndarray) -> np.ndarray:
    """Return eigenvalues (kernels, degrees) with 0 for those that vanish, as every second one of some kernels does."""
    size = np.pad(np.abs(mu), [(0, 0), (1, 1)])
    return np.where(size[:, 1:-1] < NOISE * np.maximum(size[:, :-2], size[:, 2:]), 0.0, mu)


def check(*, kernels: Any, dimension: int, n_train: Any, ridges: Any, degrees: int, **_: Any) -> None:
    """Refuse settings that have no prediction, and lists that do not increase (ValueError)."""
    families(kernels)
    check_dimension(dimension)
    if degrees < LEAST_DEGREES:
        raise ValueError(f"degrees is {degrees}; it must be at least {LEAST_DEGREES}")
    if min(n_train) < LEAST_TRAIN:
        raise ValueError(f"n_train has {min(n_train)}; it must be at least {LEAST_TRAIN}")
    for name, values in (("n_train", n_train), ("ridges", ridges)):
        if list(values) != sorted({*values}):
            raise ValueError(f"{name} is {list(values)}; it must increase")


def _of_draw(
    kernel_families: list[Family],
    populations: list[Population],
    target: Cap,
    n_train: tuple[int, ...],
    ridges: tuple[float, ...],
    held_out: tuple[int, ...],
    generator: np.random.Generator,
) -> Iterator[np.ndarray]:
    """Yield the errors of MEASURED by ridge, (measured, ridges), of each size and kernel of one draw."""
    axis = generator.standard_normal(target.dimension)
    axis /= np.linalg.norm(axis)
    largest, *held_out_sets = (draw(n, axis, target, generator) for n in (max(n_train), *held_out))
    for n in n_train:
        train = largest.first(n)
        pair_angles, remaining = angles(train.x), iter(populations)
        for family in kernel_families:
            blocks = zip(*(family.matrices(s.x, train.x) for s in (train, *held_out_sets)), strict=True)
            for gram, *across in blocks:
                pairs = _with_targets(across, held_out_sets)
                yield np.stack(regress(gram, train, pair_angles, next(remaining), pairs, ridges))


def _with_targets(across: list[np.ndarray], held_out_sets: list[Samples]) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(matrix, samples.y) for matrix, samples in zip(across, held_out_sets, strict=True)]


def _predictions(
    spectrums: list[Spectrum], target: Cap, n_train: tuple[int, ...], ridges: tuple[float, ...]
) -> dict[str, Any]:
    powers = spectrums[0].multiplicities * target.coefficients**2
    power_beyond = target.power - powers.sum()
    predictions = [
        [[predict(s, powers, power_beyond, n=n, ridge=r) for r in ridges] for n in n_train] for s in spectrums
    ]
    dims = ("kernel", "n_train", "ridge")
    return {
        "predicted_error": (
            dims,
            np.array([[[prediction.error for prediction in row] for row in rows] for rows in predictions]),
        ),
        "effective_ridge": (
            dims,
            np.array([[[prediction.effective_ridge for prediction in row] for row in rows] for rows in predictions]),
        ),
    }


def _with_choice(table: xr.Dataset) -> xr.Dataset:
    """Add the ridge that validation chooses, the smallest of equal ones, and the error at that ridge."""
    errors = table.validation_error.transpose(..., "ridge")
    best = errors.argmin("ridge")
    chosen = {
        "chosen_ridge": table.ridge.isel(ridge=best),
        "ridge_at_edge": best.copy(data=ridge_lists.at_edge(errors.values, best.values)),
        "chosen_error": table.error.isel(ridge=best),
    }
    variables = {
        name: values.drop_vars("ridge", errors="ignore").assign_attrs(long_name=ABOUT[name], units="1")
        for name, values in chosen.items()
    }
    return table.assign(variables)
