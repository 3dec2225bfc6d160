"""Verdicts on claims: a claim stands on criteria, each a measured number and the region in which it has to lie.

A criterion is evidence, which votes, or a check, which could fail only if the code or a theorem were wrong and does not
vote.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import xarray as xr

from isobath.analysis.decisions import Outcome, overall, refuted
from isobath.analysis.estimates import DATA_SET, Estimate, NotRun, Undetermined
from isobath.analysis.published import Published

# What the outcomes of claims that no source makes, and those of checks, are called.
OWN = {"reproduced": "holds", "not reproduced": "does not hold"}
CHECKED = {"reproduced": "verified", "not reproduced": "violated"}

LEAST_SHARE = 0.9  # of the networks of each cell have to count, else the networks that do are a selection


@dataclass(frozen=True)
class Criterion:
    """A measured number that a claim says to lie between two bounds.

    Without an ``estimate`` it was not run, or was run and is ``undetermined``; the ``reason`` says why. An estimate
    that is undetermined is shown and decides nothing. A ``check`` does not vote. A ``published`` number is drawn beside
    the estimate. One that is not ``judged`` shows its estimate and counts as not run.
    """

    label: str
    estimate: Estimate | None
    above: float = -math.inf
    below: float = math.inf
    check: bool = False
    undetermined: bool = False
    reason: str = ""
    published: Published | None = None
    judged: bool = True

    @property
    def p_value(self) -> float:
        """Return the chance of an estimate as far outside of the bounds if the claim holds; NaN where none is judged.

        That of the farthest of several is multiplied by their number (Bonferroni). It is 1 of an undetermined one,
        which stays among the parts of the claim.
        """
        if self.judged and self.undetermined:
            return 1.0
        estimate = self.estimate if self.judged else None
        if estimate is None:
            return math.nan
        if estimate.at_least and estimate.value <= self.above:
            return 1.0
        return min(1.0, estimate.among * estimate.p_value(above=self.above, below=self.below))

    @property
    def doubt(self) -> str:
        """Return why the estimate decides nothing, "" if it does: too few networks count, or their choice decides."""
        if self.undetermined or not self.judged:
            return self.reason
        if self.estimate is None:
            return ""
        tally, inside = self.estimate.tally, self._inside(self.estimate.value)
        if tally.least < LEAST_SHARE:
            return f"{tally.counted} of {tally.trained} networks count, and in one cell {tally.least:.0%} of them"
        if self.estimate.at_least and (self.estimate.value <= self.above or math.isfinite(self.below)):
            return "it is a lower bound, as runs did not arrive"
        alternatives = (
            (words, value) for words, value in self.estimate.otherwise.items() if self._inside(value) != inside
        )
        return next((f"{words} it is {value:.3g}, on the other side of a bound" for words, value in alternatives), "")

    def _inside(self, value: float) -> bool:
        return self.above < value < self.below

    def as_published(self) -> "list[Criterion]":
        """Return the criterion that the estimate is the published number within its tolerance, if sizes agree.

        There is none where this criterion says so already, or where it, or the published number, is not judged.
        """
        published = self.published
        if published is None or not (published.same_size and published.judged) or self.estimate is None:
            return []
        if self.undetermined or not self.judged:
            return []
        low, high = published.value - published.tolerance, published.value + published.tolerance
        if (self.above, self.below) == (low, high):
            return []
        return [
            Criterion(f"{self.label}, as published in {published.place}", self.estimate, low, high, published=published)
        ]

    def shown(self, reason: str) -> "Criterion":
        """Return the criterion with its number beside the published one, which is not judged for this reason."""
        reasons = "; ".join(filter(None, [reason, self.reason]))
        return replace(self, judged=False, undetermined=False, reason=reasons)

    def outcome(self, *, refuted: bool = True) -> Outcome:
        """Return the verdict on this number: its interval lies within the bounds, or outside and is ``refuted``."""
        if self.estimate is None or not self.judged:
            return "inconclusive" if self.undetermined else "not run"
        if self.doubt:
            return "inconclusive"
        low, high = self.estimate.interval()
        if self.above < low and high < self.below:
            return "reproduced"
        return "not reproduced" if refuted and (high < self.above or low > self.below) else "inconclusive"

    def record(self, *, refuted: bool, own: bool) -> dict[str, Any]:
        """Return the criterion as plain data, with its verdict in the words for its kind."""
        estimate, outcome = self.estimate, self.outcome(refuted=refuted)
        low, high = estimate.interval() if estimate else (math.nan, math.nan)
        numbers = {"low": low, "high": high, "above": self.above, "below": self.below}
        reason = self.doubt or self.reason
        if estimate and not reason and outcome == "inconclusive" and self.outcome() == "not reproduced":
            reason = f"outside by itself (p = {self.p_value:.2g}), not among all parts of the claim"
        return {
            "label": self.label,
            "check": self.check,
            "estimate": estimate and estimate.value,
            "count": estimate.count if estimate else 0,
            "unit": _unit(estimate) if estimate else "",
            "counted": estimate.tally.counted if estimate else 0,
            "trained": estimate.tally.trained if estimate else 0,
            **{name: number if math.isfinite(number) else None for name, number in numbers.items()},
            "published": self.published and self.published.record(),
            "verdict": worded(outcome, own=own, check=self.check),
            "reason": reason,
        }


def _unit(estimate: Estimate) -> str:
    """Return the name of the independent units of an estimate, as far as it is known; else the statistic says it."""
    of_networks = estimate.tally.trained and DATA_SET in estimate.fixed
    return "data sets" if estimate.draws else "networks" if of_networks else ""


def criterion(
    label: str,
    measure: Callable[..., Estimate],
    *args: Any,
    above: float = -math.inf,
    below: float = math.inf,
    check: bool = False,
    published: Published | None = None,
    **coords: Any,
) -> Criterion:
    """Return the criterion that ``measure(*args, **coords)`` gives; it is not run if cells are missing.

    Where the measure is undetermined, or not a number, it says so with the reason. Raises TypeError for a plain number.
    """
    settings: dict[str, Any] = {"above": above, "below": below, "check": check, "published": published}
    if not isinstance(check, bool) or isinstance(above, bool) or isinstance(below, bool):
        raise TypeError(f"{label!r} has above {above!r}, below {below!r}, check {check!r}; allowed: numbers, a bool")
    try:
        estimate = measure(*args, **coords)
    except NotRun as error:
        return Criterion(label, None, **settings, reason=str(error))
    except Undetermined as error:
        return Criterion(label, error.estimate, **settings, undetermined=True, reason=str(error))
    if not isinstance(estimate, Estimate):
        raise TypeError(f"the measure of {label!r} returned {estimate!r:.80}; an Estimate is allowed, as of exactly(x)")
    if not math.isfinite(estimate.value):
        return Criterion(label, None, **settings, undetermined=True, reason="the estimate is not a number")
    return Criterion(label, estimate, **settings)


@dataclass(frozen=True)
class Claim:
    """A statement, where the source makes it, what is measured, and the function that gives its criteria.

    A ``whole`` claim is about all of its criteria together: see ``overall``. A claim that no source makes is ``own``.
    ``misworded`` are former texts of the statistic that described the same calculation wrongly.
    """

    statement: str
    source: str
    statistic: str
    whole: bool
    own: bool
    criteria: Callable[[xr.DataTree], list[Criterion]]
    misworded: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the name of the claim's function."""
        return self.criteria.__name__


