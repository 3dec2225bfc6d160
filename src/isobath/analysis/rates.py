"""Searches for a learning rate: whether they found one, by the trials that they made.

A search found no rate if no trial counted, or if it chose a rate at an end of its range and the cross-validated error
still falls towards that end: the best rate then lies outside. It falls if the error at the end is below that of the
best trial inside, by more than one standard error of the difference over folds.
"""

import numpy as np
import xarray as xr

from isobath.analysis.estimates import Undetermined, standard_error

AXES = ("task", "protocol", "depth", "width", "n_train", "draw")
END = 0.1  # of the range that was tried, on a logarithmic scale, on either side, counts as its end
WORST = 1.0  # the cost of a trial that does not count


def fault(search: xr.Dataset) -> str:
    """Return why a search (trial, fold) found no rate, "" if it found one."""
    made = search.isel(trial=search.trial_rate.notnull().values)
    counts = (made.cost < WORST).values
    if not counts.any():
        return "no trial of the search for a learning rate counted"
    place = np.log(made.trial_rate.values)
    low, high = (np.log(float(search[name])) for name in ("minimum_rate", "maximum_rate"))
    depth = (place - low) / (high - low)
    chosen = int(np.argmin(np.abs(place - np.log(float(search.learning_rate)))))
    side = next((name for name, near in (("lower", depth < END), ("upper", depth > 1 - END)) if near[chosen]), "")
    if not side:
        return ""
    inside = counts & (depth >= END) & (depth <= 1 - END)
    if inside.any() and not _falls(made, chosen, int(np.where(inside, made.cost.values, np.inf).argmin())):
        return ""
    rate = float(search.learning_rate)
    return f"the rate {rate:.3g} lies at the {side} end of its range, where the error still falls"


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
