"""Verdicts on claims: a claim stands on criteria, each a measured number and the range that it has to lie in."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import xarray as xr

from isobath.analysis.estimates import Estimate, NotRun

Outcome = Literal["reproduced", "not reproduced", "inconclusive", "not run"]


@dataclass(frozen=True)
class Criterion:
    """A measured number, None where it was not run, that a claim says to lie between two bounds."""

    label: str
    estimate: Estimate | None
    above: float = -math.inf
    below: float = math.inf

    @property
    def outcome(self) -> Outcome:
        """The verdict on this number alone: its whole interval has to lie within the bounds."""
        if self.estimate is None:
            return "not run"
        low, high = self.estimate.interval()
        if self.above < low and high < self.below:
            return "reproduced"
        return "not reproduced" if high < self.above or low > self.below else "inconclusive"

    def record(self) -> dict[str, Any]:
        """Return the criterion as plain data."""
        low, high = self.estimate.interval() if self.estimate else (math.nan, math.nan)
        numbers = {"low": low, "high": high, "above": self.above, "below": self.below}
        return {
            "label": self.label,
            "estimate": self.estimate and self.estimate.value,
            "networks": self.estimate and self.estimate.count,
            **{name: number if math.isfinite(number) else None for name, number in numbers.items()},
            "verdict": self.outcome,
        }


def criterion(
    label: str,
    measure: Callable[..., Estimate],
    *args: Any,
    above: float = -math.inf,
    below: float = math.inf,
    **at: Any,
) -> Criterion:
    """Return the criterion that ``measure(*args, **at)`` gives; it says not run where cells are missing."""
    try:
        estimate = measure(*args, **at)
    except NotRun:
        return Criterion(label, None, above, below)
    return Criterion(label, estimate if math.isfinite(estimate.value) else None, above, below)


@dataclass(frozen=True)
class Claim:
    """A statement, where the source makes it, what is measured, and the function that gives its criteria.

    A ``whole`` claim says something of its criteria together: see ``overall``.
    """

    statement: str
    source: str
    statistic: str
    whole: bool
    criteria: Callable[[xr.DataTree], list[Criterion]]

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.criteria.__name__


def claim(
    statement: str, *, source: str, statistic: str, whole: bool = False
) -> Callable[[Callable[[xr.DataTree], list[Criterion]]], Claim]:
    """Make a claim of the function that gives its criteria (see ``isobath.claims``)."""
    return lambda criteria: Claim(statement, source, statistic, whole, criteria)


def overall(outcomes: Sequence[Outcome], *, whole: bool = False) -> Outcome:
    """Return the verdict on a claim: reproduced when every criterion that was run is; one against it decides.

    A ``whole`` claim of which one criterion was not run is inconclusive.
    """
    if whole and "not run" in outcomes and "reproduced" in outcomes:
        outcomes = [*outcomes, "inconclusive"]
    run = [outcome for outcome in outcomes if outcome != "not run"]
    order: tuple[Outcome, ...] = ("not reproduced", "inconclusive", "reproduced")
    return next((outcome for outcome in order if outcome in run), "not run")


def judge(claim: Claim, tree: xr.DataTree) -> dict[str, Any]:
    """Return the verdict on a claim by the cubes of a study, a node of ``tree`` per grid, as plain data."""
    criteria = claim.criteria(tree)
    return {
        "claim": claim.name,
        "statement": claim.statement,
        "source": claim.source,
        "statistic": claim.statistic,
        "verdict": overall([c.outcome for c in criteria], whole=claim.whole),
        "parts": [c.record() for c in criteria],
    }
