"""Protocols: ways of training a stack of networks, epoch by epoch.

A protocol is a file ``protocols/<kind>.py`` with a function

    train(stack, inputs, targets, *, loss, first_epoch=0, <settings>) -> iterator of training.minibatches.Epoch

that trains the stack in place for ever, and yields after each epoch. Inputs (n, d) and targets (n, K) are shared; the
rows of the stack say which samples each network sees, its rates how fast it learns and its orders in which order. Its
caller decides when to stop, and starts a new ``train`` at ``first_epoch`` with the networks that are left: what an
optimiser remembers is kept in ``stack.moments``, a dict of tensors laid out as ``stack.parameters`` (start one with
``stack.moments.setdefault(name, zeros)``), so that a training resumes bit by bit. ``workspace.backward(delta, into)``
overwrites the gradients. ``Schedule.weights``, (steps, R, B, 1), is what a step multiplies the derivative of the loss
by: 1 / (size of the network's minibatch), and 0 for a sample that only fills it up. A network all of whose weights are
0 in a step waits, and has to stay as it is. The result for a network does not depend on its neighbours.
``training.minibatches.epochs`` is the loop over minibatches; what is left to a protocol is a step.

``training.updates.Updates(stack, schedule, moments=(<names>))`` is of help. ``gradients(workspace, delta, k)`` returns
the weighted gradients of step k, ``rates`` and ``moments`` are the learning rates and what is remembered, all laid out
as the parameters; what is done within ``with updates.of_step(k):`` leaves networks that wait as they are.

On a GPU steps are recorded once and replayed (training.replay). A step then neither looks at numbers nor takes any from
the CPU, and ``k`` is itself on the GPU: ``replay.at(table, k)`` is the row of step k of a table (steps, ...), such as
``Schedule.weights``. ``epochs(..., replayed=False)`` calls steps one by one, for a step that does look.

On a CPU an epoch is compiled code, where network and loss have it. ``train`` begins with a call of

    training.compiled.train.compiled_epochs(schedule, inputs, targets, *, loss, first_epoch, rule=, update=, moments=())

with its ``schedule``, ``minibatches.Schedule(stack, batch_size)``, and returns what comes back, the epochs; where None
comes back there is no such code, and ``train`` goes on by itself. ``rule`` is a NamedTuple of the protocol's settings,
as floats, ``moments`` are the names of what it remembers, and ``update`` is its step,

    update(rule, parameters, gradient, moments, rate, step)

an undecorated function in the subset of Python and NumPy that Numba compiles, with arguments of these names. It moves
the ``parameters`` (P,) of one network in place, by the ``gradient`` (P,), the ``moments``, which have one row (P,) for
each name in ``moments=``, and the learning ``rate``; ``step`` is 1, 2, ... from the first step of the training. Without
``update`` weights descend along the gradient. The step in torch and ``update`` have to agree: ``isobath test`` trains
with both and compares them. It also calls ``update`` in plain Python: Numba does not notice an index out of bounds.

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
