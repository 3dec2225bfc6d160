"""Calibration of this machine: its rates of computing, measured by training the default network for a few seconds."""

import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from isobath import binding, plugins
from isobath.training.architecture import Architecture
from isobath.training.fit import Protocol
from isobath.training.minibatches import Epoch
from isobath.training.objective import Loss
from isobath.training.stacks import Stack
from isobath.workflow.job_costs import Rates

DURATION = 3.0  # seconds for all cases
STARTS = 2
CHECK = 0.4  # seconds in which a stage reads the code that it checks, and Numba fills its tables of types
ARCHITECTURE = Architecture.of(plugins.default("network"))
LOSS = Loss(binding.load("loss", plugins.default("loss")))
LEAST_SHARE = 0.1  # of the time of a case that is attributed to its own rate: keeps the solved rates positive


@dataclass(frozen=True)
class Case:
    """A stack of networks for two classes, trained with minibatches of ``batch`` samples, or all samples if None."""

    networks: int
    n_train: int
    n_inputs: int
    depth: int
    width: int
    batch: int | None

    @property
    def shape(self) -> dict[str, int]:
        """Return the sizes that the start of a network takes."""
        return {"n_inputs": self.n_inputs, "n_outputs": 2, "depth": self.depth, "width": self.width}

    @property
    def counted(self) -> tuple[int, int, int]:
        """Count the layers launched, the operations and the activations of an epoch."""
        size = ARCHITECTURE.size(**self.shape)
        launches = math.ceil(self.n_train / (self.batch or self.n_train)) * (self.depth + 1)
        samples = self.networks * self.n_train
        return launches, samples * size.operations, samples * (size.activations - self.n_inputs)


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
    rates = solve(fastest_epochs(device), start=CHECK + min(_start() for _ in range(STARTS)))
    return Calibration(rates, time.perf_counter() - began, "core" if device.type == "cpu" else "GPU")


def solve(seconds: Sequence[float], *, start: float) -> Rates:
    """Solve three equations for the rates, given the seconds that an epoch of each case has taken.

    ``start`` are the seconds in which a stage starts. At least LEAST_SHARE of the time of a case goes to its own rate.
    """
    counted = np.array([case.counted for case in CASES], dtype=float)
    least = LEAST_SHARE * np.asarray(seconds) / counted.diagonal()
    launch, operation, activation = np.maximum(np.linalg.solve(counted, seconds), least).tolist()
    return Rates(start, launch, activation, 1 / operation)


def fastest_epochs(device: torch.device) -> list[float]:
    """Return the seconds of the fastest epoch of each case; on a CPU in process time.

    Other programs use up no process time, but share caches and cores: the cases take turns, so that each meets moments
    without them, and the fastest epoch is that of this machine alone.
    """
    clock = time.process_time if device.type == "cpu" else time.perf_counter
    trainings = [_training(case, device) for case in CASES]
    for training in trainings:
        next(training).finite.cpu()  # compiles, or reads what was compiled
    fastest, end = [math.inf] * len(CASES), clock() + DURATION
    while math.inf in fastest or clock() < end:
        for i, training in enumerate(trainings):
            began = clock()
            next(training).finite.cpu()
            fastest[i] = min(fastest[i], clock() - began)
    return fastest


def _training(case: Case, device: torch.device) -> Iterator[Epoch]:
    """Train a case for ever; yield after each epoch."""
    generator = np.random.default_rng(0)
    inputs = torch.from_numpy(generator.standard_normal((case.n_train, case.n_inputs), dtype=np.float32)).to(device)
    targets = LOSS.targets(torch.arange(case.n_train, device=device) % 2, inputs.dtype)
    weights = ARCHITECTURE.init([generator] * case.networks, **case.shape)
    stack = Stack.of(
        ARCHITECTURE,
        weights,
        rows=np.tile(np.arange(case.n_train), (case.networks, 1)),
        rates=torch.full((case.networks,), 1e-3, device=device),
        orders=list(range(case.networks)),
    )
    train: Protocol = binding.bound("protocol", {"kind": plugins.default("protocol"), "batch_size": case.batch})
    return train(stack, inputs, targets, loss=LOSS)


def _start() -> float:
    """Measure the core seconds in which a stage starts."""
    before = os.times()
    subprocess.run([sys.executable, "-P", "-m", "isobath.stages.networks", "--help"], capture_output=True, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
