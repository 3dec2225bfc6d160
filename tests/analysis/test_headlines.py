"""Headlines of verdicts: how many parts were run and agree, and what a verdict is about."""

from dataclasses import replace

import pytest
from test_verdicts import NO, YES, judged

from isobath.analysis.estimates import ONE_DATA_SET, Estimate, exactly
from isobath.analysis.published import Published
from isobath.analysis.tallies import Tally
from isobath.analysis.verdicts import Criterion

UNSURE = Estimate(0.01, 0.01, 0.0, 30)
ABSENT = Criterion("b", None, above=0, reason="no cells", published=Published(0.3, "Fig. 2", 0.1, same_size=True))
SHOWN = Criterion("b", replace(NO, fixed=frozenset({"rate"})), above=0.7).shown("other sizes")


@pytest.mark.parametrize(
    ("others", "headline"),
    [
        ([ABSENT], "reproduced, 1 of 2 parts run"),  # and not of three, though it has a published number as well
        (
            [Criterion("b", UNSURE, above=0), Criterion("c", None)],
            "inconclusive, 1 of 2 parts agree, 2 of 3 parts run",
        ),
        ([SHOWN], "reproduced, 1 of 2 parts run"),  # at one rate is a number that is only shown
    ],
    ids=["published", "agree", "shown"],
)
def test_a_headline_counts_the_parts_that_are_judged(others, headline):
    assert judged([Criterion("a", YES, above=0), *others])["headline"] == headline


def test_a_part_says_what_it_counts():
    """Networks behind a number of which several data sets are no units of their own are not what it counts."""
    counted = replace(YES, tally=Tally.of(9, 9))
    of_one = replace(counted, fixed=ONE_DATA_SET)
    kinds = [exactly(0.3), counted, of_one, Estimate.over_draws({0: 0.3, 1: 0.31})]
    parts = judged([Criterion(str(i), each, above=0) for i, each in enumerate(kinds)])["parts"]
    assert [part["unit"] for part in parts] == ["", "", "networks", "data sets"]
