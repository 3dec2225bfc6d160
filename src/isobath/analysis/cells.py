"""Cells of a grid, read from its cube for claims: which there are, and estimates from them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis import axes, rates, selection
from isobath.analysis.estimates import (
    ONE_CHOICE,
    ONE_DATA_SET,
    RATE,
    Bounded,
    Estimate,
    NotRun,
    Tally,
    Undetermined,
    binomial_error,
    proportion,
    standard_deviation,
)
from isobath.plugins import verb_of
from isobath.results.kernels import WITHOUT_DEPTH
from isobath.statuses import FAILED, FINITE, FITTED, MISSING, UNTRAINED

LEAST_RATES = 0.9  # of the searches behind an error have to find a rate


@dataclass(frozen=True)
class Cells:
    """A grid of a tree of cubes, with some of its axes at one value. Whatever is not in the cube raises NotRun.

    Cells that are there and give no number raise Undetermined: networks that did not fit, a law that was refused. An
    axis that no result has is a slip of the claim: ValueError.

    It holds the ``groups`` of the cube by their path, such as ``networks`` and ``laws/norm``, its ``attrs``, the axes
    that are ``fixed`` at a value, and those of which the ``first`` value is taken, in each group that has them.
    """

    grid: str
    groups: Mapping[str, xr.Dataset]
    attrs: Mapping[str, Any]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    first: Sequence[str] = ()
    absent: str = ""  # the reason that is given for a grid without cells

    def __post_init__(self) -> None:
        dims = [axis for group in self.groups.values() for axis in map(str, group.dims)]
        axes.require((*self.fixed, *self.first), dims)

    @classmethod
    def of(cls, tree: xr.DataTree, grid: str, *, first: Sequence[str] = (), **fixed: Any) -> "Cells":
        """Read a grid; one that is not in the tree has no cells."""
        nodes = dict(tree[grid].subtree_with_keys) if grid in tree.children else {}
        groups = {path: node.to_dataset() for path, node in nodes.items() if node.has_data}
        message = f"there is no grid {grid}{axes.suggestion(grid, tree.children)}"
        return cls(grid, groups, nodes["."].attrs if nodes else {}, fixed, first, message)

    def at(self, **fixed: Any) -> "Cells":
        """Fix more axes, or others than before."""
        return replace(self, fixed={**self.fixed, **fixed})

    def group(self, path: str) -> xr.Dataset:
        """Return a group of the cube at the axes that are fixed."""
        if path not in self.groups:
            raise NotRun(f"grid {self.grid} has no {path}" if self.groups else self.absent)
        group = self.groups[path].isel(dict.fromkeys(self.first, 0), missing_dims="ignore")
        return axes.select(group, {axis: value for axis, value in self.fixed.items() if axis in group.dims})

    def cell(self, **coords: Any) -> xr.Dataset:
        """Return the networks at values of some axes; all that ``coords`` and the fixed axes leave are dims."""
        return axes.select(self.group("networks"), coords)

    def settings(self, task: str) -> dict[str, Any]:
        """Return the settings of a task, as the study has them."""
        return dict(json.loads(self._attribute("spec"))["tasks"][task])

    def tasks(self, *groups: str, **settings: Any) -> list[str]:
        """List the tasks in any of the groups (of all, if none is named) with these settings, such as kind and k."""
        by_task = [group for path, group in self.groups.items() if "task" in group.dims and path in (groups or {path})]
        tasks = dict.fromkeys(str(task) for group in by_task for task in group.task.values)
        return [t for t in tasks if all(self.settings(t).get(name) == value for name, value in settings.items())]

    def n_test(self, task: str) -> int:
        """Return the size of the test set of a task: its own, or that of the study."""
        return int(self.settings(task).get("n_test") or self._attribute("n_test"))

    def _attribute(self, name: str) -> Any:
        """Return an attribute of the grid. Raises ValueError for one that every cube of a run has, and this one not."""
        if name not in self.attrs:
            raise ValueError(
                f"the node {self.grid} of the tree has no attribute {name}; n_test is the size of the test sets, and "
                "spec the JSON of {tasks: {name: settings}}"
            )
        return self.attrs[name]

    def values(self, axis: str, *, planned: bool = False, **coords: Any) -> list[Any]:
        """List the values of an axis at which networks were trained, or were to be if ``planned``; increasing."""
        status = axes.select(self.group("networks").status, coords)
        trained = ~status.isin([MISSING] if planned else UNTRAINED)
        return list(trained[axis].values[trained.any([dim for dim in trained.dims if dim != axis]).values].tolist())

    def shapes(self, task: str) -> dict[int, list[int]]:
        """Return the widths that were asked for at each depth of a task, both increasing."""
        depths = self.values("depth", planned=True, task=task)
        return {int(depth): self.values("width", planned=True, task=task, depth=depth) for depth in depths}

    def error(self, statuses: Sequence[str] = (FITTED,), /, **coords: Any) -> Estimate:
        """Estimate the test error of the networks of a cell that have one of the statuses: those that fitted.

        Networks of one draw share their data: where there are several draws, these are the independent units. The
        estimate knows how many networks count, and the error over all that did not diverge.
        """
        cell = self.cell(**coords)
        counted, tally = self._counted(cell, statuses)
        estimate = self.mean(cell.test_error.where(counted), str(cell.task.item()))
        of_all = self.mean(cell.test_error.where(cell.status.isin(FINITE)), str(cell.task.item()))
        searches = self._searched(cell, coords)
        alone = {
            draw: replace(single, fixed=single.fixed | ({RATE} if searches else set()))
            for draw, single in estimate.alone.items()
        }
        rate = {RATE} if searches == 1 else set()
        result = replace(estimate, tally=tally, fixed=estimate.fixed | rate, alone=alone)
        return _otherwise(result, "over all networks that did not diverge", of_all)

    def _counted(self, cell: xr.Dataset, statuses: Sequence[str]) -> tuple[xr.DataArray, Tally]:
        """Return which networks of a cell have one of the statuses, and how many. Raises Undetermined for none."""
        trained = ~cell.status.isin(UNTRAINED)
        if not trained.any():
            failed = bool((cell.status == FAILED).any())
            raise (Undetermined("the jobs failed") if failed else NotRun(f"grid {self.grid} has no such networks"))
        counted = cell.status.isin(statuses) & trained
        hits, n = int(counted.sum()), int(trained.sum())
        if not hits:
            words = "fitted" if FITTED in statuses else "count"
            raise Undetermined(f"none of {n} networks {words}{_named(cell)}")
        return counted, Tally(hits, n, hits / n)

    def mean(self, errors: xr.DataArray, task: str) -> Estimate:
        """Estimate the mean error of networks of a task (draw, seed), over draws where there are several."""
        by_draw = errors if "draw" in errors.dims else errors.expand_dims("draw")
        draws = by_draw.dropna("draw", how="all")
        n_test = self.n_test(task)
        alone = {
            int(draw): replace(Estimate.over(draws.sel(draw=draw), n_test=n_test), fixed=ONE_DATA_SET)
            for draw in np.atleast_1d(draws.draw.values)
        }
        if len(alone) > 1:
            values = {draw: single.value for draw, single in alone.items()}
            shared = n_test if self._shares_test_set(task) else None
            sample = binomial_error(float(np.mean(list(values.values()))), shared)
            return replace(Estimate.over_draws(values, sample=sample), alone=alone)
        return replace(Estimate.over(errors, n_test=n_test), fixed=ONE_DATA_SET, alone=alone)

    def _shares_test_set(self, task: str) -> bool:
        """Tell whether all draws of a task are tested on one test set: those of a finite data set are not."""
        return verb_of("task", self.settings(task).get("kind", "")) != "split"

    def _searched(self, cell: xr.Dataset, coords: Mapping[str, Any]) -> int:
        """Count the searches that chose the rates of networks. Raises Undetermined where they found no rate."""
        if "learning_rates" not in self.groups or "learning_rate" in coords:
            return 0
        place = {axis: cell[axis].item() for axis in rates.AXES if axis in cell.coords and not cell[axis].dims}
        searches = self._searches(place)
        if searches is None:
            return 0
        rates.require_found(searches, least=LEAST_RATES)
        return int(searches.sizes.get("draw", 1))

    def _searches(self, place: Mapping[str, Any]) -> xr.Dataset | None:
        """Return the searches for the rate of a cell, None if its rate was not searched for."""
        try:
            group = self.group("learning_rates")
            place = rates.of_search(place, group)
            searches = axes.select(group, {axis: value for axis, value in place.items() if axis in group.dims})
        except NotRun:
            return None
        return searches if bool(searches.learning_rate.notnull().any()) else None

    def quoted_error(self, rule: str, *, over: Sequence[str] = (), **coords: Any) -> Estimate:
        """Estimate the test error that a rule of ``selection`` quotes, which chooses ``over`` more dims if asked to."""
        return self._quoted(partial(selection.RULES[rule], over=(*selection.CHOICES, *over)), **coords)

    def quoted_train_error(self, **coords: Any) -> Estimate:
        """Estimate the training error at the steps and rates that the clean rule of ``selection`` chooses."""
        return self._quoted(partial(selection.at_the_chosen, name="train_error"), **coords)

    def _quoted(self, quote: Callable[[xr.Dataset], xr.DataArray], **coords: Any) -> Estimate:
        """Estimate an error of recorded trainings, with that after twice the steps beside it where it was recorded."""
        cell = self.cell(**coords)
        _, tally = self._counted(cell, FINITE)
        task = str(cell.task.item())
        estimate = replace(self.mean(quote(cell), task), tally=tally)
        longer = selection.after_twice_the_steps(cell, quote)
        return estimate if longer is None else _otherwise(estimate, selection.TWICE, self.mean(longer, task))

    def error_spread(self, **coords: Any) -> Estimate:
        """Estimate the standard deviation of the test error over the fitted networks of one data set of a cell.

        With several data sets the deviations are those from the mean of each data set, and the variance is the unbiased
        one.
        """
        cell = self.cell(**coords)
        errors = cell.test_error.where(cell.status == FITTED)
        if errors.sizes.get("draw", 1) == 1:
            return standard_deviation(errors)
        n = errors.count("seed")
        deviations = (errors - errors.mean("seed")) * np.sqrt(n / (n - 1).where(n > 1))
        return replace(standard_deviation(deviations), fixed=ONE_CHOICE)

    def fitted_fraction(self, **coords: Any) -> Bounded:
        """Estimate the fraction of the networks of a cell that fit; those that diverged do not.

        Its interval is over networks, whose data sets and rates stay as they are.
        """
        status = self.cell(**coords).status
        fraction = proportion(int((status == FITTED).sum()), int((~status.isin(UNTRAINED)).sum()))
        return replace(fraction, fixed=ONE_CHOICE if status.sizes.get("draw", 1) > 1 else ONE_DATA_SET)

    def regression(self, **coords: Any) -> Estimate:
        """Estimate the test error of a kernel regression: over draws if there are several, else of the test sample.

        A kernel without a depth is named without one.
        """
        kernels = axes.select(self.group(self._regressions({**self.fixed, **coords}.get("kernel"))), coords)
        estimate = self.mean(kernels.test_error.expand_dims("seed"), str(kernels.task.item()))
        certain: dict[str, Any] = {"spread": 0.0, "count": 0}  # a regression has no chance of its own
        alone = {draw: replace(single, **certain) for draw, single in estimate.alone.items()}
        return replace(estimate, alone=alone, **({} if estimate.draws else certain))

    def _regressions(self, kernel: str | None) -> str:
        """Return the group of the regressions with a kernel: those without a depth lie apart."""
        apart = self.groups.get(WITHOUT_DEPTH)
        return WITHOUT_DEPTH if apart is not None and kernel in apart.kernel.values else "kernels"

    def threshold(self) -> float:
        """Return the jamming threshold N*. Raises Undetermined where it is not known."""
        value = float(self.group("jamming").threshold)
        if not np.isfinite(value):
            raise Undetermined("N* is not known: networks of every size fit, or of none")
        return value

    def parameter(self, law: str, name: str, *, free: bool, **coords: Any) -> Bounded:
        """Return a parameter of a law with its interval, at the first value of each axis that is left.

        Raises Undetermined, with the reason, where the fit is not justified.
        """
        place = {"fit": "free" if free else "fixed", "parameter": name, **coords}
        group = axes.select(self.group(f"laws/{law}"), place)
        group = group.isel(dict.fromkeys(group.value.dims, 0))
        value, low, high = (float(group[variable]) for variable in ("value", "low", "high"))
        if not np.isfinite([value, low, high]).all():
            raise Undetermined(str(group.reason.item()) or "the fit has no interval")
        several = "networks" in self.groups and self.groups["networks"].sizes.get("draw", 1) > 1
        fixed = frozenset() if several else ONE_DATA_SET
        return Bounded(value, low=low, high=high, count=int(group.networks.min()), fixed=fixed)

    def goodness(self, law: str, *, free: bool, **coords: Any) -> float:
        """Return the probability of a larger chi^2 of a fit, NaN where it is not known; of axes left, the first."""
        group = axes.select(self.group(f"laws/{law}"), {"fit": "free" if free else "fixed", **coords})
        return float(group.p_value.isel(dict.fromkeys(group.p_value.dims, 0)))

    def upper_exponent(self, law: str, **coords: Any) -> Bounded:
        """Return the free exponent of a law by the upper half of its points. Raises Undetermined for none."""
        group = axes.select(self.group(f"laws/{law}"), {"fit": "free", **coords})
        group = group.isel(dict.fromkeys(group.upper.dims, 0))
        value, low, high = (float(group[name]) for name in ("upper", "upper_low", "upper_high"))
        if not np.isfinite([value, low, high]).all():
            raise Undetermined(str(group.upper_reason.item()))
        return Bounded(value, low=low, high=high, count=int(group.networks.min()), fixed=ONE_DATA_SET)

    def by_task(self, group: str, **coords: str) -> dict[str, xr.Dataset]:
        """Return the numbers of a group at a value of its axes, for each task with a test error; none without any."""
        try:
            rows = axes.select(self.group(group), coords)
        except NotRun:
            return {}
        return {str(task): rows.sel(task=task) for task in rows.task.values if rows.test_error.sel(task=task).notnull()}


def _otherwise(estimate: Estimate, words: str, second: Estimate) -> Estimate:
    """Return an estimate with its value by another choice beside it, over all data sets and on each."""
    values = {draw: second.alone[draw].value for draw in estimate.alone}
    alone = {draw: replace(estimate.alone[draw], otherwise={words: value}) for draw, value in values.items()}
    return replace(estimate, otherwise={words: second.value}, alone=alone)


def _named(cell: xr.Dataset) -> str:
    """Return the task, depth and width of a cell in words, as far as they are one value each."""
    coords = {
        axis: cell[axis].item() for axis in ("task", "depth", "width") if axis in cell.coords and not cell[axis].dims
    }
    task = coords.pop("task", "")
    words = [*([str(task)] if task else []), *(f"{axis} {value}" for axis, value in coords.items())]
    return f" ({', '.join(words)})" if words else ""
