"""Every claim of the locality study finds, in planted cubes, the numbers that its statement and statistic name."""

import locality_expected_controls
import locality_expected_kernels
import locality_expected_networks
import pytest
from locality_formulas import TREE

from isobath import claim_files
from isobath.analysis.cells import Cells
from isobath.analysis.term_families import term_families
from isobath.analysis.verdicts import judge

EXPECTED = (locality_expected_networks, locality_expected_kernels, locality_expected_controls)
SCATTER = {"starts_are_less_than_half_of_the_variance": 0.02}  # of the ends of intervals that are drawn


def expected(claim):
    found = [getattr(module, claim) for module in EXPECTED if hasattr(module, claim)]
    assert found, f"no module of expectations has the claim {claim}: write out what it has to find"
    return found[0]()


@pytest.mark.parametrize("claim", sorted(claim_files.claims("locality")))
def test_a_claim_finds_the_numbers_that_its_statistic_names(claim):
    parts = {part["label"]: part for part in judge(claim_files.load_claim("locality", claim), TREE)["parts"]}
    written = expected(claim)
    assert parts.keys() == written.keys()
    for label, want in written.items():
        part = parts[label]
        assert (part["above"], part["below"], part["check"]) == (want.above, want.below, want.check), label
        assert part["count"] == want.count, label
        if want.value is None:
            assert (part["estimate"], part["verdict"]) == (None, "not run"), label
            continue
        assert part["estimate"] == pytest.approx(want.value, rel=1e-9, abs=1e-12), label
        if want.low is not None:
            found = part["low"], part["high"]
            assert found == pytest.approx((want.low, want.high), abs=SCATTER.get(claim, 1e-9)), label


def test_families_of_labels_and_their_numbers_of_terms_increase():
    """They do not in the planted cubes."""
    plain, turned = (term_families(Cells.of(TREE, "terms"), "k_terms", rotated=rotated) for rotated in (False, True))
    assert [(family, [*tasks]) for family, tasks in plain.items()] == [
        ((2, 20), [1, 2, 4, 20]), ((2, 40), [4]), ((3, 16), [1, 4, 16])
    ]  # fmt: skip
    assert turned[2, 20] == {2: "2-terms-2-20-rotated", 20: "2-terms-20-20-rotated"}
