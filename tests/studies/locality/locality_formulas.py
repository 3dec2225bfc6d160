"""Numbers that the claims of the locality study measure, written out in NumPy on planted cubes, with their intervals.

A number is known on each data set. Beside the spread over these, its error has parts of test samples, one for each cell
that it is made of; those of a mean over cells, which share their test set, are as large as the largest of them.
"""

from dataclasses import dataclass
from typing import NamedTuple

import locality_distinct
import numpy as np
from locality_distinct import N_TEST, TASKS, n_parameters
from scipy.stats import binomtest, norm, t

TREE = locality_distinct.made()


class Part(NamedTuple):
    """A criterion: its number and the ends of its interval, None where they are not known, and its bounds."""

    value: float | None
    low: float | None
    high: float | None
    count: int
    above: float | None = None
    below: float | None = None
    check: bool = False


@dataclass(frozen=True)
class Number:
    """A number by data set (D,), and the binomial errors behind it by cell, with the factors of their cells."""

    draws: np.ndarray
    tests: dict

    @property
    def value(self):
        return float(self.draws.mean())

    @property
    def sample(self):
        return float(np.sqrt(sum(error**2 for error in self.tests.values())))

    def __add__(self, other):
        keys = {**self.tests, **other.tests}
        return Number(self.draws + other.draws, {k: self.tests.get(k, 0) + other.tests.get(k, 0) for k in keys})

    def __mul__(self, factor):
        return Number(self.draws * factor, {key: error * factor for key, error in self.tests.items()})

    def __sub__(self, other):
        return self + other * -1

    def __truediv__(self, other):
        """Return the ratio, linear in the deviations of both from their means."""
        ratio = self.value / other.value
        linear = (self - other * ratio) * (1 / other.value)
        return Number(ratio + linear.draws, linear.tests)

    def part(self, **bounds):
        """Return the criterion that the number lies within bounds, with the 95 % interval."""
        half = reach(self.draws.std(ddof=1) / len(self.draws) ** 0.5, self.sample, len(self.draws))
        return Part(self.value, self.value - half, self.value + half, len(self.draws), **bounds)


def reach(spread, sample, units):
    """Return half of an interval: Student's of Welch and Satterthwaite; of five units or fewer, both errors apart."""
    if units <= 5:
        return np.hypot(t.ppf(0.975, units - 1) * spread, norm.ppf(0.975) * sample)
    error = np.hypot(spread, sample)
    return t.ppf(0.975, (units - 1) * (error / spread) ** 4) * error


def average(numbers):
    """Return the mean over cells, of which the test errors have parts in proportion."""
    first, *rest = numbers = list(numbers)
    mean = sum(rest, first) * (1 / len(numbers))
    share = max(number.sample for number in numbers) / mean.sample
    return Number(mean.draws, {key: error * share for key, error in mean.tests.items()})


def slope(x, numbers):
    """Return the slope against x, as covariance over variance."""
    deviation = np.array(x) - np.mean(x)
    first, *rest = (number * (d / (deviation @ deviation)) for d, number in zip(deviation, numbers, strict=True))
    return sum(rest, first)


def fraction(hits, n, **bounds):
    """Return the criterion on a fraction, with the interval of Clopper and Pearson."""
    low, high = binomtest(hits, n).proportion_ci(0.95, "exact")
    return Part(hits / n, low, high, n, **bounds)


def spread_of(groups):
    """Return the standard deviation of networks within data sets, half of its interval, and their number.

    The error of its logarithm is that of normal numbers of as many degrees of freedom, which planted networks do not
    exceed.
    """
    freedom = sum(len(group) - 1 for group in groups)
    sd = np.sqrt(sum(((group - group.mean()) ** 2).sum() for group in groups) / freedom)
    return sd, sd * np.sinh(t.ppf(0.975, freedom) / np.sqrt(2 * freedom)), sum(map(len, groups))


def change_of_spread(pairs, **bounds):
    """Return the criterion on a difference of two standard deviations, the mean over pairs of cells."""
    found = [[spread_of(groups) for groups in pair] for pair in pairs]
    value = np.mean([first[0] - second[0] for first, second in found])
    cells = [cell for pair in found for cell in pair]
    fewest = min(n for _, _, n in cells)
    errors = [half / t.ppf(0.975, n - 1) for _, half, n in cells]
    half = t.ppf(0.975, fewest - 1) * np.sqrt(np.square(errors).sum()) / len(found)
    return Part(value, value - half, value + half, fewest, **bounds)


