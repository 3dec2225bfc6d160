"""Averages of networks: their errors, fluctuations and distances (Jacot, Geiger et al., sections 3 to 5, appendix A).

The R networks of a cell differ in their start alone. Their outputs f (R, T, K) on T test samples are float64; networks
that diverged are left out by the caller. With K = 1 the class is 1 where f > 0 and 0 elsewhere, else the argmax.
``members`` (S, R) says which networks make up each of S ensembles, whose output is the mean of theirs. fbar is
that of all R, which is not the mean over starts <f>: what is measured against it is called biased.

Networks are what is independent. Estimates that are no mean over networks come with pseudo-values, one
per network, whose mean is the estimate: resampling them resamples networks, and their spread over the
root of R is the standard error.
"""

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from isobath.classes import misclassified, predicted

BLOCK = 2**21  # numbers in a block of the outputs of ensembles


def predictions(outputs: np.ndarray) -> np.ndarray:
    """Class indices (..., T), int64, of outputs (..., T, K). Raises ValueError where an output is not finite."""
    _check(outputs)
    return np.asarray(predicted(outputs), dtype=np.int64)


def error(outputs: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Fraction (...) of the T samples that outputs (..., T, K) put in another class than labels (T,). Raises as above.

    Labels are 0 .. K - 1, or 0 and 1 with K = 1.
    """
    _check(outputs, labels)
    return np.asarray(misclassified(outputs, labels).mean(-1))


def subsets(networks: int, size: int, count: int, generator: np.random.Generator) -> np.ndarray:
    """``count`` different subsets of ``size`` out of R ``networks``, drawn uniformly: bool, (S, R).

    S is ``count``, or the number of subsets there are if that is less. Raises ValueError for sizes that cannot be.
    """
    if not 1 <= size <= networks or count < 1:
        raise ValueError(f"{count} subsets of {size} networks: allowed are sizes 1 to {networks}, one subset or more")
    possible = math.comb(networks, size)
    if possible <= 4 * count:  # few enough to list
        rows = np.array(list(itertools.combinations(range(networks), size)))
        rows = rows if possible <= count else rows[generator.permutation(possible)[:count]]
        members = np.zeros((len(rows), networks), dtype=bool)
        np.put_along_axis(members, rows, True, axis=1)
        return members
    found = np.zeros((0, networks), dtype=bool)
    while len(found) < count:
        drawn = generator.random((count, networks)).argsort(1) < size
        found = np.concatenate([found, drawn])
        found = found[np.sort(np.unique(found, axis=0, return_index=True)[1])]
    return found[:count]


def ensemble_errors(outputs: np.ndarray, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Test error (S,) of each ensemble of ``members`` (S, R); outputs (R, T, K), labels (T,). Raises as ``error``."""
    _check(outputs, labels)
    wrong = np.zeros(len(members))
    for part, mean in _averages(outputs, members):
        wrong += misclassified(mean, labels[part]).sum(1)
    return wrong / len(labels)


def pseudo_values(values: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Jackknife pseudo-values (R,) of the mean of ``values`` (S,) over all ensembles of one size, from S of them.

    n times the coefficients of a linear regression of values on membership. With every subset of a size this is
    R theta - (R - 1) theta_(-i), theta_(-i) the mean over ensembles without network i. With some of them it
    is less noisy: what the other networks of an ensemble do is accounted for. NaN values are left out.
    All are NaN where ensembles do not tell the networks apart. Raises ValueError for several sizes.
    """
    kept = np.isfinite(values)
    held, networks = members[kept].astype(float), members.shape[1]
    coefficients, _, rank, _ = np.linalg.lstsq(held, values[kept], rcond=None)
    pseudo: np.ndarray = _size(members) * np.where(rank == networks, coefficients, np.nan)
    return pseudo


class Errors(NamedTuple):
    """Mean test error of ensembles by size n = 1 .. R: (R,); pseudo-values (R networks, R sizes); subsets behind."""

    size: np.ndarray
    mean: np.ndarray
    pseudo_values: np.ndarray
    subsets: np.ndarray


def error_by_size(
    outputs: np.ndarray, labels: np.ndarray, *, count: int = 500, generator: np.random.Generator
) -> Errors:
    """eps_N^n, the test error of the mean of n networks, for n = 1 .. R, over at most ``count`` subsets of each size.

    At n = 1 it is the mean error of single networks, at n = R the error of the whole. Elsewhere it is the
    mean of the pseudo-values, which is the mean over subsets where all are taken, and less noisy
    where not. Size R has no pseudo-values: NaN. Raises as ``error``, and ValueError for ``count`` < R.
    """
    networks = len(outputs)
    if count < networks:
        raise ValueError(f"count is {count}; {networks} networks need at least as many subsets")
    sizes = np.arange(1, networks + 1)
    means, pseudo, counts = [], [], []
    for size in sizes:
        members = subsets(networks, int(size), count, generator)
        values = ensemble_errors(outputs, labels, members)
        pseudo.append(pseudo_values(values, members))
        means.append(values.mean() if np.isnan(pseudo[-1]).any() else pseudo[-1].mean())
        counts.append(len(members))
    return Errors(sizes, np.array(means), np.stack(pseudo, 1), np.array(counts))


class Limit(NamedTuple):
    """eps_n = error + slope / n; pseudo-values (R,) of ``error`` and of ``slope``. NaN where it cannot be fitted."""

    error: float
    slope: float
    pseudo_values: np.ndarray
    slope_pseudo_values: np.ndarray


def limit(errors: Errors) -> Limit:
    """epsbar_N, the error at n -> infinity: least squares of eps_n = epsbar_N + a / n over n = 1 .. R // 2 (section 4).

    Size n has the weight n: the error of ensembles scatters over networks with a variance of about 1/n, and the
    law holds for large n. Weights that are no data make the fit linear in eps_n, so its pseudo-values are
    those of eps_n, combined alike. Beyond R // 2 subsets share most of their networks and add little.
    Four networks at least; with fewer all is NaN.
    """
    n = errors.size[: len(errors.size) // 2]
    if len(n) < 2:
        nothing = np.full(len(errors.size), np.nan)
        return Limit(math.nan, math.nan, nothing, nothing)
    basis = np.stack([np.ones(len(n)), 1 / n], 1)
    solver = np.linalg.solve(basis.T @ (n[:, None] * basis), basis.T * n)
    value, slope = solver @ errors.mean[: len(n)]
    pseudo = errors.pseudo_values[:, : len(n)] @ solver.T
    return Limit(float(value), float(slope), pseudo[:, 0], pseudo[:, 1])


class Excess(NamedTuple):
    """eps_n - epsbar_N by size (R,), its pseudo-values (R networks, R sizes), and that of each network (R,)."""

    mean: np.ndarray
    pseudo_values: np.ndarray
    networks: np.ndarray


def excess(errors: Errors, limit: Limit) -> Excess:
    """Errors beyond the limit of large ensembles; size 1 is eps_N - epsbar_N (Figs 4 and 6 D).

    ``networks`` spread less than the pseudo-values of size 1, which know that the limit is an estimate.
    """
    pseudo = errors.pseudo_values - limit.pseudo_values[:, None]
    return Excess(errors.mean - limit.error, pseudo, errors.pseudo_values[:, 0] - limit.error)


class Fluctuation(NamedTuple):
    """||f - fbar||^2, ``biased`` and ``unbiased``; ``networks`` (R,), whose mean is the unbiased one."""

    biased: float
    unbiased: float
    networks: np.ndarray


def fluctuation(outputs: np.ndarray) -> Fluctuation:
    """Variance of the outputs (R, T, K) over networks, averaged over samples and summed over K (Fig. 5).

    Biased is (1/R) sum_i ||f_i - fbar||^2, unbiased R / (R - 1) times that; NaN for one network. The root of
    the unbiased one is the ||f - fbar||_mu of eq. 9.
    """
    rest = outputs - outputs.mean(0)
    squares = np.einsum("rtk,rtk->r", rest, rest) / rest.shape[1]
    factor = finite_ensemble_factor(len(outputs)) ** 2
    return Fluctuation(float(squares.mean()), float(squares.mean() * factor), squares * factor)


def finite_ensemble_factor(networks: int, size: int = 1) -> float:
    """What turns f^n - fbar into f^n - <f>: sqrt(1/n) / sqrt(1/n - 1/R), NaN for n = R.

    f^n, the mean of ``size`` n of the R ``networks``, has the variance 1/n about the mean over starts <f>. About
    fbar, which holds the n, it has 1/n - 1/R. For n = 1 the factor is 1 / sqrt(1 - 1/R).
    """
    return math.sqrt(1 / (1 - size / networks)) if size < networks else math.nan


class Distance(NamedTuple):
    """Distances (S,) of the boundaries of f from that of fbar, in units of the inputs; biased, as fbar holds f.

    ``measured`` is eq. 2, NaN where no sample differs; ``estimate`` is ||f - fbar|| / ||grad f||; ``differing``
    counts the samples behind ``measured``; ``factor`` is the finite_ensemble_factor that takes the bias away.
    """

    measured: np.ndarray
    estimate: np.ndarray
    differing: np.ndarray
    factor: float

    @property
    def unbiased(self) -> "Distance":
        """Distances from the boundary of the mean over starts: exact for the mean square of ``estimate``.

        ``measured`` scales alike where samples lie evenly between the boundaries.
        """
        return Distance(self.measured * self.factor, self.estimate * self.factor, self.differing, 1.0)


def distance(outputs: np.ndarray, gradient_norms: np.ndarray) -> Distance:
    """Distance of the boundary of each network from that of fbar, the mean of all R (eq. 2, Fig. 6 C).

        delta = mean |f - fbar| / |grad f| over the samples that f and fbar classify differently

    ``outputs`` (R, T, 1), ``gradient_norms`` (R, T) with respect to the inputs. Where the gradient of f
    vanishes there is no distance; such a sample is left out. Raises ValueError for K > 1.
    """
    f = _single(outputs)
    return _distance(_distance_sums(f, f.mean(0), gradient_norms), finite_ensemble_factor(len(f)))


def distance_of_ensembles(outputs: np.ndarray, gradients: np.ndarray, members: np.ndarray) -> Distance:
    """Distance of the boundary of each ensemble of ``members`` (S, R), all of one size, from that of all R (Fig. 4).

    ``outputs`` (R, T, 1), ``gradients`` (R, T, d) with respect to the inputs. The gradient of an ensemble is the mean
    of its networks'. Pseudo-values of distances keep fbar as it is: to first order it does not matter,
    as the mean is where squared distances are least. Raises ValueError for K > 1 and for members of several sizes.
    """
    fbar = _single(outputs).mean(0)
    factor = finite_ensemble_factor(len(outputs), _size(members))
    sums = np.zeros((4, len(members)))
    for part, mean in _averages(np.concatenate([outputs, gradients], 2), members):
        sums += _distance_sums(mean[:, :, 0], fbar[part], np.linalg.norm(mean[:, :, 1:], axis=2))
    return _distance(sums, factor)


def _distance_sums(f: np.ndarray, fbar: np.ndarray, norms: np.ndarray) -> np.ndarray:
    """What a distance is made of, (4, S), summed over samples: ratios, how many, |f - fbar|^2 and |grad f|^2."""
    gap = np.abs(f - fbar)
    between = ((f > 0) != (fbar > 0)) & (norms > 0)
    ratios = np.divide(gap, norms, out=np.zeros_like(gap), where=between)
    return np.stack([ratios.sum(1), between.sum(1), (gap**2).sum(1), (norms**2).sum(1)])


def _distance(sums: np.ndarray, factor: float) -> Distance:
    ratios, count, gap, slope = sums
    measured = np.divide(ratios, count, out=np.full(len(count), np.nan), where=count > 0)
    estimate = np.divide(gap, slope, out=np.full(len(count), np.nan), where=slope > 0)
    return Distance(measured, np.sqrt(estimate), count.astype(int), factor)


def _averages(values: np.ndarray, members: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Means of values (R, T, K) over each ensemble, (S, t, K) for the t samples of a slice, in bounded memory."""
    weights = members / members.sum(1, keepdims=True)
    step = max(1, BLOCK // (max(members.shape) * values.shape[2]))
    for start in range(0, values.shape[1], step):
        part = slice(start, start + step)
        block = weights @ values[:, part].reshape(len(values), -1)
        yield part, block.reshape(len(members), -1, values.shape[2])


def _single(outputs: np.ndarray) -> np.ndarray:
    if outputs.shape[-1] != 1:
        raise ValueError(f"the networks have {outputs.shape[-1]} outputs; distances of boundaries need one")
    return np.asarray(outputs[..., 0])


def _size(members: np.ndarray) -> int:
    sizes = np.unique(members.sum(1))
    if len(sizes) != 1:
        raise ValueError(f"the ensembles have the sizes {sizes.tolist()}; allowed is one size")
    return int(sizes[0])


def _check(outputs: np.ndarray, labels: np.ndarray | None = None) -> None:
    if not np.isfinite(outputs).all():
        raise ValueError(
            f"{(~np.isfinite(outputs)).sum()} outputs are not finite; a network that diverged has no class"
        )
    if labels is None:
        return
    samples, k = outputs.shape[-2], max(outputs.shape[-1], 2)
    if labels.shape != (samples,):
        raise ValueError(f"labels have the shape {labels.shape}; outputs on {samples} samples allow ({samples},)")
    if labels.min() < 0 or labels.max() >= k:
        raise ValueError(f"labels run from {labels.min()} to {labels.max()}; allowed are 0 to {k - 1}")
