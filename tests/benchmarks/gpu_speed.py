"""Speed on a GPU: steps a second beside the products of matrices that it could do, and how long it idles."""

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace

import torch
from cases import Case, problem
from rivals import ours

from isobath.networks import cnn
from isobath.protocols import adam, sgd
from isobath.training import fused
from isobath.training.minibatches import Epoch
from isobath.training.objective import Loss

PROTOCOLS = {"sgd": sgd, "adam": adam}
WARM = 2  # epochs: the first step is called, then graphs are recorded


def epochs(case: Case, device: torch.device) -> Iterator[Epoch]:
    """Train the networks of a case for ever."""
    data = problem(case)
    start = ours.stack(case, data)
    parameters = start.parameters.to(device)
    stack = replace(start, parameters=parameters, rates=start.rates.to(parameters))
    inputs, targets = (torch.from_numpy(x).to(device) for x in data[:2])
    batch = None if case.batch == case.samples else case.batch
    return PROTOCOLS[case.optimiser].train(stack, inputs, targets, loss=Loss(ours.loss(case)), batch_size=batch)


def warm(case: Case, device: torch.device, *, kernels: bool = True) -> Iterator[Epoch]:
    """Return a training whose graphs have been recorded, with kernels of our own or by torch alone."""
    with nullcontext() if kernels else by_torch_alone():
        training = epochs(case, device)
        for _ in range(WARM):
            next(training)
    torch.cuda.synchronize()
    return training


@contextmanager
def by_torch_alone() -> Iterator[None]:
    """Have no kernels compiled."""
    fuses, fused.fuses = fused.fuses, lambda device: False  # type: ignore[assignment]
    try:
        yield
    finally:
        fused.fuses = fuses


def rate(work: Callable[[], object], seconds: float, wait: Callable[[], object] | None = None) -> float:
    """Return how often a second some work is done, over at least ``seconds`` with the wait for the device at their end.

    ``wait`` waits for the device, where torch alone does not know of all its work.
    """
    wait = wait or torch.cuda.synchronize
    work()
    wait()
    start, done, block = time.perf_counter(), 0, 1
    while time.perf_counter() - start < seconds:
        for _ in range(block):
            work()
        wait()
        done, block = done + block, 2 * block  # waiting shall not count
    return done / (time.perf_counter() - start)


def steps(case: Case, device: torch.device, seconds: float) -> float:
    """Return the network-steps a second."""
    training = warm(case, device)
    return case.networks * case.steps * rate(lambda: next(training), seconds)


def peak(device: torch.device, size: int, seconds: float) -> float:
    """Return the operations a second of batched products in float32, of the faster of two shapes."""

    def of(networks: int, side: int) -> float:
        a, b = (torch.randn(networks, side, side, device=device) for _ in range(2))
        out = torch.empty_like(a)
        return 2 * networks * side**3 * rate(lambda: torch.bmm(a, b, out=out), seconds)

    return max(of(4, size), of(64, size // 4))


@dataclass
class Replays:
    """Events before and after each replay of a graph."""

    pairs: list[tuple[torch.cuda.Event, torch.cuda.Event]]

    @property
    def idle(self) -> float:
        """Return the share of time between the end of a replay and the start of the next, of at least two."""
        torch.cuda.synchronize()
        gaps = sum(a[1].elapsed_time(b[0]) for a, b in zip(self.pairs, self.pairs[1:], strict=False))
        return gaps / self.pairs[0][0].elapsed_time(self.pairs[-1][1])


@contextmanager
def timed_replays() -> Iterator[Replays]:
    """Record events around each replay."""
    found, plain = Replays([]), torch.cuda.CUDAGraph.replay

    def replay(graph: torch.cuda.CUDAGraph) -> None:
        before, after = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        before.record()
        plain(graph)
        after.record()
        found.pairs.append((before, after))

    torch.cuda.CUDAGraph.replay = replay  # type: ignore[method-assign]
    try:
        yield found
    finally:
        torch.cuda.CUDAGraph.replay = plain  # type: ignore[method-assign]


def idle(case: Case, device: torch.device, count: int) -> float:
    """Return the share of time that a GPU idles between replays, over some epochs."""
    training = warm(case, device)
    with timed_replays() as replays:
        for _ in range(count):
            next(training)
        return replays.idle


def waits(case: Case, device: torch.device, count: int) -> float:
    """Return how often an epoch the host waits for the device, as torch notices it."""
    training = warm(case, device)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        try:
            for _ in range(count):
                next(training)
        finally:
            torch.cuda.set_sync_debug_mode("default")
    return sum("called a synchronizing" in str(warning.message) for warning in found) / count


def convolutions(device: torch.device, networks: int, seconds: float) -> float:
    """Return the rate of convolutions by products over that network by network, with gradients, on 32 x 32 pixels."""
    images = torch.randn(networks, 50, 3, 32, 32, device=device)
    shapes = [(networks, 24, channels, 5, 5) for channels in (3, 24, 24)]
    layers = [
        (torch.randn(shape, device=device, requires_grad=True), torch.zeros(networks, 24, device=device))
        for shape in shapes
    ]

    def of(convolved: Callable[..., torch.Tensor]) -> float:
        def work() -> None:
            features = convolved(images, layers, stride=2, pools=0)
            torch.autograd.grad(features, [w for w, _ in layers], torch.ones_like(features))

        return rate(work, seconds)

    return of(cnn.by_products) / of(cnn.by_networks)
