"""The ensembles of a cell as labelled arrays: the group ``ensembles`` of a cube (see results/ensembles.py)."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from isobath.analysis.ensembles.distances import distance, distance_of_ensembles
from isobath.analysis.ensembles.errors import SUBSETS_OF_ERRORS, SampleErrors, error_by_size, excess, limit
from isobath.analysis.ensembles.fluctuations import fluctuation
from isobath.analysis.ensembles.subsets import pseudo_values, subsets
from isobath.classes import misclassified
from isobath.results import labelled
from isobath.results.ensembles import VARIABLES

SUBSETS = 60  # ensembles of a size whose distances are measured; of errors, SUBSETS_OF_ERRORS are taken
PER_NETWORK = 3  # at least: pseudo-values of networks need more subsets than there are networks
SHOWN = 20  # of these, the number that is stored one by one


def of_errors(
    outputs: np.ndarray, labels: np.ndarray, *, error: SampleErrors = misclassified, generator: np.random.Generator
) -> xr.Dataset:
    """Tabulate test errors of ensembles by size, their limit n -> infinity, and the excess (Figs 2, 4 and 6 D).

    ``outputs`` are (R, T, K) and ``labels`` (T,), on the test set; ``error`` is that of the loss, by sample.
    """
    count = max(SUBSETS_OF_ERRORS, PER_NETWORK * len(outputs))
    errors = error_by_size(outputs, labels, error=error, count=count, generator=generator)
    large = limit(errors)
    beyond = excess(errors, large)
    return _dataset(
        {"size": errors.size},
        ensemble_error=errors.mean,
        ensemble_error_pseudo=errors.pseudo_values,
        subsets=errors.subsets,
        limit_error=large.error,
        limit_error_pseudo=large.pseudo_values,
        limit_slope=large.slope,
        limit_reason=np.array(large.reason, dtype=object),
        excess=beyond.mean,
        excess_pseudo=beyond.pseudo_values,
        excess_error=beyond.pseudo_values[:, 0],
    )


def of_fluctuations(outputs: Mapping[str, np.ndarray]) -> xr.Dataset:
    """Tabulate ||f - fbar|| over the measures that ``outputs`` (R, T, K) are given for (Fig. 5).

    The root mean square of ``fluctuation`` over seeds is the unbiased ||f - fbar||.
    """
    measured = {measure: fluctuation(f) for measure, f in outputs.items()}
    networks = np.stack([np.sqrt(result.networks) for result in measured.values()])
    return _dataset(
        {"measure": list(measured)},
        fluctuation=networks,
        variance=networks**2,
        variance_unbiased=[result.unbiased for result in measured.values()],
        variance_biased=[result.biased for result in measured.values()],
    )


def of_distances(outputs: np.ndarray, gradients: np.ndarray, *, generator: np.random.Generator) -> xr.Dataset:
    """Tabulate distances of boundaries, unbiased: of networks and of ensembles by size, measured and estimated (eq. 2).

    ``outputs`` are (R, T, 1) and ``gradients`` (R, T, d), on the test set.
    """
    norms = np.linalg.norm(gradients, axis=2)
    single = distance(outputs, norms)
    return _dataset(
        {"size": np.arange(1, len(outputs)), "subset": np.arange(SHOWN)},
        gradient_norm=np.sqrt((norms**2).mean(1)),
        distance=single.unbiased.measured,
        distance_biased=single.measured,
        distance_estimate=single.unbiased.estimate,
        differing=single.differing,
        **_distances_by_size(outputs, gradients, generator),
    )


def _distances_by_size(
    outputs: np.ndarray, gradients: np.ndarray, generator: np.random.Generator
) -> dict[str, np.ndarray]:
    """Measure ensembles of each size n = 1 .. R - 1: pseudo-values, and SHOWN distances with estimates."""
    networks = len(outputs)
    count = max(SUBSETS, PER_NETWORK * networks)
    pseudo = np.full((networks, networks - 1), np.nan)
    measured, estimated = np.full((2, networks - 1, SHOWN), np.nan)
    for i, size in enumerate(range(1, networks)):
        members = subsets(networks, size, count, generator)
        distances = distance_of_ensembles(outputs, gradients, members).unbiased
        pseudo[:, i] = pseudo_values(distances.measured, members)
        for row, values in ((measured[i], distances.measured), (estimated[i], distances.estimate)):
            row[: min(SHOWN, len(values))] = values[:SHOWN]
    return {"distance_pseudo": pseudo, "ensemble_distance": measured, "ensemble_distance_estimate": estimated}


def _dataset(coords: Mapping[str, object], **values: object) -> xr.Dataset:
    """Label arrays with the dims and meanings that results/ensembles.py declares."""
    return xr.Dataset(labelled(VARIABLES, values), coords=dict(coords))