def claim(
    statement: str,
    *,
    statistic: str,
    source: str = "not in the paper",
    whole: bool = False,
    own: bool = False,
    misworded: tuple[str, ...] = (),
) -> Callable[[Callable[[xr.DataTree], list[Criterion]]], Claim]:
    """Make a claim of the function that gives its criteria (see ``isobath.claims``).

    Findings take a verdict whose statistic has another text for one by former criteria. Where a text is mended and the
    calculation stays, ``misworded`` has the former text, so that older verdicts count on.
    """
    return lambda criteria: Claim(statement, source, statistic, whole, own, criteria, misworded)


def worded(outcome: Outcome, *, own: bool, check: bool) -> str:
    """Return the word for an outcome: of a source's claim, of one of our own, or of a check."""
    return (CHECKED if check else OWN if own else {}).get(outcome, outcome)


def judge(claim: Claim, tree: xr.DataTree, name: str = "") -> dict[str, Any]:
    """Return the verdict on a claim by the cubes of a study, a node of ``tree`` per grid, as plain data.

    Its ``name`` is that by which the study lists it, such as ``locality.x`` for a claim x of another study; it is that
    of the function, unless it is given. Checks do not vote. A claim of checks alone is verified, violated or
    inconclusive; another with a check that is violated is inconclusive at best. Checks are refuted over all checks.
    """
    criteria = [part for c in _criteria(claim, tree) for part in (c, *c.as_published())]
    labels = [c.label for c in criteria]
    if twice := next((label for label in labels if labels.count(label) > 1), None):
        raise ValueError(f"two criteria have the label {twice!r}; each needs one of its own")
    groups = [c for c in criteria if not c.check], [c for c in criteria if c.check]
    against = {id(c): no for g in groups for c, no in zip(g, refuted([c.p_value for c in g]), strict=True)}
    outcomes = {id(c): c.outcome(refuted=against[id(c)]) for c in criteria}
    voting = groups[0] or groups[1]
    votes = [outcomes[id(c)] for c in voting]
    violated = [c for c in criteria if c.check and c not in voting and outcomes[id(c)] == "not reproduced"]
    verdict = overall([*votes, "inconclusive"] if violated and set(votes) != {"not run"} else votes, whole=claim.whole)
    word = worded(verdict, own=claim.own, check=all(c.check for c in criteria))
    return {
        "claim": name or claim.name,
        "statement": claim.statement,
        "source": claim.source,
        "own": claim.own,
        "statistic": claim.statistic,
        "verdict": word,
        "headline": headline(word, voting, votes),
        "parts": [c.record(refuted=against[id(c)], own=claim.own) for c in criteria],
    }


