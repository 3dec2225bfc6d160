"""Estimates with their standard errors, and how they combine.

An estimate has two standard errors. ``spread`` is that over independent units, which are data sets (draws) where a cell
has several, and else networks of one data set, which start differently. ``sample`` is the error of a test set that all
units share. It does not average out over cells. Two estimates over the same draws are combined draw by draw,
so the effect of a data set on both cancels from their difference. Where one of them was measured on a single data set,
both are taken on that one, over its networks: what is peculiar to that data set would bias its difference from a mean
over several, and no standard error would show it. A cell that enters a sum twice enters it with the sum of its factors:
an estimate knows the measurements behind it, its ``sources``. Intervals are 95 %, Student's (Welch and Satterthwaite).
With FEW units or fewer a spread that is small by chance would make these freedoms many: see ``errors_of_few``.
"""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from scipy.stats import beta
from scipy.stats import t as student

from isobath.analysis import errors_of_few
from isobath.analysis.contributions import Contributions, errors_of_sum, scaled, summed
from isobath.analysis.pairing import of_draws, sums_alone
from isobath.analysis.standard_errors import finite_values, standard_error
from isobath.analysis.tallies import Tally

DATA_SET, RATE = "data set", "rate"  # fixed in an estimate that has one data set or one learning rate
FEW = 5  # units; tests/analysis/test_intervals_of_few.py simulates the coverage of 2 to 6 that share a test sample
ONE_DATA_SET = frozenset({DATA_SET})
ONE_CHOICE = frozenset({"choice of data sets and rates"})  # of several, over all of whose networks is counted


class NotRun(LookupError):
    """The cells that a claim needs were not asked of the run; the text says which."""


class Undetermined(ArithmeticError):
    """The cells that a claim needs were run, but do not give its number; the text says why.

    An ``estimate`` is the number that is in doubt: it is shown and decides nothing.
    """

    def __init__(self, reason: str, estimate: "Estimate | None" = None) -> None:
        super().__init__(reason)
        self.estimate = estimate


