"""The numbers of the README are those of docs/findings: verdicts, intervals, and the hours that they took."""

import csv
import json
import math
import re

import pytest
from house import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
FINDINGS = ROOT / "docs/findings"
FOUND = README.partition("## What it found")[2].partition("\n## ")[0]
NUMBER = r"(-?\d+(?:\.\d+)?)"
INTERVALS = re.findall(rf"{NUMBER}( times)? \[{NUMBER}, {NUMBER}\]", FOUND)
WORDS = ("reproduced", "not reproduced", "hold", "do not hold", "does not hold", "verified", "inconclusive", "not run")
RUNS = {"In the demo": "demo", "At laptop scale": "laptop"}  # those whose claims the README counts, with seed 0
FORMER = "by former criteria"
PLURAL = {"holds": "hold", "does not hold": "do not hold"}


def rows(name, *scales):
    """Return the lines of a table of findings that are of the runs of some scales."""
    with (FINDINGS / name).open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["scale"] in scales and row["seed"] == "0"]


def counted(scale, whose):
    """Return how many claims of a run have each verdict by the table of the findings, with those of former criteria."""
    table = (FINDINGS / "README.md").read_text(encoding="utf-8").partition("\n## Verdicts\n")[2].partition("\n## ")[0]
    header, _, *lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.strip().splitlines()]
    (cells,) = [line for line in lines if line[:2] == [f"{scale}, seed 0", f"of {whose}"]]
    return {PLURAL.get(word, word): int(n) for word, n in zip(header[2:], cells[2:], strict=True) if n}


def told(run, whose):
    """Return how many claims the README says have each verdict in a run, those of the sources or of our own."""
    words = "|".join(sorted(WORDS, key=len, reverse=True))
    (sentence,) = re.findall(rf"{run}, of [^.]*?(\d+) claims of {whose} ([^.;]*)[.;]", FOUND)
    counted = re.findall(rf"(\d+) (?:are |were |is |was )?({words})", sentence[1])
    counts = {PLURAL.get(word, word): int(n) for n, word in counted}
    return int(sentence[0]), counts


@pytest.mark.parametrize("whose", ["the sources", "our own"])
@pytest.mark.parametrize("run", RUNS)
def test_verdicts_are_counted(run, whose):
    found = counted(RUNS[run], whose)
    total, counts = told(run, whose)
    assert counts == {word: n for word, n in found.items() if word != FORMER}
    assert total == sum(found.values())


@pytest.mark.parametrize("run", RUNS)
def test_verdicts_by_former_criteria_are_counted(run):
    numbers = [counted(RUNS[run], whose).get(FORMER, 0) for whose in ("the sources", "our own")]
    said = re.findall(rf"{run} (\d+) and (\d+) others were judged by criteria", FOUND)
    assert said == ([tuple(map(str, numbers))] if any(numbers) else [])


@pytest.mark.parametrize(("value", "times", "low", "high"), INTERVALS)
def test_an_interval_is_one_that_was_measured(value, times, low, high):
    """It agrees to the digits that are printed; a factor is the exponential of a logarithm."""
    said = (value, low, high)
    digits = [len(number.partition(".")[2]) for number in said]
    transform = math.exp if times else float
    printed = rows("numbers.csv", *RUNS.values(), "source")
    measured = ([row[key] for key in ("estimate", "low", "high")] for row in printed)
    for numbers in measured:
        if all(numbers) and max(map(float, numbers)) < 100:
            here = [transform(float(number)) for number in numbers]
            if all(f"{number:.{n}f}" == word for number, word, n in zip(here, said, digits, strict=True)):
                return
    pytest.fail(f"{value} [{low}, {high}] is no number of docs/findings/numbers.csv")


def test_the_table_has_intervals():
    assert len(INTERVALS) >= 8


def test_the_hours_of_the_demo_were_measured():
    (said,) = re.findall(r"\| `demo` .*?([\d.]+) measured", README)
    runs = json.loads((FINDINGS / "provenance.json").read_text(encoding="utf-8"))["runs"]
    (run,) = [run for run in runs if (run["scale"], run["seed"]) == ("demo", 0)]
    assert said == f"{sum(study['hours'] for study in run['studies'].values()):.1f}"


def test_the_number_that_the_guide_traces_is_the_published_one():
    """docs/results.md says how a number is traced to its store, and made again."""
    guide = (ROOT / "docs/results.md").read_text(encoding="utf-8").partition("## Trace a number")[2]
    ((name, *said),) = re.findall(rf"Take `([^`]+)`: {NUMBER} \[{NUMBER}, {NUMBER}\]", guide)
    (row,) = (
        row
        for row in rows("numbers.csv", "demo")
        if ",".join(row[key] for key in ("scale", "seed", "study", "claim", "label")) == name
    )
    assert [f"{float(row[key]):.3f}" for key in ("estimate", "low", "high")] == said
    assert f"the mean over data sets, {said[0]}" in guide
    assert f"isobath judge results/{row['scale']} {row['study']} {row['claim']}" in guide
