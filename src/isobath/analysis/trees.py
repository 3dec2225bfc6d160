"""The tree that claims read: all cubes of a study, a node for each grid."""

from collections.abc import Mapping

import xarray as xr


def joined(cubes: Mapping[str, xr.DataTree]) -> xr.DataTree:
    """Return the cubes of a study, by grid, as one tree."""
    return xr.DataTree.from_dict(
        {f"/{grid}{node.path}": node.to_dataset() for grid, cube in cubes.items() for node in cube.subtree}
    )
