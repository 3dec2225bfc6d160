"""Variables of the ensembles of a cell: name -> dims, meaning.

Dims: seed (the networks), size n (networks in an ensemble), subset (ensembles of one size), measure (where
outputs are compared). Variables that end in ``_pseudo`` are jackknife pseudo-values: their mean over
seeds is the estimate, and resampling them resamples networks.
"""

VARIABLES: dict[str, tuple[tuple[str, ...], str]] = {
    "ensemble_error": (("size",), "test error of the mean of n networks"),
    "ensemble_error_pseudo": (("seed", "size"), "pseudo-values of ensemble_error"),
    "subsets": (("size",), "ensembles behind ensemble_error"),
    "limit_error": ((), "test error extrapolated to n -> infinity"),
    "limit_error_pseudo": (("seed",), "pseudo-values of limit_error"),
    "limit_slope": ((), "a of ensemble_error = limit_error + a / n"),
    "excess": (("size",), "ensemble_error beyond limit_error"),
    "excess_pseudo": (("seed", "size"), "pseudo-values of excess"),
    "excess_error": (("seed",), "pseudo-values of the error of one network beyond limit_error"),
    "fluctuation": (("measure", "seed"), "||f - fbar|| of a network, unbiased in the mean square"),
    "variance": (("measure", "seed"), "(f - fbar)^2 of a network, unbiased"),
    "variance_unbiased": (("measure",), "variance of f over networks, unbiased"),
    "variance_biased": (("measure",), "variance of f over networks, biased"),
    "gradient_norm": (("seed",), "||grad f|| over the test set"),
    "distance": (("seed",), "distance of the boundary from that of the mean, eq. 2, unbiased"),
    "distance_biased": (("seed",), "distance of the boundary from that of the mean that holds it, eq. 2"),
    "distance_estimate": (("seed",), "||f - fbar|| / ||grad f||, unbiased"),
    "differing": (("seed",), "test samples classified differently than by the mean"),
    "distance_pseudo": (("seed", "size"), "pseudo-values of the distance of ensembles of n, unbiased"),
    "ensemble_distance": (("size", "subset"), "distance of an ensemble of n, unbiased"),
    "ensemble_distance_estimate": (("size", "subset"), "its estimate, unbiased"),
}
