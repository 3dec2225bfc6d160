"""Contents of a store, compared with the declarations of its kind of result by metadata; no array is read."""

from collections.abc import Iterator, Mapping
from typing import Any

from isobath import results
from isobath.results import Variable
from isobath.store_metadata import dims

Metadata = Mapping[str, Mapping[str, Any]]  # of a store: see store.metadata


def oddities(rule: str, spec: Mapping[str, Any], arrays: Metadata) -> Iterator[str]:
    """Yield one sentence per array of a store that is missing, or has wrong dims, lengths or attributes."""
    variables: Mapping[str, Variable] = results.option(rule, "VARIABLES", {})
    for name, variable in variables.items():
        yield from _absent(name, variable, arrays)
    for dim, length in results.option(rule, "lengths", lambda _: {})(spec).items():
        yield from _of_wrong_length(dim, length, arrays)
    for name in variables.keys() & arrays.keys():
        yield from _misdescribed(name, variables[name], arrays[name])
    yield from results.option(rule, "oddities", lambda *_: ())(spec, arrays)


def _absent(name: str, variable: Variable, arrays: Metadata) -> Iterator[str]:
    if name not in arrays:
        if not variable.optional:
            yield f"it has no {name}"
    elif not {*variable.dims} <= {*dims(arrays[name])}:
        yield f"{name} has the dims {dims(arrays[name])}, not {list(variable.dims)}"


def _of_wrong_length(dim: str, length: int, arrays: Metadata) -> Iterator[str]:
    for name, array in arrays.items():
        lengths = dict(zip(dims(array), array.get("shape", ()), strict=True))
        if lengths.get(dim, length) != length:
            yield f"{name} has {lengths[dim]} of {dim}, not {length}"


def _misdescribed(name: str, variable: Variable, array: Mapping[str, Any]) -> Iterator[str]:
    attrs = array["attributes"]
    allowed = [variable.attrs_of(real=real) for real in (False, True)]
    if name not in dims(array) and {key: attrs.get(key) for key in ("long_name", "units")} not in allowed:
        stored, declared = (attrs.get("long_name"), attrs.get("units")), (variable.long_name, variable.units)
        yield f"{name} is {stored[0]!r} in {stored[1]!r}, not {declared[0]!r} in {declared[1]!r}"
