"""Train a stack until each network fits, fails or runs out of epochs."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from isobath.statuses import DIVERGED, FITTED, UNFITTED
from isobath.training.losses import Loss, misclassified
from isobath.training.stacks import Stack, Weights, outputs_in_blocks

Protocol = Callable[..., Iterator[Tensor]]  # protocols/<kind>.train with its settings bound
Arrays = dict[str, np.ndarray]
Observer = Callable[[Stack], dict[str, Tensor]]  # what is recorded of the live networks, each (R,)


@dataclass(frozen=True)
class Outcome:
    """What became of R networks, in the order of the stack that was given."""

    weights: Weights  # (R, ...) as at the stop
    status: np.ndarray  # (R,) of statuses.TRAINED
    epochs: np.ndarray  # (R,) passed when it stopped
    train_error: np.ndarray  # (R,) misclassified fraction of its own rows; NaN if diverged
    loss: np.ndarray  # (R,) mean over its own rows; NaN if diverged
    unmet: np.ndarray  # (R,) fraction of its own rows that the loss does not count as learned; NaN if diverged
    wrong: np.ndarray  # (R, n) which of all the shared samples it misclassifies
    records: Arrays = field(default_factory=dict)  # (R, steps + 1) what was observed, NaN after the stop; and at it


@dataclass
class Progress:
    """A training under way: the networks that still train, who they are, and what is known of all."""

    stack: Stack
    live: np.ndarray
    epoch: int
    out: Outcome

    @classmethod
    def start(cls, stack: Stack, n: int) -> "Progress":
        """A training of all networks on ``n`` samples that is about to begin."""
        return cls(stack, np.arange(len(stack)), 0, _blank(stack, n))

    def arrays(self) -> Arrays:
        """All that a training needs to continue bit by bit, but for the data and the names of its networks."""
        numbers = {"parameters": self.stack.parameters, **self.stack.moments}
        final = {f"final_{i}": w for i, w in enumerate(self.out.weights)}
        tensors = {name: t.cpu().numpy() for name, t in {**numbers, **final}.items()}
        known = {name: getattr(self.out, name) for name in KNOWN}
        records = {f"record_{name}": values for name, values in self.out.records.items()}
        return {**tensors, **known, **records, "live": self.live, "epoch": np.array(self.epoch)}

    @classmethod
    def of(cls, stack: Stack, arrays: Arrays) -> "Progress":
        """The training that ``arrays`` describe, of the networks of ``stack`` (as they started)."""
        live = arrays["live"]
        if len(live):
            stack = stack.select(live.tolist())
        moments = set(arrays) - set(KNOWN) - {"live", "epoch", "parameters"}
        moments = {name for name in moments if not name.startswith(("final_", "record_"))}
        tensor = {n: torch.from_numpy(arrays[n]).to(stack.parameters.device) for n in ("parameters", *moments)}
        if len(live):
            stack.parameters.copy_(tensor["parameters"])
            stack.moments.update({name: tensor[name] for name in moments})
        final = sorted((n for n in arrays if n.startswith("final_")), key=lambda n: int(n.removeprefix("final_")))
        out = Outcome(
            weights=[torch.from_numpy(arrays[name]).to(stack.parameters.device) for name in final],
            **{name: arrays[name] for name in KNOWN},
            records={n.removeprefix("record_"): v for n, v in arrays.items() if n.startswith("record_")},
        )
        return cls(stack, live, int(arrays["epoch"]), out)


KNOWN = ("status", "epochs", "train_error", "loss", "unmet", "wrong")


@dataclass(frozen=True)
class _Look:
    """What a look at a stack shows: (R, n) misclassified, (R,) error, share unmet, loss, dead and finite."""

    wrong: np.ndarray
    error: np.ndarray
    unmet: np.ndarray
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
    watch_every: int = 1,
    observe: Observer | None = None,
    schedule: Collection[int] = (),
    resume: Arrays | None = None,
    keep: Callable[[Progress], None] = lambda _: None,
) -> Outcome:
    """Train until each network has learned every sample, or for ``max_epochs``.

    ``inputs`` (n, d) and ``labels`` (n,) are shared. What is learned is the loss's matter: classified
    rightly, or with a margin of one. It is looked at every ``check_every`` epochs and at the end; outputs
    that are no longer finite are noticed every ``watch_every`` epochs. Networks that are done leave the stack,
    so that the cost follows those that still train. A network with a dead layer gives the same output
    everywhere, no gradient passes that layer and none ever will: it is given up as unfitted at the next look.

    At the epochs of ``schedule``, and when a network stops, what ``observe`` returns is recorded. ``keep`` is handed
    the progress after each epoch: it may save it, and raise to stop. A training continues from ``resume``, if given.
    """
    targets = loss.encoded(labels).to(inputs.dtype)
    steps = sorted(schedule)
    p = Progress.of(stack, resume) if resume is not None else Progress.start(stack, len(labels))
    if p.epoch == 0:
        _observe(p, observe, steps)
    training: Iterator[Tensor] | None = None
    while len(p.live):
        if training is None:
            training = protocol(p.stack, inputs, targets, loss=loss, first_epoch=p.epoch)
        derivative = next(training)
        p.epoch += 1
        last = p.epoch == max_epochs
        watched, looked = (last or p.epoch % every == 0 for every in (watch_every, check_every))
        stop = ~_finite(derivative) if watched else np.zeros(len(p.live), dtype=bool)
        _observe(p, observe, steps)
        if looked:
            look = _look(p.stack, inputs, labels, targets, loss)
            stop |= ~look.finite
            done = ~stop & ((look.unmet == 0) | look.dead | last)
            _record(p.out, p.live, done, look)
            stop |= done
        if stop.any():
            _observe(p, observe, steps, stop=stop)
            _leave(p, stop)
            training = None
        keep(p)
    return p.out


def _finite(derivative: Tensor) -> np.ndarray:
    """Which networks (R,) have a derivative (R, B, K) of the loss that is finite, as it is where outputs are."""
    return np.asarray(torch.isfinite(derivative).all(2).all(1).cpu().numpy())


def _leave(p: Progress, stop: np.ndarray) -> None:
    """Take the networks that stopped out of the stack, and note their weights."""
    p.out.epochs[p.live[stop]] = p.epoch
    for final, w in zip(p.out.weights, p.stack.weights, strict=True):
        final[p.live[stop]] = w[np.flatnonzero(stop)]
    p.live, p.stack = p.live[~stop], p.stack.select(np.flatnonzero(~stop).tolist())


def _observe(p: Progress, observe: Observer | None, steps: list[int], *, stop: np.ndarray | None = None) -> None:
    """Record the live networks if the epoch is one of ``steps``; or in the last column those that ``stop``."""
    if observe is None or (stop is None and p.epoch not in steps):
        return
    who = slice(None) if stop is None else stop
    column = -1 if stop is not None else steps.index(p.epoch)
    for name, values in observe(p.stack).items():
        blank = np.full((len(p.out.status), len(steps) + 1), np.nan)
        p.out.records.setdefault(name, blank)[p.live[who], column] = values.cpu().numpy()[who]


def _blank(stack: Stack, n: int) -> Outcome:
    """An outcome in which every network has diverged; those that have not are recorded over it."""
    r = len(stack)
    return Outcome(
        weights=[torch.empty_like(w) for w in stack.weights],
        status=np.full(r, DIVERGED, dtype=object),
        epochs=np.zeros(r, dtype=np.int64),
        train_error=np.full(r, np.nan),
        loss=np.full(r, np.nan),
        unmet=np.full(r, np.nan),
        wrong=np.ones((r, n), dtype=bool),
    )


def _look(stack: Stack, inputs: Tensor, labels: Tensor, targets: Tensor, loss: Loss) -> _Look:
    outputs = outputs_in_blocks(stack.network, stack.weights, inputs)
    own = stack.membership(len(labels))
    count = own.sum(1)
    share = own.to(outputs.dtype) / count[:, None]
    wrong = misclassified(outputs, labels)
    first = outputs.gather(1, own.int().argmax(1)[:, None, None].expand(-1, 1, outputs.shape[-1]))
    constant = (outputs == first).all(-1)
    values = {
        "wrong": wrong,
        "error": (wrong & own).sum(1).double() / count,
        "unmet": (loss.unmet(outputs, targets) & own).sum(1).double() / count,
        "loss": (loss.value(outputs, targets) * share).sum(1),
        "dead": (constant | ~own).all(1),
        "finite": torch.isfinite(outputs).all(2).all(1),
    }
    return _Look(**{name: value.cpu().numpy() for name, value in values.items()})


def _record(out: Outcome, live: np.ndarray, done: np.ndarray, look: _Look) -> None:
    where = live[done]
    out.status[where] = np.where(look.unmet[done] == 0, FITTED, UNFITTED)
    for name, values in (
        ("train_error", look.error),
        ("unmet", look.unmet),
        ("loss", look.loss),
        ("wrong", look.wrong),
    ):
        getattr(out, name)[where] = values[done]
