"""The grids that a claim reads, as it tells when it is judged."""

from collections.abc import Iterable

import xarray as xr

from isobath.analysis.grid_reader import noted
from isobath.analysis.judging import judged
from isobath.analysis.verdicts import Claim


def grids_read(claim: Claim, tree: xr.DataTree) -> list[str]:
    """Return the grids that a claim reads in a tree of cubes, in their order. Raises ClaimError."""
    with noted() as grids:
        judged(claim, tree)
    return list(grids)


def without_results(grids: Iterable[str]) -> xr.DataTree:
    """Return the tree of a study of which nothing was run: a node without cells for each of its grids."""
    return xr.DataTree.from_dict({f"/{grid}": xr.Dataset() for grid in grids})
