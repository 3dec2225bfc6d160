"""Separable least squares: linear coefficients solved, nonlinear parameters searched (Golub & Pereyra 1973).

    chi^2(theta) = min_c sum_i weight_i^2 (y_i - sum_k c_k phi_k(x_i; theta))^2

The linear part is solved by QR; theta is found on a grid and refined by Levenberg-Marquardt on the residual of
the linear part. Data sets, such as the replicates of a bootstrap, are solved as one batch.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from isobath.analysis.laws.law import Law
from isobath.forms import Bounds

GRID = {1: 41, 2: 11}  # points per parameter by the number of parameters
ROUNDS = 60  # of Levenberg and Marquardt's method, at most
STEP = 1e-5  # of numerical derivatives, as a fraction of the range of a parameter
SINGULAR = 1e-9  # smallest part of a normalised column that the columns before it do not explain
EDGE = 1e-6  # a parameter within this fraction of its range of a bound counts as at the bound


class Linear(NamedTuple):
    """Coefficients (b, k), weighted residual (b, n), chi2 (b,), inf where a column is not finite; singular (b,)."""

    coefficients: np.ndarray
    residual: np.ndarray
    chi2: np.ndarray
    singular: np.ndarray


@dataclass(frozen=True)
class Data:
    """Data sets of one law: x, y and weights 1 / error, each (b, n); the weight is 0 where there is no point.

    A ``place`` (b, q) gives nonlinear parameters as fractions of their ranges, 0 to 1.
    """

    law: Law
    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray

    def __getitem__(self, rows: Any) -> "Data":
        return Data(self.law, self.x[rows], self.y[rows], self.weight[rows])

    @cached_property
    def bounds(self) -> list[Bounds]:
        """Return the bounds of the nonlinear parameters."""
        return list(self.law.parameters(self.x).values())

    def theta(self, place: np.ndarray) -> np.ndarray:
        """Return the nonlinear parameters (b, q) at ``place`` (b, q)."""
        return np.stack([b.at(place[:, i]) for i, b in enumerate(self.bounds)], -1) if place.shape[1] else place

    def solve(self, place: np.ndarray) -> Linear:
        """Solve the linear least squares of every data set, by QR of columns of unit length."""
        columns = np.where(self.weight[..., None] > 0, self.law.basis(self.x, self.theta(place)), 0.0)
        finite = np.asarray(np.isfinite(columns).all((-2, -1)))
        columns = np.where(finite[:, None, None], columns, 0.0) * self.weight[..., None]
        length = np.linalg.norm(columns, axis=1)
        length = np.where(length > 0, length, 1.0)
        q, r = np.linalg.qr(columns / length[:, None])
        target = self.weight * self.y
        projection = np.einsum("bnk,bn->bk", q, target)
        residual = target - np.einsum("bnk,bk->bn", q, projection)
        singular = np.abs(np.einsum("bkk->bk", r)).min(1) < SINGULAR
        r = np.where(singular[:, None, None], np.eye(r.shape[-1]), r)
        coefficients = np.linalg.solve(r, projection[..., None])[..., 0] / length
        return Linear(coefficients, residual, np.where(finite, (residual**2).sum(1), np.inf), singular)

    def search(self) -> np.ndarray:
        """Find the best place (b, q) on a grid."""
        b, q = len(self.x), len(self.bounds)
        best, lowest = np.full((b, q), 0.5), np.full(b, np.inf)
        for point in itertools.product(np.linspace(0, 1, GRID.get(q, 5)), repeat=q) if q else ():
            place = np.broadcast_to(np.array(point), (b, q))
            chi2 = self.solve(place).chi2
            best = np.where((chi2 < lowest)[:, None], place, best)
            lowest = np.minimum(chi2, lowest)
        return best

    def slopes(self, place: np.ndarray) -> np.ndarray:
        """Differentiate the weighted residual with respect to the place, (b, n, q), by central differences."""
        columns = []
        for i in range(place.shape[1]):
            shift = STEP * (np.arange(place.shape[1]) == i)
            above, below = np.minimum(place + shift, 1), np.maximum(place - shift, 0)
            columns.append((self.solve(above).residual - self.solve(below).residual) / (above - below)[:, i : i + 1])
        return np.stack(columns, -1)

    def refine(self, place: np.ndarray) -> np.ndarray:
        """Improve ``place`` (b, q) by Levenberg-Marquardt, within the bounds, until it moves by less than 1e-10."""
        place, damping = place.copy(), np.full(len(place), 1e-3)
        live = np.arange(len(place) if place.shape[1] else 0)
        for _ in range(ROUNDS):
            if not len(live):
                break
            data, old = self[live], place[live]
            linear = data.solve(old)
            new = np.clip(old + _step(data.slopes(old), linear.residual, old, damping[live]), 0, 1)
            better = data.solve(new).chi2 < linear.chi2
            place[live] = np.where(better[:, None], new, old)
            damping[live] *= np.where(better, 0.2, 8.0)
            live = live[(np.abs(new - old).max(1) > 1e-10) & (damping[live] < 1e12)]
        return place


def _step(slopes: np.ndarray, residual: np.ndarray, place: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """Return the damped Gauss-Newton step (b, q), 0 for a parameter that its bound holds back."""
    gradient = np.einsum("bnq,bn->bq", slopes, residual)
    held = ((place <= 0) & (gradient > 0)) | ((place >= 1) & (gradient < 0))
    slopes = np.where(held[:, None], 0.0, slopes)
    curvature = np.einsum("bnp,bnq->bpq", slopes, slopes)
    eye = np.eye(place.shape[1])
    diagonal = np.einsum("bqq->bq", curvature)
    floor = np.where(diagonal > 0, diagonal, 1.0) * (1 + damping[:, None]) - diagonal
    return -np.linalg.solve(curvature + floor[..., None] * eye, np.where(held, 0.0, gradient)[..., None])[..., 0]


class Solution(NamedTuple):
    """Coefficients, then parameters (b, m); chi2 (b,); why each fit is not justified, "" where it is."""

    values: np.ndarray
    chi2: np.ndarray
    reasons: list[str]


def solve(data: Data) -> Solution:
    """Fit the law to every data set."""
    place = data.refine(data.search())
    linear = data.solve(place)
    values = np.concatenate([linear.coefficients, data.theta(place)], 1)
    lost = ~np.isfinite(linear.chi2) | ~np.isfinite(values).all(1) | _infinite_beside(data, place)
    edge = (place < EDGE) | (place > 1 - EDGE)
    names = data.law.names[linear.coefficients.shape[1] :]
    reasons = [
        "a column of the basis is not finite" if lost[i]
        else "the columns of the basis are not independent" if linear.singular[i]
        else f"{names[int(edge[i].argmax())]} is at a bound" if edge[i].any() else ""
        for i in range(len(place))
    ]  # fmt: skip
    return Solution(values, linear.chi2, reasons)


def _infinite_beside(data: Data, place: np.ndarray) -> np.ndarray:
    """Tell where a column is not finite beside the place (b, q), bool (b,): there was nothing to choose from.

    So a power of an x that is not positive can have a single exponent, of all that are tried, without an infinity.
    """
    shifts = [sign * STEP * unit for unit in np.eye(place.shape[1]) for sign in (-1, 1)]
    chi2 = [data.solve(np.clip(place + shift, 0, 1)).chi2 for shift in shifts]
    return np.asarray(~np.isfinite(chi2).all(0)) if chi2 else np.zeros(len(place), dtype=bool)
