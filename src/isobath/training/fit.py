"""Train a stack until each network fits, fails or runs out of epochs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from isobath.classes import is_real
from isobath.statuses import FITTED, UNFITTED
from isobath.training.architecture import outputs_in_blocks
from isobath.training.minibatches import Epoch
from isobath.training.objective import Loss
from isobath.training.progress import MEASURED, Arrays, Outcome, Progress
from isobath.training.replay import replays
from isobath.training.stacks import Stack

Protocol = Callable[..., Iterator[Epoch]]  # protocols/<kind>.train with its settings bound
ROWS = 1000  # samples at a time of which the gradients in the inputs are looked at
FINITE_EVERY = 10  # epochs, at the least, between checks for divergence on a GPU, which notices it so much later
Observer = Callable[[Stack], dict[str, Tensor]]  # returns the records of the active networks, each (R,)


@dataclass(frozen=True)
class Stopping:
    """Rule for the end of a training: its last epoch, and the epochs between evaluations."""

    max_epochs: int
    check_every: int
    check_finite_every: int = 1

    def evaluates(self, epoch: int) -> bool:
        """Return whether the networks are evaluated after this epoch."""
        return epoch == self.max_epochs or epoch % self.check_every == 0

    def checks_finite(self, epoch: int) -> bool:
        """Return whether the networks are checked for divergence after this epoch."""
        return epoch == self.max_epochs or epoch % self.check_finite_every == 0

    def on(self, device: torch.device) -> "Stopping":
        """Return the rule for a device: one that replays steps is checked less often, as every check waits for it."""
        rarely = max(self.check_finite_every, FINITE_EVERY)
        return replace(self, check_finite_every=rarely) if replays(device) else self


@dataclass(frozen=True)
class Recording:
    """Observation of networks during training: the function, and its epochs in increasing order."""

    observe: Observer
    epochs: Sequence[int]


@dataclass(frozen=True)
class _Evaluation:
    """Evaluation of the outputs of a stack of R networks at n examples: errors are (R, n), all else is (R,)."""

    errors: Tensor
    train_error: np.ndarray
    unsatisfied: np.ndarray
    loss: np.ndarray
    dead: np.ndarray
    finite: np.ndarray


def fit(
    stack: Stack,
    inputs: Tensor,
    truth: Tensor,
    *,
    protocol: Protocol,
    loss: Loss,
    stopping: Stopping,
    recording: Recording | None = None,
    resume: Arrays | None = None,
    on_epoch: Callable[[Progress], None] = lambda _: None,
) -> Outcome:
    """Train until no sample of a network is unsatisfied, or to the last epoch; return the outcomes of the networks.

    ``inputs`` (n, d) and ``truth``, labels (n,) or targets (n, K), are shared. The loss defines when a sample is
    satisfied: by the right class, by a margin of at least one, or, with real targets, by no error at all. Networks that
    stop leave the stack, so that the cost follows those that still train. No gradient passes a dead layer, above which
    outputs are the same everywhere: such a network is given up as unfitted at the next evaluation, but for real
    targets, of which biases above that layer still learn the mean; one whose outputs are equal to rounding goes on.

    Observations are recorded at the epochs of ``recording``, and when a network stops. ``on_epoch`` is handed the
    progress after each epoch: it may save it, and raise to stop. A training continues from ``resume``, if given.
    """
    targets, stopping = loss.targets(truth, inputs.dtype), stopping.on(inputs.device)
    p = Progress.of(stack, resume) if resume is not None else Progress.start(stack, truth)
    if p.epoch == 0:
        _observe(p, recording)
    training: Iterator[Epoch] | None = None
    while p.active.any():
        # 1. Train for an epoch.
        if training is None:
            training = protocol(p.stack, inputs, targets, loss=loss, first_epoch=p.epoch)
        epoch, trained = next(training), p.stack
        p.epoch = epoch.number
        checked = stopping.checks_finite(p.epoch)
        stop = ~epoch.finite.cpu().numpy() if checked else np.zeros(len(p.active), dtype=bool)
        # 2. Observe.
        _observe(p, recording)
        # 3. Evaluate: which networks fit, are dead or have diverged?
        if stopping.evaluates(p.epoch):
            evaluation = _evaluate(p.stack, p.active, inputs, truth, targets, loss)
            stop = _ended(p, evaluation, stop, last=p.epoch == stopping.max_epochs)
        # 4. Retire those that stop; the others go on, in time as a smaller stack.
        stop &= p.active
        if stop.any():
            _observe(p, recording, stop=stop)
            p.retire(stop)
            training = training if p.stack is trained else None
        on_epoch(p)
    return p.outcome


def _ended(p: Progress, evaluation: _Evaluation, stop: np.ndarray, *, last: bool) -> np.ndarray:
    """Record the outcomes of networks that end; return which networks leave the stack, bool (R,).

    These are the networks that end, those that ``stop`` and those that have diverged. A network ends if it fits or is
    dead, and all do after the ``last`` epoch.
    """
    stop = stop | ~evaluation.finite
    finished = ~stop & ((evaluation.unsatisfied == 0) | evaluation.dead | last)
    _record(p.outcome, p.members, finished & p.active, evaluation)
    return np.asarray(stop | finished)


def _observe(p: Progress, recording: Recording | None, *, stop: np.ndarray | None = None) -> None:
    """Record the active networks if the epoch is one to be recorded; or in the last column those that ``stop``."""
    if recording is None or (stop is None and p.epoch not in recording.epochs):
        return
    networks = p.active if stop is None else stop
    column = -1 if stop is not None else recording.epochs.index(p.epoch)
    for name, values in recording.observe(p.stack).items():
        blank = np.full((len(p.outcome.status), len(recording.epochs) + 1), np.nan)
        p.outcome.records.setdefault(name, blank)[p.members[networks], column] = values.cpu().numpy()[networks]


def _evaluate(
    stack: Stack, active: np.ndarray, inputs: Tensor, truth: Tensor, targets: Tensor, loss: Loss
) -> _Evaluation:
    """Evaluate the networks of a stack on their own rows; return also their errors on all rows.

    Of networks that are not ``active``, bool (R,), it is not asked whether a gradient passes them.
    """
    outputs = outputs_in_blocks(stack.architecture, stack.weights, inputs)
    member = stack.membership(len(truth))
    count = member.sum(1)
    share = member.to(outputs.dtype) / count[:, None]
    errors = loss.error(outputs, truth)
    first = outputs.gather(1, member.int().argmax(1)[:, None, None].expand(-1, 1, outputs.shape[-1]))
    varies = ((outputs != first).any(-1) & member).any(1)
    values = {
        "train_error": torch.where(member, errors, 0).sum(1).double() / count,
        "unsatisfied": (loss.unsatisfied(outputs, truth) & member).sum(1).double() / count,
        "loss": (loss.value(outputs, targets) * share).sum(1),
        "dead": ~varies & (count > 1) & (not is_real(truth)),  # one sample has one output, whatever the network
        "finite": torch.isfinite(outputs).all(2).all(1),
    }
    evaluation = _Evaluation(errors, **{name: value.cpu().numpy() for name, value in values.items()})
    asked = evaluation.dead & active
    if asked.any():
        evaluation.dead[asked] = ~_moved_by_inputs(stack, asked, inputs)
    return evaluation


def _moved_by_inputs(stack: Stack, networks: np.ndarray, inputs: Tensor) -> np.ndarray:
    """Return which of some ``networks`` (R,) of a stack have a gradient in their inputs, bool.

    Outputs of a deep network that has only begun to learn can be equal to rounding; no gradient passes a dead layer.
    """
    weights = [w[torch.from_numpy(networks).to(w.device)].detach() for w in stack.weights]
    moved = np.zeros(int(networks.sum()), dtype=bool)
    for rows in torch.split(inputs, ROWS):
        own = rows.expand(len(moved), *rows.shape).clone().requires_grad_()
        with torch.enable_grad():
            (gradient,) = torch.autograd.grad(stack.architecture.apply(weights, own).sum(), own)
        moved |= (gradient != 0).flatten(1).any(1).cpu().numpy()
    return moved


def _record(outcome: Outcome, members: np.ndarray, finished: np.ndarray, evaluation: _Evaluation) -> None:
    """Copy the evaluation of those of the stack's networks that are ``finished`` into the outcome."""
    if not finished.any():
        return
    outcome.status[members[finished]] = np.where(evaluation.unsatisfied[finished] == 0, FITTED, UNFITTED)
    outcome.errors[members[finished]] = evaluation.errors[torch.from_numpy(finished)].cpu().numpy()
    for name in MEASURED:
        getattr(outcome, name)[members[finished]] = getattr(evaluation, name)[finished]
