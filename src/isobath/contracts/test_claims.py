"""The contract of claims, over all claims of every study: words, labels, grids and axes; no verdict without a run."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
import xarray as xr

from isobath import claim_files, plugins, roots
from isobath.analysis.cells import Cells
from isobath.analysis.verdicts import Claim, judge
from isobath.study import layers, places
from isobath.study.merging import Content

FOUND = [
    (path.name, name, module)
    for path in claim_files.studies_with_claims()
    for name, module in claim_files.claims(path.name).items()
]
CLAIMS = [
    (study, name) for study, name, module in FOUND if not roots.own() or roots.is_own(str(find_spec(module).origin))
]


@pytest.mark.parametrize(("study", "name"), CLAIMS)
def test_a_claim_keeps_the_contract(study, name):
    claim = claim_files.load_claim(study, name)
    assert isinstance(claim, Claim)
    assert claim.name == name
    for words in (claim.statement, claim.source, claim.statistic):
        assert words.strip() == words
        assert words
        assert not words.endswith(".")
    verdict = judge(claim, xr.DataTree())
    assert verdict["verdict"] == "not run"
    labels = [part["label"] for part in verdict["parts"]]
    assert labels
    assert len({*labels}) == len(labels)


@pytest.mark.parametrize(("study", "name"), CLAIMS)
def test_a_claim_asks_for_grids_of_a_study_that_has_it(study, name, monkeypatch):
    """A claim with a misspelt grid ends as "not run" in every run, as one does whose grid a scale leaves out."""
    known_grids = grids_beside(f"{study}.{name}")
    if not known_grids:
        pytest.skip(f"no study has the claim {study}.{name}")
    names, original = [], Cells.of

    def noted(tree, grid, **axes):
        names.append(grid)
        return original(tree, grid, **axes)

    monkeypatch.setattr(Cells, "of", noted)
    judge(claim_files.load_claim(study, name), xr.DataTree())
    for grid in names:
        assert grid in known_grids, f"{study}.{name} asks for the grid {grid!r}; {plugins.nearest(grid, known_grids)}"


def grids_beside(claim: str) -> list[str]:
    """List the grids of all studies that have a claim, which is given by its full name; they are those of any scale."""
    having = [content for study, content in contents().items() if claim in claims(study, content)]
    return sorted({grid for content in having for grid in grids(content)})


def claims(study: str, content: Content) -> set[str]:
    """Return the full names of the claims of a study."""
    return {claim if "." in claim else f"{study}.{claim}" for claim in content.get("claims", [])}


def grids(content: Content) -> list[str]:
    """List the grids of a study, those of its calculations included."""
    of_calculations = (calculation.get("grid") for calculation in content.get("calculations", {}).values())
    return [*content.get("grids", {}), *filter(None, of_calculations)]


@cache
def contents() -> dict[str, Content]:
    """Return the content of every study.yaml, on top of those that it extends."""
    folders = places.studies(Path())
    return {name: layers.base(folder, folders) for name, folder in folders.items()}
