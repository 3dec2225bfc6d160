"""Protocols: ways of training a stack of networks, epoch by epoch.

A protocol is a file ``protocols/<kind>.py`` with a function

    train(stack, inputs, targets, *, loss, first_epoch=0, <settings>) -> iterator of training.minibatches.Epoch

that trains the stack in place for ever, and yields after each epoch. Inputs (n, d) and targets (n, K) are shared; the
rows of the stack say which samples each network sees, its rates how fast it learns and its orders in which order. Its
caller decides when to stop, and starts a new ``train`` at ``first_epoch`` with the networks that are left: what an
optimiser remembers is kept in ``stack.moments``, a dict of tensors laid out as ``stack.parameters`` (start one with
``stack.moments.setdefault(name, zeros)``), so that a training resumes bit by bit. ``workspace.backward(delta, into)``
overwrites the gradients; the weight of a sample that only fills up a minibatch is 0 (``Schedule.weights``, (steps, R,
B, 1)), and a network all of whose weights are 0 in a step has to stay as it is: ``training.updates.Updates`` does this,
and holds gradients, moments and rates, each laid out as the parameters. The result for a network does not depend on its
neighbours. ``training.minibatches.epochs`` is the loop over minibatches; what is left to a protocol is a
step.

On a CPU an epoch is compiled code, where network and loss have it. ``train`` begins with a call of

    training.compiled.train.compiled_epochs(schedule, inputs, targets, *, loss, first_epoch, rule=, update=, moments=())

with its ``schedule``, ``minibatches.Schedule(stack, batch_size)``, and returns what comes back, the epochs; where None
comes back there is no such code, and ``train`` goes on by itself. ``rule`` is a NamedTuple of the protocol's settings,
as floats, ``moments`` are the names of what it remembers, and ``update`` is its step,

    update(rule, parameters, gradient, moments, rate, step)

an undecorated function in the subset of Python and NumPy that Numba compiles, with arguments of these names. It moves
the ``parameters`` (P,) of one network in place, by the ``gradient`` (P,), the ``moments`` (moments, P) and the learning
``rate``; ``step`` is 1, 2, ... from the first step of the training. Without ``update`` weights descend along the
gradient.

Optional: ``EPOCHS``, the epochs times learning rate in which a network fits that is much larger than its training set,
from which the duration of jobs is estimated; the setting ``batch_size``, None for all rows at once; ``check(*,
<settings>)``, which refuses settings that contradict each other (ValueError).
"""

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

VERBS = ("train",)
PROVIDED = ("loss", "first_epoch")


@runtime_checkable
class ProtocolModule(Protocol):
    """A module of this family."""

    def train(self, stack: Any, inputs: Any, targets: Any, *, loss: Any, first_epoch: int = 0) -> Iterator[Any]:
        """Train in place for ever; yield an Epoch after each epoch."""
