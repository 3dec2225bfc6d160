"""Numbers in the prose of the findings: each that has an interval is one of the published tables."""

import csv
import json
import re
from functools import cache

import numpy as np
import pytest
from house import ROOT

NUMBER = r"([-−]?\d+(?:\.\d+)?)"
INTERVAL = re.compile(rf"{NUMBER} \[{NUMBER}, {NUMBER}\]")
TEXTS = ("workflow/findings.md", "docs/history.md", "README.md")
PAGES = [*sorted(ROOT.glob("workflow/studies/*/findings.md")), *(ROOT / text for text in TEXTS)]

OF_CUBES = [
    ("thresholds", ("threshold", "low", "high")),
    ("variances", ("sd", "sd_low", "sd_high")),
    ("variances", ("share", "low", "high")),
]


@cache
def published():
    """Return all numbers with their intervals, (n, 3): of parts, in the reasons of parts, and of cubes."""
    with (ROOT / "docs/findings/numbers.csv").open(encoding="utf-8", newline="") as file:
        parts = list(csv.DictReader(file))
    numbers = [[part[name] for name in ("estimate", "low", "high")] for part in parts]
    said = [match.groups() for part in parts for match in INTERVAL.finditer(part["reason"])]
    runs = json.loads((ROOT / "docs/findings/provenance.json").read_text(encoding="utf-8"))["runs"]
    cubes = [cube for run in runs for study in run["studies"].values() for cube in study["cubes"].values()]
    of_cubes = [
        [each[name] for name in names] for group, names in OF_CUBES for cube in cubes for each in cube.get(group, ())
    ]
    return np.array([[float(x) for x in each] for each in [*numbers, *said, *of_cubes] if all(map(str, each))])


def found(words):
    """Tell whether a number with its interval is a published one as rounded, with either sign, or a power of it."""
    digits = [word.replace("−", "-") for word in words]
    values = np.array([float(word) for word in digits])
    unit = np.array([10.0 ** -len(word.partition(".")[2]) for word in digits])
    numbers = published()
    turned = -numbers[:, [0, 2, 1]]
    with np.errstate(over="ignore"):
        forms = [numbers, turned, np.exp(numbers), np.exp(turned), 2**numbers]
    return any((abs(form - values) <= 0.5001 * unit).all(1).any() for form in forms)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_a_number_with_an_interval_is_one_of_the_tables(page):
    text = page.read_text(encoding="utf-8")
    assert not [match[0] for match in INTERVAL.finditer(text) if not found(match.groups())]


def test_a_number_that_is_not_there_is_noticed():
    low, value, high = np.percentile(published(), [10, 50, 90])
    assert not found([f"{number + 0.12345678:.8f}" for number in (value, low, high)])
