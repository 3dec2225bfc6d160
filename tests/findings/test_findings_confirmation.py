"""Verdicts that runs after the freeze confirm: their counts in the prose are those of the published tables."""

import csv
import re
from collections import defaultdict
from functools import cache

import pytest
from house import ROOT

FOR, AGAINST = {"reproduced", "holds"}, {"not reproduced", "does not hold"}
ALL = {*FOR, *AGAINST, "verified", "inconclusive", "violated"}  # verdicts of claims that were run
PAGES = [ROOT / "README.md", ROOT / "workflow/findings.md"]
STUDIES = ("locality", "kernels", "fractals", "width", "expressivity")
NUMBER = r"(\d+)"


@cache
def verdicts():
    """Return the verdicts by present criteria: scale -> (study, claim) -> seed -> verdict."""
    found = defaultdict(lambda: defaultdict(dict))
    with (ROOT / "docs/findings/verdicts.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["criteria"] == "present":
                found[row["scale"]][row["study"], row["claim"]][int(row["seed"])] = row["verdict"]
    return found


def decided(scale, seeds, ways):
    """Return the claims, (study, name), that each of some seeds of a scale decides in one of the ``ways``."""
    claims = verdicts()[scale].items()
    return {claim for claim, by_seed in claims if all(by_seed.get(seed) in ways for seed in seeds)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_seeds_of_the_demo_after_the_freeze(page):
    text = page.read_text(encoding="utf-8")
    before, after = (0, 1, 2), (3, 4)
    kept, refuted = decided("demo", before, FOR), decided("demo", before, AGAINST)
    (said,) = re.findall(
        rf"the {NUMBER} claims that seeds 0 to 2 of the demo all reproduce or find to hold, seeds 3 and 4 both confirm "
        rf"all {NUMBER}, and of the {NUMBER} that they all refute both refute all {NUMBER}\.",
        text,
    )
    confirmed, against = (ways & decided("demo", after, way) for ways, way in ((kept, FOR), (refuted, AGAINST)))
    assert (confirmed, against) == (kept, refuted)
    assert [int(number) for number in said] == [len(kept), len(kept), len(refuted), len(refuted)]


@pytest.mark.parametrize(
    "page",
    [*PAGES, *(ROOT / f"workflow/studies/{study}/findings.md" for study in STUDIES)],
    ids=lambda page: page.parent.name,
)
def test_the_laptop_scale_after_the_freeze(page):
    """A page of a study counts its claims, the others those of all studies that were run."""
    ((first, named, *rest),) = re.findall(
        rf"the {NUMBER} claims of (`\w+`(?:(?:,| and) `\w+`)*) that seeds 0 and 1 of the laptop scale both reproduce "
        rf"or find to hold, seed 2 confirms all {NUMBER}, and of the {NUMBER} that both refute it refutes all "
        rf"{NUMBER}\.",
        page.read_text(encoding="utf-8"),
    )
    studies, numbers = set(re.findall(r"`(\w+)`", named)), []
    run = {study for study, _ in decided("laptop", [2], ALL)}
    assert studies == (run & {page.parent.name} or run)
    for ways in (FOR, AGAINST):
        both = {claim for claim in decided("laptop", (0, 1), ways) if claim[0] in studies}
        numbers += [len(both), len(both & decided("laptop", [2], ways))]
    assert [int(number) for number in (first, *rest)] == numbers


@pytest.mark.parametrize("scale", ["demo", "laptop"])
def test_no_claim_is_decided_both_ways_at_one_scale(scale):
    seeds = {seed for by_seed in verdicts()[scale].values() for seed in by_seed}
    ways = [{claim for seed in seeds for claim in decided(scale, [seed], way)} for way in (FOR, AGAINST)]
    assert ways[0]
    assert not set.intersection(*ways)
