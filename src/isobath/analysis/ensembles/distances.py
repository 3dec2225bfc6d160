"""Distances of the decision boundaries of networks and of ensembles from that of the mean (eq. 2, Figs 4 and 6 C)."""

from typing import NamedTuple

import numpy as np

from isobath.analysis.ensembles.fluctuations import finite_ensemble_factor
from isobath.analysis.ensembles.subsets import averages, size_of


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
        """Return the distances from the boundary of the mean over starts: exact for the mean square of ``estimate``.

        ``measured`` scales alike where samples lie evenly between the boundaries.
        """
        return Distance(self.measured * self.factor, self.estimate * self.factor, self.differing, 1.0)


def distances(outputs: np.ndarray, gradient_norms: np.ndarray, weights: np.ndarray) -> list[Distance]:
    """Measure the distance of the boundary of each network from that of fbar, the mean of all R (eq. 2, Fig. 6 C).

        delta = mean |f - fbar| / |grad f| over the samples that f and fbar classify differently

    ``outputs`` are (R, T, 1), ``gradient_norms`` (R, T) are those with respect to the inputs. Where the gradient of f
    vanishes there is no distance; such a sample is left out. Returns distances by each of the W columns of the weights
    (T, W) of the samples. Raises ValueError for K > 1.
    """
    f = _single(outputs)
    return _distances(_distance_sums(f, f.mean(0), gradient_norms, weights), finite_ensemble_factor(len(f)))


def distances_of_ensembles(
    outputs: np.ndarray, gradients: np.ndarray, members: np.ndarray, weights: np.ndarray
) -> list[Distance]:
    """Measure the distance of the boundary of each ensemble of ``members`` (S, R) from that of all R (Fig. 4).

    The ensembles have one size; ``outputs`` are (R, T, 1), ``gradients`` (R, T, d) are those with respect to the
    inputs. The gradient of an ensemble is the mean of its networks'. Pseudo-values of distances keep fbar as it is: to
    first order a change of fbar does not matter, as the mean minimises squared distances. Returns distances by each of
    the W columns of the weights (T, W) of the samples. Raises ValueError for K > 1 and for members of several sizes.
    """
    fbar = _single(outputs).mean(0)
    factor = finite_ensemble_factor(len(outputs), size_of(members))
    sums = np.zeros((4, len(members), weights.shape[1]))
    for samples, mean in averages(np.concatenate([outputs, gradients], 2), members):
        norms = np.linalg.norm(mean[:, :, 1:], axis=2)
        sums += _distance_sums(mean[:, :, 0], fbar[samples], norms, weights[samples])
    return _distances(sums, factor)


def _distance_sums(f: np.ndarray, fbar: np.ndarray, norms: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Sum the terms of a distance over samples, (4, S, W): ratios, their number, |f - fbar|^2 and |grad f|^2."""
    gap = np.abs(f - fbar)
    between = ((f > 0) != (fbar > 0)) & (norms > 0)
    ratios = np.divide(gap, norms, out=np.zeros_like(gap), where=between)
    return np.asarray(np.stack([ratios, between, gap**2, norms**2]) @ weights)


def _distances(sums: np.ndarray, factor: float) -> list[Distance]:
    """Divide the sums (4, S, W) by the numbers of samples."""
    ratios, count, gap, slope = sums
    measured = np.divide(ratios, count, out=np.full(count.shape, np.nan), where=count > 0)
    estimate = np.sqrt(np.divide(gap, slope, out=np.full(count.shape, np.nan), where=slope > 0))
    columns = zip(measured.T, estimate.T, count.T.astype(int), strict=True)
    return [Distance(*column, factor) for column in columns]


def _single(outputs: np.ndarray) -> np.ndarray:
    """Return outputs (R, T, 1) as (R, T). Raises ValueError for several outputs."""
    if outputs.shape[-1] != 1:
        raise ValueError(f"the networks have {outputs.shape[-1]} outputs; distances of boundaries need one")
    return np.asarray(outputs[..., 0])
