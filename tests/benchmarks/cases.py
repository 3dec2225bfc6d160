"""Cases that the contenders train: networks of one shape, their data and starts, equal for all; needs NumPy alone."""

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

RATE = {"sgd": 0.01, "adam": 0.0003}


@dataclass(frozen=True)
class Case:
    """R networks with d inputs and L hidden layers of H units, on n samples each in batches of B (n: all at once).

    ``job`` is the largest number of steps that a network takes in such a job of the demo.
    """

    name: str
    d: int
    depth: int
    width: int
    networks: int
    samples: int = 1000
    batch: int = 50
    optimiser: str = "sgd"
    loss: str = "cross_entropy"
    dtype: str = "float32"
    job: int = 0

    @property
    def sizes(self) -> list[int]:
        return [self.d, *[self.width] * self.depth, 2 if self.loss == "cross_entropy" else 1]

    @property
    def steps(self) -> int:
        """Return the number of steps of a network in an epoch."""
        return self.samples // self.batch

    @property
    def operations(self) -> int:
        """Count the multiplications and additions of one step of one network: forward, and twice that backward."""
        products = [a * b for a, b in pairwise(self.sizes)]
        return 2 * self.batch * (3 * sum(products) - products[0])

    @property
    def rate(self) -> float:
        return RATE[self.optimiser]

    def __str__(self) -> str:
        shape = f"d={self.d} L={self.depth} H={self.width}, n={self.samples}"
        batch = "all at once" if self.batch == self.samples else f"B={self.batch}"
        return f"{shape}, {batch}, {self.optimiser}, {self.dtype}"

    def data(self) -> dict[str, Any]:
        return asdict(self)


class Problem(NamedTuple):
    """Inputs (n, d), targets (n, K) and starts W(1) (R, out, in), b(1) (R, out), ..."""

    inputs: np.ndarray
    targets: np.ndarray
    starts: list[np.ndarray]


def problem(case: Case) -> Problem:
    """Draw inputs, labels of half the samples by two inputs and of the others by chance, and starts (Glorot)."""
    rng, dtype = np.random.default_rng(0), np.dtype(case.dtype)
    x = rng.standard_normal((case.samples, case.d))
    labels = np.where(rng.random(case.samples) < 0.5, x[:, 0] * x[:, 1] > 0, rng.random(case.samples) < 0.5).astype(int)
    targets = np.eye(2)[labels] if case.loss == "cross_entropy" else 2.0 * labels[:, None] - 1
    starts = []
    for fan_in, fan_out in pairwise(case.sizes):
        bound = np.sqrt(6 / (fan_in + fan_out))
        starts.append(rng.uniform(-bound, bound, (case.networks, fan_out, fan_in)).astype(dtype))
        starts.append(np.zeros((case.networks, fan_out), dtype))
    return Problem(x.astype(dtype), targets.astype(dtype), starts)


def orders(case: Case, epoch: int) -> np.ndarray:
    """Return the rows of an epoch in the order of each network, (R, n) int32."""
    rows = np.tile(np.arange(case.samples, dtype=np.int32), (case.networks, 1))
    return rows if case.batch == case.samples else np.random.default_rng(epoch).permuted(rows, axis=1)


def orders_of_isobath(case: Case, epoch: int) -> np.ndarray:
    """Return the orders that isobath trains in, (R, n), for a comparison of weights; drawing them takes longer."""
    if case.batch == case.samples:
        return orders(case, epoch)
    draws = [np.random.Generator(np.random.Philox(key=i, counter=[0, 0, 0, epoch])) for i in range(case.networks)]
    return np.stack([draw.permutation(case.samples) for draw in draws])
