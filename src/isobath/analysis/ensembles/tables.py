"""The ensembles of a cell as labelled arrays: the group ``ensembles`` of a cube (see results/ensembles.py).

Numbers of networks that laws are fitted to are also given without each part of the test samples (see sample_parts).
"""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from isobath.analysis.ensembles.distances import distances, distances_of_ensembles
from isobath.analysis.ensembles.errors import SUBSETS_OF_ERRORS, SampleErrors, errors_by_size, excess, limits
from isobath.analysis.ensembles.fluctuations import fluctuations
from isobath.analysis.ensembles.subsets import pseudo_values, subsets
from isobath.analysis.sample_parts import but_one_part, named
from isobath.classes import misclassified
from isobath.results import PART, labelled
from isobath.results.ensembles import VARIABLES

SUBSETS = 60  # ensembles of a size whose distances are measured; of errors, SUBSETS_OF_ERRORS are taken
PER_NETWORK = 3  # at least: pseudo-values of networks need more subsets than there are networks
SHOWN = 20  # of these, the number that is stored one by one
ON_TEST_SAMPLES = "test"  # the measure of outputs whose samples are those of the test set


def of_errors(
    outputs: np.ndarray, labels: np.ndarray, *, error: SampleErrors = misclassified, generator: np.random.Generator
) -> xr.Dataset:
    """Tabulate test errors of ensembles by size, their limit n -> infinity, and the excess (Figs 2, 4 and 6 D).

    ``outputs`` are (R, T, K) and ``labels`` (T,), on the test set; ``error`` is that of the loss, by sample.
    """
    count, weights = max(SUBSETS_OF_ERRORS, PER_NETWORK * len(outputs)), but_one_part(outputs.shape[1])
    by_weights = errors_by_size(outputs, labels, weights, error=error, count=count, generator=generator)
    large = limits(by_weights)
    beyond = [excess(*pair) for pair in zip(by_weights, large, strict=True)]
    of_networks = [
        {
            "network_error": errors.pseudo_values[:, 0],
            "ensemble_error_pseudo": errors.pseudo_values,
            "limit_error_pseudo": limit.pseudo_values,
            "excess_error": above.pseudo_values[:, 0],
        }
        for errors, limit, above in zip(by_weights, large, beyond, strict=True)
    ]
    return _dataset(
        {"size": by_weights[0].size},
        ensemble_error=by_weights[0].mean,
        subsets=by_weights[0].subsets,
        limit_error=large[0].error,
        limit_slope=large[0].slope,
        limit_reason=np.array(large[0].reason, dtype=object),
        excess=beyond[0].mean,
        excess_pseudo=beyond[0].pseudo_values,
        **named(of_networks),
    )


def of_fluctuations(outputs: Mapping[str, np.ndarray]) -> xr.Dataset:
    """Tabulate ||f - fbar|| over the measures that ``outputs`` (R, T, K) are given for (Fig. 5).

    The root mean square of ``fluctuation`` over seeds is the unbiased ||f - fbar||. Parts are of the test samples:
    numbers without a part are NaN for the other measures.
    """
    by_weights = {measure: fluctuations(f, but_one_part(f.shape[1])) for measure, f in outputs.items()}
    whole = [found[0] for found in by_weights.values()]
    tested = len(by_weights[ON_TEST_SAMPLES]) if ON_TEST_SAMPLES in by_weights else 1
    variances = np.full((tested, len(outputs), len(whole[0].networks)), np.nan)
    variances[0] = [found.networks for found in whole]
    for i, measure in enumerate(outputs):
        if measure == ON_TEST_SAMPLES:
            variances[:, i] = [found.networks for found in by_weights[measure]]
    return _dataset(
        {"measure": list(outputs)},
        variance_unbiased=[found.unbiased for found in whole],
        variance_biased=[found.biased for found in whole],
        **named([{"fluctuation": np.sqrt(variance), "variance": variance} for variance in variances]),
    )


def of_distances(outputs: np.ndarray, gradients: np.ndarray, *, generator: np.random.Generator) -> xr.Dataset:
    """Tabulate distances of boundaries, unbiased: of networks and of ensembles by size, measured and estimated (eq. 2).

    ``outputs`` are (R, T, 1) and ``gradients`` (R, T, d), on the test set.
    """
    norms, weights = np.linalg.norm(gradients, axis=2), but_one_part(outputs.shape[1])
    single = distances(outputs, norms, weights)
    mean_squares = norms**2 @ weights / weights.sum(0)
    of_networks = [
        {
            "gradient_norm": np.sqrt(square),
            "distance": found.unbiased.measured,
            "distance_estimate": found.unbiased.estimate,
        }
        for square, found in zip(mean_squares.T, single, strict=True)
    ]
    return _dataset(
        {"size": np.arange(1, len(outputs)), "subset": np.arange(SHOWN)},
        distance_biased=single[0].measured,
        differing=single[0].differing,
        **named(of_networks),
        **_distances_by_size(outputs, gradients, weights, generator),
    )


def _distances_by_size(
    outputs: np.ndarray, gradients: np.ndarray, weights: np.ndarray, generator: np.random.Generator
) -> dict[str, np.ndarray]:
    """Measure ensembles of each size n = 1 .. R - 1: pseudo-values, and SHOWN distances with estimates."""
    networks = len(outputs)
    count = max(SUBSETS, PER_NETWORK * networks)
    pseudo = np.full((weights.shape[1], networks, networks - 1), np.nan)
    measured, estimated = np.full((2, networks - 1, SHOWN), np.nan)
    for i, size in enumerate(range(1, networks)):
        members = subsets(networks, size, count, generator)
        found = [of.unbiased for of in distances_of_ensembles(outputs, gradients, members, weights)]
        pseudo[:, :, i] = [pseudo_values(of.measured, members) for of in found]
        for row, values in ((measured[i], found[0].measured), (estimated[i], found[0].estimate)):
            row[: min(SHOWN, len(values))] = values[:SHOWN]
    by_size = named([{"distance_pseudo": values} for values in pseudo])
    return {**by_size, "ensemble_distance": measured, "ensemble_distance_estimate": estimated}


def _dataset(coords: Mapping[str, object], **values: object) -> xr.Dataset:
    """Label arrays with the dims and meanings that results/ensembles.py declares, and number the parts."""
    dataset = xr.Dataset(labelled(VARIABLES, values), coords=dict(coords))
    return dataset.assign_coords({PART: np.arange(dataset.sizes[PART])})
