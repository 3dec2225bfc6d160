"""Numbers that claims of the width study about errors, norms and margins should find in a cube, by their texts."""

import itertools

import numpy as np
from scipy import optimize, stats
from width_formulas import (
    AXES,
    Expected,
    Networks,
    Z,
    best_rival,
    best_single,
    binomial,
    difference,
    gain,
    of_ensembles,
    peak_height,
    se,
    student,
)

from isobath.claims.width import thresholds

SOURCE = "Jacot, Geiger et al., "
FLAT, JUST_BEYOND = thresholds.FLAT, thresholds.JUST_BEYOND


def mean(values, *, networks=(0, 0), **bounds):
    """Return a mean over networks of one data set."""
    known = values[~np.isnan(values)]
    return student(known.mean(), spread=se(known), count=len(known), networks=networks, **bounds)


def fraction(networks, width, **bounds):
    """Return the share of networks that fit, with the interval of Clopper and Pearson."""
    status = networks.groups["networks"].status.sel(width=width).values
    hits, n = int((status == "fitted").sum()), status.size
    ends = stats.binomtest(hits, n).proportion_ci(method="exact")
    return Expected(hits / n, ends.low, ends.high, n, **bounds, check=True)


def transition(networks):
    """Return the factor in N over which the share that fits rises from 10 % to 90 %, with the ends that it has."""
    ends = (float(networks.groups["jamming"][name]) for name in ("range", "range_low", "range_high"))
    return Expected(*ends, 0, below=thresholds.SHARP)


def by_data_set(networks, width):
    """Return the mean error (draw,) of the networks that did not diverge, and its error of a test set that all share.

    Data sets that are parts of one, as those of digits are, are tested on the rest of it, each on another.
    """
    row = networks.groups["networks"].sel(width=width)
    errors = np.where(row.status.values == "diverged", np.nan, row.test_error.values)
    means = np.nanmean(errors, axis=1)
    return means, binomial(means.mean(), networks.n_test) if networks.shares_test_set else 0.0


def peak_of_data_sets(networks, other):
    """Return the error at the peak minus that of another width; for each data set the others find the peak."""
    near, (reference, sample) = networks.near_threshold(), by_data_set(networks, other)
    errors = {width: by_data_set(networks, width) for width in near}
    tops = [max(near, key=lambda w: np.delete(errors[w][0], draw).sum()) for draw in range(len(reference))]
    assert len(set(tops)) > 1
    heights = np.array([errors[top][0][draw] for draw, top in enumerate(tops)]) - reference
    samples = np.hypot(max(errors[top][1] for top in tops), sample)
    counts = networks.counts(*{*near, other})
    return student(heights.mean(), spread=se(heights), sample=samples, count=6, networks=counts, above=0)


def cusp_at_jamming(tree):
    one, several = Networks(tree, "widths"), Networks(tree, "data_sets", AXES[:-1])
    return {
        "N* against the smallest N": peak_height(one, one.smallest()),
        "N* against the largest N": peak_height(one, one.largest()),
        "over data sets: N* against the smallest N": peak_of_data_sets(several, several.smallest()),
        "over data sets: N* against the largest N": peak_of_data_sets(several, several.largest()),
    }


def train_error_vanishes(tree):
    networks = Networks(tree, "widths")
    twice, vanished = networks.at(2), {"below": thresholds.ZERO_ERROR, "check": True}
    above = networks.first_from(max(networks.high, networks.star))
    return {
        "fraction that fits at the smallest N": fraction(networks, networks.smallest(), below=0.5),
        "fraction that fits at 2 N*": fraction(networks, twice, above=0.5),
        "range of the transition, a factor in N": transition(networks),
        "training error just above N*": mean(networks.column("train_error", above), **vanished),
        "training error at 2 N*": mean(networks.column("train_error", twice), **vanished),
    }


def error_decreases_beyond(tree):
    one, several = Networks(tree, "widths"), Networks(tree, "data_sets", AXES[:-1])
    (near, far), places = (one.at(2), one.largest()), (several.at(2), several.largest())
    (first, sample), (second, other) = (by_data_set(several, width) for width in places)
    fall = {"spread": se(first - second), "sample": np.hypot(sample, other), "count": 6, "above": 0}
    return {
        "2 N* against the largest N": difference(one.missed(near), one.missed(far), one.counts(near, far)),
        "over data sets: 2 N* against the largest N": student(
            (first - second).mean(), networks=several.counts(*places), **fall
        ),
    }


