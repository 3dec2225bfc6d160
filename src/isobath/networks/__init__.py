"""Networks: architectures of a depth and a width, many of one shape side by side as a stack.

A network is a file ``networks/<kind>.py`` with the functions

    init(generators, *, n_inputs, n_outputs, depth, width, dtype, <settings>) -> weights
    apply(weights, x, *, <settings>) -> f(x)                   (R, n, K), of inputs (n, d) shared or (R, n, d)

The weights of R networks are a list of torch tensors whose first axis is the network, (R, ...), one start for each of R
generators. A start is a function of its own generator alone. ``apply`` is differentiable in the weights and in x, and
changes nothing in place. All functions that are handed settings are handed those of ``init``.

Optional, each with its default:

    SIZE                          "module:function" that counts one network without torch: from n_inputs, n_outputs,
                                  depth, width and those settings that it names it returns a sizes.Size, as those in
                                  network_sizes/ do; else a job draws a start and counts it, and forecasts do not
                                  know the network
    n_parameters(weights)         weights and biases of a network that are trained; else all numbers of its weights
    n_weights(weights)            N of scaling laws, the parameters of a network without biases; else all parameters
    widths(weights)               units of each layer, output last; else the second axis of each of the weights
    widest(weights, n_inputs)     numbers per sample of the largest layer; else the largest of the widths
    Workspace(weights, inputs, **settings)
                                  outputs and gradients for one minibatch (R, B, d), with everything allocated once, and
                                  the methods of NetworkWorkspace; else autograd. It looks at no numbers: on a GPU it is
                                  recorded
    compiled(weights, **settings) the network as compiled code takes it (training.compiled.perceptron.Perceptron), for a
                                  perceptron with other layers; else it trains by its Workspace
    tangent(weights, **settings)  a Perceptron and weights at which its gradients are those of this network in what is
                                  trained, for the tangent kernel; else the Perceptron of ``compiled``, if any
    check(*, <settings>)          refuses settings that contradict each other (ValueError)
    NEEDS = {setting: {other setting: value}}
                                  refuses a setting that does nothing unless the other has that value; read, not
                                  imported
    BEND_TOGETHER                 settings with which the kinks of all units of the first layer lie at x = 0 where there
                                  is one input, of which a run warns: {"initialisation.bias": 0}, a dotted key for a
                                  setting of a plug-in; first the one to be changed, to 0.1. It is read, not imported

    NEVER_INSIDE                  why the network can't be that of ``lazy`` and ``linearised``, which train weights
                                  beside a start and its biases; read, not imported
    WIDTH                         what the width counts, as figures call it: "channels"; else units. It is read, not
                                  imported

``training.architecture`` is the one place that knows the defaults.

Settings that mean the same in all kinds:

- ``initialisation``: distribution of weights and biases at the start
- ``network``: network whose start w0 and layers are used
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor

VERBS = ("init",)
PROVIDED = ("n_inputs", "n_outputs", "depth", "width", "dtype")
DEFAULT = "mlp"  # of protocols of the library that name no network; read, not imported


@runtime_checkable
class NetworkModule(Protocol):
    """A module of this family."""

    def init(
        self,
        generators: Sequence[np.random.Generator],
        *,
        n_inputs: int,
        n_outputs: int,
        depth: int,
        width: int,
        dtype: Any,
    ) -> "list[Tensor]":
        """Return the starts of R networks, each weight (R, ...)."""

    def apply(self, weights: "list[Tensor]", x: "Tensor") -> "Tensor":
        """Return the outputs f(x), (R, n, K)."""


class NetworkWorkspace(Protocol):
    """A workspace for one minibatch (R, B, d), whose inputs are filled before ``forward``."""

    def forward(self) -> "Tensor":
        """Return the outputs f(x) of the minibatch, (R, B, K)."""

    def backward(self, delta: "Tensor", into: "list[Tensor]", *, factor: float = 1.0, accumulate: bool = False) -> None:
        """Write ``factor`` times the gradient into ``into``, or add it; ``delta`` (R, B, K) is that of the loss."""

    def step_(self, delta: "Tensor") -> None:
        """Take one step of gradient descent in place; ``delta`` has been multiplied by the learning rate."""
