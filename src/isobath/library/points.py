"""Points of a curve: x and y of networks, as labelled arrays or as plain ones, in one labelled data set."""

from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.jamming.variables import VARIABLES as OF_JAMMING
from isobath.analysis.laws.variables import VARIABLES as OF_LAWS
from isobath.analysis.over_networks import NETWORK_DIMS
from isobath.library import arguments, labels
from isobath.results import PART

Two = tuple[str, str]
RETURNED = {*OF_LAWS, *OF_JAMMING, "fit", "parameter"} - {"x", "y"}  # names of what is returned, and its dims
RESERVED = {*RETURNED, "replicate", "one", PART}  # and dims on the way there
TAKEN = {*RESERVED, *NETWORK_DIMS, "x", "y", "n_weights", "status"}


def points(x: Any, y: Any, along: str | None, names: Two, *, called: Two = ("x", "y")) -> tuple[xr.Dataset, str]:
    """Return x and y, called by ``names``, as they stand in one data set, and the dim along which the points lie.

    Plain arrays are x (p,) and y (p, networks), or y (p, draws, networks), and ``along`` names the dim in which their
    points differ, width by default. For labelled arrays it can be left out where x has one dim beyond those of
    networks; y of draws without networks, as of regressions, counts as one of each. Raises ValueError for shapes and
    dims that do not fit, and for masked entries; it calls x and y as the caller does.
    """
    if not isinstance(x, xr.DataArray) and not isinstance(y, xr.DataArray):
        dim = "width" if along is None else along
        if not isinstance(dim, str) or not dim.isidentifier() or dim in TAKEN:
            raise ValueError(f"along is {along!r}; it must be a word, other than {', '.join(sorted(TAKEN))}")
        plain = [arguments.array(values, name) for values, name in zip((x, y), called, strict=True)]
        return _plain(plain[0], plain[1], names, called, dim), dim
    if not (isinstance(x, xr.DataArray) and isinstance(y, xr.DataArray)):
        types = f"{called[0]} is {type(x).__name__} and {called[1]} is {type(y).__name__}"
        raise ValueError(f"{types}; both must be labelled, or neither")
    if reserved := sorted({*map(str, (*x.dims, *y.dims))} & RESERVED):
        raise ValueError(f"{' or '.join(called)} has the dim {reserved[0]!r}, a name that is taken; rename it")
    if names[0] in x.dims and x.name != names[0]:
        raise ValueError(f"{called[0]} has the dim {names[0]!r}, a name that is taken; rename it")
    labels.require_distinct(y, called[1])
    dims = _point_dims(x, y, called)
    if along is None and len(dims) == 1:
        along = dims[0]
    point_dim = arguments.one_of(along, dims, "along")
    if "seed" not in y.dims and "draw" in y.dims:
        y = y.drop_vars("seed", errors="ignore").expand_dims("seed", axis=-1)
    if "seed" not in y.dims:
        problem = f"{called[1]} has the dims {', '.join(map(str, y.dims))}"
        raise ValueError(f"{problem}; networks lie along seed, or regressions along draw, and it needs one of these")
    if x.name == point_dim:  # the values of a dim, which a data set has as its coordinate
        y = _in_the_order_of(x, y, point_dim, called)
        return xr.Dataset({names[1]: y}).assign({names[0]: x.variable.to_base_variable()}), point_dim
    for shared in {*x.dims} & {*y.dims}:
        _require_same(x, y, str(shared), called)
    if beyond := [dim for dim in NETWORK_DIMS if dim in x.dims and dim not in y.dims]:
        raise ValueError(f"{called[0]} has the dim {beyond[0]}, which {called[1]} lacks; select a value of it")
    y = y.drop_vars([name for name in y.coords if name in {*RETURNED, *names} and name not in y.dims])
    return xr.Dataset({names[0]: x.reset_coords(drop=True), names[1]: y}), point_dim


