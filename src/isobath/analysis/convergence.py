"""Convergence of trainings on one data set: steps to a gap, each method at the best of its own rates.

    gap = (L - L*) / (L_0 - L*),  L* the loss that an exact method finds on the same data set and loss

Steps are counted to the record from which on the gap stays that small, or, which is fewer, to the first record at which
it is that small: at a rate near the edge of stability a loss falls, and rises again. A run that has not arrived at its
last step is censored: it takes more steps than it made, which is a bound and no missing number. The best rate of a
method on a data set is that of the fewest steps; of rates at which runs are censored alike, that of the smallest gap at
the last step. It was not found if it is the smallest or the largest that was offered. Where runs do not arrive at
the next larger rate, one between the two could be better, by about the ratio of both: a step of gradient descent is as
long as its rate is large. Losses that are to stay below a gap can gain more by it.
"""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import xarray as xr

from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.statuses import DIVERGED, UNTRAINED

LATE = 1e6  # ln of the steps of a run that did not arrive, where rates are compared: ln of its last gap is added
LOST = 1e3  # in place of ln of an infinite gap there
FINER = "if the best rate of {} lay just below the first without arrival"
STILL = 1e-9  # of L_0: the loss of the optimum may change by less at its last step


@dataclass(frozen=True)
class Method:
    """A protocol and its kind, at a number of layers N and the width of these."""

    protocol: str
    kind: str
    layers: int
    width: int

    @property
    def words(self) -> str:
        """Return the kind in words."""
        return self.kind.replace("_", " ")

    @property
    def label(self) -> str:
        """Return the words for it, such as ``gradient descent, N = 2``."""
        return f"{self.words}, N = {self.layers}"


@dataclass(frozen=True)
class Arrival:
    """Steps to a gap by data set, each the geometric mean over starts, at the best rate of that data set."""

    steps: Mapping[int, float]
    rates: Mapping[int, float]
    censored: frozenset[int]  # data sets on which a start did not arrive: their steps are the fewest possible
    at_an_end: frozenset[int]  # data sets whose best rate is the smallest or the largest that was offered
    at_the_edge: Mapping[int, float]  # data sets with no arrival at the next larger rate -> it over the best rate

    def on(self, draws: Set[int]) -> "Arrival":
        """Return the steps on some of the data sets."""
        return Arrival(
            {draw: steps for draw, steps in self.steps.items() if draw in draws},
            {draw: rate for draw, rate in self.rates.items() if draw in draws},
            self.censored & draws,
            self.at_an_end & draws,
            {draw: ratio for draw, ratio in self.at_the_edge.items() if draw in draws},
        )

    def require_rates(self) -> None:
        """Raise Undetermined where a best rate lies at an end."""
        if self.at_an_end:
            raise Undetermined(
                f"rate not found on {len(self.at_an_end)} of {len(self.steps)} data sets: an end is best"
            )

    def logarithm(self, words: str) -> Estimate:
        """Return ln of the steps of a method, in ``words``, over data sets, and otherwise that with a finer list.

        Raises Undetermined where a best rate lies at an end, and where there is no data set.
        """
        self.require_rates()
        logs = {draw: float(np.log(steps)) for draw, steps in self.steps.items()}
        estimate = Estimate.over_draws(logs) if len(logs) > 1 else Estimate.over(list(logs.values()))
        fewer = sum(map(math.log, self.at_the_edge.values())) / estimate.count
        return replace(estimate, otherwise={FINER.format(words): estimate.value - fewer} if fewer else {})


def compared(networks: xr.Dataset, *, power: str, optimum: str) -> xr.Dataset:
    """Return status and loss of the networks of a cube, for the functions below.

    They have the coordinates ``power``, from the coordinate of protocols with the power p of their loss, and
    ``finds_optimum``: whether the kind of protocol is ``optimum``, which finds L*.
    """
    finds = networks.protocol_kind == optimum
    of_protocols = {"power": ("protocol", networks[power].values), "finds_optimum": ("protocol", finds.values)}
    return networks[["status", "recorded_loss"]].assign_coords(of_protocols)


