"""Every criterion of every claim of the fractals study: its number, its interval and its bounds, by hand.

The cubes are those in which every number differs, and thresholds that are equal have values apart.
"""

import functools

import fractals_distinct
import fractals_distinct_theory
import fractals_expected
import fractals_expected_theory
import pytest
from fractals_thresholds import apart

from isobath import claim_files
from isobath.analysis.verdicts import judge

CLAIMS = sorted(claim_files.claims("fractals"))
BOOTSTRAPPED = "deep_networks_learn_what_shallow_ones_approximate"


@pytest.fixture(scope="module", autouse=True)
def _thresholds_apart():
    with apart():
        yield


@functools.cache
def cube():
    return fractals_distinct_theory.tree(fractals_distinct.tree())


@functools.cache
def found(claim):
    """Return the parts of a claim by their labels."""
    return {part["label"]: part for part in judge(claim_files.load_claim("fractals", claim), cube())["parts"]}


@functools.cache
def expected(claim):
    """Return the parts of a claim by hand, by their labels. Fails for a claim without any."""
    for module in (fractals_expected, fractals_expected_theory):
        if hasattr(module, claim):
            return {part.label: part for part in getattr(module, claim)(cube())}
    return pytest.fail(f"the claim {claim} has no expectation in tests/studies/fractals/fractals_expected.py")


@pytest.mark.parametrize("claim", CLAIMS)
def test_every_number_of_a_claim_is_that_of_its_statement(claim):
    assert found(claim).keys() == expected(claim).keys()
    for label, part in found(claim).items():
        wanted = expected(claim)[label]
        assert part["estimate"] == pytest.approx(wanted.number.value, rel=1e-9, abs=1e-12), label
        for name, bound in (("above", wanted.above), ("below", wanted.below)):
            assert part[name] == (None if bound is None else pytest.approx(bound, rel=1e-9, abs=0)), (label, name)
        assert (part["count"], part["check"]) == (wanted.number.count, wanted.check), label
        assert part["published"] == wanted.published, label


@pytest.mark.parametrize("claim", CLAIMS)
def test_both_ends_of_an_interval_are_those_of_its_formula(claim):
    """Quantiles of two bootstraps, one of 2000 resamples, are alike up to a tenth of half of their interval."""
    for label, part in found(claim).items():
        _, low, high, _ = expected(claim)[label].number
        near = {"abs": 0.1 * (high - low) / 2} if claim == BOOTSTRAPPED else {"rel": 1e-9, "abs": 1e-12}
        assert (part["low"], part["high"]) == pytest.approx((low, high), **near), label


@pytest.mark.parametrize("claim", ["printed_start_is_degenerate", "regions_hold_both_classes_alike"])
def test_the_order_in_which_growths_are_listed_decides_nothing(claim):
    turned = cube().copy()
    path = "theory/calculations/initial_gradients"
    turned[path] = turned[path].to_dataset().isel(growth=slice(None, None, -1))
    parts = judge(claim_files.load_claim("fractals", claim), turned)["parts"]
    assert {part["label"]: part for part in parts} == found(claim)


def test_the_numbers_of_different_cells_rules_and_sizes_differ():
    """Otherwise a wrong choice among them would go unnoticed."""
    for name in fractals_distinct.PLANS:
        table = cube()[f"{name}/networks"].to_dataset()
        for kind in ("test", "first_half", "second_half"):
            values = table[f"recorded_{kind}_error"].values
            values = values[(values > 0.005) & (values < 1)]
            assert len(set(values)) == len(values) > 0
