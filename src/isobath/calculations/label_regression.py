"""The error of kernel regression on k-local and k-global labels, predicted without a regression.

The labels of Mori & Ueda are y = sign g(x) of a polynomial g of degree k, and Gaussian inputs of R^d lie next to the
sphere |x|^2 = d, where g is a harmonic of degree k. The part of y along g has the power E[|g|]^2 / E[g^2]; the rest,
of higher degrees with far too many harmonics to be learned, is noise. By the theory of ``spectra.eigenlearning`` the
regressed function is L_k E[|g|] g / E[g^2] plus an error of known variance, taken as Gaussian, and its sign is wrong
with a probability that an average over g gives.

- ``labels``: labels: a name, the rule, k and the dimension d of each
"""

from typing import Any, Literal

import numpy as np
import xarray as xr
from scipy.special import ndtr

from isobath.settings import Count, Depths, Kernel, Values
from isobath.spectra.eigenlearning import Prediction, Spectrum, predict
from isobath.spectra.harmonics import check_dimension, multiplicities
from isobath.spectra.kernels import coordinates, families, spectra
from isobath.tasks.k_global import products

DEGREES = 14  # whose eigenvalues are computed; of higher ones the sums need only their share of the trace
SAMPLES = 50_000  # of g
CHUNK = 2000  # samples drawn at once
ABOUT = {
    "predicted_error": "misclassified fraction that the eigenvalues predict",
    "predicted_square": "mean squared error of the regression of +-1 that they predict",
    "learnability": "L_k, the part of the label's degree that is learned",
    "power": "power of the label along its polynomial",
}


def calculate(
    *,
    generator: np.random.Generator,
    kernels: Values[tuple[str, Kernel, Depths]],
    labels: Values[tuple[str, Literal["local", "global"], Count, Count]],
    n_train: Values[Count],
) -> xr.Dataset:
    """Return predicted errors of kernels (triples of a name, a kernel and its depths), by label and training set size.

    ``labels`` are a name, the rule, k and the dimension d of the inputs. The regression interpolates: it has no ridge.
    """
    check(kernels=kernels, labels=labels, n_train=n_train)
    kernel_families = families(kernels)
    at_one = [value for family in kernel_families for value in family.at_one]
    numbers, powers = [], []
    for _, rule, k, d in labels:
        g = np.abs(polynomial(rule, k, d, generator))
        powers.append(float(g.mean() ** 2 / (g**2).mean()))
        mu = spectra(kernel_families, [d], range(max(DEGREES, k) + 1))[:, 0].astype(float)
        counts = multiplicities(d, max(DEGREES, k))
        spectrums = [Spectrum(row, counts, trace) for row, trace in zip(mu, at_one, strict=True)]
        numbers.append([[_numbers(s, k, powers[-1], g, n) for n in n_train] for s in spectrums])
    table = np.array(numbers).swapaxes(0, 1)
    names = ("predicted_error", "predicted_square", "learnability")
    dims = ["kernel", "task", "n_train"]
    variables: dict[str, Any] = {name: (dims, table[..., i]) for i, name in enumerate(names)}
    variables["power"] = (["task"], powers)
    labelled = {name: (*column, {"long_name": ABOUT[name], "units": "1"}) for name, column in variables.items()}
    coords = {
        **coordinates(kernel_families),
        "task": np.array([name for name, *_ in labels], dtype=object),
        "n_train": list(n_train),
    }
    return xr.Dataset(labelled, coords=coords)


def check(*, kernels: Any, labels: Any, **_: Any) -> None:
    """Refuse dimensions below 3 and labels of more components than there are (ValueError)."""
    families(kernels)
    for name, _rule, k, d in labels:
        check_dimension(d)
        if k > d:
            raise ValueError(f"label {name!r} has k {k} and the dimension {d}; k must not exceed it")


def polynomial(rule: str, k: int, dimension: int, generator: np.random.Generator) -> np.ndarray:
    """Draw values (SAMPLES,) of the polynomial whose sign is the label."""
    values = []
    for _ in range(SAMPLES // CHUNK):
        x = generator.standard_normal((CHUNK, dimension if rule == "global" else k))
        values.append(products(x, tuple(range(1, k + 1))).sum(1) if rule == "global" else x.prod(1))
    return np.concatenate(values)


def _numbers(spectrum: Spectrum, k: int, power: float, g: np.ndarray, n: int) -> tuple[float, float, float]:
    """Return the misclassified fraction, the mean squared error and L_k for n samples, from |g| (samples,)."""
    powers = np.where(np.arange(len(spectrum.eigenvalues)) == k, power, 0.0)
    prediction: Prediction = predict(spectrum, powers, 1 - power, n=n, ridge=0.0)
    signal = prediction.learnability[k] * g.mean() / (g**2).mean() * g
    return (
        float(ndtr(-signal / np.sqrt(prediction.variance)).mean()),
        prediction.error,
        float(prediction.learnability[k]),
    )