def methods(networks: xr.Dataset, power: int) -> list[Method]:
    """List the methods of a cube's networks with the p-loss, by kind and layers; kinds with most layers come first.

    ``networks`` are those of one task and n_train; where they have several widths, the first at each number of layers
    is taken.
    """
    listed = []
    for protocol in networks.protocol.values.tolist():
        trainings = networks.sel(protocol=protocol)
        kind = str(trainings.protocol_kind.item())
        if float(trainings.power) != power or trainings.finds_optimum:
            continue
        trained = ~trainings.status.isin(UNTRAINED)
        has_networks = trained.any([d for d in trained.dims if d not in ("depth", "width")])
        for depth in has_networks.depth.values[has_networks.any("width").values].tolist():
            width = int(has_networks.width.values[has_networks.sel(depth=depth).values][0])
            listed.append(Method(str(protocol), kind, int(depth) + 1, width))
    deepest = {m.kind: max(method.layers for method in listed if method.kind == m.kind) for m in listed}
    return sorted(listed, key=lambda m: (-deepest[m.kind], m.kind, m.layers))


def short_labels(listed: Sequence[Method]) -> tuple[list[str], list[str]]:
    """Return a short label of each method, and the kinds that were run with several layers, in words.

    A single one of these has the number of layers as its label, such as ``N = 2``; kinds with one layer have their
    name.
    """
    deep = sorted({method.words for method in listed if method.layers > 1})
    labels = [f"N = {method.layers}" if [method.words] == deep else method.label for method in listed]
    return [label if method.words in deep else method.words for method, label in zip(listed, labels, strict=True)], deep


def powers(networks: xr.Dataset) -> list[int]:
    """List the powers p of the losses, increasing."""
    return sorted({int(p) for p in np.unique(networks.power.values) if np.isfinite(p)})


def gaps(networks: xr.Dataset, method: Method) -> xr.DataArray:
    """Return the gap (draw, learning_rate, seed, step) of a method at the rates that it was offered.

    It is infinite for networks that diverged, and NaN for those that were not asked for. ``networks`` are those of one
    task and n_train. Raises NotRun where the method or L* is not there, and Undetermined where L* is not.
    """
    trainings = networks.sel(protocol=method.protocol, depth=method.layers - 1, width=method.width)
    offered = ~trainings.status.isin(UNTRAINED)
    if not offered.any():
        raise NotRun(f"there is no {method.label}")
    rates = offered.any([d for d in offered.dims if d != "learning_rate"]).values
    trainings, offered = trainings.isel(learning_rate=rates), offered.isel(learning_rate=rates)
    loss = trainings.recorded_loss.isel(
        step=trainings.recorded_loss.notnull().any(_all_but_the_step(trainings.recorded_loss)).values
    )
    if bool(((trainings.status == DIVERGED) | ~offered).all()):
        raise Undetermined(f"{method.label} diverged at every rate")
    if loss.sizes["step"] < 2:
        raise Undetermined(f"{method.label} has fewer than two records")
    least = _least(networks, float(trainings.power))
    first = loss.isel(step=0).max([d for d in loss.dims if d not in ("draw", "seed", "step")])  # alike at every rate
    relative: xr.DataArray = ((loss - least) / (first - least)).fillna(np.inf).where(offered)
    return relative.transpose("draw", "learning_rate", "seed", "step")


def arrival(networks: xr.Dataset, method: Method, gap: float, *, lasting: bool = True, stride: int = 1) -> Arrival:
    """Return the steps in which a method arrives at a gap: to stay if ``lasting``, else for the first time.

    Only every ``stride``-th of the rates that were offered counts, from the smallest on.
    """
    values = gaps(networks, method).isel(learning_rate=slice(None, None, stride))
    values = values.isel(draw=values.notnull().any(["learning_rate", "seed", "step"]).values)
    steps, last, rates = values.step.values.astype(float), float(values.step.values[-1]), values.learning_rate.values
    # (draw, rate, seed): infinite where censored, NaN where not asked for
    arrived = _first(values.values, steps, gap, lasting=lasting)
    with np.errstate(divide="ignore", invalid="ignore"):
        late = LATE + np.minimum(np.log(values.values[..., -1]), LOST)
    times = xr.DataArray(np.where(np.isinf(arrived), late, np.log(arrived)), dims=("draw", "rate", "seed"))
    best = times.mean("seed").fillna(np.inf).argmin("rate").values  # a rate whose jobs failed is none
    found = {}
    for draw, arrivals, place in zip(values.draw.values.tolist(), arrived, best.tolist(), strict=True):
        offered = ~np.isnan(arrivals).all(-1)  # on this data set
        found[draw] = _at_the_best(arrivals[offered], rates[offered], int(offered[:place].sum()), last)
    return Arrival(
        steps={draw: best.steps for draw, best in found.items()},
        rates={draw: best.rate for draw, best in found.items()},
        censored=frozenset(draw for draw, best in found.items() if best.censored),
        at_an_end=frozenset(draw for draw, best in found.items() if best.at_an_end),
        at_the_edge={draw: best.edge for draw, best in found.items() if best.edge},
    )


