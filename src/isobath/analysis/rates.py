"""Searches for a learning rate: whether they found one, by the trials that they made.

A search found no rate if no trial counted, or if it chose the largest rate that it tried or the smallest that counted,
and the cross-validated error there is still below that at the best of the other rates, by more than one standard error
of the difference over folds: a better rate may lie beyond. Rates that were given up because they train too long do not
count, so that a search that only its patience decided is noticed.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.estimates import NotRun, Undetermined
from isobath.analysis.standard_errors import is_positive
from isobath.cell_labels import SYMBOLS
from isobath.statuses import UNTRIED
from isobath.training.trials import WORST

NUMBER = re.compile(r"[\d.]+(?:e[+-]?\d+)?")


def fault(search: xr.Dataset) -> str:
    """Return why a search (trial, fold) found no rate, "" if it found one."""
    trials = search.isel(trial=search.trial_rate.notnull().values)
    trial_rates, cost, rate = trials.trial_rate.values, trials.cost.values, float(search.learning_rate)
    if not (cost < WORST).any():
        return "no trial of the search for a learning rate counted"
    chosen = int(np.abs(trial_rates - rate).argmin())
    if trial_rates[cost < WORST].min() < trial_rates[chosen] < trial_rates.max():
        return ""
    complete = (trials.status != UNTRIED).all("fold").values
    other_costs = np.where((trial_rates != trial_rates[chosen]) & complete, cost, np.inf)
    if other_costs.min() < WORST and not _falls(trials, chosen, int(other_costs.argmin())):
        return ""
    end = "largest that was tried" if trial_rates[chosen] == trial_rates.max() else "smallest that fits in time"
    return f"the rate {rate:.3g} is the {end}, and the error still falls towards it"


def _falls(trials: xr.Dataset, end: int, inside: int) -> bool:
    """Tell whether the error at the end is below that inside, by more than a standard error over folds.

    Errors are those that were measured, also of folds that count as guessing in the search.
    """
    return is_positive(trials.validation_error.isel(trial=inside) - trials.validation_error.isel(trial=end))


def of_cell(searches: xr.Dataset, place: Mapping[str, Any]) -> xr.Dataset:
    """Return, of the searches for the rate of a cell by their draws, that of its draw, if its place names one.

    Data sets may share the search of one before them. Raises NotRun where none was made on one of these.
    """
    if "draw" not in place or "draw" not in searches.dims:
        return searches
    before = [draw for draw in draws_of(searches) if draw <= place["draw"]]
    if not before:
        raise NotRun(f"no search for a rate was made for the data set {place['draw']}")
    return searches.sel(draw=before[-1])


def draws_of(searches: xr.Dataset) -> list[int]:
    """List the data sets on which searches were made, in order."""
    made = searches if "draw" in searches.dims else searches.expand_dims(draw=[int(searches.get("draw", 0))])
    found = made.learning_rate.notnull()
    return sorted(int(draw) for draw in made.draw.values[found.any([d for d in found.dims if d != "draw"]).values])


def draws_by_search(searched: Sequence[int]) -> int:
    """Return how many data sets in turn share a search, from the draws of all searches; 1 for fewer than two.

    Data sets that all share one search are units of their own: a verdict on them is for that rate.
    """
    return min((after - before for before, after in pairwise(searched)), default=1)


def faults(searches: xr.Dataset) -> list[str]:
    """Return the fault of every search, of all draws that were made; "" for those that found a rate."""
    draws = [searches.isel(draw=i) for i in range(searches.sizes["draw"])] if "draw" in searches.dims else [searches]
    return [fault(search) for search in draws if bool(search.learning_rate.notnull())]


def require_found(searches: xr.Dataset, *, least: float) -> None:
    """Refuse searches of which less than a share ``least`` found a rate (Undetermined)."""
    reasons = faults(searches)
    missed = [reason for reason in reasons if reason]
    if len(reasons) and 1 - len(missed) / len(reasons) < least:
        alike: dict[str, list[str]] = {}  # reasons that differ in their numbers alone
        for reason in missed:
            alike.setdefault(NUMBER.sub("", reason), []).append(reason)
        counts = [f"{len(found)} of {len(reasons)} searches: " if len(reasons) > 1 else "" for found in alike.values()]
        texts = [f"{count}{found[0]}" for count, found in zip(counts, alike.values(), strict=True)]
        raise Undetermined(f"rate not found: {'; '.join(texts)}{_place(searches)}")


def _place(searches: xr.Dataset) -> str:
    """Return the depth, width and N of a cell in brackets, as far as its searches have one."""
    known = {axis: searches[axis] for axis in SYMBOLS if axis in searches.coords and not searches[axis].dims}
    words = ", ".join(f"{SYMBOLS[axis]} = {int(value)}" for axis, value in known.items())
    return f" ({words})" if words else ""
