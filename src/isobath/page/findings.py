"""Findings at the head of a page: verdicts by study, a mark per claim, and the claims that were decided."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from isobath.page.claims import WORDS, Claim
from isobath.page.contents import Study

MARKS = {"reproduced": "+", "holds": "+", "verified": "=", "not reproduced": "−", "does not hold": "−", "violated": "!"}
MARKS |= {"inconclusive": "?", "not run": "·"}
# What a reader has to know of the verdicts of a scale, whatever they are
CAVEATS = {
    "demo": "Sizes of the demo of isobath's own studies were chosen where effects show, so their verdicts illustrate.",
    "smoke": "This scale tries that everything runs: its sizes are too small for its verdicts to say anything.",
}
FOR, AGAINST = ("reproduced", "holds"), ("not reproduced", "does not hold", "violated")


class Row(NamedTuple):
    """The counts of the claims of a study by verdict, in the order of the words of the matrix."""

    study: str
    counts: Sequence[int]


class Finding(NamedTuple):
    """A decided claim, its first part with the same verdict, and the number of its other parts."""

    claim: Claim
    part: Mapping[str, Any]
    others: int


def words(claims: Mapping[str, Sequence[Claim]]) -> list[str]:
    """Return the verdicts that some claim has, in the order of WORDS."""
    verdicts = {claim.record["verdict"] for listed in claims.values() for claim in listed}
    return [word for word in WORDS if word in verdicts]


def matrix(claims: Mapping[str, Sequence[Claim]]) -> list[Row]:
    """Return the counts of the verdicts in ``words`` by study."""
    counts = {study: Counter(claim.record["verdict"] for claim in listed) for study, listed in claims.items()}
    return [Row(study, [of_study[word] for word in words(claims)]) for study, of_study in counts.items()]


def stale(studies: Sequence[Study]) -> dict[str, list[str]]:
    """Return the studies whose verdicts are stale, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for study in studies:
        for reason in study.stale:
            by_reason.setdefault(reason, []).append(study.name)
    return by_reason


def decided(claims: Sequence[Claim], verdicts: Sequence[str]) -> list[Finding]:
    """Return the claims with one of the verdicts, those of the source before our own."""
    listed = [claim for claim in claims if claim.record["verdict"] in verdicts]
    return [_finding(claim) for claim in sorted(listed, key=lambda claim: bool(claim.record["own"]))]


def _finding(claim: Claim) -> Finding:
    """Return a claim with its first part that has a number and the verdict of the claim."""
    measured = [part for part, _ in claim.parts if part["estimate"] is not None]
    agreeing = [part for part in measured if part["verdict"] == claim.record["verdict"]]
    return Finding(claim, (agreeing or measured)[0], len(measured) - 1)
