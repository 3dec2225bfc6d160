"""What is recorded of a training on its way, and what early stopping would have made of it."""

import numpy as np
import torch
from torch import Tensor

from isobath.training.losses import Loss, misclassified
from isobath.training.stacks import Stack, outputs_in_blocks


def observations(
    stack: Stack, *, loss: Loss, train: tuple[Tensor, Tensor], test: tuple[Tensor, Tensor]
) -> dict[str, Tensor]:
    """Of each network, (R,): loss, N_Delta, errors and ||f||_mu = sqrt(mean f^2) on the training and the test set.

    N_Delta counts training samples whose margin is below one, or that are misclassified (see losses). The test
    error is given for the two halves of the test set as well, the first samples and the last: stopping early is
    decided on one and judged on the other.
    """
    own = stack.membership(len(train[1])).to(stack.parameters.dtype)
    share = own / own.sum(1, keepdim=True)
    f = outputs_in_blocks(stack.network, stack.weights, train[0])
    targets = loss.encoded(train[1]).to(f.dtype)
    g = outputs_in_blocks(stack.network, stack.weights, test[0])
    wrong = misclassified(g, test[1]).double()
    return {
        "loss": (loss.value(f, targets) * share).sum(1),
        "n_unmet": (loss.unmet(f, targets) * own).sum(1),
        "train_error": (misclassified(f, train[1]) * share).sum(1),
        "train_norm": torch.sqrt((f.square().sum(-1) * share).sum(1)),
        "test_error": wrong.mean(1),
        "first_half_error": wrong[:, : wrong.shape[1] // 2].mean(1),
        "second_half_error": wrong[:, wrong.shape[1] // 2 :].mean(1),
        "test_norm": torch.sqrt(g.square().sum(-1).mean(1)),
    }


def early_stopping(records: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Test errors of stopping early, (R,), from what was recorded on the way and at the stop, (R, steps + 1).

    ``early_stopping_error``: the step is the best for one half of the test set, the error is the other half's,
    averaged over the two ways; ``best_error``: the smallest error on the way, which is what stopping by the test
    set itself would claim. A network that diverged has neither.
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
