"""Train a stack until each network fits, fails or runs out of epochs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from isobath.losses import Loss
from isobath.stacks import Stack, Weights, outputs_in_blocks

FITTED, UNFITTED, DIVERGED = STATUSES = ("fitted", "unfitted", "diverged")

Protocol = Callable[..., Iterator[Tensor]]  # protocols/<kind>.train with its settings bound


@dataclass(frozen=True)
class Outcome:
    """What became of R networks, in the order of the stack that was given."""

    weights: Weights  # (R, ...) as at the stop
    status: np.ndarray  # (R,) of STATUSES
    epochs: np.ndarray  # (R,) passed when it stopped
    train_error: np.ndarray  # (R,) misclassified fraction of its own rows; NaN if diverged
    loss: np.ndarray  # (R,) mean over its own rows; NaN if diverged
    wrong: np.ndarray  # (R, n) which of all the shared samples it misclassifies


@dataclass(frozen=True)
class _Look:
    """What a look at a stack shows: (R, n) misclassified, (R,) error, loss, dead and finite."""

    wrong: np.ndarray
    error: np.ndarray
    loss: np.ndarray
    dead: np.ndarray
    finite: np.ndarray


def fit(
    stack: Stack,
    inputs: Tensor,
    labels: Tensor,
    *,
    protocol: Protocol,
    loss: Loss,
    max_epochs: int,
    check_every: int,
) -> Outcome:
    """Train until the training error of each network is exactly 0, or for ``max_epochs``.

    ``inputs`` (n, d) and ``labels`` (n,) are shared. The training error is looked at every
    ``check_every`` epochs and at the end, as in the paper; outputs that are no longer finite
    are noticed every epoch. Networks that are done leave the stack, so that the cost follows
    those that still train. A network with a dead layer gives the same output everywhere, no
    gradient passes that layer and none ever will: it is given up as unfitted at the next look.
    """
    targets = torch.nn.functional.one_hot(labels, stack.weights[-1].shape[-1]).to(inputs.dtype)
    out = _blank(stack, len(labels))
    live, epoch = np.arange(len(stack)), 0
    training = protocol(stack, inputs, targets, loss=loss)
    while len(live):
        finite = torch.isfinite(next(training)).all(2).all(1).cpu().numpy()
        epoch += 1
        stop, last = ~finite, epoch == max_epochs
        if last or epoch % check_every == 0:
            look = _look(stack, inputs, labels, targets, loss)
            stop = ~(finite & look.finite)
            done = ~stop & ((look.error == 0) | look.dead | last)
            _record(out, live, done, look)
            stop |= done
        if stop.any():
            out.epochs[live[stop]] = epoch
            for final, w in zip(out.weights, stack.weights, strict=True):
                final[live[stop]] = w[np.flatnonzero(stop)]
            live, stack = live[~stop], stack.select(np.flatnonzero(~stop).tolist())
            if len(live):
                training = protocol(stack, inputs, targets, loss=loss, first_epoch=epoch)
    return out


def _blank(stack: Stack, n: int) -> Outcome:
    """An outcome in which every network has diverged; those that have not are recorded over it."""
    r = len(stack)
    return Outcome(
        weights=[torch.empty_like(w) for w in stack.weights],
        status=np.full(r, DIVERGED, dtype=object),
        epochs=np.zeros(r, dtype=np.int64),
        train_error=np.full(r, np.nan),
        loss=np.full(r, np.nan),
        wrong=np.ones((r, n), dtype=bool),
    )


def _look(stack: Stack, inputs: Tensor, labels: Tensor, targets: Tensor, loss: Loss) -> _Look:
    outputs = outputs_in_blocks(stack.network, stack.weights, inputs)
    own = stack.membership(len(labels))
    share = own / own.sum(1, keepdim=True)
    wrong = outputs.argmax(-1) != labels
    first = outputs.gather(1, own.int().argmax(1)[:, None, None].expand(-1, 1, outputs.shape[-1]))
    constant = (outputs == first).all(-1)
    values = {
        "wrong": wrong,
        "error": (wrong & own).sum(1) / own.sum(1),
        "loss": (loss.value(outputs, targets) * share).sum(1),
        "dead": (constant | ~own).all(1),
        "finite": torch.isfinite(outputs).all(2).all(1),
    }
    return _Look(**{name: value.cpu().numpy() for name, value in values.items()})


def _record(out: Outcome, live: np.ndarray, done: np.ndarray, look: _Look) -> None:
    where = live[done]
    out.status[where] = np.where(look.error[done] == 0, FITTED, UNFITTED)
    out.train_error[where] = look.error[done]
    out.loss[where] = look.loss[done]
    out.wrong[where] = look.wrong[done]
