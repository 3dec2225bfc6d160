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


def distance(outputs: np.ndarray, gradient_norms: np.ndarray) -> Distance:
    """Measure the distance of the boundary of each network from that of fbar, the mean of all R (eq. 2, Fig. 6 C).

        delta = mean |f - fbar| / |grad f| over the samples that f and fbar classify differently

    ``outputs`` are (R, T, 1), ``gradient_norms`` (R, T) are those with respect to the inputs. Where the gradient of f
    vanishes there is no distance; such a sample is left out. Raises ValueError for K > 1.
    """
    f = _single(outputs)
    return _distance(_distance_sums(f, f.mean(0), gradient_norms), finite_ensemble_factor(len(f)))


def distance_of_ensembles(outputs: np.ndarray, gradients: np.ndarray, members: np.ndarray) -> Distance:
    """Measure the distance of the boundary of each ensemble of ``members`` (S, R) from that of all R (Fig. 4).

    The ensembles have one size; ``outputs`` are (R, T, 1), ``gradients`` (R, T, d) are those with respect to the
    inputs. The gradient of an ensemble is the mean of its networks'. Pseudo-values of distances keep fbar as it is: to
    first order a change of fbar does not matter, as the mean minimises squared distances. Raises ValueError for K > 1
    and for members of several sizes.
    """
    fbar = _single(outputs).mean(0)
    factor = finite_ensemble_factor(len(outputs), size_of(members))
    sums = np.zeros((4, len(members)))
    for samples, mean in averages(np.concatenate([outputs, gradients], 2), members):
        sums += _distance_sums(mean[:, :, 0], fbar[samples], np.linalg.norm(mean[:, :, 1:], axis=2))
    return _distance(sums, factor)


def _distance_sums(f: np.ndarray, fbar: np.ndarray, norms: np.ndarray) -> np.ndarray:
    """Sum the terms of a distance over samples, (4, S): ratios, their number, |f - fbar|^2 and |grad f|^2."""
    gap = np.abs(f - fbar)
    between = ((f > 0) != (fbar > 0)) & (norms > 0)
    ratios = np.divide(gap, norms, out=np.zeros_like(gap), where=between)
    return np.stack([ratios.sum(1), between.sum(1), (gap**2).sum(1), (norms**2).sum(1)])


def _distance(sums: np.ndarray, factor: float) -> Distance:
    """Divide the sums (4, S) by the numbers of samples."""
    ratios, count, gap, slope = sums
    measured = np.divide(ratios, count, out=np.full(len(count), np.nan), where=count > 0)
    estimate = np.divide(gap, slope, out=np.full(len(count), np.nan), where=slope > 0)
    return Distance(measured, np.sqrt(estimate), count.astype(int), factor)


def _single(outputs: np.ndarray) -> np.ndarray:
    """Return outputs (R, T, 1) as (R, T). Raises ValueError for several outputs."""
    if outputs.shape[-1] != 1:
        raise ValueError(f"the networks have {outputs.shape[-1]} outputs; distances of boundaries need one")
    return np.asarray(outputs[..., 0])
