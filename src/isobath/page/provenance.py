"""Provenance of a page: versions, code and inputs of its results, and counts of networks by status."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from isobath import results
from isobath.page.contents import Study
from isobath.statuses import MISSING

STATUS = "status"


class Gathered(NamedTuple):
    """Contents of a cube: counts of networks by status, and of the cells of the other groups."""

    study: str
    grid: str
    networks: Mapping[str, int]
    cells: Mapping[str, int]


class Origin(NamedTuple):
    """Provenance of a result: the fingerprint of its code, the digest of its inputs, and its spec as JSON."""

    result: str
    code: str
    inputs: str
    spec: str


def gathered(studies: Sequence[Study]) -> list[Gathered]:
    """Return an entry per cube."""
    cubes = [(study.name, grid, cube) for study in studies for grid, cube in study.cubes.items()]
    return [Gathered(study, grid, _statuses(cube), _cells(cube)) for study, grid, cube in cubes]


def origins(studies: Sequence[Study]) -> list[Origin]:
    """Return an entry per result that the page shows."""
    return [
        Origin(result, str(attrs["code"]), str(attrs["inputs"]), str(attrs["spec"]))
        for result, attrs in _results(studies)
    ]


def versions(studies: Sequence[Study]) -> dict[str, str]:
    """Return the versions of the packages that made the results, separated by commas if there are several."""
    versions_of: dict[str, set[str]] = {}
    for _, attrs in _results(studies):
        for package, version in json.loads(attrs["versions"]).items():
            versions_of.setdefault(package, set()).add(version)
    return {package: ", ".join(sorted(versions_of[package])) for package in sorted(versions_of)}


def machines(studies: Sequence[Study]) -> list[str]:
    """Return the processors and devices that made the results, each as words."""
    texts = {attrs[key] for _, attrs in _results(studies) for key in ("processor", "device") if key in attrs}
    return sorted(as_words(text) for text in texts)


def as_words(text: str) -> str:
    """Return a JSON mapping as words: 'blas openblas, instructions AVX512'."""
    try:
        return ", ".join(f"{name} {value}" for name, value in json.loads(text).items())
    except (ValueError, AttributeError):
        return text


def _results(studies: Sequence[Study]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for study in studies:
        if study.verdicts is not None:
            yield f"{study.name}/verdicts", study.verdicts
        for grid, cube in study.cubes.items():
            yield f"{study.name}/cubes/{grid}", {str(key): value for key, value in cube.attrs.items()}
        records = ((figure.name, figure.record) for figure in study.figures if figure.record is not None)
        yield from ((f"{study.name}/figures/{name}", record) for name, record in records)


def _statuses(cube: xr.DataTree) -> dict[str, int]:
    """Count the words of ``status`` in the groups whose results have one."""
    tables = [groups for kind, groups in results.having("GROUPS").items() if results.option(kind, "PRESENT") == STATUS]
    present = [np.ravel(cube[group].to_dataset()[STATUS]) for groups in tables for group in groups if group in cube]
    statuses = Counter(word for words in present for word in words.tolist())
    return {str(status): n for status, n in statuses.items() if status != MISSING}


def _cells(cube: xr.DataTree) -> dict[str, int]:
    """Count the cells of every group, but of those that have a status, by the variable that all its results have."""
    counts = {}
    for kind, groups in results.having("GROUPS").items():
        for group, axes in groups.items():
            present = results.option(kind, "PRESENT")
            if axes and group in cube and present != STATUS:
                counts[group] = int(cube[group][present].notnull().sum())
    return counts
