"""What a claim is judged by: estimates with their errors, parts, verdicts.

An estimate has two standard errors. ``networks`` is the spread over trained networks, divided by
the root of their number; it averages out over cells. ``sample`` is the binomial error of
the test set, which cells of one task share; it does not. The training set is held
fixed, as in the paper, unless a grid has several draws. Intervals are 95 %, with the Student
quantile of the smallest number of networks that took part.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal, TypeVar

import numpy as np
import xarray as xr
from scipy.stats import beta
from scipy.stats import t as student

from isobath.statuses import UNTRAINED

Outcome = Literal["reproduced", "not reproduced", "inconclusive", "not run"]


class NotRun(LookupError):
    """The cells that a claim needs are not in the cube, or none of their networks fitted."""


@dataclass(frozen=True)
class Estimate:
    """A number with its standard errors; ``count`` is the smallest number of networks behind it, 0 for none."""

    value: float
    networks: float = 0.0
    sample: float = 0.0
    count: int = 0

    def __mul__(self, factor: float) -> "Estimate":
        return Estimate(self.value * factor, self.networks * abs(factor), self.sample * abs(factor), self.count)

    def __add__(self, other: "Estimate") -> "Estimate":
        count = min((n for n in (self.count, other.count) if n), default=0)
        networks, sample = math.hypot(self.networks, other.networks), math.hypot(self.sample, other.sample)
        return Estimate(self.value + other.value, networks, sample, count)

    def __sub__(self, other: "Estimate") -> "Estimate":
        return self + other * -1

    def interval(self) -> tuple[float, float]:
        quantile = student.ppf(0.975, self.count - 1) if self.count > 1 else 1.96
        half = quantile * math.hypot(self.networks, self.sample)
        return self.value - half, self.value + half


@dataclass(frozen=True)
class Bounded(Estimate):
    """A number that comes with its interval, such as a fitted one."""

    low: float = -math.inf
    high: float = math.inf

    def interval(self) -> tuple[float, float]:
        return self.low, self.high


def proportion(hits: int, n: int) -> Bounded:
    """A fraction ``hits`` of ``n`` > 0, with the interval of Clopper and Pearson."""
    low = beta.ppf(0.025, hits, n - hits + 1) if hits else 0.0
    high = beta.ppf(0.975, hits + 1, n - hits) if hits < n else 1.0
    return Bounded(hits / n, low=float(low), high=float(high), count=n)


def average(estimates: Iterable[Estimate]) -> Estimate:
    """The mean over cells: errors over networks average out, the test set is shared and does not."""
    parts = list(estimates)
    if not parts:
        raise NotRun
    total = reduce(Estimate.__add__, parts) * (1 / len(parts))
    return Estimate(total.value, total.networks, max(p.sample for p in parts), total.count)


@dataclass(frozen=True)
class Part:
    """One measured number that a claim stands on, and where it has to lie."""

    label: str
    estimate: Estimate | None
    above: float = -math.inf
    below: float = math.inf

    @property
    def outcome(self) -> Outcome:
        if self.estimate is None:
            return "not run"
        low, high = self.estimate.interval()
        if self.above < low and high < self.below:
            return "reproduced"
        return "not reproduced" if high < self.above or low > self.below else "inconclusive"

    def record(self) -> dict[str, Any]:
        low, high = self.estimate.interval() if self.estimate else (math.nan, math.nan)
        numbers = {"low": low, "high": high, "above": self.above, "below": self.below}
        return {
            "label": self.label,
            "estimate": self.estimate and self.estimate.value,
            "networks": self.estimate and self.estimate.count,
            **{name: number if math.isfinite(number) else None for name, number in numbers.items()},
            "verdict": self.outcome,
        }


def part(
    label: str,
    measure: Callable[..., Estimate],
    *args: Any,
    above: float = -math.inf,
    below: float = math.inf,
    **at: Any,
) -> Part:
    """The part that ``measure(*args, **at)`` gives, or one that says not run where its cells are missing."""
    try:
        estimate = measure(*args, **at)
    except NotRun:
        return Part(label, None, above, below)
    return Part(label, estimate if math.isfinite(estimate.value) else None, above, below)


def overall(outcomes: Sequence[Outcome], *, whole: bool = False) -> Outcome:
    """A claim is reproduced when every part that was run is; one part against it decides.

    A ``whole`` claim says something of its parts together: with one that was not run it is inconclusive.
    """
    if whole and "not run" in outcomes and "reproduced" in outcomes:
        outcomes = [*outcomes, "inconclusive"]
    run = [outcome for outcome in outcomes if outcome != "not run"]
    order: tuple[Outcome, ...] = ("not reproduced", "inconclusive", "reproduced")
    return next((outcome for outcome in order if outcome in run), "not run")


Claim = Callable[[xr.DataTree], list[Part]]


def claim(statement: str, *, source: str, statistic: str, whole: bool = False) -> Callable[[Claim], Claim]:
    """Say what a claim is about: the statement, where the source makes it, what is measured. ``whole``: see overall."""

    def mark(function: Claim) -> Claim:
        function.whole = whole  # type: ignore[attr-defined]
        function.about = {"statement": statement, "source": source, "statistic": statistic}  # type: ignore[attr-defined]
        return function

    return mark


def judge(name: str, function: Claim, tree: xr.DataTree) -> dict[str, Any]:
    """The verdict on one claim, as plain data."""
    parts = function(tree)
    verdict = overall([p.outcome for p in parts], whole=function.whole)  # type: ignore[attr-defined]
    return {"claim": name, **function.about, "verdict": verdict, "parts": [p.record() for p in parts]}  # type: ignore[attr-defined]


class Grid:
    """The cube of a grid, asked for estimates. Anything that is not there raises NotRun."""

    def __init__(self, tree: xr.DataTree, name: str, *, protocol: str = "sgd", kernel: str = "ntk") -> None:
        self._groups = tree[name].children if name in tree.children else {}
        self._n_test = tree[name].attrs["n_test"] if name in tree.children else 0
        self._protocol, self._kernel = protocol, kernel

    def _group(self, name: str) -> xr.Dataset:
        if name not in self._groups:
            raise NotRun
        return self._groups[name].to_dataset()

    @property
    def networks(self) -> xr.Dataset:
        """Networks of the grid's protocol."""
        group = self._group("networks")
        if self._protocol not in group.protocol:
            raise NotRun
        return group.sel(protocol=self._protocol)

    def tasks(self, kind: str, k: int) -> list[str]:
        """The tasks of a kind and k in the grid, in either group."""
        found: dict[str, None] = {}
        for group in map(self._group, self._groups):
            if "task_k" not in group.coords:
                continue
            here = group.task.where((group.task_kind == kind) & (group.task_k == k), drop=True)
            found |= dict.fromkeys(here.values.tolist())
        return list(found)

    def values(self, axis: str, task: str, **at: Any) -> list[Any]:
        """The values of an axis at which networks were trained for a task, increasing."""
        trained = ~_at(self.networks.status, task=task, **at).isin(UNTRAINED)
        others = [dim for dim in trained.dims if dim != axis]
        return list(trained[axis].values[trained.any(others).values].tolist())

    def cell(self, **at: Any) -> xr.Dataset:
        """The networks of one cell: dims draw and seed only."""
        return _at(self.networks, **at)

    def error(self, statuses: tuple[str, ...] = ("fitted",), /, **at: Any) -> Estimate:
        """Mean test error over the networks of a cell that have one of the statuses: those that fitted."""
        cell = self.cell(**at)
        kept = cell.test_error.where(cell.status.isin(statuses))
        if cell.sizes["draw"] > 1:  # networks of one draw share their data: draws are what is independent
            kept = kept.mean("seed")
        values = kept.values[np.isfinite(kept.values)]
        if not len(values):
            raise NotRun
        spread = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
        return Estimate(float(values.mean()), float(spread), self._binomial(values.mean()), len(values))

    def spread(self, **at: Any) -> Estimate:
        """Standard deviation of the test error over the fitted networks of a cell, normal theory for its error."""
        cell = self.cell(**at)
        values = cell.test_error.values[(cell.status == "fitted").values]
        if len(values) < 3:
            raise NotRun
        sd = float(values.std(ddof=1))
        return Estimate(sd, sd / math.sqrt(2 * (len(values) - 1)), 0.0, len(values))

    def regression(self, **at: Any) -> Estimate:
        """Test error of a kernel regression: over draws if there are several, else the test sample's error alone."""
        group = self._group("kernels")
        values = _at(group.test_error, **{"kernel": self._kernel, **at}).values.ravel()
        values = values[np.isfinite(values)]
        if not len(values):
            raise NotRun
        spread = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else 0.0
        count = len(values) if len(values) > 1 else 0
        return Estimate(float(values.mean()), float(spread), self._binomial(values.mean()), count)

    def _binomial(self, p: float) -> float:
        return math.sqrt(max(p * (1 - p), 0) / self._n_test)


T = TypeVar("T", xr.Dataset, xr.DataArray)


def _at(data: T, **at: Any) -> T:
    try:
        return data.sel(at)
    except KeyError:
        raise NotRun from None
