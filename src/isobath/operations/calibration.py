"""The rates of this machine, measured by a few seconds of training. Imports torch."""

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from isobath import sizes
from isobath.losses import cross_entropy
from isobath.networks import mlp
from isobath.protocols import sgd
from isobath.training.architecture import Architecture
from isobath.training.objective import Loss
from isobath.training.stacks import Stack, pack
from isobath.workflow.job_costs import Rates

EACH = 0.5  # seconds for a case
LEAST = 0.1  # lower bound on the share of a case's time that is attributed to its own rate (keeps the solve positive)


@dataclass(frozen=True)
class Case:
    """A stack of perceptrons of two classes, trained with minibatches of ``batch`` samples, or all."""

    networks: int
    n_train: int
    n_inputs: int
    depth: int
    width: int
    batch: int | None

    @property
    def counted(self) -> tuple[int, int, int]:
        """Return, of an epoch, the layers launched, operations, numbers that pass through layers."""
        size = sizes.perceptron(n_inputs=self.n_inputs, n_outputs=2, depth=self.depth, width=self.width)
        launches = math.ceil(self.n_train / (self.batch or self.n_train)) * (self.depth + 1)
        samples = self.networks * self.n_train
        return launches, samples * size.operations, samples * size.activations


CASES = (  # in each one rate decides
    Case(networks=10, n_train=500, n_inputs=4, depth=7, width=4, batch=50),  # to launch a layer
    Case(networks=10, n_train=500, n_inputs=100, depth=7, width=100, batch=50),  # to multiply
    Case(networks=20, n_train=1000, n_inputs=10, depth=5, width=10, batch=None),  # to pass numbers through layers
)


class Calibration(NamedTuple):
    """Rates, the seconds that it took to measure them, and whose hours are estimated: core or GPU."""

    rates: Rates
    seconds: float
    unit: str


def measure(device: torch.device) -> Calibration:
    """Return the rates of a device, as ``cli.device()`` has set it up; of a CPU, with as many threads."""
    began = time.perf_counter()
    rates = solve(lambda case: _epoch(case, device), start=_start())
    return Calibration(rates, time.perf_counter() - began, "core" if device.type == "cpu" else "GPU")


def solve(seconds: Callable[[Case], float], *, start: float) -> Rates:
    """Solve three equations for the rates, given the seconds of an epoch of each case; no rate beyond the timed."""
    counted = np.array([case.counted for case in CASES], dtype=float)
    taken = np.array([seconds(case) for case in CASES])
    found = np.maximum(np.linalg.solve(counted, taken), LEAST * taken / counted.diagonal())
    launch, operation, activation = found.tolist()
    return Rates(start, launch, activation, 1 / operation)


def _epoch(case: Case, device: torch.device) -> float:
    """Return the seconds of the fastest epoch of a case; of a core's own time, since others may use it as well."""
    clock = time.process_time if device.type == "cpu" else time.perf_counter
    generator = np.random.default_rng(0)
    inputs = torch.from_numpy(generator.standard_normal((case.n_train, case.n_inputs), dtype=np.float32)).to(device)
    loss = Loss(cross_entropy)
    targets = loss.targets(torch.arange(case.n_train, device=device) % 2, inputs.dtype)
    shape = {"n_inputs": case.n_inputs, "n_outputs": 2, "depth": case.depth, "width": case.width}
    architecture = Architecture(mlp)
    weights = architecture.init([generator] * case.networks, **shape)
    stack = Stack(
        architecture=architecture,
        parameters=pack(weights).to(device),
        shapes=[w.shape[1:] for w in weights],
        rows=np.tile(np.arange(case.n_train), (case.networks, 1)),
        rates=torch.full((case.networks,), 1e-3, device=device),
        orders=list(range(case.networks)),
    )
    training = sgd.train(stack, inputs, targets, loss=loss, batch_size=case.batch)
    next(training).finite.cpu()
    end = time.perf_counter() + EACH
    times: list[float] = []
    while not times or time.perf_counter() < end:
        began = clock()
        next(training).finite.cpu()
        times.append(clock() - began)
    return min(times)


def _start() -> float:
    """Return the seconds of a core in which a stage starts."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "isobath.stages.networks", "--help"], capture_output=True, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
