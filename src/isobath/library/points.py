"""Points of a curve: x and y of networks, as labelled arrays or as plain ones, in one labelled data set."""

from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.over_networks import NETWORK_DIMS
from isobath.library import arguments


def points(x: Any, y: Any, along: str | None, names: tuple[str, str]) -> tuple[xr.Dataset, str]:
    """Return x and y, called by ``names``, as they stand in one data set, and the dim along which the points lie.

    Plain arrays are x (p,) and y (p, networks), or y (p, draws, networks), and ``along`` names the dim in which their
    points differ, width by default. Of labelled ones it can be left out where x has one dim beyond those of networks.
    Raises ValueError for shapes and dims that do not fit.
    """
    if not isinstance(x, xr.DataArray) and not isinstance(y, xr.DataArray):
        dim = "width" if along is None else along
        return _plain(np.asarray(x), np.asarray(y), names, dim), dim
    if not (isinstance(x, xr.DataArray) and isinstance(y, xr.DataArray)):
        raise ValueError(f"x is {type(x).__name__} and y is {type(y).__name__}; both must be labelled, or neither")
    dims = [str(dim) for dim in x.dims if dim in y.dims and dim not in NETWORK_DIMS]
    if along is None and len(dims) == 1:
        along = dims[0]
    found = arguments.one_of(along, dims, "along")
    if "seed" not in y.dims:
        raise ValueError(f"y has the dims {', '.join(map(str, y.dims))}; networks lie along seed, which it needs")
    if x.name == found:  # the values of a dim, which a data set has as its coordinate
        x = x.variable.to_base_variable()
        return xr.Dataset({names[1]: y}).assign({names[0]: x}), found
    return xr.Dataset({names[0]: x.reset_coords(drop=True), names[1]: y}), found


def _plain(x: np.ndarray, y: np.ndarray, names: tuple[str, str], along: str) -> xr.Dataset:
    if x.ndim != 1 or not x.size or y.ndim not in (2, 3) or len(y) != len(x) or x.dtype.kind not in "fiu":
        raise ValueError(f"x has the shape {x.shape} and y {y.shape}; they must be (p,) and (p, networks)")
    dims = (along, *NETWORK_DIMS[3 - y.ndim :])
    return xr.Dataset({names[0]: (along, x), names[1]: (dims, y)})
