"""Observables that are recorded during a training, and the test errors of early stopping that follow from them."""

import numpy as np
import torch
from torch import Tensor

from isobath.training.architecture import outputs_in_blocks
from isobath.training.objective import Loss
from isobath.training.stacks import Stack


def observations(
    stack: Stack, *, loss: Loss, train: tuple[Tensor, Tensor], test: tuple[Tensor, Tensor]
) -> dict[str, Tensor]:
    """Return loss, N_Delta, errors and ||f||_mu = sqrt(mean f^2) of each network, (R,), on training and test set.

    N_Delta counts training samples that the loss leaves unsatisfied: whose margin is below one, or that are
    misclassified (see losses). The test error is given for the two halves of the test set as well, the first samples
    and the last: stopping early is decided on one and judged on the other.
    """
    member = stack.membership(len(train[1])).double()  # float32 would err in the sum over all samples
    count = member.sum(1)
    f = outputs_in_blocks(stack.architecture, stack.weights, train[0])
    g = outputs_in_blocks(stack.architecture, stack.weights, test[0])
    errors = loss.error(g, test[1]).double()
    errors = errors.where(g.isfinite().flatten(1).all(1)[:, None], torch.nan)  # outputs that overflow have no class
    half = errors.shape[1] // 2
    return {
        "loss": (loss.value(f, loss.targets(train[1], f.dtype)) * member).sum(1) / count,
        "n_unmet": (loss.unsatisfied(f, train[1]) * member).sum(1),
        "train_error": (loss.error(f, train[1]) * member).sum(1) / count,
        "train_norm": torch.sqrt((f.square().sum(-1) * member).sum(1) / count),
        "test_error": errors.mean(1),
        "first_half_error": errors[:, :half].mean(1),
        "second_half_error": errors[:, half:].mean(1),
        "test_norm": torch.sqrt(g.square().sum(-1).double().mean(1)),
    }


def early_stopping(records: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return test errors of stopping early, (R,), from the records on the way and at the stop, (R, steps + 1).

    ``early_stopping_error``: the step is the best for one half of the test set, the error is the other half's,
    averaged over the two ways; ``best_error``: the smallest error of the training, which stopping by the test set
    itself would report. A network that diverged has neither.
    """
    a, b = records["first_half_error"], records["second_half_error"]
    crossed = [np.take_along_axis(judge, _first_best(choice)[:, None], 1)[:, 0] for choice, judge in ((a, b), (b, a))]
    return {
        "early_stopping_error": np.mean(crossed, axis=0),
        "best_error": np.fmin.reduce(records["test_error"], axis=1),
    }


def _first_best(errors: np.ndarray) -> np.ndarray:
    first: np.ndarray = np.where(np.isnan(errors), np.inf, errors).argmin(1)
    return first
