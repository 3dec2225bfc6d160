"""Newton's method on all rows, with a ridge of 1 / eta on the Hessian: the optimum of a convex loss.

    w <- w - (H + 1 / eta)^-1 grad L

As the rate eta goes to 0 this is gradient descent; as it grows, Newton's method. With a linear network and the p-loss
it reaches the optimum in some dozen steps, against which other protocols are measured. A step takes as many backward
passes as there are parameters.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from isobath.training.minibatches import Epoch, Schedule, epochs
from isobath.training.objective import Loss
from isobath.training.replay import Number
from isobath.training.stacks import Stack


def train(stack: Stack, inputs: Tensor, targets: Tensor, *, loss: Loss, first_epoch: int = 0) -> Iterator[Epoch]:
    """Train the stack in place without end; yield after each epoch, which is a step.

    A network without a finite step becomes NaN.
    """
    schedule = Schedule(stack, None)

    def step(workspace: Any, delta: Tensor, k: Number) -> None:
        for r in range(len(stack)):
            rows = torch.from_numpy(stack.rows[r][stack.rows[r] >= 0]).to(inputs.device)
            _step(stack, r, inputs[rows], targets[rows], loss)

    options: dict[str, Any] = {"loss": loss, "first_epoch": first_epoch, "replayed": False}  # a step looks at numbers
    return epochs(schedule, inputs, targets, step=step, **options)


def _step(stack: Stack, r: int, inputs: Tensor, targets: Tensor, loss: Loss) -> None:
    """Take a step of network r in place."""
    tensors = [w[r : r + 1] for w in stack.weights]
    flat = torch.cat([w.flatten() for w in tensors])
    sizes, rate = [w.numel() for w in tensors], stack.rates[r]

    def mean_loss(parameters: Tensor) -> Tensor:
        weights = [part.view_as(w) for part, w in zip(torch.split(parameters, sizes), tensors, strict=True)]
        return loss.value(stack.architecture.apply(weights, inputs), targets).mean()

    hessian = torch.autograd.functional.hessian(mean_loss, flat, vectorize=True)  # type: ignore[no-untyped-call]
    leaf = flat.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(mean_loss(leaf), leaf)
    change = _solved(hessian * rate + torch.eye(len(flat)).to(flat), gradient * rate)
    for w, part in zip(tensors, torch.split(change, sizes), strict=True):
        w.sub_(part.view_as(w))


def _solved(matrix: Tensor, vector: Tensor) -> Tensor:
    """Return the solution; NaN where the matrix is not finite or has no inverse."""
    solution, info = torch.linalg.solve_ex(matrix, vector)
    return solution if not int(info) else torch.full_like(vector, torch.nan)
