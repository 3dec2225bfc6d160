"""NumPy by hand: one network after the other, its gradient written out, all arrays in place."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from cases import Case, Problem


def version() -> str:
    import torch  # noqa: F401, PLC0415 (for its flush of denormal numbers: without it Adam would be slower)

    return f"NumPy {np.__version__}"


class Network:
    """Weights of one network as views of one row, and memory for a step."""

    def __init__(self, case: Case, starts: list[np.ndarray]) -> None:
        self.case, self.steps = case, 0
        self.row = np.concatenate([w.ravel() for w in starts])
        self.gradient, self.m, self.v, self.root = (np.zeros_like(self.row) for _ in range(4))
        self.weights, self.gradients = self.views(self.row), self.views(self.gradient)
        self.z = [np.empty((case.batch, n), self.row.dtype) for n in case.sizes]
        self.delta = [np.empty_like(z) for z in self.z]

    def views(self, row: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        found, start = [], 0
        for a, b in pairwise(self.case.sizes):
            end = start + a * b
            found.append((row[start:end].reshape(b, a), row[end : end + b]))
            start = end + b
        return found

    def step(self, targets: np.ndarray) -> None:
        last = len(self.weights) - 1
        for number, (w, b) in enumerate(self.weights):
            z = np.matmul(self.z[number], w.T, out=self.z[number + 1])
            z += b
            if number < last:
                np.maximum(z, 0, out=z)
        derivative(self.case.loss, self.z[-1], targets, self.delta[-1])
        self.delta[-1] /= len(targets)
        for number in range(last, -1, -1):
            (w, _), (dw, db) = self.weights[number], self.gradients[number]
            np.matmul(self.delta[number + 1].T, self.z[number], out=dw)
            self.delta[number + 1].sum(0, out=db)
            if number > 0:
                np.matmul(self.delta[number + 1], w, out=self.delta[number])
                self.delta[number] *= self.z[number] > 0
        self.steps += 1
        (self.adam if self.case.optimiser == "adam" else self.descend)()

    def descend(self) -> None:
        self.gradient *= self.case.rate
        self.row -= self.gradient

    def adam(self) -> None:
        c1, c2 = 1 - 0.9**self.steps, np.sqrt(1 - 0.999**self.steps)
        g, root = self.gradient, self.root
        self.m *= 0.9
        self.m += np.multiply(g, 0.1, out=root)
        self.v *= 0.999
        g *= g
        self.v += np.multiply(g, 0.001, out=g)
        np.sqrt(self.v, out=root)
        root += float(1e-8 * c2)
        np.divide(self.m, root, out=root)
        root *= float(self.case.rate * c2 / c1)
        self.row -= root


def derivative(loss: str, outputs: np.ndarray, targets: np.ndarray, into: np.ndarray) -> None:
    """Fill ``into`` with the derivative of each sample's loss."""
    if loss == "cross_entropy":
        np.exp(outputs - outputs.max(1, keepdims=True), out=into)
        into /= into.sum(1, keepdims=True)
        into -= targets
    elif loss == "linear_hinge":
        np.multiply(targets, outputs * targets < 1, out=into)
        np.negative(into, out=into)
    else:
        np.multiply(targets, np.minimum(outputs * targets - 1, 0), out=into)


def prepare(case: Case, problem: Problem) -> tuple[Callable[[Any], None], Callable[[], list[np.ndarray]]]:
    """Return a function that trains an epoch in the orders that it is handed, and one for the weights."""
    networks = [Network(case, [w[i] for w in problem.starts]) for i in range(case.networks)]
    whole = case.batch == case.samples

    def epoch(orders: Callable[[], np.ndarray]) -> None:
        for network, order in zip(networks, orders(), strict=True):
            if whole:
                network.z[0] = problem.inputs
                network.step(problem.targets)
                continue
            for rows in order.reshape(case.steps, case.batch):
                np.take(problem.inputs, rows, 0, out=network.z[0])
                network.step(problem.targets[rows])

    def weights() -> list[np.ndarray]:
        pairs = zip(*[network.weights for network in networks], strict=True)
        return [np.stack(parts) for layer in pairs for parts in zip(*layer, strict=True)]

    return epoch, weights