def ensemble_is_flat(tree):
    networks = Networks(tree, "widths")
    places = networks.at(2), networks.largest()
    return {
        "against its fall": of_ensembles(networks, places, single=FLAT, many=-1.0),
        "against its rise": of_ensembles(networks, places, single=FLAT, many=1.0),
    }


def scatter(networks, width):
    """Return the standard deviation of the error over its mean, whose logarithm has the error of normal numbers.

    The networks have one of two errors each, so that resamples scatter less than that. The variance that a finite test
    set adds, of networks that differ on single samples, is taken from the square of the lower end.
    """
    errors, n = networks.column("test_error", width), len(networks.column("test_error", width))
    value = np.std(errors, ddof=1) / errors.mean()
    half = stats.t.ppf(0.975, n - 1) / np.sqrt(2 * (n - 1))
    missed = networks.missed(width)
    noise = np.mean(missed.var(0, ddof=1)) / missed.shape[1] / errors.mean() ** 2
    low = np.sqrt(max((value * np.exp(-half)) ** 2 - noise, 0))
    return Expected(value, low, value * np.exp(half), n, below=thresholds.CLOSE)


def error_is_self_averaging(tree):
    networks = Networks(tree, "widths")
    places = {"3 N*": networks.at(JUST_BEYOND), "the largest N": networks.largest()}
    return {f"at {place}": scatter(networks, width) for place, width in places.items()}


def averaging_helps(tree):
    networks = Networks(tree, "widths")
    return {
        "at 3 N*": gain(networks, networks.at(JUST_BEYOND)),
        "at the largest N": gain(networks, networks.largest()),
    }


def averaging_breaks_down_at_jamming(tree):
    networks = Networks(tree, "widths")
    return {"N* minus 3 N*": of_ensembles(networks, [networks.at(1), networks.at(JUST_BEYOND)])}


def ensembles_are_best_just_beyond(tree):
    grids = {"fully connected": Networks(tree, "widths"), "convolutional": Networks(tree, "channels")}
    return {name: of_ensembles(g, [g.largest(), g.at(JUST_BEYOND)]) for name, g in grids.items()}


def ensembles_beyond_jamming_are_best(tree):
    return {"best rival at equal compute, minus 3 N*": best_rival(Networks(tree, "widths"))[0]}


def less_early(networks, width, share):
    """Return a share of the error at the end minus that of early stopping (seed,), and the error of the test set."""
    late, early = (networks.column(name, width) for name in ("test_error", "early_stopping_error"))
    n_test = len(networks.together(width))
    return share * late - early, np.hypot(share * binomial(late.mean(), n_test), binomial(early.mean(), n_test))


def early_stopping_removes_the_peak(tree):
    networks = Networks(tree, "widths")
    (gained, sample) = less_early(networks, networks.at(1), 1)
    (top, far) = (less_early(networks, w, thresholds.LEFT_OF_PEAK) for w in (networks.at(1), networks.largest()))
    lost = {"spread": np.hypot(se(top[0]), se(far[0])), "sample": np.hypot(top[1], far[1]), "above": 0}
    return {
        "gain at N*": student(gained.mean(), spread=se(gained), sample=sample, count=len(gained), above=0),
        "half the peak, minus what is left of it": student(
            top[0].mean() - far[0].mean(), count=min(len(top[0]), len(far[0])), **lost
        ),
    }


def growth(networks, width):
    """Return the growth (seed,) of the norm from the last step that lies half a decade before the end or more."""
    norm, steps = networks.column("recorded_test_norm", width), networks.groups["networks"].step.values
    early = max(step for step in steps if 3 * step <= steps[-1])
    return norm[:, -1] / norm[:, list(steps).index(early)] - 1


