"""Cross-validation of learning rates: the networks that train on all folds but one, scored on what each leaves out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from torch import Tensor

from isobath.classes import is_real
from isobath.randomness import Name
from isobath.statuses import DIVERGED, UNTRIED
from isobath.training.fit import Stopping
from isobath.training.progress import Outcome
from isobath.training.recipes import Checkpoint, Recipe, Replicas
from isobath.training.trials import WORST, Trial


@dataclass(frozen=True)
class CrossValidation:
    """Cross-validation of a recipe on a data set; ``parts`` (n,) is the fold of each sample.

    A fold starts from the same weights at every rate, so that rates are compared under common random numbers.
    """

    recipe: Recipe
    inputs: Tensor
    truth: Tensor
    parts: np.ndarray
    name: tuple[Name, ...]
    memory: float
    checkpoint: Checkpoint | None = None

    def __call__(self, rates: Sequence[float], folds: Sequence[int], limit: float) -> list[Trial]:
        """Return a trial of each rate on some folds, all as one stack; after ``limit`` epochs folds are given up."""
        patient = replace(self.recipe, stopping=_at_most(self.recipe.stopping, limit))
        options: dict[str, Any] = {"memory": self.memory, "checkpoint": self.checkpoint}
        outcomes = list(patient.train(self._networks(rates, folds), self.inputs, self.truth, **options))
        return self._trials(outcomes, rates, list(folds))

    def _networks(self, rates: Sequence[float], folds: Sequence[int]) -> Replicas:
        """Return the networks of every (rate, fold), rates outermost."""
        pairs = list(product(rates, folds))
        return Replicas(
            names=[(*self.name, fold) for _, fold in pairs],
            rows=self._rows[[fold for _, fold in pairs]],
            rates=np.array([rate for rate, _ in pairs]),
        )

    @cached_property
    def _rows(self) -> np.ndarray:
        """Return the samples that each fold keeps, (folds, n'), padded with -1."""
        samples = [np.flatnonzero(self.parts != fold) for fold in range(self.parts.max() + 1)]
        longest = max(map(len, samples))
        return np.stack([np.pad(rows, (0, longest - len(rows)), constant_values=-1) for rows in samples])

    def _trials(self, outcomes: Sequence[Outcome], rates: Sequence[float], folds: list[int]) -> list[Trial]:
        """Return the trials of outcomes, scored on what each fold leaves out."""
        columns = ([getattr(outcome, name) for outcome in outcomes] for name in ("errors", "status", "epochs"))
        errors, status, epochs = (np.concatenate(c).reshape(len(rates), len(folds), *c[0].shape[1:]) for c in columns)
        left_out = self.parts == np.array(folds)[:, None]
        error = np.where(left_out, errors, 0).sum(2) / left_out.sum(1)
        error = np.where(status == DIVERGED, np.nan, error)
        unit = self.truth.double().var(0, correction=0).mean().item() if is_real(self.truth) else None
        guess = WORST if is_real(self.truth) else 1 - 1 / max(2, int(self.truth.max()) + 1)

        def of_all(values: np.ndarray, missing: object) -> np.ndarray:
            filled = np.full(len(self._rows), missing, dtype=values.dtype)
            filled[folds] = values
            return filled

        return [
            Trial(float(rate), of_all(e, np.nan), of_all(s, UNTRIED), of_all(t, 0), unit, guess)
            for rate, e, s, t in zip(rates, error, status, epochs, strict=True)
        ]


def _at_most(stopping: Stopping, limit: float) -> Stopping:
    """Return the rule with the epochs cut to ``limit``, up to the next evaluation."""
    if math.isinf(limit):
        return stopping
    epochs = stopping.check_every * math.ceil(limit / stopping.check_every)
    return replace(stopping, max_epochs=min(stopping.max_epochs, epochs))
