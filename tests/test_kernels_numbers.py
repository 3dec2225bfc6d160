"""Numbers of every claim of the study of kernels, in cubes in which another choice would give another number."""

import math

import kernels_cubes
import kernels_network_oracles
import kernels_networks
import kernels_oracles
import pytest
import xarray as xr
from kernels_measured import Expected

from isobath import claim_files
from isobath.analysis.verdicts import judge

CLAIMS = claim_files.claims("kernels")
UNBOUNDED = {"above": -math.inf, "below": math.inf}  # bounds that a record leaves out


@pytest.fixture(scope="module")
def tree():
    """Return the cubes of every grid of the study."""
    grids = {"theory": kernels_cubes.grid(kernels_cubes.tables(), {})}
    grids["images"] = kernels_cubes.grid({"kernels": kernels_cubes.images()}, kernels_cubes.IMAGE_TASKS)
    grids["labels"] = kernels_cubes.grid(kernels_cubes.labels(), kernels_cubes.LABEL_TASKS)
    made = (kernels_networks.lazy, kernels_networks.crossover, kernels_networks.samples)
    return xr.DataTree(children=grids | {make.__name__: make() for make in made})


@pytest.fixture(scope="module")
def groups(tree):
    """Return the groups of the cubes by the names that the oracles have for them."""
    tables = {path.split("/")[-1]: node.to_dataset() for path, node in tree["theory"].subtree_with_keys}
    paths = {"images": "images/kernels", "labels": "labels/kernels", "predicted": "labels/calculations/labels"}
    paths |= {"lazy": "lazy/networks", "crossover": "crossover/networks"}
    paths |= {"networks": "samples/networks", "kernels": "samples/kernels"}
    return tables | {name: tree[path].to_dataset() for name, path in paths.items()}


def oracle(name):
    """Return the oracle of a claim; a claim without one is no part of the study yet."""
    found = getattr(kernels_oracles, name, None) or getattr(kernels_network_oracles, name, None)
    assert found is not None, f"the claim {name} has no expectation: write one in kernels_oracles.py"
    return found


@pytest.mark.parametrize("name", CLAIMS)
def test_the_numbers_of_a_claim_are_those_of_its_text(name, tree, groups):
    expected = oracle(name)(groups)
    parts = {part["label"]: part for part in judge(claim_files.load_claim("kernels", name), tree)["parts"]}
    assert sorted(parts) == sorted(expected)
    for label, wanted in expected.items():
        part = parts[label]
        found = {name: UNBOUNDED.get(name) if part[name] is None else part[name] for name in Expected._fields}
        assert found == pytest.approx(wanted._asdict(), rel=1e-9, abs=0), (label, part["reason"])


def test_every_kernel_is_the_farthest_off_somewhere(groups):
    """None could be left out unnoticed. The odd exponents of step kernels have a claim of their own."""
    table = groups["spectra"]
    for families in kernels_cubes.DECAYING:
        kernels = table.sel(kernel=kernels_cubes.members(families))
        reach = abs(kernels[["low", "high"]] - kernels.expected_exponent).to_array().max("variable")
        found = reach.fillna(0).argmax("kernel")
        assert {*kernels.kernel.values[found.values.ravel()]} == {*kernels.kernel.values}
