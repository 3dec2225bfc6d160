"""The jamming transition: the threshold N*, and the steps that fitting takes (Jacot, Geiger et al., sections 2 and 6).

The source calls N* the smallest N whose training reaches zero loss within t*. Near N* some networks
of a size do and some do not, so N* is taken as the N at which half of them do: the probability is
a logistic in ln N, fitted by maximum likelihood. N* drifts with t*, which has to be told with it. A
network that did not fit within t* is a censored observation: it counts, in both.
"""

from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy.special import expit

from isobath.analysis.bootstraps import NETWORKS
from isobath.analysis.cubes import UNTRAINED

TOO_MANY = 0.1  # share of resamples without a threshold from which there is no interval
ROUNDS = 100  # of Newton's method
LONG_NAMES = {
    "threshold": "N* at which half of the networks fit",
    "low": "lower end of the 95 % interval of N*",
    "high": "upper end of the 95 % interval of N*",
    "fraction": "fraction of networks that fit",
    "reason": "why N* or its interval is not known",
    "median_steps": "median of the steps to fit",
    "censored": "whether the median is beyond the steps that were made",
}


class Threshold(NamedTuple):
    """N* with its 95 % interval, the fraction of networks that fit at each width (w,), and why N* is not known."""

    threshold: float
    low: float
    high: float
    fraction: np.ndarray
    reason: str


def threshold(fitted: np.ndarray, x: np.ndarray, *, generator: np.random.Generator, bootstraps: int = 400) -> Threshold:
    """N* from whether networks fit, (w, s) true, false or NaN for missing, at increasing sizes x (w,).

    If the fraction jumps from 0 to 1 between neighbouring sizes, N* is their geometric mean and
    the interval the bracket. If all networks fit or none does, N* is censored: NaN, with a bound
    in high or low, and NaN or infinity opposite. Raises ValueError for sizes that are not positive and increasing.
    """
    fitted = np.asarray(fitted, dtype=float)
    there = ~np.isnan(fitted)
    if not (np.all(x > 0) and np.all(np.diff(x) > 0)):
        raise ValueError(f"x is {x.tolist()}; sizes must be positive and increasing")
    used = there.any(1)
    n, k = there.sum(1), np.nansum(fitted, 1)
    fraction = np.where(used, k / np.maximum(n, 1), np.nan)
    if not used.any():
        return Threshold(np.nan, np.nan, np.nan, fraction, "no network was trained")
    n, k, ln = n[used], k[used], np.log(x[used])
    if (k == n).all():
        return Threshold(np.nan, np.nan, np.exp(ln[0]), fraction, f"all networks fit, the smallest at {x[used][0]:g}")
    if (k == 0).all():
        return Threshold(np.nan, np.exp(ln[-1]), np.inf, fraction, f"no network fits, up to {x[used][-1]:g}")
    (middle,), (low,), (high,) = _locate(k[None], n, ln)
    if np.isinf(middle):
        few = "fewer than half of the networks fit, up to" if middle > 0 else "more than half of the networks fit from"
        ends = (float(np.exp(low)), np.inf) if middle > 0 else (np.nan, float(np.exp(high)))
        return Threshold(np.nan, *ends, fraction, f"{few} {x[used][-1 if middle > 0 else 0]:g}")
    if np.isnan(middle):
        return Threshold(np.nan, np.nan, np.nan, fraction, "the fraction of networks that fit does not rise with x")
    reason = "" if ln[0] <= middle <= ln[-1] else "N* lies outside of the sizes: extrapolated"
    if low == high:  # networks that fit and that do not overlap: no bracket
        replicates = generator.binomial(n, k / n, (bootstraps, len(n)))  # what resampling networks amounts to
        low, high, failed = _percentiles(*_locate(replicates, n, ln)[1:])
        reason = f"{failed} of {bootstraps} resamples have no threshold" if np.isnan(low) else reason
    bottom = np.exp(low) if low > -np.inf else np.nan
    return Threshold(np.exp(middle), bottom, np.exp(high), fraction, reason)


