"""Train by the kernels of a GPU in Numba's simulator, and by torch, and print by how much results differ, as JSON.

To be run with NUMBA_ENABLE_CUDASIM=1, which Numba reads when it is imported. Blocks have few threads: the simulator has
a thread of Python for each.
"""

import json
from collections import Counter
from contextlib import nullcontext

import torch
from numba.cuda.simulator.cudadrv.devicearray import FakeCUDAArray

from isobath import binding
from isobath.contracts.tiny_stacks import data, padded, stack
from isobath.jobs.specs import loss as loss_of
from isobath.training import fused, fused_kernels

CASES = {
    "descent, cross-entropy": ("sgd", {"kind": "cross_entropy"}),
    "descent, hinge": ("sgd", {"kind": "linear_hinge"}),
    "descent, squared hinge": ("sgd", {"kind": "squared_hinge", "margin": 0.5}),
    "descent, power": ("sgd", {"kind": "power", "p": 4}),
    "Adam, squared error": ("adam", {"kind": "mean_squared_error"}),
    "momentum, hinge": ("momentum", {"kind": "linear_hinge"}),
    "AdaGrad, hinge": ("adagrad", {"kind": "linear_hinge"}),
    "AdaDelta, hinge": ("adadelta", {"kind": "linear_hinge"}),
}
ROWS = padded(20, [range(20), range(11)])  # in the last steps of an epoch the second network waits
EPOCHS = 2

launches = Counter()  # of each kernel


class Beside(nullcontext):
    """Work that is done at once."""

    def __init__(self, device, *, apart):
        super().__init__()

    def join(self):
        """Wait for nothing."""


def launch(kernel, grid, block, *arguments):
    """Call a kernel in the simulator, on arrays that share the memory of tensors."""
    launches[kernel.fn.__qualname__.partition(".")[0]] += 1
    kernel[grid, block](*[FakeCUDAArray(x.numpy()) if isinstance(x, torch.Tensor) else x for x in arguments])


def install():
    """Have fused operations run in the simulator, with blocks of few threads."""
    fused_kernels.launch, fused.Beside = launch, Beside
    fused_kernels.LANES, fused_kernels.ROWS, fused_kernels.THREADS, fused_kernels.EACH = 3, 2, 4, 8


def trained(protocol, loss, *, kernels):
    """Return weights and what is remembered of them after some epochs, and whether they are finite."""
    fused.fuses = lambda device: kernels
    objective, (x, labels) = loss_of(loss), data()
    targets = objective.targets(labels, x.dtype)
    made = stack([0.02, 0.03], ROWS, outputs=targets.shape[1])
    compiled, made.architecture.module.compiled = made.architecture.module.compiled, lambda *_, **__: None
    try:
        epochs = binding.bound("protocol", {"kind": protocol, "batch_size": 8})(made, x, targets, loss=objective)
        finite = [next(epochs).finite.tolist() for _ in range(EPOCHS)]
    finally:
        made.architecture.module.compiled = compiled
    return torch.cat([made.parameters, *(made.moments[name] for name in sorted(made.moments))]), finite


def main():
    """Print the largest difference and the largest number of each case, and what was finite."""
    install()
    found: dict[str, dict[str, object]] = {}
    for name, case in CASES.items():
        by_torch, finite = trained(*case, kernels=False)
        launches.clear()
        by_kernels, same = trained(*case, kernels=True)
        difference = float((by_torch - by_kernels).abs().max())
        largest = float(by_torch.abs().max())
        found[name] = {
            "difference": difference,
            "largest": largest,
            "finite": [finite, same],
            "launches": launches.copy(),
        }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
