"""Trials of a search for a learning rate: the cross-validated error of one rate, of all folds or the first of them."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from isobath.statuses import DIVERGED, FITTED, UNFITTED, UNTRIED

WORST = 1.0  # the error of a trial that does not count: finite, since the optimiser takes no NaN


class Trial(NamedTuple):
    """One rate: error (folds,), NaN where a fold has diverged or was not tried, status and epochs (folds,).

    Errors of classes have no ``unit``. That of real targets, to which no network is fitted exactly, is their mean
    squared deviation, the error of a constant answer. ``guess`` is the error of guessing, in the unit.
    """

    learning_rate: float
    error: np.ndarray
    status: np.ndarray
    epochs: np.ndarray
    unit: float | None = None
    guess: float = 0.5

    @property
    def verdict(self) -> str:
        """Return the worst status among the folds that were tried."""
        return next((s for s in (DIVERGED, UNFITTED) if s in self.status), FITTED)

    @property
    def tried(self) -> np.ndarray:
        """Return which folds were tried, (folds,)."""
        return np.asarray(self.status != UNTRIED)

    @property
    def complete(self) -> bool:
        """Return whether all folds were tried."""
        return bool(self.tried.all())

    @property
    def counting(self) -> np.ndarray:
        """Return which folds count, (folds,): those that fitted; with real targets, those that did not diverge."""
        valid = self.status == FITTED if self.unit is None else self.tried & (self.status != DIVERGED)
        return np.asarray(valid & np.isfinite(self.error))

    @property
    def counts(self) -> bool:
        """Return whether more than half of the folds that were tried count."""
        return bool(2 * self.counting.sum() > self.tried.sum())

    @property
    def cost(self) -> float:
        """Return the cross-validated error in its unit, with that of guessing for each fold that does not count.

        A rate at which one fold fails therefore costs more, but is not excluded. A trial that does not count has the
        worst cost. Errors e of real targets have no largest value: a fold that does not count has the worst of those
        that do, if this is above that of guessing, and the cost is e / (1 + e), which keeps their order below the worst
        cost.
        """
        if not self.counts:
            return WORST
        errors = self.error[self.counting] / (self.unit or 1.0)
        failed = self.guess if self.unit is None else max(self.guess, float(errors.max()))
        lost = int(self.tried.sum()) - len(errors)
        error = float(np.append(errors, [failed] * lost).mean())
        return min(error, WORST) if self.unit is None else error / (1 + error)

    def first(self, folds: int) -> "Trial":
        """Return the trial of the first folds alone."""
        return self._replace(error=self.error[:folds], status=self.status[:folds], epochs=self.epochs[:folds])

    def within(self, epochs: float) -> "Trial":
        """Return the trial in which folds that fitted after more than ``epochs`` count as unfitted.

        Their errors and epochs stay as they were trained, so that these depend on which rates were tried before.
        """
        late = (self.status == FITTED) & (self.epochs > epochs)
        return self._replace(status=np.where(late, UNFITTED, self.status))

    def joined(self, other: "Trial") -> "Trial":
        """Return the trial of this one's folds and another's."""
        return self._replace(
            error=np.where(other.tried, other.error, self.error),
            status=np.where(other.tried, other.status, self.status),
            epochs=np.where(other.tried, other.epochs, self.epochs),
        )


def rank(trial: Trial, ties: str) -> tuple[float, int, float, float]:
    """Return a key that sorts trials of the same folds from the best to the worst: by cost, then by folds fitted.

    Ties that are left are decided by the mean error, then by the ``smaller`` or the ``larger`` rate.
    """
    lost, sign = WORST if trial.unit is None else np.inf, 1 if ties == "smaller" else -1
    error = np.where(np.isnan(trial.error), lost, trial.error / (trial.unit or 1.0)).mean()
    return trial.cost, -int((trial.status == FITTED).sum()), float(error), sign * trial.learning_rate


def best(trials: Sequence[Trial], ties: str = "smaller") -> Trial:
    """Return the best trial by ``rank`` among the complete ones.

    Others are considered only if no complete trial counts; if none counts, the rate at which most folds fit is taken.
    """
    eligible = [t for t in trials if t.complete and t.counts] or [t for t in trials if t.counts] or trials
    return min(eligible, key=partial(rank, ties=ties))
