"""Calibration of this machine: its rates of computing, measured by a few seconds of training with torch."""

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

DURATION = 0.5  # seconds for a case
LEAST_SHARE = 0.1  # of the time of a case that is attributed to its own rate: keeps the solved rates positive


@dataclass(frozen=True)
class Case:
    """A stack of perceptrons for two classes, trained with minibatches of ``batch`` samples, or all samples if None."""

    networks: int
    n_train: int
    n_inputs: int
    depth: int
    width: int
    batch: int | None

    @property
    def counted(self) -> tuple[int, int, int]:
        """Count the layers launched, the operations and the activations of an epoch."""
        size = sizes.perceptron(n_inputs=self.n_inputs, n_outputs=2, depth=self.depth, width=self.width)
        launches = math.ceil(self.n_train / (self.batch or self.n_train)) * (self.depth + 1)
        samples = self.networks * self.n_train
        return launches, samples * size.operations, samples * size.activations


CASES = (  # another rate dominates the time of each
    Case(networks=10, n_train=500, n_inputs=4, depth=7, width=4, batch=50),  # launching layers
    Case(networks=10, n_train=500, n_inputs=100, depth=7, width=100, batch=50),  # multiplications
    Case(networks=20, n_train=1000, n_inputs=10, depth=5, width=10, batch=None),  # activations
)


class Calibration(NamedTuple):
    """Rates, the seconds that their measurement took, and the unit of the hours that they give: core or GPU."""

    rates: Rates
    seconds: float
    unit: str


def measure(device: torch.device) -> Calibration:
    """Measure the rates of a device that ``choose_device`` has set up; those of a CPU are for its number of threads."""
    began = time.perf_counter()
    rates = solve(lambda case: _epoch(case, device), start=_start())
    return Calibration(rates, time.perf_counter() - began, "core" if device.type == "cpu" else "GPU")


def solve(seconds: Callable[[Case], float], *, start: float) -> Rates:
    """Solve three equations for the rates, given the seconds that an epoch of each case takes.

    ``start`` are the seconds in which a stage starts. At least LEAST_SHARE of the time of a case goes to its own rate.
    """
    counted = np.array([case.counted for case in CASES], dtype=float)
    taken = np.array([seconds(case) for case in CASES])
    rates = np.maximum(np.linalg.solve(counted, taken), LEAST_SHARE * taken / counted.diagonal())
    launch, operation, activation = rates.tolist()
    return Rates(start, launch, activation, 1 / operation)


def _epoch(case: Case, device: torch.device) -> float:
    """Time the fastest epoch of a case in seconds; on a CPU in process time, which other programs do not use up."""
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
    end = time.perf_counter() + DURATION
    times: list[float] = []
    while not times or time.perf_counter() < end:
        began = clock()
        next(training).finite.cpu()
        times.append(clock() - began)
    return min(times)


def _start() -> float:
    """Measure the core seconds in which a stage starts."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "isobath.stages.networks", "--help"], capture_output=True, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
