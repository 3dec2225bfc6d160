"""Estimates from the cells of a grid, as claims read them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis import axes, rates, selection
from isobath.analysis.contributions import source_of
from isobath.analysis.estimates import (
    ONE_CHOICE,
    ONE_DATA_SET,
    RATE,
    Bounded,
    Estimate,
    NotRun,
    Undetermined,
    proportion,
)
from isobath.analysis.law_reader import LawReader, draws_among
from isobath.analysis.over_networks import with_finite_outputs
from isobath.analysis.sampling_errors import (
    RATIO,
    is_of_real_targets,
    measured,
    measured_by_draw,
    sample_error,
    with_ratio,
)
from isobath.analysis.spreads import standard_deviation
from isobath.analysis.sweeps import require_rate
from isobath.analysis.tallies import Tally
from isobath.plugins import verb_of
from isobath.results import CELL
from isobath.results.kernels import WITHOUT_DEPTH
from isobath.statuses import FAILED, FINITE, FITTED, MISSING, UNTRAINED

At = Mapping[str, Any]  # a cell, by its task, depth, width and whatever else tells it from others
LEAST_RATES = 0.9  # of the searches behind an error have to find a rate


@dataclass(frozen=True)
class Cells(LawReader):
    """The cells of a grid, with some of its axes at one value, and estimates from them.

    Cells that are there and give no number raise Undetermined: networks that did not fit, a law that was refused.
    """

    def error(self, statuses: Sequence[str] = (FITTED,), /, **coords: Any) -> Estimate:
        """Estimate the test error of the networks of a cell that have one of the statuses: those that fitted.

        Networks of one draw share their data: where there are several draws, these are the independent units. The
        estimate knows how many networks count, and the error over all that did not diverge.
        """
        cell = self.one(**coords)
        counted, tally = self._counted(cell, statuses)
        searches = self._searched(cell, coords)
        together = rates.draws_by_search(searches)
        estimate = self.mean(cell.test_error.where(counted), str(cell.task.item()), together=together)
        of_all = self.mean(cell.test_error.where(cell.status.isin(FINITE)), str(cell.task.item()))
        alone = {
            draw: replace(single, fixed=single.fixed | ({RATE} if searches else set()))
            for draw, single in estimate.alone.items()
        }
        rate = {RATE} if len(searches) == 1 else set()
        result = replace(estimate, tally=tally, fixed=estimate.fixed | rate, alone=alone)
        return _otherwise(result, "over all networks that did not diverge", of_all)

    def one(self, *, over: Sequence[str] = (), **coords: Any) -> xr.Dataset:
        """Return the networks of one cell, over draw and seed, and ``over`` more axes.

        Raises ValueError for an axis that is left with several values: an average over them is of no cell. Raises
        Undetermined where jobs of a value of these axes failed: the others would stand for it.
        """
        cell = self.cell(**coords)
        asked = cell.status != MISSING
        for axis in (str(dim) for dim in asked.dims if dim not in ("draw", "seed", *over)):
            axes.require_one(axis, axes.present(asked, axis), f"grid {self.grid}")
        _require_none_failed(cell, over)
        return with_ratio(cell)

    def _counted(self, cell: xr.Dataset, statuses: Sequence[str]) -> tuple[xr.DataArray, Tally]:
        """Return which networks of a cell have one of the statuses, and how many. Raises Undetermined for none.

        A network of which one rate is chosen counts if it has one of the statuses at some rate.
        """
        trained = ~cell.status.isin(UNTRAINED)
        if not trained.any():
            failed = bool((cell.status == FAILED).any())
            raise (Undetermined("the jobs failed") if failed else NotRun(f"grid {self.grid} has no such networks"))
        counted = cell.status.isin(statuses) & trained & (with_finite_outputs(cell) | ~cell.status.isin(FINITE))
        swept = [dim for dim in counted.dims if dim in selection.CHOICES]
        hits, n = (int(networks.any(swept).sum()) for networks in (counted, trained))
        if not hits:
            if {*FINITE} <= {*statuses}:
                raise Undetermined(f"all {n} networks diverged{_named(cell)}")
            hint = ", as hardly any does on real targets: FINITE counts them" if self._has_real_targets() else ""
            raise Undetermined(f"none of {n} networks fitted{_named(cell)}{hint}")
        return counted, Tally.of(hits, n, cell=(source_of(counted), source_of(trained)))

    def mean(self, errors: xr.DataArray, task: str, *, together: int = 1, tested: bool = True) -> Estimate:
        """Estimate the mean error of networks of a task (draw, seed), over draws where there are several.

        ``together`` draws in turn share a search for their rate. Errors that were ``tested`` have the error of the test
        set, those of real targets where their deviation over samples is known (``sampling_errors.with_ratio``).
        """
        known = RATIO in errors.coords or not self._has_real_targets()
        n_test = self.n_test(task) if tested and known else None
        singles = measured_by_draw(errors, n_test=n_test)
        alone = {draw: replace(single, fixed=ONE_DATA_SET) for draw, single in singles.items()}
        if len(alone) > 1:
            values = {draw: single.value for draw, single in alone.items()}
            shared = n_test if self._shares_test_set(task) else None
            sample = sample_error(errors, float(np.mean(list(values.values()))), shared)
            over_draws = Estimate.over_draws(values, sample=sample, together=together)
            return replace(over_draws.known_as(source_of(errors)), alone=alone)
        return replace(measured(errors, n_test=n_test), fixed=ONE_DATA_SET, alone=alone)

    def _has_real_targets(self) -> bool:
        return any(is_of_real_targets(group.test_error) for group in self.groups.values() if "test_error" in group)

    def _shares_test_set(self, task: str) -> bool:
        """Tell whether all draws of a task are tested on one test set: those of a finite data set are not."""
        return verb_of("task", self.settings(task).get("kind", "")) != "split"

    def _searched(self, cell: xr.Dataset, coords: Mapping[str, Any]) -> list[int]:
        """List the draws of the searches that chose the rates of networks. Raises Undetermined without a rate."""
        if "learning_rates" not in self.groups or "learning_rate" in coords:
            return []
        place = {axis: cell[axis].item() for axis in CELL if axis in cell.coords and not cell[axis].dims}
        searches = self._searches(place)
        if searches is None:
            return []
        rates.require_found(searches, least=LEAST_RATES)
        return rates.draws_of(searches)

    def draws_by_search(self, place: Mapping[str, Any]) -> int:
        """Return how many data sets in turn share a search for the rate of a cell; 1 if it was not searched for."""
        swept = "learning_rates" not in self.groups or place.get("learning_rate") is not None
        searches = None if swept else self._searches({axis: place[axis] for axis in CELL if axis in place})
        return 1 if searches is None else rates.draws_by_search(rates.draws_of(searches))

    def _searches(self, place: Mapping[str, Any]) -> xr.Dataset | None:
        """Return the searches for the rate of a cell, None if its rate was not searched for."""
        try:
            group = self.group("learning_rates")
            others = {axis: value for axis, value in place.items() if axis in group.dims and axis != "draw"}
            searches = rates.of_cell(axes.select(group, others), place)
        except NotRun:
            return None
        return searches if bool(searches.learning_rate.notnull().any()) else None

    def quoted_error(self, rule: str, *, over: Sequence[str] = (), **coords: Any) -> Estimate:
        """Estimate the test error that a rule of ``selection`` quotes, which chooses ``over`` more dims if asked to."""
        return self.quoted_error_of(self._recorded(over, coords), rule, over=over)

    def quoted_error_of(
        self, networks: xr.Dataset, rule: str, *, over: Sequence[str] = (), goes_on: bool = True
    ) -> Estimate:
        """Estimate the test error that a rule quotes of the networks of a cell, or of a part of these.

        With ``goes_on`` the error after twice the steps stands beside it, where a training recorded enough.
        """
        quote = partial(selection.RULES[rule], over=(*selection.CHOICES, *over))
        return self._quoted(networks, quote, goes_on=goes_on)

    def error_at_best_rate(
        self, rule: str, *, over: Sequence[str] = (), diverged_ends: bool = False, **coords: Any
    ) -> Estimate:
        """Estimate the test error that a rule quotes; ``diverged_ends`` as ``require_rate`` has it.

        Raises Undetermined where the best rate was not found among those that were offered.
        """
        cell = self._recorded(over, coords)
        estimate = self.quoted_error_of(cell, rule, over=over)
        require_rate(cell, over=tuple(over), diverged_ends=diverged_ends)
        return estimate

    def quoted_train_error(self, **coords: Any) -> Estimate:
        """Estimate the training error at the steps and rates that the clean rule of ``selection`` chooses."""
        return self._quoted(self._recorded((), coords), selection.train_error, tested=False)

    def _recorded(self, over: Sequence[str], coords: Mapping[str, Any]) -> xr.Dataset:
        """Return the networks of one cell, at all rates that were swept."""
        return self.one(over=(*selection.CHOICES, *over), **coords)

    def _quoted(
        self,
        cell: xr.Dataset,
        quote: Callable[[xr.Dataset], xr.DataArray],
        *,
        tested: bool = True,
        goes_on: bool = True,
    ) -> Estimate:
        """Estimate an error of recorded trainings of a cell: its networks count if they did not diverge."""
        _, tally = self._counted(cell, FINITE)
        task = str(cell.task.item())
        quoted = quote(cell)
        estimate = replace(self.mean(quoted, task, tested=tested), tally=tally)
        longer = selection.after_twice_the_steps(cell, quote, quoted) if goes_on else None
        return estimate if longer is None else _otherwise(estimate, selection.TWICE, self.mean(longer, task))

    def error_spread(self, **coords: Any) -> Estimate:
        """Estimate the standard deviation of the test error over the fitted networks of one data set of a cell.

        With several data sets the deviations are those from the mean of each data set.
        """
        cell = self.one(**coords)
        errors = cell.test_error.where(cell.status == FITTED)
        return standard_deviation(*(errors.transpose("draw", ...).values if "draw" in errors.dims else [errors]))

    def fitted_fraction(self, *, over: Sequence[str] = (), **coords: Any) -> Bounded:
        """Estimate the fraction of the networks of a cell, or of cells ``over`` some axes, that fit.

        Networks that diverged count as not fitting.

        Its interval is over networks, whose data sets and rates stay as they are.
        """
        status = self.one(over=over, **coords).status
        trained = ~status.isin(UNTRAINED)
        fraction = proportion(int((status == FITTED).sum()), int(trained.sum()))
        return replace(fraction, fixed=choices(trained))

    def regression(self, **coords: Any) -> Estimate:
        """Estimate the test error of a kernel regression: over draws if there are several, else of the test sample.

        A kernel without a depth is named without one.
        """
        kernels = axes.select(self.group(self._regressions({**self.fixed, **coords}.get("kernel"))), coords)
        if not (kernels.test_error.notnull().any() or self.attrs.get("failed")):
            raise NotRun(f"grid {self.grid} has no such regressions")
        estimate = self.mean(with_ratio(kernels).test_error.expand_dims("seed"), str(kernels.task.item()))
        alone = {draw: single.without_spread() for draw, single in estimate.alone.items()}
        return replace(estimate if estimate.draws else estimate.without_spread(), alone=alone)

    def _regressions(self, kernel: str | None) -> str:
        """Return the name of the group with the regressions of a kernel: kernels without a depth have their own."""
        apart = self.groups.get(WITHOUT_DEPTH)
        return WITHOUT_DEPTH if apart is not None and kernel in apart.kernel.values else "kernels"

    def threshold(self) -> float:
        """Return the jamming threshold N*. Raises Undetermined where it is not known."""
        value = float(self.group("jamming").threshold)
        if not np.isfinite(value):
            raise Undetermined("N* is not known: networks of every size fit, or of none")
        return value

    def by_task(self, group: str, **coords: str) -> dict[str, xr.Dataset]:
        """Return the numbers of a group at a value of its axes, for each task with a test error; none without any."""
        try:
            rows = axes.select(self.group(group), coords)
        except NotRun:
            return {}
        return {str(task): rows.sel(task=task) for task in rows.task.values if rows.test_error.sel(task=task).notnull()}


def _require_none_failed(cell: xr.Dataset, over: Sequence[str]) -> None:
    """Refuse a cell (Undetermined) whose networks at some values of the axes ``over`` failed, and at others did not.

    Those of the others would stand for all. Data sets are looked at one by one.
    """
    axes_over = [dim for dim in cell.status.dims if dim in over]
    if not axes_over or not (cell.status.values == FAILED).any():
        return
    alike = [dim for dim in cell.status.dims if dim not in (*axes_over, "draw")]
    trained = (~cell.status.isin(UNTRAINED)).any(alike)
    lost = (cell.status == FAILED).any(alike) & ~trained & trained.any(axes_over)
    if lost.any():
        first = lost.isel({dim: place[0] for dim, place in zip(lost.dims, np.nonzero(lost.values), strict=True)})
        named = [dim for dim in axes_over if dim not in selection.CHOICES] or axes_over
        raise Undetermined(f"the jobs of {', '.join(f'{dim} {first[dim].item()}' for dim in named)} failed")


def choices(networks: xr.DataArray) -> frozenset[str]:
    """Return what the networks that are true share: their data set, or the choice of several and of their rates."""
    return ONE_CHOICE if draws_among(networks) > 1 else ONE_DATA_SET


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