def _point_dims(x: xr.DataArray, y: xr.DataArray, called: Two) -> list[str]:
    """Return the dims of both along which points can lie. Raises ValueError for none."""
    dims = [str(dim) for dim in x.dims if dim in y.dims and dim not in NETWORK_DIMS]
    if not dims:
        of_x, of_y = (", ".join(map(str, values.dims)) or "none" for values in (x, y))
        given = f"{called[0]} has the dims {of_x} and {called[1]} has {of_y}"
        raise ValueError(f"{given}; points need a dim of both, beside those of networks ({', '.join(NETWORK_DIMS)})")
    return dims


def _require_same(x: xr.DataArray, y: xr.DataArray, dim: str, called: Two) -> None:
    """Refuse x and y whose values of a dim differ, or stand twice and not in one order (ValueError)."""
    if dim not in x.indexes or dim not in y.indexes:
        _require_as_many(x, y, dim, called)
        return
    own, other = x.indexes[dim], y.indexes[dim]
    if not (own.equals(other) or (own.is_unique and other.is_unique and {*own} == {*other})):
        raise ValueError(f"{called[0]} and {called[1]} have other values of {dim}; they must have the same")


def _require_as_many(x: xr.DataArray, y: xr.DataArray, dim: str, called: Two) -> None:
    """Refuse x and y of other sizes along a dim that one of them has no values of (ValueError)."""
    if y.sizes[dim] != x.sizes[dim]:
        sizes = f"{called[0]} has {x.sizes[dim]} values along {dim} and {called[1]} has {y.sizes[dim]}"
        raise ValueError(f"{sizes}; they must be as many")


def _in_the_order_of(x: xr.DataArray, y: xr.DataArray, dim: str, called: Two) -> xr.DataArray:
    """Return y with its points in the order of x, the values of their dim; ValueError where y has others."""
    if dim in y.indexes and not y.indexes[dim].equals(x.indexes[dim]):
        _require_same(x, y, dim, called)
        return y.sel({dim: x.values})
    _require_as_many(x, y, dim, called)
    return y


def require_sizes(x: xr.DataArray, exists: xr.DataArray, *, called: Two = ("x", "y")) -> None:
    """Refuse infinite sizes x, and sizes that are NaN where ``exists`` says that there is a network (ValueError).

    Cubes have NaN where nothing was trained; elsewhere it would drop networks without a word.
    """
    size, networks = called
    if x.dtype.kind not in "fiu":
        raise ValueError(f"{size} has the type {x.dtype}; it must be numbers")
    if np.isinf(x).any():
        raise ValueError(f"{size} has an infinite value; all must be finite")
    if (x.isnull() & exists).any():
        raise ValueError(f"{size} is NaN where {networks} has a network; it must be finite there")


def require_values(y: xr.DataArray) -> None:
    """Refuse values y of networks that are infinite or no real numbers; NaN is a network not to count (ValueError)."""
    if y.dtype.kind not in "fiub":
        raise ValueError(f"y has the type {y.dtype}; it must be numbers")
    if np.isinf(y).any():
        raise ValueError("y has an infinite value; all must be finite, or NaN for a network that is not to count")


def require_networks(y: xr.DataArray, along: str) -> None:
    """Refuse points of a plain array at which no network counts (ValueError)."""
    empty = y.isnull().all([dim for dim in y.dims if dim != along]).values
    if empty.any():
        problem = f"y is NaN for all networks of point {np.flatnonzero(empty)[0]} (from 0)"
        raise ValueError(f"{problem}; each point needs a network that counts, or must be left out of x and y")


def _plain(x: np.ndarray, y: np.ndarray, names: Two, called: Two, along: str) -> xr.Dataset:
    if x.dtype.kind not in "fiu":
        raise ValueError(f"{called[0]} has the type {x.dtype}; it must be numbers")
    if x.ndim != 1 or not x.size or y.ndim not in (2, 3) or len(y) != len(x):
        shapes = f"{called[0]} has the shape {x.shape} and {called[1]} {y.shape}"
        raise ValueError(f"{shapes}; they must be (p,) and (p, networks), or (p, draws, networks)")
    dims = (along, *NETWORK_DIMS[3 - y.ndim :])
    return xr.Dataset({names[0]: (along, x), names[1]: (dims, y)})
