"""The progress of a training: the networks that still train, and the outcomes that are known so far.

A device that replays steps has to record them anew for another stack. There the outcome of a network that stops is
noted, and it trains on without effect until half of its stack has stopped.
"""

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from isobath.classes import is_real
from isobath.statuses import DIVERGED
from isobath.training.architecture import Weights
from isobath.training.replay import replays
from isobath.training.stacks import Stack

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Outcome:
    """Outcome of the training of R networks, in the order of the stack that was given."""

    weights: Weights  # (R, ...) as at the stop
    status: np.ndarray  # (R,) of statuses.TRAINED
    epochs: np.ndarray  # (R,) passed when it stopped
    train_error: np.ndarray  # (R,) mean error of its own rows; NaN if diverged
    loss: np.ndarray  # (R,) mean over its own rows; NaN if diverged
    unsatisfied: np.ndarray  # (R,) fraction of its own rows that the loss leaves unsatisfied; NaN if diverged
    errors: np.ndarray  # (R, n) of all the shared samples: misclassified (bool), or squared errors
    records: Arrays = field(default_factory=dict)  # (R, steps + 1) observed at each step, NaN after the stop; and at it

    @classmethod
    def blank(cls, stack: Stack, truth: Tensor) -> "Outcome":
        """Return an outcome in which every network has diverged; those that have not are recorded over it."""
        networks, shape = len(stack), (len(stack), len(truth))
        return cls(
            weights=[torch.empty_like(w) for w in stack.weights],
            status=np.full(networks, DIVERGED, dtype=object),
            epochs=np.zeros(networks, dtype=np.int64),
            train_error=np.full(networks, np.nan),
            loss=np.full(networks, np.nan),
            unsatisfied=np.full(networks, np.nan),
            errors=np.full(shape, np.nan) if is_real(truth) else np.ones(shape, dtype=bool),
        )


MEASURED = ("train_error", "loss", "unsatisfied")
_STORED = ("status", "epochs", "errors", *MEASURED)


@dataclass
class Progress:
    """State of a training: its stack, which networks those are, which of them have not stopped, and the outcomes."""

    stack: Stack
    members: np.ndarray  # indices of the stack's networks
    active: np.ndarray  # bool, of the stack's networks
    epoch: int
    outcome: Outcome

    @classmethod
    def start(cls, stack: Stack, truth: Tensor) -> "Progress":
        """Return the state of a training of all networks that is about to begin."""
        networks = len(stack)
        return cls(stack, np.arange(networks), np.ones(networks, dtype=bool), 0, Outcome.blank(stack, truth))

    def arrays(self) -> Arrays:
        """Return all that a training needs to continue bit by bit, but for the data and the names of its networks."""
        groups = {
            "weights": {str(i): w.cpu().numpy() for i, w in enumerate(self.outcome.weights)},
            "moments": {name: moment.cpu().numpy() for name, moment in self.stack.moments.items()},
            "outcome": {name: getattr(self.outcome, name) for name in _STORED},
            "records": self.outcome.records,
        }
        flat = {f"{group}_{name}": values for group, members in groups.items() for name, values in members.items()}
        state = {"parameters": self.stack.parameters.cpu().numpy(), "members": self.members, "active": self.active}
        return {**flat, **state, "epoch": np.array(self.epoch)}

    @classmethod
    def of(cls, stack: Stack, arrays: Arrays) -> "Progress":
        """Return the state that ``arrays`` describe, of the networks of ``stack`` (as they started)."""
        members, device = arrays["members"], stack.parameters.device
        if len(members):
            stack = stack.select(members.tolist())
            stack.parameters.copy_(torch.from_numpy(arrays["parameters"]).to(device))
            moments = _group(arrays, "moments")
            stack.moments.update({name: torch.from_numpy(moment).to(device) for name, moment in moments.items()})
        weights = _group(arrays, "weights")
        outcome = Outcome(
            weights=[torch.from_numpy(weights[str(i)]).to(device) for i in range(len(weights))],
            **_group(arrays, "outcome"),
            records=_group(arrays, "records"),
        )
        return cls(stack, members, arrays["active"], int(arrays["epoch"]), outcome)

    def retire(self, stop: np.ndarray) -> None:
        """Store the weights of the networks of the stack where ``stop``, bool (R,), is true, and remove these networks.

        They leave the stack at once, or, on a device that replays, when at most half of the networks are still active.
        """
        self.outcome.epochs[self.members[stop]] = self.epoch
        for final, w in zip(self.outcome.weights, self.stack.weights, strict=True):
            final[self.members[stop]] = w[np.flatnonzero(stop)]
        self.active = self.active & ~stop
        if 2 * self.active.sum() <= len(self.stack) or not replays(self.stack.parameters.device):
            self.stack = self.stack.select(np.flatnonzero(self.active).tolist())
            self.members = self.members[self.active]
            self.active = np.ones(len(self.members), dtype=bool)


def _group(arrays: Arrays, group: str) -> Arrays:
    """Return the arrays of a group, which ``Progress.arrays`` names <group>_<name>, by their names."""
    return {key.removeprefix(f"{group}_"): values for key, values in arrays.items() if key.startswith(f"{group}_")}
