"""The numbers of the README are those of docs/findings: verdicts, intervals, and the hours that they took."""

import csv
import json
import re

import pytest
from house import ROOT

from isobath.operations.findings import refill

README = (ROOT / "README.md").read_text(encoding="utf-8")
FINDINGS = ROOT / "docs/findings"
FOUND = README.partition("## What it found")[2].partition("\n## ")[0]
NUMBER = r"(-?\d+(?:\.\d+)?)"
COUNTS = (
    "reproduced, or hold",
    "not reproduced, or do not hold",
    "verified",
    "inconclusive",
    "not run",
    "by former criteria",
)


def numbers(scale):
    """Return the lines of the table of numbers of findings that are of the runs of a scale."""
    with (FINDINGS / "numbers.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["scale"] == scale]


def table(text, first):
    """Return the lines of the table of a text whose first column has a header, each a dictionary by headers."""
    lines = text[text.index(f"| {first} |") :].partition("\n\n")[0].splitlines()
    header, _, *body = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    return [dict(zip(header, cells, strict=True)) for cells in body]


def told():
    """Return the runs of the README's table of counts, and of each whose claims are counted with what number."""
    lines, run = [], ""
    for line in table(FOUND, "run"):
        run = line["run"].partition(":")[0] or run
        total, whose = line["claims"].split(" ", 1)
        lines.append((run, whose, int(total), tuple(int(line[word] or 0) for word in COUNTS)))
    return lines


def found(run, whose):
    """Return how many claims of a run have each verdict by the table of the findings, in the order of ``COUNTS``."""
    findings = (FINDINGS / "README.md").read_text(encoding="utf-8").partition("\n## Verdicts\n")[2]
    (line,) = [line for line in table(findings, "run") if (line["run"], line["claims"]) == (run, whose)]
    numbers = {word: int(number) for word, number in line.items() if number.isdecimal()}
    either = (("reproduced", "holds"), ("not reproduced", "does not hold"))
    return tuple(sum(numbers.get(word, 0) for word in words) for words in (*either, *([word] for word in COUNTS[2:])))


@pytest.mark.parametrize(("run", "whose", "total", "counts"), told())
def test_verdicts_are_counted(run, whose, total, counts):
    assert counts == found(run, whose)
    assert total == sum(counts)


def test_verdicts_of_all_seeds_after_the_freeze_are_counted():
    """Both kinds of claims of the demo that anybody makes, and of the runs that weigh most."""
    assert {(run, whose) for run, whose, *_ in told()} >= {
        (f"demo, seed {seed}", whose) for seed in (0, 3, 4) for whose in ("of the sources", "of our own")
    }


def test_the_headlines_are_the_published_numbers():
    """The table is made from the findings, each of its numbers was measured with each seed, and it stays short."""
    assert refill(ROOT / "README.md", FINDINGS).decode() == README
    lines = table(FOUND, "number")
    assert 10 <= len(lines) <= 15
    for _, *cells in map(dict.values, lines):
        assert all(re.search(r"\d", cell) for cell in cells)


def test_the_hours_of_the_demo_were_measured():
    said = re.findall(r"\| `demo` .*?([\d.]+) to ([\d.]+) measured", README)
    runs = json.loads((FINDINGS / "provenance.json").read_text(encoding="utf-8"))["runs"]
    hours = [sum(study["hours"] for study in run["studies"].values()) for run in runs if run["scale"] == "demo"]
    assert said == [(f"{min(hours):.2f}", f"{max(hours):.2f}")]


def test_the_number_that_the_guide_traces_is_the_published_one():
    """docs/results.md says how a number is traced to its store, and made again."""
    guide = (ROOT / "docs/results.md").read_text(encoding="utf-8").partition("## Trace a number")[2]
    ((name, *said),) = re.findall(rf"Take `([^`]+)`: {NUMBER} \[{NUMBER}, {NUMBER}\]", guide)
    (row,) = (
        row
        for row in numbers("demo")
        if ",".join(row[key] for key in ("scale", "seed", "study", "claim", "label")) == name
    )
    assert [f"{float(row[key]):.3f}" for key in ("estimate", "low", "high")] == said
    assert f"the mean over data sets, {said[0]}" in guide
    assert f"isobath judge results/{row['scale']} {row['study']} {row['claim']}" in guide
