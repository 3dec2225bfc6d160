"""Kernel regression, exact, in blocks, in bounded memory, with a ridge or (Mori & Ueda, eq. 11) without.

f(x) = sum_{mu, nu} K(x, x_mu) ((K + n lambda k)^-1)_{mu nu} y_nu,   k the mean of the diagonal of K
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from isobath.classes import is_real
from isobath.regression import ridge_lists
from isobath.regression.blocks import predictions, training_grams
from isobath.regression.errors import encode, sample_errors
from isobath.regression.gram import Profile
from isobath.regression.linear_systems import IllConditioned, Solution, solve

Data = tuple[Tensor, Tensor]  # inputs (n, d); class indices (n,) or real targets (n, K)


@dataclass(frozen=True)
class Validation:
    """A choice among increasing ridges by the last ``held_out`` training samples of ``order`` (n,)."""

    ridges: Sequence[float]
    order: np.ndarray
    held_out: int

    @classmethod
    def drawn(cls, ridges: Sequence[float], share: float, n: int, generator: np.random.Generator) -> "Validation":
        """Hold a random share of n samples out, n being 2 or more: at least one and not all."""
        return cls(ridges, generator.permutation(n), min(max(1, round(share * n)), n - 1))


def regress(
    profile: Profile,
    train: Data,
    test: Data,
    *,
    depth: Sequence[int] | None,
    memory: float,
    validation: Validation | None = None,
) -> dict[str, np.ndarray]:
    """Regress ``train`` with a kernel of each depth (``None`` for a kernel without) and judge it on ``test``.

    Returns test_error, jitter and residual, (depths,), and of real targets test_error_sd, their deviation over the test
    samples. With a ``validation`` the ridge of each depth is the one that errs least on the samples held out when the
    others are regressed, of several the largest. All samples are then regressed with it. Returned as well are
    validation_error (depths, ridges), chosen_ridge and ridge_at_edge (depths,), which is 1 if the chosen one is an end
    of the list to which the errors still fall. ``memory`` in bytes bounds the matrices: the largest is the Gram matrix
    with its factor, 16 n^2 bytes, whatever the test set.
    """
    x, y = train if validation is None else _reordered(train, validation)
    targets, solutions, choices = encode(y), [], []
    for gram in training_grams(profile, x, depth=depth, memory=memory):
        if validation is not None:
            choices.append(validation_errors(gram, targets, y, validation))
        ridge = 0.0 if validation is None else validation.ridges[_best(choices[-1])]
        solutions.append(solve(gram, targets, ridge=ridge))
    error, deviation = _test_errors(profile, x, test, solutions, depth=depth, memory=memory)
    return {
        "test_error": error,
        **({"test_error_sd": deviation} if is_real(y) else {}),
        "jitter": np.array([solution.jitter for solution in solutions]),
        "residual": np.array([solution.residual for solution in solutions]),
        **({} if validation is None else _choices(np.array(choices), validation.ridges)),
    }


def validation_errors(gram: Tensor, targets: Tensor, y: Tensor, validation: Validation) -> list[float]:
    """Return the error of each ridge on the last samples of the Gram matrix (n, n), regressed from the others.

    That of a ridge too small for the matrix is infinite.
    Each ridge takes a Cholesky factorisation: an eigendecomposition, which would serve all ridges, costs as much as 15
    of them.
    """
    fitted = len(gram) - validation.held_out
    within, across = gram[:fitted, :fitted], gram[fitted:, :fitted]
    errors = []
    for ridge in validation.ridges:
        try:
            solution = solve(within, targets[:fitted], ridge=ridge)
        except IllConditioned:
            errors.append(math.inf)
        else:
            errors.append(sample_errors(across @ solution.coefficients, y[fitted:]).mean().item())
    return errors


def _reordered(train: Data, validation: Validation) -> Data:
    order = torch.from_numpy(validation.order).to(train[0].device)
    return train[0][order], train[1][order]


def _best(errors: Sequence[float]) -> int:
    """Return the position of the smallest error, of several the last."""
    return len(errors) - 1 - int(np.argmin(errors[::-1]))


def _choices(errors: np.ndarray, ridges: Sequence[float]) -> dict[str, np.ndarray]:
    best = np.array([_best(row) for row in errors.tolist()])
    chosen = {"chosen_ridge": np.array(ridges)[best], "ridge_at_edge": ridge_lists.at_edge(errors, best)}
    return {"validation_error": errors, **chosen}


def _test_errors(
    profile: Profile,
    x: Tensor,
    test: Data,
    solutions: Sequence[Solution],
    *,
    depth: Sequence[int] | None,
    memory: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation (depths,) of the errors of the solutions on the inputs of ``test`` (m, d).

    Both are NaN where an output is not finite, and the deviation for one sample.
    """
    found, start = torch.full((len(solutions), len(test[1])), torch.nan, dtype=torch.float64), 0
    coefficients = [solution.coefficients for solution in solutions]
    for outputs in predictions(profile, test[0], x, coefficients, depth=depth, memory=memory / 4):
        stop = start + outputs.shape[1]
        errors = sample_errors(outputs, test[1][start:stop])
        found[:, start:stop] = torch.where(torch.isfinite(outputs).all(-1), errors, torch.nan)
        start = stop
    deviation = found.std(1) if len(test[1]) > 1 else torch.full_like(found[:, 0], torch.nan)
    return found.mean(1).numpy(), deviation.numpy()
