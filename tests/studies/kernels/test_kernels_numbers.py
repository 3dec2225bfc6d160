"""Numbers of every claim of the study of kernels, in cubes in which another choice would give another number."""

import math

import kernels_distinct
import kernels_distinct_networks
import kernels_expected
import kernels_expected_networks
import pytest
import xarray as xr
from kernels_formulas import Expected

from isobath import claim_files
from isobath.analysis.verdicts import judge
from isobath.calculations import zonal_spectra
from isobath.randomness import stream

CLAIMS = claim_files.claims("kernels")
UNBOUNDED = {"above": -math.inf, "below": math.inf}  # bounds that a record leaves out


@pytest.fixture(scope="module")
def tree():
    """Return the cubes of every grid of the study."""
    grids = {"theory": kernels_distinct.grid(kernels_distinct.tables(), {})}
    grids["images"] = kernels_distinct.grid({"kernels": kernels_distinct.images()}, kernels_distinct.IMAGE_TASKS)
    grids["labels"] = kernels_distinct.grid(kernels_distinct.labels(), kernels_distinct.LABEL_TASKS)
    made = (kernels_distinct_networks.lazy, kernels_distinct_networks.crossover, kernels_distinct_networks.samples)
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
    found = getattr(kernels_expected, name, None) or getattr(kernels_expected_networks, name, None)
    assert found is not None, f"the claim {name} has no expectation: write one in kernels_expected.py"
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
    for families in kernels_distinct.DECAYING:
        kernels = table.sel(kernel=kernels_distinct.members(families))
        reach = abs(kernels[["low", "high"]] - kernels.expected_exponent).to_array().max("variable")
        found = reach.fillna(0).argmax("kernel")
        assert {*kernels.kernel.values[found.values.ravel()]} == {*kernels.kernel.values}


def estimates(name, table):
    """Return the numbers of a claim on a table of eigenvalues by label."""
    tree = xr.DataTree(children={"theory": kernels_distinct.grid({"calculations/spectra": table}, {})})
    return {part["label"]: part["estimate"] for part in judge(claim_files.load_claim("kernels", name), tree)["parts"]}


def test_claims_on_real_eigenvalues_give_their_closed_forms():
    """The constants of a kernel add at even degrees: those at u = 1 are L - 1 and L (L - 1) / 2, that at -1 a product.

    They are known up to terms of order K^-2. The eigenvalue of odd degree 21 is that of a quadrature in many digits.
    """
    kernels = [(name, {"kind": kind, "beta": 0.0}, [1, 2, 7]) for name, kind in (("rf", "nngp"), ("ntk", "ntk"))]
    settings = {"kernels": kernels, "dimensions": (3, 4), "degrees": 60, "digits": 30}
    table = zonal_spectra.calculate(generator=stream(0, "s"), **settings)
    v, product = 0.0, 1.0  # of kappa_0(v) over the layers of eight, with the next v = kappa_1(v)
    for _ in range(6):
        product *= 1 - math.acos(v) / math.pi
        v = (math.sqrt(1 - v**2) + v * (math.pi - math.acos(v))) / math.pi
    grown = estimates("depth_grows_the_constant", table)
    for d in (3, 4):
        assert grown[f"rf, d = {d}"] == pytest.approx((7 + product) / (1 + 1), rel=0.01)
        assert grown[f"ntk, d = {d}"] == pytest.approx((28 + product) / 8 / ((1 + 1) / 2), rel=0.01)
    missed = estimates("two_layers_miss_a_parity", table.sel(degree=slice(0, 21)))
    assert (missed["rf, L = 2"], missed["ntk, L = 2"]) == (0, 0)
    assert missed["ntk, L = 3"] == pytest.approx(4.42565616948032e-6, rel=1e-12)
