"""Cross-validation of learning rates: the networks that train on all folds but one, scored on what each leaves out."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from torch import Tensor

from isobath.randomness import Name
from isobath.statuses import DIVERGED, UNTRIED
from isobath.training.fit import Stopping
from isobath.training.objective import is_real
from isobath.training.recipes import Checkpoint, Recipe, Replicas
from isobath.training.search import Objective
from isobath.training.trials import WORST, Trial


def cross_validation(
    recipe: Recipe,
    inputs: Tensor,
    truth: Tensor,
    parts: np.ndarray,
    *,
    name: tuple[Name, ...],
    memory: float,
    checkpoint: Checkpoint | None = None,
) -> Objective:
    """Return the objective of a search: some folds of the given rates as one stack, given up after so many epochs.

    ``parts`` (n,) is the fold of each sample. A fold starts from the same weights at every rate, so that rates are
    compared under common random numbers.
    """
    k, n = int(parts.max()) + 1, len(parts)
    kept = [np.flatnonzero(parts != fold) for fold in range(k)]
    rows = np.stack([np.pad(r, (0, n - len(r)), constant_values=-1) for r in kept])[:, : max(map(len, kept))]
    unit = truth.double().var(0, correction=0).mean().item() if is_real(truth) else None
    guess = WORST if is_real(truth) else 1 - 1 / max(2, int(truth.max()) + 1)

    def objective(rates: Sequence[float], folds: Sequence[int], limit: float) -> list[Trial]:
        pairs = list(product(rates, folds))
        networks = Replicas(
            names=[(*name, fold) for _, fold in pairs],
            rows=rows[[fold for _, fold in pairs]],
            rates=np.array([rate for rate, _ in pairs]),
        )
        patient = replace(recipe, stopping=_at_most(recipe.stopping, limit))
        outcomes = list(patient.train(networks, inputs, truth, memory=memory, checkpoint=checkpoint))
        shape, chosen = (len(rates), len(folds)), list(folds)
        errors = np.concatenate([o.errors for o in outcomes]).reshape(*shape, n)
        status = np.concatenate([o.status for o in outcomes]).reshape(shape)
        epochs = np.concatenate([o.epochs for o in outcomes]).reshape(shape)
        left_out = parts == np.array(chosen)[:, None]
        error = np.where(left_out, errors, 0).sum(2) / left_out.sum(1)
        error = np.where(status == DIVERGED, np.nan, error)

        def of_all(values: np.ndarray, missing: object) -> np.ndarray:
            filled = np.full(k, missing, dtype=values.dtype)
            filled[chosen] = values
            return filled

        return [
            Trial(float(rate), of_all(e, np.nan), of_all(s, UNTRIED), of_all(t, 0), unit, guess)
            for rate, e, s, t in zip(rates, error, status, epochs, strict=True)
        ]

    return objective


def _at_most(stopping: Stopping, limit: float) -> Stopping:
    """Return the rule with the epochs cut to ``limit``, up to the next evaluation."""
    if math.isinf(limit):
        return stopping
    epochs = stopping.check_every * math.ceil(limit / stopping.check_every)
    return replace(stopping, max_epochs=min(stopping.max_epochs, epochs))
