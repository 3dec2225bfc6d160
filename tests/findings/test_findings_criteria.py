"""Criteria of the findings: verdicts that count as given by the same criteria have the same bounds.

A verdict is "by former criteria" where the words of what its claim measures have changed since. A bound that moved
under the same words would not be noticed by that.
"""

import csv
from collections import defaultdict

from house import ROOT

from isobath.findings.ledger import Outline, Statement, by_former_criteria

MEASURED = {("width", "norm_diverges", "pole of ||f||, in the interval of N*")}  # N* and its interval are measured
RUN = ("scale", "seed", "study", "claim")


def rows(name):
    with (ROOT / "docs/findings" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def parts_with_several_bounds(verdicts, parts):
    """Return the parts which runs by present criteria judge by different bounds, or as a check in some runs alone."""
    present = {tuple(row[name] for name in RUN) for row in verdicts if row["criteria"] == "present"}
    bounds = defaultdict(set)
    for part in parts:
        if tuple(part[name] for name in RUN) in present:
            label = (part["study"], part["claim"], part["label"])
            bounds[label].add((part["above"], part["below"], part["check"]))
    return {label for label, sorts in bounds.items() if len(sorts) > 1}


def test_a_part_has_the_same_bounds_in_every_run_by_present_criteria():
    assert parts_with_several_bounds(rows("verdicts.csv"), rows("numbers.csv")) == MEASURED


def test_a_bound_that_moved_under_the_same_words_is_noticed():
    verdicts, parts = rows("verdicts.csv"), rows("numbers.csv")
    moved = next(
        part
        for part in parts
        if part["claim"] == "deep_better_for_local" and part["scale"] == "demo" and part["above"] == "0"
    )
    moved["above"] = "0.001"
    label = (moved["study"], moved["claim"], moved["label"])
    assert parts_with_several_bounds(verdicts, parts) == {*MEASURED, label}


def test_a_wrong_text_of_the_same_statistic_is_by_present_criteria():
    words = {"claim": "narrow", "statement": "It is narrow", "source": "A and B", "own": False}
    texts = {"title": "", "source": "", "claims_commit": "", "settings_commit": ""}
    outline = Outline(
        **texts, claims=[Statement(**words, statistic="one over the width")], misworded={"narrow": ["the width"]}
    )
    former = {
        text: by_former_criteria(outline, {"claim": "narrow", "verdict": "reproduced", "statistic": text})
        for text in ("one over the width", "the width", "the depth")
    }
    assert former == {"one over the width": False, "the width": False, "the depth": True}
    dropped = outline.model_copy(update={"dropped": ["narrow"]})
    assert by_former_criteria(dropped, {"claim": "narrow", "verdict": "reproduced", "statistic": "the width"})