def norm_is_cut_off_by_time(tree):
    networks = Networks(tree, "widths")
    first, last = networks.first_from(networks.star), networks.largest()
    return {
        "growth at the first N above N*": mean(growth(networks, first), above=thresholds.GROWS),
        "growth at the largest N": mean(growth(networks, last), below=thresholds.CONSTANT, check=True),
    }


def norm_slope(networks):
    """Return the slope of ln ||f|| against ln (N - N*) above the interval of N* and up to 4 N*."""
    inside = [w for w, n in networks.n.items() if networks.high < n <= 4 * networks.star]
    norms = [np.log(networks.column("test_norm", width)) for width in inside]

    def weights(pole):
        x = np.log([networks.n[width] - pole for width in inside])
        return (x - x.mean()) / np.sum((x - x.mean()) ** 2)

    means, errors = np.array([[norm.mean(), se(norm)] for norm in norms]).T
    ends = [weights(pole) @ means for pole in (networks.low, networks.high)]
    spread = np.hypot(np.linalg.norm(weights(networks.star) * errors), abs(ends[0] - ends[1]) / 2 / Z)
    return student(weights(networks.star) @ means, spread=spread, count=min(map(len, norms)), above=-1.25, below=-0.75)


def threshold_ignores_the_margin(tree):
    networks = Networks(tree, "margins", ("task", "depth", "n_train"))
    band = np.log(1.25)
    return {
        f"margin {margin:g}": ratio(networks, name)._replace(above=-band, below=band)
        for margin, name in ((0.25, "quarter"), (4, "four"))
    }


def ratio(networks, protocol):
    """Return ln N* of a protocol over that of the margin 1; its interval is over all resamples of three data sets."""
    sizes, table = np.log([*networks.n.values()]), networks.groups["networks"]
    fits = [
        (table.status.sel(protocol=p).transpose("width", "draw", "seed") == "fitted").values for p in (protocol, "one")
    ]

    def of(draws):
        located = [half_fits(each[:, draws].mean((1, 2)), sizes) for each in fits]
        return located[0] - located[1]

    value = of([0, 1, 2])
    resampled = [of(list(draws)) for draws in itertools.product(range(3), repeat=3)]
    half = stats.t.ppf(0.975, 2) * np.sqrt(3 / 2) * np.std(resampled)
    return Expected(value, value - half, value + half, 3)


def half_fits(share, x):
    """Return where the logistic of greatest likelihood of the shares that fit is one half: where its scores are 0."""
    centred = x - x.mean()

    def scores(coefficients):
        excess = share - 1 / (1 + np.exp(-coefficients[0] - coefficients[1] * centred))
        return excess.sum(), (excess * centred).sum()

    a, b = optimize.root(scores, [0.0, 3.0], tol=1e-13).x
    return x.mean() - a / b


def convolutional_networks_repeat_it(tree):
    networks = Networks(tree, "channels")
    return {
        "fraction that fits, fewest channels": fraction(networks, networks.smallest(), below=0.5),
        "fraction that fits, most channels": fraction(networks, networks.largest(), above=0.5),
        "range of the transition, a factor in N": transition(networks),
        "gain of the ensemble near N*": gain(networks, networks.at(1)),
        "that gain minus the one at most channels": gain(networks, networks.at(1), networks.largest()),
        "best single networks minus the ensemble at 3 N*": best_single(networks),
    }


def convolutional_networks_are_as_published(tree):
    networks = Networks(tree, "channels")
    x, h = np.log([*networks.n.values()]), np.log([*networks.n])
    ends = np.exp(np.interp(np.log([networks.star, networks.low, networks.high]), x, h))
    found = {"channels at N*": (Expected(*ends, 0), 26.0)}
    for width in (40, 48, 64):
        missed = networks.missed(width)
        number = {"spread": se(missed.mean(1)), "sample": se(missed.mean(0)), "count": 5, "networks": (5, 5)}
        together = of_ensembles(networks, [width])
        found[f"error of single networks, {width} channels"] = student(missed.mean(), **number), 0.305
        found[f"error of the ensemble, {width} channels"] = together, 0.194
    place = f"{SOURCE}section 8 and Fig. 8"
    return {
        label: part._replace(above=0.75 * number, below=1.25 * number, published=(number, place))
        for label, (part, number) in found.items()
    }
