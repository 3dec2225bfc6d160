"""The step of an overparametrised l_p regression, w = w_1 w_2 with a scalar w_2 (Arora, Cohen & Hazan).

A step of gradient descent on w_1 and w_2 is an adaptive rate and a multiple of w:

    w <- w - rho grad_w - gamma w + O(eta^2),   rho = eta w_2^2,   gamma = eta (dL / dw_2) / w_2

and so, started near zero, w = -sum_tau rho_tau prod_{s > tau} (1 - gamma_s) grad_tau: gamma w is a weighted sum of past
gradients, as of a momentum.

- ``powers``: powers p of the loss, which are even
- ``start``: square of |w_1| and of |w_2| at the start
"""

import itertools
from typing import Any

import numpy as np
import xarray as xr

from isobath.settings import Count, Positive, Values


def calculate(
    *,
    generator: np.random.Generator,
    powers: Values[Count],
    rates: Values[Positive],
    draws: Count,
    steps: Count,
    rate: Positive,
    start: Positive = 1e-3,
    samples: Count = 60,
    dimension: Count = 6,
) -> xr.Dataset:
    """Return ``remainder`` |w' - (w - rho grad - gamma w)| / |w| of one step, for each power, rate eta and draw.

    After ``steps`` steps at ``rate`` from |w_1| = |w_2| = sqrt(``start``), ``weighted_sum_deviation`` is the deviation
    of w from the weighted sum of past gradients, and ``falls`` the loss at the end over that at the start. Raises
    ValueError for odd powers.
    """
    check(powers=powers, samples=samples)
    data = [_problem(generator, samples, dimension) for _ in range(draws)]
    starts = [(generator.standard_normal(dimension) / 3, generator.uniform(0.5, 1.5)) for _ in range(draws)]
    remainder = [
        _remainder(problem, s, p, eta)
        for p, eta, (problem, s) in itertools.product(powers, rates, zip(data, starts, strict=True))
    ]
    cases = itertools.product(powers, zip(data, starts, strict=True))
    runs = [_run(problem, s[0], p, rate, steps, start) for p, (problem, s) in cases]
    table, unitless = np.reshape(runs, (len(powers), draws, 2)), {"units": "1"}
    size = (len(powers), len(rates), draws)
    variables = {
        "remainder": (["power", "rate", "draw"], np.reshape(remainder, size), "remainder of one step, over |w|"),
        "weighted_sum_deviation": (["power", "draw"], table[..., 0], "|w + weighted sum of gradients| / |w|"),
        "falls": (["power", "draw"], table[..., 1], "training loss at the end over that at the start"),
    }
    columns = {
        n: (dims, values, {"long_name": long_name, **unitless}) for n, (dims, values, long_name) in variables.items()
    }
    coords = {"power": list(powers), "rate": list(rates), "draw": range(draws)}
    return xr.Dataset(columns, coords={**coords, "steps": steps, "run_rate": rate, "start": start})


def check(*, powers: tuple[int, ...], samples: int, **_: Any) -> None:
    """Refuse odd powers, whose losses have other gradients than (f - y)^(p - 1), and one sample (ValueError)."""
    if samples < 2:
        raise ValueError(f"samples is {samples}; it must be 2 or more, whose targets are scaled by their deviation")
    if odd := [p for p in powers if p % 2]:
        raise ValueError(f"powers has {odd[0]}; powers of the loss must be even")


Problem = tuple[np.ndarray, np.ndarray]


def _problem(generator: np.random.Generator, samples: int, dimension: int) -> Problem:
    x = generator.standard_normal((samples, dimension))
    y = x @ generator.standard_normal(dimension) + 0.1 * generator.standard_normal(samples)
    return x, y / y.std()


def _loss(problem: Problem, w: np.ndarray, p: int) -> float:
    return float((np.abs(problem[0] @ w - problem[1]) ** p).mean() / p)


def _gradient(problem: Problem, w: np.ndarray, p: int) -> np.ndarray:
    x, y = problem
    return np.asarray(x.T @ (x @ w - y) ** (p - 1) / len(y))


def _remainder(problem: Problem, start: tuple[np.ndarray, float], p: int, rate: float) -> float:
    w1, w2 = start
    w, (u1, u2, rho, gamma, g) = w1 * w2, _step(problem, w1, w2, p, rate)
    return float(np.linalg.norm(u1 * u2 - (w - rho * g - gamma * w)) / np.linalg.norm(w))


def _step(
    problem: Problem, w1: np.ndarray, w2: float, p: int, rate: float
) -> tuple[np.ndarray, float, float, float, np.ndarray]:
    """Return w_1 and w_2 after a step of gradient descent, rho, gamma and the gradient of w."""
    g = _gradient(problem, w1 * w2, p)
    scalar_gradient = float(g @ w1)
    return w1 - rate * w2 * g, w2 - rate * scalar_gradient, rate * w2**2, rate * scalar_gradient / w2, g


def _run(problem: Problem, direction: np.ndarray, p: int, rate: float, steps: int, start: float) -> tuple[float, float]:
    """Return the deviation of w from the weighted sum of past gradients after ``steps``, and the loss over the first.

    The sum is carried along: sum <- (1 - gamma) sum - rho grad.
    """
    w1, w2 = direction / np.linalg.norm(direction) * np.sqrt(start), np.sqrt(start)
    first_loss, total = _loss(problem, w1 * w2, p), np.zeros_like(w1)
    for _ in range(steps):
        w1, w2, rho, gamma, g = _step(problem, w1, w2, p, rate)
        total = (1 - gamma) * total - rho * g
    w = w1 * w2
    return float(np.linalg.norm(w - total) / np.linalg.norm(w)), _loss(problem, w, p) / first_loss
