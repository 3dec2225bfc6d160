"""Standard deviation of a test error by its origin: data set, search for the learning rate, start of the network.

- ``searches``: protocols that differ in their search alone
"""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from isobath.analysis.repeated_searches import errors_by_search, require_own_searches
from isobath.analysis.variance import ORIGINS, decomposition
from isobath.plotting.axes import panels, task_title
from isobath.plotting.legends import add_legends, explain
from isobath.settings import ProtocolName


def draw(cube: xr.DataTree, *, searches: tuple[ProtocolName, ...]) -> Figure:
    """Draw a group of bars per origin and a bar per cell, with its 95 % interval and its share of the variance.

    ``searches`` are protocols that differ in their search alone. Errors are of all networks that did not diverge.
    Raises ValueError where data sets share a search: its part of the variance would count as theirs.
    """
    require_own_searches(cube, searches)
    networks = cube["networks"].to_dataset()
    tables = [(cell, decomposition(errors)) for cell, errors in errors_by_search(cube, searches)]
    figure, (axis,) = panels([""])
    for i, (cell, table) in enumerate(tables):
        places = np.arange(len(ORIGINS)) + (i - (len(tables) - 1) / 2) * 0.8 / len(tables)
        sd, low, high = (table[name].values for name in ("sd", "low", "high"))
        label = f"{task_title(networks, cell['task'])}, L = {cell['depth']}, N = {cell['n_train']}"
        axis.bar(places, sd, width=0.7 / len(tables), color=f"C{i}", alpha=0.5, label=label)
        axis.errorbar(places, sd, yerr=[sd - low, high - sd], fmt="none", color=f"C{i}", capsize=2)
        for place, top, share in zip(places, high, table.share.values, strict=True):
            axis.annotate(f"{share:.0%}", (place, top), (0, 2), textcoords="offset points", ha="center", fontsize=6)
    axis.set_xticks(range(len(ORIGINS)), ORIGINS)
    axis.set_ylabel("standard deviation of a test error")
    add_legends(figure, [axis])
    explain(figure, "bars: 95 % intervals · percent: share of the variance of an error")
    return figure
