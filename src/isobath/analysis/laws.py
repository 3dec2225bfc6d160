"""Scaling laws: sums of basis functions, fitted by weighted separable least squares, with intervals over networks.

A form, ``forms/<kind>.py``, gives the columns of a law that is linear in its coefficients c, with
perhaps nonlinear parameters theta (Golub & Pereyra 1973):

    y(x) = sum_k c_k phi_k(x; theta),   chi^2(theta) = min_c sum_i (y_i - y(x_i))^2 / error_i^2

The linear part is solved, theta is found on a grid and refined by Levenberg-Marquardt on the
residual of the linear part. A ``fixed`` fit has the exponents of the theory; a ``free`` fit
lets the leading one go, to see whether the data ask for it. A fit that is not justified has
a reason and no numbers. The replicates of a bootstrap are solved as one batch.
"""

import importlib
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from isobath.analysis.bootstraps import CELL, Points, Statistic, intervals, labelled, points, probability, samples
from isobath.forms import Bounds

GRID = {1: 41, 2: 11}  # points per parameter by the number of parameters
STEP = 1e-5  # of numerical derivatives, in units of the bounds
SINGULAR = 1e-9  # smallest part of a normalised column that the columns before it do not explain
EDGE = 1e-6  # as near to a bound, in units of the bounds, a parameter is at it


