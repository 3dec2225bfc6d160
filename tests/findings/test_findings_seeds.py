"""Intervals of the published runs against each other: how often numbers of two seeds differ by more than they allow."""

import csv
import itertools
import math
import re
from collections import defaultdict

import pytest
from house import ROOT

SAID = re.compile(
    r"in (\d+) % where these are over networks of one data set and in (\d+) % where they are over data sets; "
    r"at laptop scale in (\d+) % and in (\d+) %"
)
CASES = [(scale, unit) for scale in ("demo", "laptop") for unit in ("networks", "data sets")]
FEWEST = 100  # pairs from which a share says something


def differ(first, second):
    """Tell whether two numbers, (estimate, low, high), differ by more than their 95 % intervals allow."""
    small, large = sorted((first, second))
    return large[0] - small[0] > math.hypot(small[2] - small[0], large[0] - large[1])


def pairs(scale, unit):
    """Return the pairs of numbers of one part with two seeds of a scale, checks left out."""
    seeds = defaultdict(list)
    with (ROOT / "docs/findings/numbers.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            numbers = [row[name] for name in ("estimate", "low", "high")]
            if (row["scale"], row["unit"], row["check"]) == (scale, unit, "false") and all(numbers):
                seeds[row["study"], row["claim"], row["label"]].append(tuple(map(float, numbers)))
    return [pair for found in seeds.values() for pair in itertools.combinations(found, 2)]


@pytest.mark.parametrize(("scale", "unit", "said"), [(*case, i) for i, case in enumerate(CASES)])
def test_the_share_of_pairs_of_seeds_that_differ_is_the_one_that_is_said(scale, unit, said):
    (shares,) = SAID.findall((ROOT / "docs/verdicts.md").read_text(encoding="utf-8"))
    found = pairs(scale, unit)
    assert len(found) >= FEWEST
    assert round(100 * sum(differ(*pair) for pair in found) / len(found)) == int(shares[said])
