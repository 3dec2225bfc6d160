"""Protocols: ways of training a stack of networks, epoch by epoch.

A protocol is a file ``protocols/<kind>.py`` with a function

    train(stack, inputs, targets, *, loss, first_epoch=0, <settings>) -> iterator of training.minibatches.Epoch

that trains the stack in place without end, and yields after each epoch. Inputs (n, d) and targets (n, K) are shared by
all networks. For each network the stack has the ``rows`` of the samples that it sees, its learning rate in ``rates``,
and in ``orders`` the key of the random order of its minibatches. Its caller decides when to stop, and starts a new
``train`` at ``first_epoch`` with the networks that are left: the state of an optimiser is kept in ``stack.moments``, a
dict of tensors laid out as ``stack.parameters`` (start one with ``stack.moments.setdefault(name, zeros)``), so that a
training resumes bit by bit. ``workspace.backward(delta, into)`` writes the gradients into the tensors ``into``, over
what they held before; it does not add to them. ``Schedule.weights``, (steps, R, B, 1), are the weights of the samples
of a minibatch, by which a step multiplies the derivative of the loss: 1 / (size of the network's minibatch), and 0
where there is no sample, as the minibatch is smaller than the others. They have one row, (1, R, B, 1), if all
minibatches are full, so that ``replay.at(weights, k)`` reads them. A network without any sample in a step, since its
training set has fewer minibatches than that of another network, waits: the step has to leave it as it is. The result
for a network does not depend on its neighbours. ``training.minibatches.epochs`` is the loop over minibatches; what is
left to a protocol is a step, of which ``k`` is the number within the epoch, 0, 1, ....

What else is random, such as noise on labels, is drawn for each row of the training set, and not for places in a
minibatch, by ``randomness.of_epoch(key, epoch, 1)`` with the key of the network: so it depends on no neighbour, on no
stop and, where all rows make one step, on no order. For a GPU it is drawn before the epoch, as a table.

A protocol does not know when its caller will stop, nor ``max_epochs``: a schedule of the learning rate that depends on
the length of the training has that length as a setting of its own, under another name, such as ``decay_epochs``.

All parameters lie in one flat array, which has gaps: each array of weights begins at a multiple of 64 bytes, in torch
that of all networks, in compiled code that of one. The gradient is 0 in the gaps, and what a step writes there is never
read; but the length of the array is not the number of weights, and a mean over it is not one over weights.

``training.updates.Updates(stack, schedule, moments=(<names>))`` is of help. ``gradients(workspace, delta, k)`` returns
the weighted gradients of step k, ``rates`` and ``moments`` are the learning rates and what is remembered, all laid out
as the parameters; what is done within ``with updates.of_step(k):`` leaves networks that wait as they are.

On a GPU steps are recorded once and replayed (training.replay). A step then neither looks at numbers nor takes any from
the CPU, and ``k`` is itself on the GPU: ``replay.at(table, k)`` is the row of step k of a table (steps, ...), or
the only row of a table (1, ...). ``epochs(..., replayed=False)`` calls steps one by one, for a step that does look.

On a CPU an epoch is compiled code, where network and loss have it. ``train`` begins with a call of

    training.compiled.train.compiled_epochs(schedule, inputs, targets, *, loss, first_epoch, rule=, update=, moments=())

with its ``schedule``, ``minibatches.Schedule(stack, batch_size)``, and returns the iterator over epochs that it
gets. None means that there is no compiled code, and ``train`` goes on in torch. ``rule`` is a NamedTuple of the
protocol's settings, as floats, ``moments`` are the names of what it remembers, and ``update`` is its step,

    update(rule, parameters, gradient, moments, rate, step)

an undecorated function in the subset of Python and NumPy that Numba compiles, with arguments of these names. It moves
the ``parameters`` (P,) of one network in place, by the ``gradient`` (P,), the ``moments``, which have one row (P,) for
each name in ``moments=``, and the learning ``rate``; ``step`` counts the steps that this network has made since its
training began, 1, 2, ...: steps in which it waits do not count. Without ``update`` weights descend along the gradient.
The step in torch and ``update`` have to agree: ``isobath test`` trains with both, at the default settings, and compares
the weights and what is remembered of them. It also calls ``update`` in plain Python: Numba does not notice an index out
of bounds. ``contracts.compiled_steps.check_steps`` compares both at other settings, in a test of one's own.

A GPU takes the step in one pass over the parameters, where numba-cuda is installed and ``compiled_epochs`` is also
handed ``each_alone=True``: then ``update`` is handed any part of the parameters, with the same part of the gradient and
of the moments, and has to move each by itself. ``isobath test`` moves every second parameter, then the others, and
compares. On a GPU Numba knows the functions of ``math`` for single numbers, such as ``math.sqrt``, and not those of
NumPy, and arrays cannot be made. Where ``update`` does not compile for a GPU, a warning says so and the step in torch
is taken.

Optional: ``EPOCHS``, a number from which the duration of jobs is estimated: the product of the learning rate and of the
epochs after which a network fits, for networks with many more weights than training samples; the setting
``batch_size``, None for all rows at once; ``check(*, <settings>)``, which refuses settings that contradict each other
(ValueError), and is called with those settings of ``train`` that it names, defaults filled in, or with all of them if
it takes ``**_``; ``NEEDS = {setting: {other setting: value}}``, which refuses a setting that does nothing unless the
other has that value. Constants are read, not imported. No setting can be called as a key that every protocol has in a
study (``max_epochs``, ``learning_rate``, ``store``, ...).

Settings that mean the same in all kinds:

- ``batch_size``: samples of a minibatch; null for all rows in each step
- ``epsilon``: constant that keeps a quotient finite
"""

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

VERBS = ("train",)
DEFAULT = "sgd"  # of trainings of the library that name no protocol; read, not imported
PROVIDED = ("loss", "first_epoch")


@runtime_checkable
class ProtocolModule(Protocol):
    """A module of this family."""

    def train(self, stack: Any, inputs: Any, targets: Any, *, loss: Any, first_epoch: int = 0) -> Iterator[Any]:
        """Train the stack in place without end; yield an Epoch after each epoch."""
