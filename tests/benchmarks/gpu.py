"""Checks of ``make bench-gpu``, the first thing to run on a machine with a GPU: a line per check, and a verdict.

They take a minute. The exit status is 0 if all checks pass or there is no GPU, and 1 if a check fails.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import gpu_speed
import torch
from cases import Case
from gpu_trainings import EPOCHS, TRAININGS, Training, without_graphs

from isobath.jobs.device import choose_device
from isobath.training import fused

CPU = torch.device("cpu")

# What is good. Products of 1000 numbers in float32 err by some 1e-6 of their norm, in TF32 (10 bits) by some 5e-4.
PRODUCTS = 5e-5
# In float64 a step errs by 1e-16; after a hundred steps outputs agree to 1e-9, as the README promises.
AGREEMENT = 1e-9
SHARE = 0.1  # of the peak of products, at the most networks
IDLE = 0.2  # of the time, from ``Sizes.wide`` networks on


@dataclass(frozen=True)
class Sizes:
    """Sizes of the trainings that are measured."""

    networks: tuple[int, ...] = (10, 50, 200, 1000)
    wide: int = 50
    side: int = 4096  # of the matrices whose product is the peak
    seconds: float = 1.0  # of a measurement of speed, at the least
    epochs: int = 20  # in which waiting and idling is measured


class Line(NamedTuple):
    """A check: its question, its finding, and whether that is good."""

    name: str
    found: str
    good: bool

    def __str__(self) -> str:
        return f"{'good      ' if self.good else 'to look at'}  {self.name}: {self.found}"


Check = Callable[[torch.device, Sizes], Iterator[Line]]


def flags(device: torch.device, sizes: Sizes) -> Iterator[Line]:
    """Check that products and convolutions are not rounded to 10 bits, by their switches and by their results."""
    for name, switch in (("products", torch.backends.cuda.matmul), ("convolutions", torch.backends.cudnn)):
        yield Line(f"TF32 in {name}", "on" if switch.allow_tf32 else "off", not switch.allow_tf32)
    a, b = (torch.randn(2, 1000, 1000, device=device, dtype=torch.float64) for _ in range(2))
    x, w = (torch.randn(shape, device=device, dtype=torch.float64) for shape in ((8, 80, 16, 16), (16, 40, 5, 5)))
    works = {"products": (torch.bmm, a, b), "convolutions": (partial(torch.nn.functional.conv2d, groups=2), x, w)}
    for name, (work, left, right) in works.items():
        exact = work(left, right)
        error = float((work(left.float(), right.float()) - exact).norm() / exact.norm())
        yield Line(f"{name} in float32", f"relative error {error:.0e}, at most {PRODUCTS:.0e}", error <= PRODUCTS)


def same(name: str, some: torch.Tensor, other: torch.Tensor) -> Line:
    """Return whether the weights of two trainings have the same bytes."""
    differ = int((some.view(torch.uint8) != other.view(torch.uint8)).view(len(some), -1).any(1).sum())
    return Line(name, f"{differ} of {len(some)} weights differ" if differ else "the same bytes", differ == 0)


def graphs(device: torch.device, sizes: Sizes) -> Iterator[Line]:
    """Check that epochs by graphs are epochs step by step, and the same ones when they are run again."""
    for training in TRAININGS:
        first = training.ended(device)
        with without_graphs():
            eager = training.ended(device)
        yield same(f"{training.name}: {EPOCHS} epochs by graphs and step by step", first, eager)
        yield same(f"{training.name}: twice", first, training.ended(device))


def agreement(device: torch.device, sizes: Sizes) -> Iterator[Line]:
    """Check that the GPU trains the networks of the CPU, in float64."""
    for training in map(Training.in_double, TRAININGS):
        with without_graphs():
            here = training.ended(CPU)
        error = float((training.ended(device) - here).abs().max())
        found = f"weights differ by {error:.0e}, at most {AGREEMENT:.0e}"
        yield Line(f"{training.name}: {EPOCHS} epochs on GPU and CPU, float64", found, error <= AGREEMENT)


def kernels(device: torch.device) -> Line:
    """Return whether kernels are compiled between products; a compiler that is installed and fails is not good."""
    if fused.fuses(device):
        return Line("kernels between products", "compiled by numba-cuda", good=True)
    if fused.installed():
        return Line("kernels between products", "none: numba-cuda is installed and fails, see the warning", good=False)
    return Line("kernels between products", "none: pip install numba-cuda, see docs/speed.md", good=True)


def speed(device: torch.device, sizes: Sizes) -> Iterator[Line]:
    """Check that many networks keep the GPU busy."""
    peak = gpu_speed.peak(device, sizes.side, sizes.seconds)
    yield Line("batched products, float32", f"{peak / 1e12:.1f} TF/s, the peak below", good=True)
    yield kernels(device)
    for networks in sizes.networks:
        case = Case("locality", 100, 7, 100, networks)
        rate = gpu_speed.steps(case, device, sizes.seconds)
        share = rate * case.operations / peak
        idle = gpu_speed.idle(case, device, sizes.epochs)
        found = f"{rate:,.0f} network-steps a second, {share:.0%} of the peak; idle between replays {idle:.0%}"
        fast = networks < max(sizes.networks) or share >= SHARE
        yield Line(f"{networks} networks, {case}", found, fast and (networks < sizes.wide or idle <= IDLE))
    whole = {"optimiser": "adam", "loss": "squared_hinge", "dtype": "float64"}
    case = Case("width", 10, 5, 57, sizes.wide, samples=1000, batch=1000, **whole)  # type: ignore[arg-type]
    idle = gpu_speed.idle(case, device, 10 * sizes.epochs)
    yield Line(f"{sizes.wide} networks, {case}", f"idle between replays {idle:.0%}, at most {IDLE:.0%}", idle <= IDLE)
    for each in (case, Case("locality", 40, 1, 100, sizes.wide)):
        waits = gpu_speed.waits(each, device, sizes.epochs)
        yield Line(f"{each}: an epoch waits for the GPU", f"{waits:g} times, 0 are expected", waits == 0)
    ratio = gpu_speed.convolutions(device, sizes.wide, sizes.seconds)
    yield Line("convolutions by products", f"{ratio:.1f} times as fast as network by network", ratio >= 1)


CHECKS: tuple[Check, ...] = (flags, graphs, agreement, speed)


def report(device: torch.device, sizes: Sizes) -> Iterator[Line]:
    """Yield the lines of all checks; one that fails is a line, and the others go on."""
    for check in CHECKS:
        try:
            yield from check(device, sizes)
        except Exception as error:  # of torch, CUDA and Numba
            yield Line(check.__name__, f"{type(error).__name__}: {error}".splitlines()[0], good=False)


def verdict(lines: list[Line]) -> str:
    """Return one sentence on all lines."""
    bad = sum(not line.good for line in lines)
    if bad == 0:
        return f"All {len(lines)} checks are good: this GPU can be used."
    return f"{bad} of {len(lines)} checks are to be looked at before results of this GPU are used: see docs/speed.md."


def main() -> int:
    device = choose_device()
    if device.type != "cuda":
        print(f"There is no GPU that torch {torch.__version__} can use here: nothing was measured.")
        return 0
    print(f"{torch.cuda.get_device_name(device)}, torch {torch.__version__}, CUDA {torch.version.cuda}", flush=True)
    lines = []
    for line in report(device, Sizes()):
        print(line, flush=True)
        lines.append(line)
    print(verdict(lines))
    return int(not all(line.good for line in lines))


if __name__ == "__main__":
    sys.exit(main())
