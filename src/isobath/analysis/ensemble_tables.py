"""What the ensembles of a cell are, as labelled arrays: the group ``ensembles`` of a cube.

Dims: seed (the networks), size n (networks in an ensemble), subset (ensembles of one size), measure (where
outputs are compared). Variables that end in ``_pseudo`` are jackknife pseudo-values: their mean over
seeds is the estimate, and resampling them resamples networks (see ensembles).
"""

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from isobath.analysis import ensembles

SUBSETS = 60  # ensembles of a size whose distances are measured; of errors, ensembles.error_by_size takes more
SHOWN = 20  # of these, how many are stored one by one


def of_errors(outputs: np.ndarray, labels: np.ndarray, *, generator: np.random.Generator) -> xr.Dataset:
    """Test errors of ensembles by size, their limit n -> infinity, and what is beyond it (Figs 2, 4 and 6 D)."""
    errors = ensembles.error_by_size(outputs, labels, generator=generator)
    limit = ensembles.limit(errors)
    excess = ensembles.excess(errors, limit)
    return _dataset(
        {"size": errors.size},
        ensemble_error=("size", errors.mean, "test error of the mean of n networks"),
        ensemble_error_pseudo=(("seed", "size"), errors.pseudo_values, "pseudo-values of ensemble_error"),
        subsets=("size", errors.subsets, "ensembles behind ensemble_error"),
        limit_error=((), limit.error, "test error extrapolated to n -> infinity"),
        limit_error_pseudo=("seed", limit.pseudo_values, "pseudo-values of limit_error"),
        limit_slope=((), limit.slope, "a of ensemble_error = limit_error + a / n"),
        excess=("size", excess.mean, "ensemble_error beyond limit_error"),
        excess_pseudo=(("seed", "size"), excess.pseudo_values, "pseudo-values of excess"),
        excess_error=(
            "seed",
            excess.pseudo_values[:, 0],
            "pseudo-values of the error of one network beyond limit_error",
        ),
    )


def of_fluctuations(outputs: Mapping[str, np.ndarray]) -> xr.Dataset:
    """||f - fbar|| over the measures that ``outputs`` (R, T, K) are given for (Fig. 5): biased, unbiased, by network.

    The root mean square of ``fluctuation`` over seeds is the unbiased ||f - fbar||.
    """
    found = {measure: ensembles.fluctuation(f) for measure, f in outputs.items()}
    networks = np.stack([np.sqrt(one.networks) for one in found.values()])
    return _dataset(
        {"measure": list(found)},
        fluctuation=(("measure", "seed"), networks, "||f - fbar|| of a network, unbiased in the mean square"),
        variance=(("measure", "seed"), networks**2, "(f - fbar)^2 of a network, unbiased"),
        variance_unbiased=(
            "measure",
            [one.unbiased for one in found.values()],
            "variance of f over networks, unbiased",
        ),
        variance_biased=("measure", [one.biased for one in found.values()], "variance of f over networks, biased"),
    )


def of_distances(outputs: np.ndarray, gradients: np.ndarray, *, generator: np.random.Generator) -> xr.Dataset:
    """Distances of boundaries, unbiased: of networks and of ensembles by size, measured (eq. 2) and estimated.

    ``outputs`` (R, T, 1), ``gradients`` (R, T, d) on the test set.
    """
    norms = np.linalg.norm(gradients, axis=2)
    own = ensembles.distance(outputs, norms)
    networks = len(outputs)
    sizes = np.arange(1, networks)
    shown = {
        "distance": np.full((len(sizes), SHOWN), np.nan),
        "distance_estimate": np.full((len(sizes), SHOWN), np.nan),
    }
    pseudo = np.full((networks, len(sizes)), np.nan)
    for i, size in enumerate(sizes):
        members = ensembles.subsets(networks, int(size), SUBSETS, generator)
        found = ensembles.distance_of_ensembles(outputs, gradients, members).unbiased
        pseudo[:, i] = ensembles.pseudo_values(found.measured, members)
        for name, values in (("distance", found.measured), ("distance_estimate", found.estimate)):
            shown[name][i, : min(SHOWN, len(values))] = values[:SHOWN]
    return _dataset(
        {"size": sizes, "subset": np.arange(SHOWN)},
        gradient_norm=("seed", np.sqrt((norms**2).mean(1)), "||grad f|| over the test set"),
        distance=("seed", own.unbiased.measured, "distance of the boundary from that of the mean, eq. 2, unbiased"),
        distance_biased=("seed", own.measured, "distance of the boundary from that of the mean that holds it, eq. 2"),
        distance_estimate=("seed", own.unbiased.estimate, "||f - fbar|| / ||grad f||, unbiased"),
        differing=("seed", own.differing, "test samples classified differently than by the mean"),
        distance_pseudo=(("seed", "size"), pseudo, "pseudo-values of the distance of ensembles of n, unbiased"),
        ensemble_distance=(("size", "subset"), shown["distance"], "distance of an ensemble of n, unbiased"),
        ensemble_distance_estimate=(("size", "subset"), shown["distance_estimate"], "its estimate, unbiased"),
    )


def _dataset(coords: Mapping[str, object], **variables: tuple[str | Sequence[str], object, str]) -> xr.Dataset:
    data = {n: (dims, values, {"long_name": about, "units": "1"}) for n, (dims, values, about) in variables.items()}
    return xr.Dataset(data, coords=dict(coords))
