"""Axes of a cube by their names: values of them are selected, and names that no axis has are refused."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import xarray as xr

from isobath import results
from isobath.analysis.estimates import NotRun

Labelled = TypeVar("Labelled", xr.Dataset, xr.DataArray)


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return the end of a sentence that says which name may have been meant; "" for none."""
    alike = difflib.get_close_matches(name, list(names), n=1, cutoff=0.8)
    return f"; is {alike[0]!r} meant?" if alike else ""


def require(names: Iterable[str], data_axes: Sequence[str]) -> None:
    """Refuse an axis that is neither present nor one of any kind of result (ValueError).

    Calculations have axes of their own, which are not known where none is present: there, misspelt axes are refused.
    """
    known_axes = {*results.dimensions(), *data_axes}
    for axis in {*names} - known_axes:
        hint = suggestion(axis, known_axes)
        if data_axes or hint:
            raise ValueError(f"a claim asks for the axis {axis!r}, which no result has{hint}")


def present(mask: xr.DataArray, axis: str) -> list[Any]:
    """List the values of an axis at which anything is true, increasing. Raises ValueError without such an axis."""
    if axis not in mask.coords:
        axes = [str(dim) for dim in mask.dims]
        raise ValueError(
            f"a claim asks for the values of {axis!r}, which is no axis of {', '.join(axes)}{suggestion(axis, axes)}"
        )
    return list(mask[axis].values[mask.any([dim for dim in mask.dims if dim != axis]).values].tolist())


def require_one(axis: str, values: Sequence[Any], what: str) -> None:
    """Refuse (ValueError) an axis with several values, over which a claim would average unawares."""
    if len(values) > 1:
        some = ", ".join(map(str, values))
        raise ValueError(f"{what} has several values of {axis}: {some}; fix one, as {axis}={values[0]!r}")


def select(data: Labelled, coords: Mapping[str, Any]) -> Labelled:
    """Select values of some axes. Raises NotRun where one is not there, ValueError for an axis that no result has."""
    require(coords, [*map(str, data.coords)])
    variables = data.coords.variables
    for axis, value in coords.items():
        if axis not in variables or value not in np.atleast_1d(variables[axis].values):
            raise NotRun(f"there is no {axis} {value}")
        if variables[axis].dims and axis not in data.indexes:
            raise ValueError(
                f"a claim asks for {axis} = {value!r}; {axis} is a label along {variables[axis].dims[0]}, not an axis"
            )
    return data.sel({axis: value for axis, value in coords.items() if variables[axis].dims})  # others have it already