def _of_known_sizes(fitted: np.ndarray, x: np.ndarray, generator: np.random.Generator, bootstraps: int) -> Threshold:
    """The threshold where some sizes are NaN: those at which this combination was not trained."""
    known = np.isfinite(x)
    found = threshold(fitted[known], x[known], generator=generator, bootstraps=bootstraps)
    fraction = np.full(len(x), np.nan)
    fraction[known] = found.fraction
    return found._replace(fraction=fraction)


def _percentiles(lows: np.ndarray, highs: np.ndarray) -> tuple[float, float, int]:
    """From the lower ends to the upper ends of replicates, 95 %, and how many of them are NaN."""
    lost = np.isnan(lows)
    if lost.mean() > TOO_MANY:
        return np.nan, np.nan, int(lost.sum())
    low = np.quantile(lows[~lost], 0.025, method="lower")  # no interpolation: some are infinite
    return float(low), float(np.quantile(highs[~lost], 0.975, method="higher")), int(lost.sum())


def _locate(k: np.ndarray, n: np.ndarray, ln: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The place ln N* and the ends of its bracket, (b,), where k (b, w) of n (w,) networks fit at ln N (w,).

    The likelihood has a maximum only if a network that does not fit is larger than one that
    does; the bracket then has no width. Otherwise the slope is infinite and N* lies between the
    largest size with unfitted networks and the smallest with fitted ones; if that is one size,
    N* is on that side of it on which half of them fit. Infinite if all fit or none does, NaN if the
    fraction does not rise.
    """
    ends = np.concatenate([[-np.inf], ln, [np.inf]])  # of size i: ends[i + 1]
    unfitted = np.where(k < n, np.arange(len(n)), -1).max(1) + 1  # the largest, 0 for none
    fits = np.where(k > 0, np.arange(len(n)), len(n)).min(1) + 1  # the smallest
    overlap = unfitted > fits
    one = fits == unfitted  # a single size has both
    at = np.minimum(fits, len(n)) - 1
    share = k[np.arange(len(k)), at] / n[at]
    lower = np.where(one, np.where(share < 0.5, fits, fits - 1), unfitted)
    upper = np.where(one, np.where(share > 0.5, fits, fits + 1), fits)
    middle = np.where(one & (share == 0.5), ends[np.minimum(fits, len(n) + 1)], (ends[lower] + ends[upper]) / 2)
    low, high = ends[np.where(one, fits - 1, unfitted)], ends[np.where(one, fits + 1, fits)]
    if overlap.any():
        middle[overlap] = _half(k[overlap], n, ln)
    return middle, np.where(overlap, middle, low), np.where(overlap, middle, high)


def _half(k: np.ndarray, n: np.ndarray, ln: np.ndarray) -> np.ndarray:
    """Where the logistic of greatest likelihood is one half, (b,), by Newton's method; NaN if it does not rise."""
    centre = np.average(ln, weights=n)
    scale = np.sqrt(np.average((ln - centre) ** 2, weights=n))
    design = np.stack([np.ones_like(ln), (ln - centre) / scale], -1)
    share = k.sum(1) / n.sum()
    rises = (k - n * share[:, None]) @ design[:, 1] > 1e-12 * n.sum()  # the likelihood is concave: its slope at 0 tells
    beta = np.stack([np.log(share / (1 - share)), np.zeros(len(k))], -1)
    pace, best = np.ones(len(k)), _likelihood(beta, design, k, n)
    for _ in range(ROUNDS):
        p = expit(beta @ design.T)
        gradient = (k - n * p) @ design
        curvature = np.einsum("bw,wi,wj->bij", n * p * (1 - p), design, design) + 1e-9 * np.eye(2)
        step = pace[:, None] * np.linalg.solve(curvature, gradient[..., None])[..., 0]
        found = _likelihood(beta + step, design, k, n)
        better = rises & (found > best)
        beta, best = np.where(better[:, None], beta + step, beta), np.where(better, found, best)
        pace = np.where(better, np.minimum(2 * pace, 1), pace / 4)
        if not (better & (np.abs(step).max(1) > 1e-10)).any() and (pace < 1e-6)[rises].all():
            break
    return np.where(rises, centre - scale * beta[:, 0] / np.where(rises, beta[:, 1], 1), np.nan)


def _likelihood(beta: np.ndarray, design: np.ndarray, k: np.ndarray, n: np.ndarray) -> np.ndarray:
    eta = beta @ design.T
    return np.asarray((k * eta - n * np.logaddexp(0, eta)).sum(1))


def median_steps(epochs: np.ndarray, fitted: np.ndarray) -> tuple[float, bool]:
    """Kaplan-Meier median of the steps to fit, and whether it is censored, in which case it is infinite.

    ``epochs`` (s,) at which a network fitted, or up to which it did not; NaN for missing.
    ``fitted`` (s,) bool. The median is the first time from which at most half are left to fit; a
    network that is given up at the time of an event was still at risk.
    """
    there = ~np.isnan(epochs)
    if not there.any():
        return np.nan, False
    epochs, fitted = epochs[there], np.asarray(fitted, dtype=bool)[there]
    times = np.unique(epochs[fitted])
    at_risk = (epochs[:, None] >= times).sum(0)
    events = ((epochs[:, None] == times) & fitted[:, None]).sum(0)
    left = np.cumprod(1 - events / np.maximum(at_risk, 1))
    reached = np.flatnonzero(left <= 0.5 + 1e-12)
    return (float(times[reached[0]]), False) if len(reached) else (np.inf, True)


def jamming(
    dataset: xr.Dataset,
    *,
    generator: np.random.Generator,
    axis: str = "n_weights",
    along: str = "width",
    bootstraps: int = 400,
) -> xr.Dataset:
    """The threshold in ``axis`` over the values of ``along``, for every combination of the other dims of ``status``.

    ``status`` (..., along, draw, seed) is fitted, unfitted, diverged, missing or failed; ``epochs`` alike, if
    there; a diverged network never fits. Networks of several draws count alike. Returns threshold, low,
    high, reason; fraction (along); median_steps and censored (along) where there are epochs.
    Raises ValueError for names that do not fit.
    """
    for name in ("status", axis):
        if name not in dataset.variables or along not in dataset[name].dims:
            has = ", ".join(map(str, dataset.variables))
            raise ValueError(f"{name!r} with the dim {along!r} is needed; the dataset has {has}")
    networks = [dim for dim in NETWORKS if dim in dataset.status.dims]
    status = dataset.status.reset_coords(drop=True)
    x = dataset[axis].reset_coords(drop=True).astype(float)
    x = x.mean([dim for dim in NETWORKS if dim in x.dims])
    seen = (status == "fitted").astype(float).where(~status.isin(UNTRAINED))
    located = xr.apply_ufunc(
        lambda f, s: _of_known_sizes(f.reshape(len(s), -1), s, generator, bootstraps),
        seen,
        x,
        input_core_dims=[[along, *networks], [along]],
        output_core_dims=[[], [], [], [along], []],
        output_dtypes=[float, float, float, float, object],  # the length of words is not that of the first
        vectorize=True,
    )
    found = dict(zip(Threshold._fields, located, strict=True))
    if "epochs" in dataset:
        epochs = dataset.epochs.reset_coords(drop=True).astype(float).where(status != "diverged", np.inf)
        found["median_steps"], found["censored"] = xr.apply_ufunc(
            lambda e, f: median_steps(e.ravel(), (f == 1).ravel()),
            epochs.where(~status.isin(UNTRAINED)),
            seen,
            input_core_dims=[networks, networks],
            output_core_dims=[[], []],
            vectorize=True,
        )
    return xr.Dataset({name: found[name].assign_attrs(long_name=LONG_NAMES[name]) for name in found})
