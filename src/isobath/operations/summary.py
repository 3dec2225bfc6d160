"""The verdicts of a run as text: each claim, the measured numbers, stale parts, and the paths of the figures."""

import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from isobath.disk import verdict_files
from isobath.operations import arguments, staleness
from isobath.page.findings import CAVEATS, MARKS
from isobath.page.numbers import count, published, region

PLAIN = str.maketrans("−·", "- ")  # a terminal may lack the signs of the page
LEAST = 1e-3  # of a number that three decimals show
RECORD = {"scale", "source", "claims", "spec", "code", "inputs"}
CLAIM = {"claim", "statement", "source", "own", "verdict", "headline", "parts"}  # entries that are printed
PART = {"label", "estimate", "low", "high", "above", "below", "verdict", "reason", "published"}
PART |= {"count", "unit", "counted", "trained"}
MARK = {verdict: mark.translate(PLAIN) for verdict, mark in MARKS.items()}  # in the order of counts


def summary(results: Path, source: Path | None = None) -> Iterator[str]:
    """Yield the lines of the summary of ``results/<scale>``, of a run whose config lies in ``source`` or beside them.

    Raises FileNotFoundError, CorruptedStore.
    """
    for file in verdict_files.find(results):
        record = verdict_files.read(file, of_claim=CLAIM, of_part=PART, of_record=RECORD)
        yield f"\n{record['study']}, scale {record['scale']}: {record['source']}\n"
        yield from (f"{caveat}\n" for scale, caveat in CAVEATS.items() if scale == record["scale"])
        yield from (f"{reason}\n" for reason in staleness.of_verdicts(file, record, source))
        for claim in record["claims"]:
            yield from lines(claim)
        for whose, is_own in (("of the source", False), ("of our own", True)):
            verdicts = [claim["verdict"] for claim in record["claims"] if claim["own"] == is_own]
            counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in MARK if verdict in verdicts)
            yield f"\nClaims {whose}: {counts or 'none'}"
        yield f"Intervals: 95 %, over data sets where there are several, else over networks of one. All parts: {file}"
        figures = sorted(map(str, file.parent.glob("figures/*.pdf")))
        yield "\n  ".join(
            ["Figures:", *figures]
            if figures
            else ["Figures: none; `isobath status` names those that failed, if there are any"]
        )
    yield ""
    yield from staleness.of_page(results, source)


def lines(claim: Mapping[str, Any]) -> list[str]:
    """Return the lines of a claim: its verdict and statement, and the number of each part."""
    title = f"{claim['statement']} [{claim['source']}]"
    first, *rest = textwrap.wrap(title, 92)
    text = [f"{claim['verdict']:<15} {first}", *(f"{'':<15} {line}" for line in rest)]
    if claim["verdict"] == "not run" and all(part["estimate"] is None for part in claim["parts"]):
        reasons = dict.fromkeys(part["reason"] for part in claim["parts"] if part["reason"])
        return [*text, *(f"{'':<18}{reason}" for reason in reasons)]
    if claim["headline"] != claim["verdict"]:
        text.append(f"{'':<15} {claim['headline']}")
    parts = [f"{MARK[part['verdict']]} {part['label']}: {_number(part)}" for part in claim["parts"]]
    return [*text, *(f"{'':<18}{part}" for part in parts)]


def _number(part: Mapping[str, Any]) -> str:
    if part["estimate"] is None:
        return f"{part['verdict']}: {part['reason']}".removesuffix(": ")
    ends = part["low"], part["high"]
    interval = "no interval" if None in ends else ", ".join(map(_short, ends))
    counted = count(part)
    claimed = region(part).translate(PLAIN)
    text = f"{_short(part['estimate'])} [{interval}], claimed {claimed}{', ' if counted else ''}{counted}"
    return "; ".join(filter(None, [text, published(part), part["reason"]]))


def _short(number: float) -> str:
    """Return a number with three decimals, one that would be 0 then with three digits."""
    return f"{number:+.3f}" if not number or abs(number) >= LEAST else f"{number:+.2e}"


@click.command(cls=arguments.Command)
@arguments.folder
@arguments.source
def command(folder: Path, source: Path | None) -> None:
    """Print the verdicts of a run, and say which are stale."""
    staleness.lay_own_of(folder, source)
    print(*summary(folder, source), sep="\n")
