"""Formulas of the texts of the width study's claims about networks and ensembles of them, in plain NumPy.

Nothing here calls the code that reads cubes for claims.
"""

import itertools
import json
from typing import NamedTuple

import numpy as np
from scipy import stats

from isobath.claims.width import thresholds

AXES = ("task", "protocol", "depth", "n_train", "draw")
Z = stats.norm.ppf(0.975)


class Expected(NamedTuple):
    """A part of a claim: its number with the ends of the interval, the region it has to lie in, the units behind it."""

    estimate: float
    low: float
    high: float
    count: int
    networks: tuple[int, int] = (0, 0)
    above: float | None = None
    below: float | None = None
    check: bool = False
    published: tuple[float, str] | None = None


def student(value, *, spread, sample=0.0, count, networks=(0, 0), **bounds):
    """Return a number with Student's interval over units, of which a test sample has no part.

    Of two to five units each error has its own quantile; of more, the two are one error, with the freedoms of Welch.
    """
    if sample and count <= 5:
        half = np.hypot(stats.t.ppf(0.975, count - 1) * spread, Z * sample)
    else:
        error = np.hypot(spread, sample)
        half = stats.t.ppf(0.975, (count - 1) * (error / spread) ** 4) * error
    return Expected(value, value - half, value + half, count, networks, **bounds)


def se(values):
    """Return the standard error of a mean of independent values, NaN left out."""
    known = np.asarray(values, dtype=float)[~np.isnan(np.asarray(values, dtype=float))]
    return np.std(known, ddof=1) / np.sqrt(len(known))


def binomial(rate, n):
    return np.sqrt(rate * (1 - rate) / n)