@dataclass(frozen=True)
class Law:
    """A form with its settings, fixed or free. Raises ValueError where the form refuses them."""

    form: str
    settings: Mapping[str, Any]
    free: bool

    def __post_init__(self) -> None:
        getattr(self._module, "check", dict)(**self.settings)

    @property
    def _module(self) -> Any:
        return importlib.import_module(f"isobath.forms.{self.form}")

    @property
    def coefficients(self) -> list[str]:
        """Names of the linear coefficients."""
        return list(self._module.coefficients(**self.settings))

    @property
    def names(self) -> list[str]:
        """Names of the coefficients, then of the nonlinear parameters."""
        return [*self.coefficients, *self.parameters(np.array([[1.0, 2.0]]))]

    def parameters(self, x: np.ndarray) -> dict[str, Bounds]:
        """Names and bounds of the nonlinear parameters for data at x (..., n)."""
        return dict(self._module.parameters(x, free=self.free, **self.settings))

    def basis(self, x: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """Columns (..., n, k) for x (..., n), theta (..., q)."""
        with np.errstate(all="ignore"):  # what is not finite is a reason
            return np.asarray(self._module.basis(x, theta, free=self.free, **self.settings), dtype=float)


class Linear(NamedTuple):
    """Coefficients (b, k), weighted residual (b, n), chi2 (b,), inf where a column is not finite; singular (b,)."""

    coefficients: np.ndarray
    residual: np.ndarray
    chi2: np.ndarray
    singular: np.ndarray


@dataclass(frozen=True)
class Data:
    """Data sets of one law: x, y and weights 1 / error, each (b, n); the weight is 0 where there is no point."""

    law: Law
    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray

    def __getitem__(self, rows: Any) -> "Data":
        return Data(self.law, self.x[rows], self.y[rows], self.weight[rows])

    @cached_property
    def bounds(self) -> list[Bounds]:
        return list(self.law.parameters(self.x).values())

    def theta(self, place: np.ndarray) -> np.ndarray:
        """Parameters (b, q) at places (b, q) within their bounds."""
        return np.stack([b.at(place[:, i]) for i, b in enumerate(self.bounds)], -1) if place.shape[1] else place

    def solve(self, place: np.ndarray) -> Linear:
        """The linear least squares of every data set, by QR of columns of unit length."""
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
        """The best place (b, q) on a grid."""
        b, q = len(self.x), len(self.bounds)
        best, lowest = np.full((b, q), 0.5), np.full(b, np.inf)
        for point in itertools.product(np.linspace(0, 1, GRID.get(q, 5)), repeat=q) if q else ():
            place = np.broadcast_to(np.array(point), (b, q))
            found = self.solve(place).chi2
            best = np.where((found < lowest)[:, None], place, best)
            lowest = np.minimum(found, lowest)
        return best

    def slopes(self, place: np.ndarray) -> np.ndarray:
        """Derivative of the weighted residual with respect to the place, (b, n, q), by central differences."""
        columns = []
        for i in range(place.shape[1]):
            shift = STEP * (np.arange(place.shape[1]) == i)
            above, below = np.minimum(place + shift, 1), np.maximum(place - shift, 0)
            columns.append((self.solve(above).residual - self.solve(below).residual) / (above - below)[:, i : i + 1])
        return np.stack(columns, -1)

    def refine(self, place: np.ndarray, *, rounds: int = 60) -> np.ndarray:
        """Levenberg-Marquardt from ``place`` (b, q), within the bounds, until it moves by less than 1e-10."""
        place, damping = place.copy(), np.full(len(place), 1e-3)
        live = np.arange(len(place) if place.shape[1] else 0)
        for _ in range(rounds):
            if not len(live):
                break
            data, here = self[live], place[live]
            now = data.solve(here)
            there = np.clip(here + _step(data.slopes(here), now.residual, here, damping[live]), 0, 1)
            better = data.solve(there).chi2 < now.chi2
            place[live] = np.where(better[:, None], there, here)
            damping[live] *= np.where(better, 0.2, 8.0)
            live = live[(np.abs(there - here).max(1) > 1e-10) & (damping[live] < 1e12)]
        return place


def _step(slopes: np.ndarray, residual: np.ndarray, place: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """The damped Gauss-Newton step (b, q); a parameter that its bound holds back is left out."""
    gradient = np.einsum("bnq,bn->bq", slopes, residual)
    held = ((place <= 0) & (gradient > 0)) | ((place >= 1) & (gradient < 0))
    slopes = np.where(held[:, None], 0.0, slopes)
    curvature = np.einsum("bnp,bnq->bpq", slopes, slopes)
    eye = np.eye(place.shape[1])
    diagonal = np.einsum("bqq->bq", curvature)
    floor = np.where(diagonal > 0, diagonal, 1.0) * (1 + damping[:, None]) - diagonal
    return -np.linalg.solve(curvature + floor[..., None] * eye, np.where(held, 0.0, gradient)[..., None])[..., 0]


def solve(data: Data) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Coefficients and parameters (b, m), chi2 (b,), and why a fit is not justified, "" where it is."""
    place = data.refine(data.search())
    found = data.solve(place)
    values = np.concatenate([found.coefficients, data.theta(place)], 1)
    edge = (place < EDGE) | (place > 1 - EDGE)
    lost = ~np.isfinite(found.chi2) | ~np.isfinite(values).all(1)
    names = data.law.names[found.coefficients.shape[1] :]
    reasons = [
        "a column of the basis is not finite" if lost[i]
        else "the columns of the basis are not independent" if found.singular[i]
        else f"{names[int(edge[i].argmax())]} is at a bound" if edge[i].any() else ""
        for i in range(len(place))
    ]  # fmt: skip
    return values, found.chi2, reasons


@dataclass(frozen=True)
class Fit:
    """A fitted law. Where ``reason`` says why it is not justified, all numbers are NaN."""

    parameters: dict[str, float]
    chi2: float = np.nan
    dof: float = np.nan
    p_value: float = np.nan
    r2: float = np.nan
    reason: str = ""


def fit_points(
    x: np.ndarray,
    y: np.ndarray,
    error: np.ndarray,
    form: str,
    settings: Mapping[str, Any],
    *,
    free: bool,
    minimum_points: int = 0,
    freedom: float = np.inf,
) -> Fit:
    """Fit one law to points x, y with standard errors, each (p,); ``freedom``: degrees of freedom behind an error.

    As many points are needed as parameters + 2. Errors that are all 0 are unknown: every point
    counts the same, and there is no chi2. Raises ValueError for settings that the form refuses.
    """
    law = Law(form, settings, free)
    reason = _refusal(x, y, error, max(len(law.names) + 2, minimum_points))
    if reason:
        return Fit(dict.fromkeys(law.names, np.nan), reason=reason)
    weight = 1 / np.where(error > 0, error, 1.0)
    values, (chi2,), (reason,) = solve(Data(law, x[None], y[None], weight[None]))
    if reason:
        return Fit(dict.fromkeys(law.names, np.nan), reason=reason)
    total = float(((weight * (y - np.average(y, weights=weight**2))) ** 2).sum())
    dof, known = len(x) - len(law.names), bool(error.any())
    return Fit(
        dict(zip(law.names, values[0].tolist(), strict=True)),
        chi2=float(chi2) if known else np.nan,
        dof=dof,
        p_value=probability(float(chi2), dof, freedom) if known else np.nan,
        r2=1 - float(chi2) / total if total > 0 else np.nan,
    )


def _refusal(x: np.ndarray, y: np.ndarray, error: np.ndarray, needed: int) -> str:
    if len(np.unique(x)) < needed:
        return f"{len(np.unique(x))} points; {needed} are needed"
    if not np.isfinite([x, y, error]).all():
        return "a value or its error is not finite"
    if error.any() and not (error > 0).all():
        return f"the error at x = {x[error <= 0][0]:g} is {error[error <= 0][0]:g}; it must be positive"
    return ""


def fit(
    dataset: xr.Dataset,
    *,
    variable: str,
    axis: str,
    along: str,
    form: str,
    settings: Mapping[str, Any],
    generator: np.random.Generator,
    statistic: Statistic = "mean",
    minimum: float | None = None,
    maximum: float | None = None,
    bootstraps: int = 400,
) -> xr.Dataset:
    """Fit a law y(x), ``variable`` against ``axis`` over the values of the dim ``along``, for all other dims apart.

    Over networks (dims seed, draw) y is reduced by ``statistic``, x by the mean; a network that is
    not to count, unfitted or diverged, must be NaN. Points with ``minimum`` <= x <= ``maximum`` are
    fitted if at least 2 networks of one draw exist. Returns value, low, high (fit, parameter): 95 % intervals over
    networks (see bootstraps.interval); failed, chi2, dof, p_value, r2, reason (fit); n_points, left_out,
    x_min, x_max; x, y, error, networks, fitted (along); no p_value where points share networks, or from
    fewer than 6. Raises ValueError for names and settings that do not fit.
    """
    laws = [Law(form, settings, free) for free in (False, True)]
    names = list(dict.fromkeys(name for law in laws for name in law.names))
    taken = samples(dataset, variable=variable, axis=axis, along=along, count=bootstraps, generator=generator)
    shape = tuple(taken.y.sizes[dim] for dim in taken.rest)
    low, high = (-np.inf if minimum is None else minimum), (np.inf if maximum is None else maximum)
    found = []
    for i in np.ndindex(shape):
        at = points(taken.x.values[i], taken.y.values[i], taken.picks.values[i], statistic)
        chosen = (at.freedom >= 1) & (low <= at.x) & (at.x <= high)
        fits = [_bootstrapped(law, at, chosen, names, apart=along in CELL) for law in laws]
        found.append(at.described(chosen) | {key: [one[key] for one in fits] for key in fits[0]})
    return labelled(found, taken, along, fit=["fixed", "free"], parameter=names)


def _bootstrapped(law: Law, at: Points, chosen: np.ndarray, names: list[str], *, apart: bool) -> dict[str, Any]:
    """A fit and its intervals, parameters in the order of ``names``; ``apart``: points do not share networks."""
    x, y, error = at.x[chosen], at.y[chosen], at.error[chosen]
    freedom = float(at.freedom[chosen].min()) if len(x) else np.nan
    one = fit_points(x, y, error, law.form, law.settings, free=law.free, freedom=freedom)
    value = np.array(list(one.parameters.values()))
    found: dict[str, Any] = {"low": value, "high": value, "failed": 0, "reason": one.reason}
    if not one.reason:
        found = intervals(value, lambda *replicates: solve(Data(law, *replicates))[::2], at, chosen)
    order = [law.names.index(name) if name in law.names else -1 for name in names]
    columns = {"value": value, "low": found["low"], "high": found["high"]}
    ordered = {key: np.append(column, np.nan)[order] for key, column in columns.items()}
    p_value = one.p_value if apart else np.nan
    return found | ordered | {"chi2": one.chi2, "dof": one.dof, "p_value": p_value, "r2": one.r2}