@dataclass(frozen=True)
class Estimate:
    """A number with its standard errors, from ``count`` independent units; 0 if it has no error over units.

    ``draws`` are its values by data set, where there are several. ``alone`` are the estimates on each data set by
    itself, with the errors over its networks. ``otherwise`` is the number by other choices, by their words, such
    as over all networks that did not diverge where ``value`` is that of those that fitted: a verdict needs all of them
    on one side. ``fixed`` says what all its units share. An estimate that is the farthest of several from 0 is
    ``among`` that many. Draws that share a search for their rate, ``together`` of them in turn, are one unit.
    ``sources`` are the measurements that it is a sum of, with their parts of ``spread`` and of ``sample``. A number
    that is known to be ``at_least`` the value confirms that it is large, and refutes nothing.
    """

    value: float
    spread: float = 0.0
    sample: float = 0.0
    count: int = 0
    draws: Mapping[int, float] = field(default_factory=dict)
    otherwise: Mapping[str, float] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally, repr=False)
    fixed: frozenset[str] = frozenset()
    alone: Mapping[int, "Estimate"] = field(default_factory=dict, repr=False)
    among: int = 1
    together: int = 1
    sources: Contributions = field(default_factory=dict, repr=False)
    at_least: bool = False

    @classmethod
    def over(cls, values: Any) -> "Estimate":
        """Estimate a mean from independent values of any shape, those left out that are not finite.

        Raises Undetermined if none is left.
        """
        finite = finite_values(values)
        if not len(finite):
            raise Undetermined("no network has this number")
        return cls(float(finite.mean()), standard_error(finite), count=len(finite))

    @classmethod
    def over_draws(cls, draws: Mapping[int, float], *, sample: float = 0.0, together: int = 1) -> "Estimate":
        """Estimate a mean from values by draw, two or more; ``together`` draws in turn are one independent unit."""
        units: dict[int, list[float]] = {}
        for draw, value in draws.items():
            units.setdefault(draw // together, []).append(value)
        means = np.array([np.mean(values) for values in units.values()])
        mean = float(np.mean(list(draws.values())))
        return cls(mean, standard_error(means), sample, len(means), dict(draws), together=together)

    def known_as(self, source: Hashable) -> "Estimate":
        """Return the estimate as a measurement of its own: whatever has the same key is the same measurement."""
        return replace(self, sources={source: (self.spread, self.sample)})

    def plain(self) -> "Estimate":
        """Return the estimate in the form in which others combine with it."""
        return self

    def without_spread(self) -> "Estimate":
        """Return the estimate of what has no chance of its own, a regression: the error of the test sample is left."""
        sources = {key: (0.0, sample) for key, (_, sample) in self.sources.items()}
        return replace(self, spread=0.0, count=0, sources=sources)

    def on(self, draw: int) -> "Estimate":
        """Return the estimate on one data set, with the errors over its networks."""
        return replace(self.alone[draw], tally=self.tally, alone={draw: self.alone[draw]})

    def by(self, words: str) -> float:
        """Return the value by the other choice ``words``; the value itself where it was not made."""
        return self.otherwise.get(words, self.value)

    def __mul__(self, factor: float) -> "Estimate":
        if self.at_least and factor < 0:
            raise Undetermined("of one of its numbers a lower bound alone is known, where it needs an upper one")
        return replace(
            self.plain(),
            value=self.value * factor,
            spread=self.plain().spread * abs(factor),
            sample=self.sample * abs(factor),
            draws={draw: value * factor for draw, value in self.draws.items()},
            otherwise={words: value * factor for words, value in self.otherwise.items()},
            alone={draw: single * factor for draw, single in self.alone.items()},
            sources=scaled(self.sources, factor),
        )

    def __add__(self, other: "Estimate") -> "Estimate":
        first, second = _on_the_same_data(self.plain(), other.plain())
        return replace(first._plus(second), alone=sums_alone(first, second))

    def _plus(self, other: "Estimate") -> "Estimate":
        common = self.draws.keys() & other.draws.keys()
        pair = [of_draws(each, common) if len(common) > 1 else each for each in (self, other)]
        errors = [(each.spread, each.sample) for each in (self, other)]
        spread, sample = errors_of_sum(errors, self.sources, other.sources)
        rest: dict[str, Any] = {
            "sample": sample,
            "otherwise": {w: sum(each.by(w) for each in pair) for w in sorted({*self.otherwise, *other.otherwise})},
            "tally": self.tally + other.tally,
            "fixed": self.fixed | other.fixed,
            "among": max(self.among, other.among),
            "together": max(self.together, other.together),
            "sources": summed(self.sources, other.sources),
            "at_least": self.at_least or other.at_least,
        }
        if len(common) > 1:
            both = {draw: self.draws[draw] + other.draws[draw] for draw in sorted(common)}
            return replace(Estimate.over_draws(both, together=rest["together"]), **rest)
        pairs = [(a, b) for a, b in ((self, other), (other, self)) if not (b.count or b.spread)]
        shifted = {draw: value + b.value for a, b in pairs for draw, value in a.draws.items()}
        count = min((n for n in (self.count, other.count) if n), default=0)
        return replace(Estimate(self.value + other.value, spread, count=count, draws=shifted), **rest)

    def __sub__(self, other: "Estimate") -> "Estimate":
        return self + other * -1

    def over_value_of(self, other: "Estimate") -> "Estimate":
        """Return the ratio to another estimate, its errors by linearisation (the delta method)."""
        numerator, denominator = _on_the_same_data(self.plain(), other.plain())
        common = numerator.draws.keys() & denominator.draws.keys()
        if len(common) > 1:
            numerator, denominator = of_draws(numerator, common), of_draws(denominator, common)
        if not denominator.value:
            raise Undetermined("the reference is 0")
        ratio = numerator.value / denominator.value
        linear = (numerator - denominator * ratio) * (1 / denominator.value) + Estimate(ratio)
        ratios = {words: numerator.by(words) / (denominator.by(words) or math.nan) for words in linear.otherwise}
        pairs = {d: [each.alone.get(d, each) for each in (numerator, denominator)] for d in linear.alone}
        alone = {draw: above.over_value_of(below) for draw, (above, below) in pairs.items() if below.value}
        return replace(linear, otherwise=ratios, alone=alone)

    @property
    def error(self) -> float:
        """Return the standard error of units and of the test sample together, sqrt(spread^2 + sample^2)."""
        return math.hypot(self.spread, self.sample)

    @property
    def freedom(self) -> float:
        """Return the degrees of freedom (Welch and Satterthwaite): of the units; a test sample has infinitely many."""
        if self.count < 2 or not self.spread > 0:
            return math.inf
        return float((self.count - 1) * (self.error / self.spread) ** 4)

    def interval(self) -> tuple[float, float]:
        """Return the ends of the 95 % interval, NaN where one network alone stands behind it."""
        few, freedom = self._of_few, self.freedom
        half = errors_of_few.reach(0.025, **few) if few else student.ppf(0.975, freedom) * self.error
        return self.value - half, self.value + half

    @property
    def _of_few(self) -> dict[str, Any]:
        """Return the errors and the count where a few units and a test sample both add to the error; else nothing."""
        both = 1 < self.count <= FEW and self.spread > 0 and self.sample > 0
        return {"spread": self.spread, "sample": self.sample, "count": self.count} if both else {}

    def p_value(self, *, above: float = -math.inf, below: float = math.inf) -> float:
        """Return the probability of a value as far outside of the bounds, one-sided, if the truth lies at them."""
        beyond = max(above - self.value, self.value - below)
        if math.isnan(self.error):
            return 1.0
        if self.error == 0:
            return 1.0 if beyond <= 0 else 0.0
        if not self._of_few:
            return float(student.sf(beyond / self.error, self.freedom))
        tail = errors_of_few.tail_beyond(abs(beyond), **self._of_few)
        return tail if beyond > 0 else 1 - tail


@dataclass(frozen=True)
class Bounded(Estimate):
    """A number that comes with its interval, such as a fitted one: Student's where the number of units is known."""

    low: float = -math.inf
    high: float = math.inf

    @property
    def freedom(self) -> float:
        """Return the degrees of freedom of the units."""
        return self.count - 1 if self.count > 1 else math.inf

    def interval(self) -> tuple[float, float]:
        """Return the ends that the number came with."""
        return self.low, self.high

    def __mul__(self, factor: float) -> "Estimate":
        low, high = sorted((self.low * factor, self.high * factor))
        return _between(super().__mul__(factor), low, high)

    def __add__(self, other: Estimate) -> Estimate:
        total = super().__add__(other)
        for bounded, rest in ((self, other), (other, self)):
            if isinstance(bounded, Bounded) and not (rest.count or rest.plain().error):  # a number without an error
                return _between(total, bounded.low + rest.value, bounded.high + rest.value)
        return total

    def __radd__(self, other: Estimate) -> Estimate:
        return self + other

    def plain(self) -> Estimate:
        """Return the number with a standard error in place of its interval, which is then as wide as before."""
        spread = float((self.high - self.low) / (2 * student.ppf(0.975, self.freedom)))
        return Estimate(
            **{**_parts(self), "spread": spread if spread < math.inf else math.nan, "sample": 0.0, "sources": {}}
        )

    def p_value(self, *, above: float = -math.inf, below: float = math.inf) -> float:
        """Return the probability as for an estimate, with the error of the end of the interval that faces a bound."""
        beyond, half = max((above - self.value, self.high - self.value), (self.value - below, self.value - self.low))
        if half <= 0:
            return 1.0 if beyond <= 0 else 0.0
        return float(student.sf(beyond / half * student.ppf(0.975, self.freedom), self.freedom))


def _between(estimate: Estimate, low: float, high: float) -> Bounded:
    return Bounded(**_parts(estimate), low=low, high=high)


def _parts(estimate: Estimate) -> dict[str, Any]:
    return {part.name: getattr(estimate, part.name) for part in fields(Estimate)}


def exactly(value: float) -> Bounded:
    """Return a number that was computed, without an error."""
    return Bounded(float(value), low=float(value), high=float(value))


def proportion(hits: int, n: int) -> Bounded:
    """Return the fraction ``hits`` of ``n``, with the interval of Clopper and Pearson. Raises NotRun for n = 0."""
    if not n:
        raise NotRun("there is nothing to count")
    low = beta.ppf(0.025, hits, n - hits + 1) if hits else 0.0
    high = beta.ppf(0.975, hits + 1, n - hits) if hits < n else 1.0
    return Bounded(hits / n, low=float(low), high=float(high), count=n)


def over_networks(values: Any) -> Estimate:
    """Estimate a mean from the numbers of networks of one data set. Raises Undetermined if there are none."""
    return replace(Estimate.over(values), fixed=ONE_DATA_SET)


def _on_the_same_data(first: Estimate, second: Estimate) -> tuple[Estimate, Estimate]:
    """Return two estimates, both on a single data set where it is the only one that they share.

    Raises Undetermined where they share none. Numbers that are of no data set, such as constants, go with any.
    """
    ours, theirs = (each.alone.keys() or each.draws.keys() for each in (first, second))
    common = ours & theirs
    if ours and theirs and not common:
        raise Undetermined("they were measured on different data sets")
    if len(common) != 1 or len(ours) == len(theirs) == 1:
        return first, second
    (draw,) = common
    if not (draw in first.alone and draw in second.alone):
        raise Undetermined("one is of one data set, on which the other, over several, is not known by itself")
    return first.on(draw), second.on(draw)
