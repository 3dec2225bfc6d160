"""Labels of data sets that the library returns: the meaning of coordinates, and the provenance of a result."""

import json
from collections.abc import Mapping
from typing import Any

import xarray as xr

import isobath
from isobath.analysis.coordinates import meaning_of
from isobath.jobs.provenance import provenance
from isobath.statuses import FAILED, MISSING, TRAINED

STATUSES = (*TRAINED, MISSING, FAILED)


def explained(data: xr.Dataset) -> xr.Dataset:
    """Give each coordinate that has none a ``long_name`` and ``units``."""
    meanings = {name: {"long_name": meaning_of(str(name)) or str(name), "units": "1"} for name in data.coords}
    coords = {name: c.assign_attrs(meanings[name] | c.attrs) for name, c in data.coords.items()}
    return data.assign_coords(coords)


def statuses(words: xr.DataArray, name: str, others: str = "") -> xr.DataArray:
    """Return the words of a status, decoded where they are bytes, MISSING where there is none.

    Raises ValueError for words that are none of a status; ``others`` says what else ``name`` can have.
    """
    values = words.values.astype(str) if words.dtype.kind == "S" else words.where(words.notnull(), MISSING).values
    strange = sorted({*map(str, values.ravel().tolist())} - {*STATUSES})
    if strange:
        raise ValueError(f"{name} has {strange[0]!r}; it must be {others}one of {', '.join(STATUSES)}")
    return words.copy(data=values.astype(object))


def require_distinct(values: xr.DataArray, name: str) -> None:
    """Refuse values of two networks, or two data sets, of one label, which would count twice (ValueError)."""
    for dim, unit in (("seed", "network"), ("draw", "data set")):
        index = values.indexes.get(dim)
        if index is not None and not index.is_unique:
            twice = index[index.duplicated()][0]
            raise ValueError(f"{name} has the {dim} {twice} twice; each {unit} needs a {dim} of its own")


def attributes(title: str, spec: Mapping[str, Any], device: str, n_test: int, seed: int) -> dict[str, Any]:
    """Return the attributes of a result: as those of a cube, with the version in place of the code and the inputs.

    ``seed`` is the root of the random streams.
    """
    origin = provenance(dict(spec), "")
    shared = {key: value for key, value in origin.items() if key not in ("code", "inputs")}
    return {"title": title, "seed": seed, "n_test": n_test, "device": device, **shared, "isobath": isobath.__version__}


def settings(name: str, family: str, kind: str, plugin: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec of data of one's own: the task ``name`` without settings, and a plug-in as a study has it."""
    return json.loads(json.dumps({"tasks": {name: {}}, family: {kind: dict(plugin)}}))
