"""Steps that fitting takes, of which some are known only to be more than were made."""

import numpy as np
from scipy.stats import CensoredData, ecdf


def median_steps(epochs: np.ndarray, fitted: np.ndarray) -> tuple[float, bool]:
    """Return the Kaplan-Meier median of the steps to fit, and whether it is censored, in which case it is infinite.

    ``epochs`` (s,) are those at which a network fitted, or up to which it did not, NaN for a missing network;
    ``fitted`` (s,) says which it is. The median is the first time from which at most half are left to fit; a network
    that is given up at the time of an event was still at risk.
    """
    observed = ~np.isnan(epochs)
    if not observed.any():
        return np.nan, False
    epochs, fitted = epochs[observed], np.asarray(fitted, dtype=bool)[observed]
    finite = np.minimum(epochs, np.finfo(float).max)  # those of a network that never fits are infinite
    left = ecdf(CensoredData.right_censored(finite, ~fitted)).sf
    reached = left.quantiles[left.probabilities <= 0.5 + 1e-12]
    return (float(reached[0]), False) if len(reached) else (np.inf, True)
