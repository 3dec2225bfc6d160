"""Train by the kernels of a GPU in Numba's simulator, and by torch, and print by how much results differ, as JSON.

Some trainings are also recorded and replayed, with the kernels: these have to leave the same bytes.

To be run with NUMBA_ENABLE_CUDASIM=1, which Numba reads when it is imported. Blocks have few threads: the simulator has
a thread of Python for each.
"""

import json
from collections import Counter
from contextlib import nullcontext

import fake_cuda
import pytest
import torch
from numba.cuda.simulator.cudadrv.devicearray import FakeCUDAArray

from isobath import binding
from isobath.contracts.tiny_stacks import data, padded, stack
from isobath.jobs.specs import loss as loss_of
from isobath.training import fused, fused_kernels

ROWS = padded(20, [range(20), range(11)])  # in the last steps of an epoch the second network waits
EVEN = padded(20, [range(20), range(20)])
CASES = {
    "descent, cross-entropy": ("sgd", {"kind": "cross_entropy"}),
    "descent, hinge": ("sgd", {"kind": "linear_hinge"}),
    "descent, squared hinge": ("sgd", {"kind": "squared_hinge", "margin": 0.5}),
    "descent, power": ("sgd", {"kind": "power", "p": 4}),
    "Adam, squared error": ("adam", {"kind": "mean_squared_error"}),
    "momentum, hinge": ("momentum", {"kind": "linear_hinge"}),
    "AdaGrad, hinge": ("adagrad", {"kind": "linear_hinge"}),
    "AdaDelta, hinge": ("adadelta", {"kind": "linear_hinge"}),
    "momentum, all rows at once": ("momentum", {"kind": "linear_hinge"}, ROWS, None),
    "descent, a smaller last minibatch": ("sgd", {"kind": "cross_entropy"}, EVEN, 13),
    "Adam, one network": ("adam", {"kind": "cross_entropy"}, EVEN[:1], 13),
}
REPLAYED = ["Adam, squared error", "descent, a smaller last minibatch"]

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
    fused_kernels.LANES, fused_kernels.ROWS, fused_kernels.THREADS, fused_kernels.EACH = 3, 2, 4, 2


def trained(protocol, loss, rows=ROWS, batch=8, *, kernels, epochs=None):
    """Return weights with what is remembered of them, and which are finite, after two steps or more, or some epochs."""
    fused.fuses = lambda device: kernels
    objective, (x, labels) = loss_of(loss), data()
    targets = objective.targets(labels, x.dtype)
    made = stack([0.02, 0.03][: len(rows)], rows, outputs=targets.shape[1])
    compiled, made.architecture.module.compiled = made.architecture.module.compiled, lambda *_, **__: None
    try:
        training = binding.bound("protocol", {"kind": protocol, "batch_size": batch})(made, x, targets, loss=objective)
        finite = [next(training).finite.tolist() for _ in range(epochs or (1 if batch else 2))]
    finally:
        made.architecture.module.compiled = compiled
    return torch.cat([made.parameters, *(made.moments[name] for name in sorted(made.moments))]), finite


def recording(library):
    """Have kernels be operations of torch, which a recording sees and replays."""
    calls = []

    def run(number, xs):
        tensors = iter(xs)
        kernel, grid, block, arguments = calls[number]
        launch(kernel, grid, block, *[next(tensors) if x is None else x for x in arguments])

    def recorded(kernel, grid, block, *arguments):
        calls.append((kernel, grid, block, [None if isinstance(x, torch.Tensor) else x for x in arguments]))
        torch.ops.simulated.launch(len(calls) - 1, [x for x in arguments if isinstance(x, torch.Tensor)])

    library.define("launch(int number, Tensor(a!)[] tensors) -> ()")
    library.impl("launch", run, "CPU")
    fused_kernels.launch = recorded


def replayed():
    """Yield the names of trainings, and whether they leave the same bytes where steps are recorded and replayed.

    They have two epochs, so that a step is replayed at other numbers than that at which it was recorded.
    """
    called = {name: trained(*CASES[name], kernels=True, epochs=2)[0] for name in REPLAYED}
    library = torch.library.Library("simulated", "DEF")
    recording(library)
    with pytest.MonkeyPatch.context() as patch:
        fake_cuda.install(patch)
        for name, values in called.items():
            before = fake_cuda.CUDAGraph.replays
            same = trained(*CASES[name], kernels=True, epochs=2)[0].numpy().tobytes() == values.numpy().tobytes()
            yield name, same and fake_cuda.CUDAGraph.replays > before


def main():
    """Print the largest difference and the largest number of each case, what was finite, and what replays leave."""
    install()
    fused.try_kernels(torch.device("cpu"))
    assert set(launches) == {"_gather", "_add_bias", "_take_derivative"}
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
    print(json.dumps([found, dict(replayed())]))


if __name__ == "__main__":
    main()
