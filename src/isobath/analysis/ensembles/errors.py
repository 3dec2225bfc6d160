"""Test errors of ensembles by their size, and their limit for large ensembles (Jacot, Geiger et al., section 4)."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from isobath.analysis.ensembles.classes import check_labels, check_outputs
from isobath.analysis.ensembles.subsets import averages, pseudo_values, subsets
from isobath.classes import misclassified

# The error of each sample, (S, B), of outputs (S, B, K) by labels (B,): that of a loss.
SampleErrors = Callable[[np.ndarray, np.ndarray], np.ndarray]
TERMS = 4  # of the expansion in 1/n: a Gaussian output whose fluctuation is as large as its mean needs them
SUBSETS_OF_ERRORS = 500  # ensembles of a size whose errors are measured, at most
ABOVE = 2.0  # standard errors by which a limit may lie above the error of the whole
ROUNDING = 1e-12


def ensemble_errors(
    outputs: np.ndarray,
    labels: np.ndarray,
    members: np.ndarray,
    weights: np.ndarray,
    *,
    error: SampleErrors = misclassified,
) -> np.ndarray:
    """Return the test error (S, W) of each ensemble of ``members`` (S, R); outputs (R, T, K), labels (T,).

    It is given by each column of the weights (T, W) of the samples. Labels are 0 .. K - 1, or 0 and 1 with K = 1.
    Raises ValueError for others, and where an output is not finite.
    """
    check_outputs(outputs)
    check_labels(outputs, labels)
    total = np.zeros((len(members), weights.shape[1]))
    for samples, mean in averages(outputs, members):
        total += error(mean, labels[samples]) @ weights[samples]
    return np.asarray(total / weights.sum(0))


class Errors(NamedTuple):
    """Mean test error of ensembles by size n = 1 .. R: (R,); pseudo-values (R networks, R sizes); subsets behind."""

    size: np.ndarray
    mean: np.ndarray
    pseudo_values: np.ndarray
    subsets: np.ndarray


def errors_by_size(
    outputs: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    *,
    error: SampleErrors = misclassified,
    count: int = SUBSETS_OF_ERRORS,
    generator: np.random.Generator,
) -> list[Errors]:
    """Return eps_N^n, the test error of the mean of n networks, for n = 1 .. R; at most ``count`` subsets of a size.

    At n = 1 it is the mean error of single networks, at n = R the error of the whole. Elsewhere it is the mean of the
    pseudo-values, which is the mean over subsets where all are taken, and less noisy where not. Size R has no
    pseudo-values: they are NaN. Errors are given by each of the W columns of the weights (T, W) of the samples, of the
    same subsets. Raises as ``ensemble_errors`` does, and ValueError for ``count`` < R.
    """
    networks = len(outputs)
    if count < networks:
        raise ValueError(f"count is {count}; {networks} networks need at least as many subsets")
    sizes = np.arange(1, networks + 1)
    means, pseudo, counts = [], [], []
    for size in sizes:
        members = subsets(networks, int(size), count, generator)
        values = ensemble_errors(outputs, labels, members, weights, error=error)
        pseudo.append(pseudo_values(values, members).T)
        of_networks = pseudo[-1].mean(1)
        means.append(np.where(np.isnan(of_networks), values.mean(0), of_networks))
        counts.append(len(members))
    by_weights = zip(np.stack(means, 1), np.stack(pseudo, 2), strict=True)
    return [Errors(sizes, mean, of_networks, np.array(counts)) for mean, of_networks in by_weights]


class Limit(NamedTuple):
    """eps_n = error + slope / n + ...; pseudo-values (R,) of ``error``.

    All are NaN where the limit cannot be fitted or cannot be true; the ``reason`` says why.
    """

    error: float
    slope: float
    pseudo_values: np.ndarray
    reason: str = ""


def limit(errors: Errors) -> Limit:
    """Fit eps_n = epsbar_N + a / n + b / n^2 + c / n^3 over n = 1 .. R // 2: epsbar_N is the error at n -> infinity.

    The error is a function of the variance of the mean, which falls as 1/n; one term alone holds where fluctuations are
    small. Size n has the weight n: the error of ensembles scatters over networks with a variance of about 1/n. The
    weights do not depend on the data, so the fit is linear in eps_n, and its pseudo-values are those of eps_n, combined
    alike. Beyond R // 2 subsets share most of their networks and add little. There are at most half as many powers of
    1/n as sizes.

    The limit is NaN for fewer than four networks, and where it lies above the error of the whole by more than ABOVE of
    its standard errors. Nearer limits are kept: without them the widths that look good by chance would be left.
    """
    networks = len(errors.size)
    if networks < 4:
        return _no_limit(networks, f"{networks} networks; 4 are needed")
    found = _extrapolated(errors)
    spread = found.pseudo_values.std(ddof=1) / math.sqrt(networks)
    if found.error - errors.mean[-1] > ABOVE * spread + ROUNDING:
        return _no_limit(networks, f"{found.error:.3g}, above the error {errors.mean[-1]:.3g} of all {networks}")
    return found


def limits(errors: Sequence[Errors]) -> list[Limit]:
    """Return the limits by several weights of the samples: none of them is known where the first is not."""
    first = limit(errors[0])
    return [first, *(first if first.reason else _extrapolated(other) for other in errors[1:])]


def _extrapolated(errors: Errors) -> Limit:
    """Return the limit that ``limit`` fits, whether it can be true or not."""
    n = errors.size[: len(errors.size) // 2].astype(float)
    basis = n[:, None] ** -np.arange(min(TERMS, 1 + len(n) // 2))
    solver = np.linalg.solve(basis.T @ (n[:, None] * basis), basis.T * n)
    value, slope = (solver @ errors.mean[: len(n)])[:2]
    pseudo = errors.pseudo_values[:, : len(n)] @ solver.T
    return Limit(float(value), float(slope), pseudo[:, 0])


def _no_limit(networks: int, reason: str) -> Limit:
    """Return a limit of NaN, with the reason why it is not known."""
    nothing = np.full(networks, np.nan)
    return Limit(math.nan, math.nan, nothing, reason)


class Excess(NamedTuple):
    """eps_n - epsbar_N by size (R,), and its pseudo-values (R networks, R sizes)."""

    mean: np.ndarray
    pseudo_values: np.ndarray


def excess(errors: Errors, limit: Limit) -> Excess:
    """Return the errors beyond the limit of large ensembles; size 1 is eps_N - epsbar_N (Figs 4 and 6 D)."""
    return Excess(errors.mean - limit.error, errors.pseudo_values - limit.pseudo_values[:, None])