class _Best(NamedTuple):
    """Steps on one data set at its best rate; ``edge``: the next rate over that if starts miss the gap there, or 0."""

    steps: float
    rate: float
    censored: bool
    at_an_end: bool
    edge: float


def _at_the_best(arrived: np.ndarray, rates: np.ndarray, place: int, last: float) -> _Best:
    """Return the steps on one data set from those at the rates that were run there, (rate, seed), of which one is best.

    A start that is censored has taken the ``last`` step.
    """
    at_best = arrived[place][~np.isnan(arrived[place])]
    edge = place + 1 < len(rates) and bool(np.isinf(arrived[place + 1]).any())
    return _Best(
        steps=float(np.exp(np.log(np.minimum(at_best, last)).mean())),
        rate=float(rates[place]),
        censored=bool(np.isinf(at_best).any()),
        at_an_end=place in (0, len(rates) - 1),
        edge=float(rates[place + 1] / rates[place]) if edge else 0.0,
    )


def _least(networks: xr.Dataset, power: float) -> xr.DataArray:
    """Return L* (draw): the loss at the end of the protocol that finds it for the p-loss."""
    protocols = networks.protocol.values[(networks.finds_optimum & (networks.power == power)).values]
    if not len(protocols):
        raise NotRun(f"no protocol that finds L* has p = {power:g}")
    loss = networks.recorded_loss.sel(protocol=protocols[0])
    loss = loss.isel(step=loss.notnull().any(_all_but_the_step(loss)).values)
    if loss.sizes["step"] < 2:
        raise Undetermined(f"{protocols[0]} has fewer than two records: whether it has come to rest is not known")
    by_draw = loss.min([d for d in loss.dims if d not in ("draw", "step")])
    change, first = by_draw.isel(step=-2) - by_draw.isel(step=-1), by_draw.isel(step=0)
    if missing := by_draw.draw.values[by_draw.isel(step=-1).isnull().values].tolist():
        raise Undetermined(f"{protocols[0]} has no loss for the data sets {missing}: their L* is not known")
    if not bool((abs(change) < STILL * first).all()):
        raise Undetermined(f"{protocols[0]} has not come to rest: L* is not known")
    rest: xr.DataArray = by_draw.isel(step=-1, drop=True)
    return rest


def _first(gap: np.ndarray, steps: np.ndarray, level: float, *, lasting: bool) -> np.ndarray:
    """Return the first step at which gaps (..., step) are at most ``level``, or from which on they are if ``lasting``.

    The step is infinite if there is none, and NaN where all gaps are NaN. Between records ln gap is taken as linear in
    the step.
    """
    below = gap <= level
    if lasting:
        below = np.logical_and.accumulate(below[..., ::-1], axis=-1)[..., ::-1]
    place = np.maximum(below.argmax(-1), 1)
    before, after = (np.take_along_axis(gap, (place - shift)[..., None], -1)[..., 0] for shift in (1, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.log(before / level) / np.log(before / np.maximum(after, 1e-300))
    crossing = steps[place - 1] + np.nan_to_num(share, nan=1.0, posinf=1.0) * (steps[place] - steps[place - 1])
    none = np.where(np.isnan(gap).all(-1), np.nan, np.inf)
    return np.where(below.any(-1), np.maximum(crossing, 1.0), none)


def _all_but_the_step(values: xr.DataArray) -> list[str]:
    return [str(dim) for dim in values.dims if dim != "step"]
