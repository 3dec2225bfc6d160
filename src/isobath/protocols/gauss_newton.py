"""The damped Gauss-Newton step on squared errors and all rows (Levenberg, 1944), by the network's own tangent kernel.

    w <- w + J' (Theta + n / eta)^-1 (y - f),   Theta = J J'

with the gradients J (n K, P) of all outputs. As the rate eta goes to 0 it is gradient descent of the mean of |f - y|^2
/ 2; a large one jumps to targets that can be met, changing the weights as little as possible. A network that is linear
in what is trained (``linearised``) is then, in one step, regression with its tangent kernel. Targets are those of the
loss, whose other parts are not used. Theta and the coefficients are computed in float64, and J' times these in the
precision of the network.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from isobath.regression.tangent_kernel import tangent_kernel
from isobath.training.minibatches import Epoch, network_by_network
from isobath.training.objective import Loss
from isobath.training.stacks import Stack


def train(stack: Stack, inputs: Tensor, targets: Tensor, *, loss: Loss, first_epoch: int = 0) -> Iterator[Epoch]:
    """Train the stack in place without end; yield after each epoch, which is a step.

    A network without a finite step becomes NaN.
    """
    step = partial(_step, stack)
    return network_by_network(stack, inputs, targets, loss=loss, step=step, first_epoch=first_epoch)


def _step(stack: Stack, r: int, inputs: Tensor, targets: Tensor) -> None:
    """Take a step of network r in place."""
    weights, f = [w[r : r + 1] for w in stack.weights], stack.architecture
    in_double = [w.double() for w in weights]
    missing = targets.double() - f.apply(in_double, inputs.double())[0]
    coefficients = _coefficients(f, in_double, inputs.double(), missing, rate=float(stack.rates[r]))
    workspace = f.workspace(weights, inputs[None])
    workspace.forward()
    workspace.step_(-coefficients.to(inputs)[None])


def _coefficients(f: Any, weights: list[Tensor], inputs: Tensor, missing: Tensor, *, rate: float) -> Tensor:
    """Return (Theta + n / eta)^-1 missing, (n, K); NaN where that is not finite."""
    share = rate / len(inputs)
    matrix = tangent_kernel(f, weights, inputs).flatten(2).flatten(0, 1).mul_(share)
    matrix.diagonal().add_(1)
    solution, failed = torch.linalg.solve_ex(matrix, missing.reshape(-1, 1) * share)
    return torch.where(failed == 0, solution, torch.nan).view_as(missing)
