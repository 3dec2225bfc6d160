"""Searches for a learning rate: whether they found one, by the trials that they made.

A search found no rate if no trial counted, or if it chose the largest rate that it tried or the smallest that counted,
and the cross-validated error there is still below that at the best of the other rates, by more than one standard error
of the difference over folds: a better rate may lie beyond. Rates that were given up because they train too long do not
count, so that a search that only its patience decided is noticed.
"""

import numpy as np
import xarray as xr

from isobath.analysis.estimates import Undetermined, standard_error
from isobath.statuses import UNTRIED

AXES = ("task", "protocol", "depth", "width", "n_train", "draw")
WORST = 1.0  # the cost of a trial that does not count


def fault(search: xr.Dataset) -> str:
    """Return why a search (trial, fold) found no rate, "" if it found one."""
    made = search.isel(trial=search.trial_rate.notnull().values)
    tried, cost, rate = made.trial_rate.values, made.cost.values, float(search.learning_rate)
    if not (cost < WORST).any():
        return "no trial of the search for a learning rate counted"
    chosen = int(np.abs(tried - rate).argmin())
    if tried[cost < WORST].min() < tried[chosen] < tried.max():
        return ""
    whole = (made.status != UNTRIED).all("fold").values
    others = np.where((tried != tried[chosen]) & whole, cost, np.inf)
    if others.min() < WORST and not _falls(made, chosen, int(others.argmin())):
        return ""
    end = "largest that was tried" if tried[chosen] == tried.max() else "smallest that fits in time"
    return f"the rate {rate:.3g} is the {end}, and the error still falls towards it"


def _falls(made: xr.Dataset, end: int, inside: int) -> bool:
    """Tell whether the error at the end is below that inside, by more than a standard error over folds."""
    gain = (made.validation_error.isel(trial=inside) - made.validation_error.isel(trial=end)).values
    return bool(np.nanmean(gain) > standard_error(gain))


def faults(searches: xr.Dataset) -> list[str]:
    """Return the fault of every search, of all draws that were made; "" for those that found a rate."""
    each = [searches.isel(draw=i) for i in range(searches.sizes["draw"])] if "draw" in searches.dims else [searches]
    return [fault(search) for search in each if bool(search.learning_rate.notnull())]


def require_found(searches: xr.Dataset, *, least: float) -> None:
    """Refuse searches of which less than a share ``least`` found a rate (Undetermined)."""
    found = faults(searches)
    missed = [why for why in found if why]
    if len(found) and 1 - len(missed) / len(found) < least:
        count = f"{len(missed)} of {len(found)} searches: " if len(found) > 1 else ""
        raise Undetermined(f"rate not found: {count}{missed[0]}")