class Grid:
    """The networks of one protocol, and the kernels, of a grid of the planted cubes."""

    def __init__(self, name, protocol="sgd", *, of_any_size=False):
        self.name, self.protocol, self.of_any_size = name, protocol, of_any_size
        groups = TREE[name].children
        self.networks = groups["networks"].to_dataset().sel(protocol=protocol) if "networks" in groups else None
        self.kernels = groups["kernels"].to_dataset() if "kernels" in groups else None
        self.arrays = {}

    def tasks(self, k, kind):
        """List the tasks of a label, in the order of the grid."""
        tasks = (self.kernels if self.networks is None else self.networks).task.values
        return [str(name) for name in tasks if str(name).startswith(f"{k}-{kind}")]

    def at(self, group, variable, place):
        """Return the values of a group at a place."""
        if (group, variable) not in self.arrays:
            array = getattr(self, group)[variable]
            places = {dim: {value: i for i, value in enumerate(array[dim].values.tolist())} for dim in array.dims}
            self.arrays[group, variable] = array.values, places
        values, places = self.arrays[group, variable]
        return values[tuple(places[dim][place[dim]] if dim in place else slice(None) for dim in places)]

    def measured(self, place, statuses=("fitted",)):
        """Return the errors (draw, seed) of the networks of a cell with one of the statuses, NaN for the others."""
        counted = np.isin(self.at("networks", "status", place).astype(str), statuses)
        return np.where(counted, self.at("networks", "test_error", place), np.nan)

    def error(self, task, depth, width, n, *, statuses=("fitted",), **rate):
        """Return the error of a cell: the mean over data sets of the means over their networks."""
        place = {"task": task, "depth": depth, "width": width, "n_train": n, **rate}
        return self.number(place, np.nanmean(self.measured(place, statuses), axis=1))

    def kernel(self, task, depth, n, kernel="ntk"):
        """Return the error of a kernel regression."""
        place = {"task": task, "kernel": kernel, "depth": depth, "n_train": n}
        return self.number(place, self.at("kernels", "test_error", place))

    def number(self, place, draws):
        error = np.sqrt(draws.mean() * (1 - draws.mean()) / N_TEST)
        return Number(draws, {(self.name, self.protocol, *sorted(place.items())): error})

    def cells(self, task, depth):
        """Return the (width, N) at which networks were trained, with more parameters than samples if they have a layer.

        Section 2.2 of the paper restricts itself to these.
        """
        dimension = TASKS[task]["dimension"]
        status = self.at("networks", "status", {"task": task, "depth": depth})
        trained = (status != "missing").any(tuple(range(2, status.ndim)))
        sizes = [(w, n) for w in self.networks.width.values.tolist() for n in self.networks.n_train.values.tolist()]
        there = [cell for cell, flag in zip(sizes, trained.ravel(), strict=True) if flag]
        return {(w, n) for w, n in there if self.of_any_size or depth == 0 or n_parameters(dimension, depth, w) > n}

    def largest_n(self, task, *depths):
        """Return the largest N at which networks of any of the depths (of all) were trained."""
        depths = depths or self.networks.depth.values.tolist()
        return max(n for depth in depths for _, n in self.cells(task, depth))

    def shared(self, task):
        """Return the largest N at which both depths were trained at one width, and these widths, increasing."""
        cells = self.cells(task, 1) & self.cells(task, 7)
        largest = max(n for _, n in cells)
        return largest, sorted(width for width, n in cells if n == largest)

    def extremes(self, task, depth):
        """Return the narrowest and the widest of several widths, by N, increasing."""
        cells = self.cells(task, depth)
        by_n = {n: sorted(w for w, m in cells if m == n) for n in sorted({n for _, n in cells})}
        return {n: (widths[0], widths[-1]) for n, widths in by_n.items() if len(widths) > 1}

    def gain(self, task, worse, better):
        """Return what the better of two depths gains at the largest N of both, mean over widths."""
        n, widths = self.shared(task)
        return average(self.error(task, worse, w, n) - self.error(task, better, w, n) for w in widths)
