"""Numbers of cubes that findings publish beside those of claims: jamming thresholds, origins of a variance."""

from collections.abc import Iterator

import numpy as np
import xarray as xr

from isobath.analysis.repeated_searches import errors_by_search, searches_of
from isobath.analysis.variance import ORIGINS, deviations, shares
from isobath.findings.ledger import Threshold, Variance


def thresholds(cube: xr.DataTree) -> Iterator[Threshold]:
    """Yield the jamming thresholds of a cube that have an interval with two ends."""
    if "jamming" in cube:
        jamming = cube["jamming"].to_dataset()[["threshold", "low", "high"]]
        table = jamming.where(np.isfinite(jamming)).to_dataframe().dropna().sort_index().reset_index()
        for row in table.to_dict("records"):
            yield Threshold(**{name: row[name] for name in Threshold.model_fields})


def variances(cube: xr.DataTree) -> Iterator[Variance]:
    """Yield the parts of each origin in the variance of the errors of a cube whose protocols differ in their search.

    Data sets with a network that diverged are left out, and cells with fewer than two data sets, searches or networks.
    """
    for searches in searches_of(cube):
        for cell, errors in errors_by_search(cube, searches):
            whole = errors.values[np.isfinite(errors.values).all((1, 2))]
            if min(whole.shape) > 1:
                yield from _variances(cell, whole)


def _variances(cell: dict[str, int | str], errors: np.ndarray) -> Iterator[Variance]:
    of_error, of_variance = deviations(errors), shares(errors)
    for i, origin in enumerate(ORIGINS):
        sd, sd_low, sd_high = (float(ends[i]) for ends in of_error)
        share, low, high = (float(ends[i]) for ends in of_variance)
        about = {**cell, "origin": origin, "data_sets": len(errors)}
        yield Variance.model_validate(
            {**about, "sd": sd, "sd_low": sd_low, "sd_high": sd_high, "share": share, "low": low, "high": high}
        )
