"""The study expressivity: every number of every claim is that of its formula, on cubes whose numbers all differ."""

import itertools
import json

import expressivity_expected_oscillations  # noqa: F401  it notes what its claims are expected to find
import pytest
import xarray as xr
from expressivity_distinct import BUILT, FOLDS, OWN, PARITY, SAMPLES, SHELLS, SPREAD, groups
from expressivity_distinct_tables import regressions, tables
from expressivity_expected_gains import at_equal_sizes
from expressivity_formulas import EXPECTED

from isobath import claim_files
from isobath.analysis.cells import Cells
from isobath.analysis.verdicts import judge
from isobath.claims.expressivity.sizes import at_equal_compute, at_equal_parameters

REGRESSIONS = ("table", "correlated", "diabetes")  # claims list them in the other order
TASKS = {
    "folds": FOLDS | BUILT,
    "spread_starts": SPREAD | BUILT,
    "own_size": OWN | BUILT,
    "shells": SHELLS,
    "architectures": PARITY,
    "sizes": PARITY,
}
OF_TABLES = (  # claims that take the largest or the smallest number of a calculation
    "composition_multiplies_crossings",
    "triangle_count_is_misprinted",
    "piecewise_polynomials_oscillate_little",
    "density_needs_unit_volume",
    "tubes_cover_little",
    "end_to_end_rule_holds",
    "preconditioner_favours_large_directions",
    "overparametrisation_is_an_adaptive_rate",
)


@pytest.fixture(scope="module")
def cube():
    """Return the tree of all grids, as claims read it, and the parts that each claim is expected to have."""
    parts = groups() | tables() | {f"{grid}/networks": regressions(grid) for grid in REGRESSIONS}
    tree = xr.DataTree.from_dict(parts)
    for grid, node in tree.children.items():
        node.attrs |= {"n_test": SAMPLES, "spec": json.dumps({"tasks": TASKS.get(grid, {})})}
    return tree, {name: oracle(parts) for name, oracle in EXPECTED.items()}


def test_every_claim_has_an_expectation():
    assert {*EXPECTED} == {*claim_files.claims("expressivity")}


def near(numbers):
    return pytest.approx(numbers, rel=1e-8, abs=1e-13)  # rounding


def agree(name, tree, expected):
    """Check the parts of a claim against those that are expected."""
    found = judge(claim_files.load_claim("expressivity", name), tree)["parts"]
    assert [part["label"] for part in found] == [part.label for part in expected]
    for part, formula in zip(found, expected, strict=True):
        numbers = (part["estimate"], part["low"], part["high"])
        assert numbers == (near(formula[1:4]) if formula.estimate is not None else (None, None, None)), part
        assert (part["above"], part["below"]) == (formula.above, formula.below), part


@pytest.mark.parametrize("name", claim_files.claims("expressivity"))
def test_the_numbers_of_a_claim_are_those_of_its_formulas(cube, name):
    tree, expected = cube
    agree(name, tree, expected[name])


@pytest.mark.parametrize("name", OF_TABLES)
def test_the_farthest_number_of_a_table_is_found_wherever_it_is(name):
    for seed in range(8):
        numbers = tables(seed)
        agree(name, xr.DataTree.from_dict(numbers), EXPECTED[name](numbers))


@pytest.mark.parametrize("name", OF_TABLES)
def test_the_order_in_which_a_study_lists_values_decides_nothing(name):
    turned = tables()
    for path, part in turned.items():  # directions are not listed: they are counted from the largest, on either side
        listed = [dim for dim in part.indexes if dim not in ("left", "right")]
        turned[path] = part.isel({dim: slice(None, None, -1) for dim in listed})
    claim = claim_files.load_claim("expressivity", name)
    parts, others = (judge(claim, xr.DataTree.from_dict(each))["parts"] for each in (tables(), turned))
    estimates = {part["label"]: part["estimate"] for part in parts}
    assert {part["label"]: part["estimate"] for part in others} == near(estimates)


def test_the_gain_at_equal_parameters_is_the_mean_over_three_sizes(cube):
    """Test sets are shared, so that their error is the largest of three and does not average out."""
    cells = Cells.of(cube[0], "sizes", first=("protocol", "n_train"))
    formula = at_equal_sizes(cube[0]["sizes/networks"].to_dataset(), "global")
    found = at_equal_parameters(cells, "global")
    assert (found.value, *found.interval()) == near(formula[1:4])
    assert at_equal_compute(cells, "global").otherwise == {}  # twice the steps would not be within the budget


def test_no_two_numbers_of_a_claim_are_alike(cube):
    """Numbers that are alike by chance would hide that one is taken for the other."""
    for name, parts in cube[1].items():
        numbers = sorted(part.estimate for part in parts if part.estimate is not None)
        assert all(b - a > 1e-12 for a, b in itertools.pairwise(numbers)), name
