"""What each kind of result consists of, and which of its parts lack what they need. Reads no arrays."""

from collections.abc import Iterator, Mapping
from typing import Any

from isobath import plugins
from isobath.analysis.cubes import AXES
from isobath.results.variables import CONSTRUCTIONS, NETWORKS

Metadata = Mapping[str, Mapping[str, Any]]  # of a store: see store.metadata

DATA = {"inputs": ("sample", "feature"), "labels": ("sample",), "balance": ()}
TRIALS = {"learning_rate": (), "trial_rate": ("trial",), "cost": ("trial",), "validation_error": ("trial", "fold")}
TRAINED = ("status", "epochs", "train_error", "test_error", "loss", "unmet", "n_parameters", "n_weights")
REGRESSED = ("test_error", "jitter", "residual")

# rule -> the arrays that its result has, each with the dims that it has at least
PARTS: dict[str, dict[str, tuple[str, ...]]] = {
    "training_set": DATA,
    "test_set": DATA,
    "split_test_set": DATA,
    "learning_rate": TRIALS,
    "networks": dict.fromkeys((*TRAINED, "learning_rate"), ()) | dict.fromkeys(TRAINED, ("seed",)),
    "ensembles": {"n_weights": ()},
    "kernels": dict.fromkeys(REGRESSED, ("depth",)),
    "construction": dict.fromkeys(CONSTRUCTIONS, ()),
}
# rule -> what its variables are called
LONG_NAMES = {"networks": NETWORKS, "construction": CONSTRUCTIONS}
# rule -> the entries of its record
ENTRIES = {"figure": ("name", "grid", "caption", "files"), "verdicts": ("study", "scale", "source", "claims")}
# group of a cube -> an array that it has
GATHERED = {"networks": "status", "ensembles": "n_weights", "constructions": "test_error"}
GATHERED |= {"kernels": "test_error", "kernels_without_depth": "test_error"}
FAMILIES = {"networks": "protocols", "constructions": "constructions"}


def oddities(rule: str, spec: Mapping[str, Any], parts: Metadata) -> Iterator[str]:
    """What is not as it should be in a store that a rule made as ``spec`` says, a sentence for each."""
    if rule == "cube":
        yield from _of_cube(spec, parts)
        return
    for name, dims in PARTS.get(rule, {}).items():
        has_none = rule == "kernels" and "depth" not in spec
        yield from _of_array(name, () if has_none else dims, parts)
    for name, size in _sizes(rule, spec).items():
        for array, about in parts.items():
            found = dict(zip(_dims(about), about.get("shape", ()), strict=True)).get(name, size)
            if found != size:
                yield f"{array} has {found} of {name}, not {size}"
    for noun, meaning in LONG_NAMES.get(rule, {}).items():
        for array in {noun, f"recorded_{noun}"} & parts.keys():
            attrs = parts[array]["attributes"]
            named = array not in _dims(parts[array])  # an axis says what it is by its name
            if named and (attrs.get("long_name"), attrs.get("units")) != (meaning, "1"):
                yield f"{array} is {attrs.get('long_name')!r} in {attrs.get('units')!r}, not {meaning!r} in '1'"


def _of_array(array: str, dims: tuple[str, ...], parts: Metadata) -> Iterator[str]:
    if array not in parts:
        yield f"it has no {array}"
    elif not set(dims) <= set(_dims(parts[array])):
        yield f"{array} has the dims {_dims(parts[array])}, not {list(dims)}"


def _dims(about: Mapping[str, Any]) -> list[str]:
    """Of an array; what has no dims, or is a group, has no entry for them."""
    return about.get("dimension_names") or []


def _of_cube(spec: Mapping[str, Any], parts: Metadata) -> Iterator[str]:
    asked = [group for group, family in FAMILIES.items() if spec[family]]
    asked += sorted({kernel_group(kernel) for kernel in spec["kernels"].values()})
    asked += [*(f"laws/{law}" for law in spec["laws"]), *(f"calculations/{name}" for name in spec["calculations"])]
    for group in asked:
        if group not in parts:
            yield f"it has no group {group}"
    for group, array in GATHERED.items():
        if group in parts:
            dims = tuple(axis for axis in AXES[group] if axis != "seed" or group == "networks")
            yield from _of_array(f"{group}/{array}", dims, parts)


def kernel_group(kernel: Mapping[str, Any]) -> str:
    """Return the group of a cube that a kernel (its kind and settings) belongs to: with or without the axis depth."""
    return "kernels" if plugins.takes("kernel", kernel["kind"], "depth") else "kernels_without_depth"


def _sizes(rule: str, spec: Mapping[str, Any]) -> dict[str, int]:
    """How many there must be along a dim."""
    if rule == "networks":
        first, last = spec["seeds"]
        return {"seed": last - first + 1}
    if rule == "kernels":
        axes = {"depth": "depth", "ridge": "ridges"}
        return {dim: len(spec[key]) for dim, key in axes.items() if key in spec}
    return {"sample": spec["n"]} if rule in ("training_set", "test_set") else {}
