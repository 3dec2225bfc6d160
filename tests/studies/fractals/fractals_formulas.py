"""Numbers of the claims of the fractals study, written out in plain numpy from their statements.

What networks err by each rule, sums over cells with both standard errors and their intervals, and the mathematics of
curves and fractals.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from fractals_distinct import N_TEST, PLANS
from scipy.stats import binomtest, norm
from scipy.stats import t as student

PAPERS, CLEAN = "best on the test set", "chosen on one half"
MAPS = {"cantor": (4, 2), "sierpinsky": (3, 2), "vicsek": (5, 2), "pentaflake": (5, 2), "cantor_1d": (2, 1)}  # r, d


class Place(NamedTuple):
    """A cell; the best over depth, width and rate where they are None."""

    task: str
    depth: int | None = None
    width: int | None = None
    rate: float | None = None


class Number(NamedTuple):
    """A number with the ends of its interval and its independent units."""

    value: float
    low: float
    high: float
    count: int


class Part(NamedTuple):
    """A criterion as it is expected."""

    label: str
    number: Number
    above: float | None = None
    below: float | None = None
    check: bool = False
    published: dict[str, Any] | None = None


def of_networks(tree, grid, place, rule):
    """Return the errors of networks (seed,) by data set, by a rule that chooses over what the place leaves open."""
    cell = tree[f"{grid}/networks"].to_dataset().isel(protocol=0, n_train=0)
    names = {"task": "task", "depth": "depth", "width": "width", "learning_rate": "rate"}
    at = {axis: getattr(place, name) for axis, name in names.items()}
    cell = cell.sel({axis: value for axis, value in at.items() if value is not None})
    order = ("draw", "seed", ...)
    test, *halves = (
        cell[f"recorded_{name}_error"].transpose(*order).values.reshape(cell.sizes["draw"], cell.sizes["seed"], -1)
        for name in ("test", "first_half", "second_half")
    )
    if rule == PAPERS:
        found = np.fmin.reduce(test, axis=-1)
    else:
        first, second = (np.where(np.isnan(half), np.inf, half).argmin(-1)[..., None] for half in halves)
        judged = np.take_along_axis(halves[1], first, -1) + np.take_along_axis(halves[0], second, -1)
        found = judged[..., 0] / 2
    return {
        int(draw): row[np.isfinite(row)] for draw, row in zip(cell.draw, found, strict=True) if np.isfinite(row).any()
    }


def interval(value, *, spread, sample, count):
    """Return both ends, Student's by Welch and Satterthwaite; in quadrature for two to five units and a test sample."""
    if 1 < count <= 5 and spread > 0 and sample > 0:
        half = math.hypot(student.ppf(0.975, count - 1) * spread, norm.ppf(0.975) * sample)
    else:
        error = math.hypot(spread, sample)
        half = student.ppf(0.975, (count - 1) * (error / spread) ** 4) * error
    return Number(value, value - half, value + half, count)


def total(tree, grid, terms, rule, constant=0.0):
    """Return the sum of factor times error over (place, factor), and a constant: data sets are pairs, where several."""
    factors = {}
    for place, factor in terms:
        factors[place] = factors.get(place, 0.0) + factor
    tables = {place: of_networks(tree, grid, place, rule) for place in factors}
    shared = sorted(set.intersection(*map(set, tables.values())))
    sums = [constant + sum(f * tables[place][draw].mean() for place, f in factors.items()) for draw in shared]
    if len(shared) > 1:
        spread, count = np.std(sums, ddof=1) / math.sqrt(len(sums)), len(sums)
    else:
        alone = {place: table[shared[0]] for place, table in tables.items()}
        spread = math.hypot(*(f * alone[p].std(ddof=1) / math.sqrt(len(alone[p])) for p, f in factors.items()))
        count = min(map(len, alone.values()))
    errors = {place: np.mean([row.mean() for row in table.values()]) for place, table in tables.items()}
    sizes = {place: PLANS[grid].tasks[place.task].get("n_test", N_TEST) for place in factors}
    sample = math.hypot(*(f * math.sqrt(errors[p] * (1 - errors[p]) / sizes[p]) for p, f in factors.items()))
    return interval(float(np.mean(sums)), spread=spread, sample=sample, count=count)


def gap(first, second):
    """Return the terms of the error of one cell minus that of another."""
    return [(first, 1.0), (second, -1.0)]


def scaled(terms, factor):
    return [(place, factor * each) for place, each in terms]


def share(hits, n, shift=0.0):
    """Return a share of n with the exact interval of Clopper and Pearson, all minus ``shift``."""
    ends = binomtest(int(hits), int(n)).proportion_ci(0.95, method="exact")
    return Number(hits / n - shift, ends.low - shift, ends.high - shift, n)


def exactly(value):
    """Return a number without an error."""
    return Number(value, value, value, 0)


def mean(values):
    """Return the mean of independent numbers with Student's interval."""
    n = values.size
    return interval(float(values.mean()), spread=values.std(ddof=1) / math.sqrt(n), sample=0.0, count=n)


def known_by_level(task):
    """Return P(0) .. P(n), the accuracy of a classifier that knows j levels: 3/2 - 2^(-V_j / V_n)."""
    n, curve = task["levels"], task["curve"]
    j = np.arange(1, n + 1)
    last = {2: 3, 3: 2, 6: 1}
    v = {1: j**0.0, 4: j**5.0, 5: j**9.0, "given": np.array(task.get("level_weights", 0))}.get(curve)
    v = (j > n - last[curve]).astype(float) if v is None else v
    return np.array([1.5 - 0.5 ** (v[:i].sum() / v.sum()) for i in range(n + 1)])


def fineness(task):
    """Return 1 - P(j), mean over levels."""
    return float(np.mean(1 - known_by_level(task)[1:]))


def least_error_by_trying(task, changes):
    """Return the least error of any function with at most ``changes`` sign changes on a Cantor set, by trying all."""
    curve, n = known_by_level(task), task["levels"]
    gaps = [curve[j] - curve[j - 1] for j in range(1, n + 1)]
    pieces = [(0.5**n / 2, 1)]  # the share and the class of each interval and gap, from left to right
    for j in range(n, 0, -1):
        pieces = [*pieces, (gaps[j - 1] * 0.5 ** (j - 1), 0), *pieces]
    shares, labels = np.array(pieces).T
    tried = np.array(np.meshgrid(*[[0, 1]] * len(shares), indexing="ij")).reshape(len(shares), -1).T
    few = (np.diff(tried, axis=1) != 0).sum(1) <= changes
    return float(((tried[few] != labels) * shares).sum(1).min())