def _criteria(claim: Claim, tree: xr.DataTree) -> list[Criterion]:
    """Return the criteria of a claim; a single one if the claim finds its cells missing. Raises ValueError for slips.

    A criterion without a bound would agree with any number, and one with crossed bounds with none.
    """
    try:
        criteria = claim.criteria(tree)
    except NotRun as error:
        return [Criterion(claim.name, None, reason=str(error))]
    except Undetermined as error:
        return [Criterion(claim.name, None, undetermined=True, reason=str(error))]
    if not isinstance(criteria, list) or not all(isinstance(c, Criterion) for c in criteria):
        raise ValueError(f"the claim {claim.name} returned {criteria!r:.80}; a list of criteria is allowed")
    for c in criteria:
        _require_bounds(claim.name, c)
    return criteria or [Criterion(claim.name, None, reason="the study has no cells for it")]


def _require_bounds(claim: str, criterion: Criterion) -> None:
    """Refuse bounds that are no numbers or that no number could lie between, and an estimate without any.

    A bound that is taken from cells which are not there is NaN, as the estimate is missing.
    """
    bounds, label = (criterion.above, criterion.below), f"the criterion {criterion.label!r} of the claim {claim}"
    unknown = criterion.estimate is None and any(isinstance(bound, Real) and math.isnan(bound) for bound in bounds)
    if not all(isinstance(bound, Real) and (unknown or not math.isnan(bound)) for bound in bounds):
        raise ValueError(f"{label} lies above {bounds[0]!r} and below {bounds[1]!r}; two numbers are allowed")
    if not (unknown or bounds[0] < bounds[1]):
        raise ValueError(f"{label} lies above {bounds[0]:g} and below {bounds[1]:g}, which no number does")
    if criterion.estimate is not None and not any(map(math.isfinite, bounds)):
        raise ValueError(f"{label} has no bound, so that any number agrees; above=, below= or both are needed")


def headline(word: str, voting: Sequence[Criterion], votes: Sequence[Outcome]) -> str:
    """Return a verdict with the number of its parts that were run and that agree, and what they hold fixed.

    For instance "inconclusive, 3 of 4 parts agree, 4 of 5 parts run, for this data set and this rate".
    """
    run = len(votes) - votes.count("not run")
    words = [word]
    if 0 < votes.count("reproduced") < run:
        words.append(f"{votes.count('reproduced')} of {run} parts agree")
    if 0 < run < len(votes):
        words.append(f"{run} of {len(votes)} parts run")
    fixed = sorted({choice for c in voting if c.estimate and c.judged for choice in c.estimate.fixed})
    return ", ".join(words) + (f", for this {' and this '.join(fixed)}" if fixed and run else "")
