"""The jamming threshold of networks of one's own, as the workflow locates it."""

from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.jamming.tables import jamming
from isobath.analysis.over_networks import NETWORK_DIMS
from isobath.analysis.standard_errors import RESAMPLES
from isobath.library import arguments, labels
from isobath.library.points import points, require_sizes
from isobath.results.networks import VARIABLES
from isobath.statuses import FITTED, UNFITTED, UNTRAINED

ASKED = ("sizes", "fitted")


def jamming_threshold(
    sizes: Any,
    fitted: Any,
    *,
    along: str | None = None,
    generator: np.random.Generator | None = None,
    resamples: int = RESAMPLES,
) -> xr.Dataset:
    """Locate N*, the size at which half of the networks fit, from ``sizes`` and whether networks of each ``fitted``.

    Plain arrays are sizes (w,) and fitted (w, networks); labelled arrays are ``n_weights`` and ``status`` as ``train``
    returns them, whose sizes lie ``along`` a dim. ``fitted`` is true or false, or the words of a status. A size is
    finite, or NaN where no network was trained. ``generator`` draws the ``resamples`` of networks, or of eight draws
    and more; of two to seven draws all resamples are taken.

    Returns threshold, low and high, its 95 % interval, range, the factor in N over which the fraction that fits rises
    from 10 % to 90 %, fraction, and the ``reason`` where N* or its interval is not known. Where the sizes do not
    resolve the range, its interval goes from 1 to the bracket of sizes, and is NaN with fewer than ten networks of some
    size. Raises ValueError.
    """
    data, dim = points(sizes, fitted, along, ("n_weights", "status"), called=ASKED)
    data = data.assign(status=_statuses(data.status))
    require_sizes(data.n_weights, ~data.status.isin(UNTRAINED), called=ASKED)
    located = jamming(
        data,
        generator=arguments.generator(generator, "jamming"),
        along=dim,
        bootstraps=arguments.index(resamples, "resamples", least=arguments.LEAST_RESAMPLES),
    )
    networks = [name for name in NETWORK_DIMS if name in data.n_weights.dims]
    n_weights = data.n_weights.mean(networks).assign_attrs(VARIABLES["n_weights"].attrs)
    return labels.explained(located.assign(n_weights=n_weights))


def _statuses(fitted: xr.DataArray) -> xr.DataArray:
    """Return the words of a status for true and false; words as they are. Raises ValueError for others."""
    if fitted.dtype.kind == "b" or all(isinstance(value, bool | np.bool_) for value in fitted.values.ravel().tolist()):
        return fitted.copy(data=np.where(fitted.values.astype(bool), FITTED, UNFITTED).astype(object))
    return labels.statuses(fitted, "fitted", "true or false, or ")