def halves(count):
    return slice(0, count // 2), slice(count // 2, None)


class Networks:
    """The networks of a grid at the first value of its axes, by width, those that diverged left out."""

    def __init__(self, tree, grid, axes=AXES):
        self.groups = {
            path: node.to_dataset().isel(dict.fromkeys(axes, 0), missing_dims="ignore")
            for path, node in tree[grid].children.items()
            if node.has_data
        }
        spec = json.loads(tree[grid].attrs["spec"])["tasks"]["digits"]
        self.n_test, self.shares_test_set = spec["n_test"], spec["kind"] == "k_local"
        networks, self.read = self.groups["networks"], {}
        self.n = {int(w): float(networks.n_weights.sel(width=w).mean()) for w in networks.width.values}
        self.n = {width: n for width, n in self.n.items() if n == n}  # NaN is not itself
        if "jamming" in self.groups:
            self.star, self.low, self.high = (float(self.groups["jamming"][k]) for k in ("threshold", "low", "high"))

    def at(self, factor):
        """Return the width whose N is nearest to a multiple of N* on a logarithmic scale."""
        return min(self.n, key=lambda width: abs(np.log(self.n[width]) - np.log(factor * self.star)))

    def first_from(self, n):
        return min(width for width in self.n if self.n[width] >= n)

    def near_threshold(self):
        return [width for width, n in self.n.items() if self.star / 2 <= n <= 2 * self.star]

    def smallest(self):
        return min(self.n)

    def largest(self):
        return max(self.n)

    def finite(self, width):
        row = self.groups["networks"].sel(width=width)
        return row.isel(seed=np.isin(row.status.values, ["fitted", "unfitted"]))

    def column(self, name, width):
        """Return a number of the networks of a width that did not diverge."""
        return self.finite(width)[name].values

    def of_ensembles(self, name, width):
        """Return a number of the group of ensembles, one for each network of a width."""
        return self.groups["ensembles"][name].sel(width=width).values

    def counts(self, *widths):
        """Return how many networks of some widths did not diverge, and how many there are."""
        status = [self.groups["networks"].status.sel(width=width).values for width in widths]
        return sum(int((row != "diverged").sum()) for row in status), sum(row.size for row in status)

    def outputs(self, width):
        """Return outputs (seed, sample, class) at the samples with a label, and the labels."""
        if width not in self.read:
            labels = self.groups["networks"].test_labels.values
            known = np.array([label == label for label in labels])  # NaN is not itself
            self.read[width] = self.finite(width).outputs.values[:, known], labels[known].astype(int)
        return self.read[width]

    def missed(self, width):
        """Return which samples each network puts in another class (seed, sample)."""
        return wrong(*self.outputs(width))

    def together(self, width, members=slice(None)):
        """Return which samples (sample,) the mean output of some networks of a width, of all, puts in another class."""
        f, labels = self.outputs(width)
        return wrong(f[members].mean(0), labels)

    def pseudo(self, width, size=None):
        """Return pseudo-values (seed,) of the error of ensembles of a size, which is two thirds of networks at most."""
        known = len(self.missed(width))
        size = min(size or known, 2 * known // 3)
        return self.groups["ensembles"].ensemble_error_pseudo.sel(width=width, size=size).values


def wrong(f, labels):
    """Tell which outputs (..., class) are of another class than their label: a single one has its sign."""
    return ((f[..., 0] > 0).astype(int) if f.shape[-1] == 1 else np.argmax(f, -1)) != labels


def peak(networks):
    """Return the width near N* of the largest error, by the first half of networks and of samples."""

    def error(width):
        missed = networks.missed(width)
        seeds, samples = (halves(count)[0] for count in missed.shape)
        return missed[seeds, samples].mean()

    return max(networks.near_threshold(), key=error)


def peak_height(networks, other):
    """Return the error at the peak minus that of another width, by the half of networks and samples that is left."""
    top = peak(networks)
    a, b = networks.missed(top), networks.missed(other)
    a, b = a[halves(len(a))[1], halves(a.shape[1])[1]], b[:, halves(b.shape[1])[1]]
    return difference(a, b, networks.counts(top, other))


def difference(a, b, networks):
    """Return the difference of the mean errors of two widths, of samples missed (seed, sample)."""
    return student(
        a.mean() - b.mean(),
        spread=np.hypot(se(a.mean(1)), se(b.mean(1))),
        sample=se(a.mean(0) - b.mean(0)),
        count=min(len(a), len(b)),
        networks=networks,
        above=0,
    )


def of_ensembles(networks, widths, *, single=0.0, many=1.0, signs=(1, -1)):
    """Return the sum over widths, with signs, of ``single`` times networks' error and ``many`` times their ensemble's.

    Errors are combined sample by sample, and network by network.
    """
    samples, spreads, counts = 0.0, [], []
    for width, sign in zip(widths, signs, strict=False):
        samples = samples + sign * (single * networks.missed(width).mean(0) + many * networks.together(width))
        pseudo = single * networks.pseudo(width, 1) + many * networks.pseudo(width)
        spreads.append(se(pseudo))
        counts.append((~np.isnan(pseudo)).sum())
    number = {"spread": np.linalg.norm(spreads), "sample": se(samples), "count": min(counts)}
    return student(samples.mean(), **number, networks=networks.counts(*widths), above=0)


def gain(networks, *widths):
    """Return what averaging gains at a width, minus what it gains at another."""
    return of_ensembles(networks, widths, single=1.0, many=-1.0)


def best_single(networks):
    """Return the error of the best single networks minus that of the ensemble at 3 N*, on the second half of samples.

    The first half of networks and samples chose them, and the second half of their networks is tested.
    """

    def chosen_by(width):
        missed = networks.missed(width)
        return missed[: len(missed) // 2, : missed.shape[1] // 2].mean()

    home, best = networks.at(thresholds.JUST_BEYOND), min(networks.n, key=chosen_by)
    missed, together = networks.missed(best), networks.together(home)
    second = halves(len(together))[1]
    single = missed[halves(len(missed))[1], second]
    gap = single.mean(0) - together[second]
    spread, counts = np.hypot(se(single.mean(1)), se(networks.pseudo(home))), networks.counts(best, home)
    return student(gap.mean(), spread=spread, sample=se(gap), count=len(single), networks=counts, above=0)


def share_that_misses(networks, width, size):
    """Return the share (sample,) of all ensembles of ``size`` networks of a width that misses each sample."""
    members = itertools.combinations(range(len(networks.missed(width))), size)
    return np.mean([networks.together(width, list(chosen)) for chosen in members], axis=0)


def best_rival(networks):
    """Return the best that the compute of the ensemble at 3 N* buys at other N, minus its error; and the rival's size.

    Compute is N times epochs. A rival's N differs by more than a factor 2, and it has no more networks than there are.
    """
    home = networks.at(thresholds.JUST_BEYOND)
    cost = {w: np.mean(networks.column("n_weights", w) * networks.column("epochs", w)) for w in networks.n}
    budget = len(networks.missed(home)) * cost[home]
    far = [w for w, n in networks.n.items() if not 0.5 <= n / networks.n[home] <= 2]
    sizes = {w: min(len(networks.missed(w)), int(budget / cost[w])) for w in far if cost[w] <= budget}
    shares = {w: share_that_misses(networks, w, size) for w, size in sizes.items()}
    first, second = halves(len(networks.together(home)))
    best = min(shares, key=lambda width: shares[width][first].mean())
    gap = shares[best][second] - networks.together(home)[second]
    pseudo = [networks.pseudo(home), networks.pseudo(best, sizes[best])]
    number = {"spread": np.hypot(*map(se, pseudo)), "count": min((~np.isnan(p)).sum() for p in pseudo)}
    found = student(gap.mean(), sample=se(gap), networks=networks.counts(home, best), above=0, **number)
    return found, (best, sizes[best])
