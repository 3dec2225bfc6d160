"""Claims about the jamming transition: sections 2, 6 and 8."""

import xarray as xr

from isobath.analysis.verdicts import Estimate, NotRun, Part, claim
from isobath.claims.width.measures import (
    BEYOND,
    FLAT,
    Widths,
    difference,
    difference_together,
    fitted,
    fraction,
    mean_over_networks,
    second_half,
)
from isobath.claims.width.parts import about, exponent


@claim(
    "The test error has a cusp-like local maximum near the jamming transition.",
    source="Jacot, Geiger et al., Fig. 2 A",
    statistic="largest mean test error within a factor 2 of N*, minus that at the smallest and at the largest width",
    whole=True,
)
def cusp_at_jamming(tree: xr.DataTree) -> list[Part]:
    def gap(w: Widths, other: str) -> Estimate:
        """The peak is looked for in the first half of the test samples, and measured in the second."""
        a, b = w.wrong(w.peak), w.wrong(getattr(w, other))
        return difference(second_half(a), second_half(b))

    return [
        about(tree, "widths", f"N* against the {other} N", gap, other, above=0) for other in ("smallest", "largest")
    ]


@claim(
    "The training error reaches zero at N*.",
    source="Jacot, Geiger et al., Fig. 2 B",
    statistic="fraction of networks without a margin below one, well below and well beyond N*",
    whole=True,
)
def train_error_vanishes(tree: xr.DataTree) -> list[Part]:
    def error(w: Widths) -> Estimate:
        return mean_over_networks(w.cell(w.near(BEYOND)).train_error)

    return [
        about(tree, "widths", "fraction that fits at the smallest N", lambda w: fraction(w, w.smallest), below=0.5),
        about(tree, "widths", "fraction that fits at 2 N*", lambda w: fraction(w, w.near(BEYOND)), above=0.5),
        about(tree, "widths", "training error at 2 N*", error, below=0.005),
    ]


@claim(
    "Beyond N* the test error decreases with the number of parameters.",
    source="Jacot, Geiger et al., Fig. 2 A and abstract",
    statistic="mean test error at 2 N* minus that at the largest N",
)
def error_decreases_beyond(tree: xr.DataTree) -> list[Part]:
    def gap(w: Widths) -> Estimate:
        return difference(w.wrong(w.near(BEYOND)), w.wrong(w.largest))

    return [about(tree, "widths", "2 N* against the largest N", gap, above=0)]


@claim(
    "The error of the ensemble is nearly flat beyond N*: what large networks gain is what averaging gains.",
    source="Jacot, Geiger et al., Fig. 2 A (orange)",
    statistic=f"{FLAT:g} of the fall of the single networks' error from 2 N* on, minus the fall of the ensemble's",
)
def ensemble_is_flat(tree: xr.DataTree) -> list[Part]:
    def gap(w: Widths) -> Estimate:
        a, b = w.near(BEYOND), w.largest
        return difference(w.wrong(a), w.wrong(b)) * FLAT - difference_together(w, a, b)

    return [about(tree, "widths", "from 2 N* to the largest N", gap, above=0)]


@claim(
    "The norm of the output diverges at N* as 1 / (N - N*).",
    source="Jacot, Geiger et al., Fig. 7 and section 6",
    statistic="free exponent of ||f|| = c (N - N*)^a after the longest training, N* fitted",
)
def norm_diverges(tree: xr.DataTree) -> list[Part]:
    def last(w: Widths) -> Estimate:
        steps = w.laws["norm"].to_dataset().step.values if "norm" in w.laws else []
        if not len(steps):
            raise NotRun
        return fitted(w, "norm", "exponent", free=True, step=steps[-1])

    return [exponent(tree, "widths", "exponent of ||f||", last, -1.0)]


@claim(
    "A finite training time cuts the divergence off: near N* the norm grows with t, far from it it does not.",
    source="Jacot, Geiger et al., Fig. 7 B",
    statistic="growth of ||f|| over the last half decade of steps or more, in units of its value",
    whole=True,
)
def norm_is_cut_off_by_time(tree: xr.DataTree) -> list[Part]:
    def growth(w: Widths, width: int) -> Estimate:
        norm = w.cell(width).recorded_test_norm
        last = norm.step.values[-1]
        before = norm.step.values[norm.step.values <= last / 3][-1]
        return mean_over_networks((norm.sel(step=last) / norm.sel(step=before)) - 1)

    return [
        about(tree, "widths", "growth at N*", lambda w: growth(w, w.near(1)), above=0.05),
        about(tree, "widths", "growth at the largest N", lambda w: growth(w, w.largest), below=0.01),
    ]


@claim(
    "Early stopping removes the peak.",
    source="Jacot, Geiger et al., Fig. 2 A (green)",
    statistic="test error at N* minus that of early stopping; and half of the peak's height minus what is left of it",
    whole=True,
)
def early_stopping_removes_the_peak(tree: xr.DataTree) -> list[Part]:
    def gain(w: Widths) -> Estimate:
        cell = w.cell(w.near(1))
        return mean_over_networks(cell.test_error - cell.early_stopping_error)

    def left(w: Widths) -> Estimate:
        at, far = w.cell(w.near(1)), w.cell(w.largest)
        heights = [
            mean_over_networks(at[name]) - mean_over_networks(far[name])
            for name in ("test_error", "early_stopping_error")
        ]
        return heights[0] * 0.5 - heights[1]

    return [
        about(tree, "widths", "gain at N*", gain, above=0),
        about(tree, "widths", "half the peak, minus what is left of it", left, above=0),
    ]


@claim(
    "Convolutional networks on CIFAR-10 repeat it: they jam, averaging gains, and most just beyond the transition.",
    source="Jacot, Geiger et al., Fig. 8 and section 8",
    statistic="fractions that fit; error of single networks minus the ensemble's, near N* and at the end",
    whole=True,
)
def convolutional_networks_repeat_it(tree: xr.DataTree) -> list[Part]:
    def gain(w: Widths, width: int) -> Estimate:
        return mean_over_networks(w.ensemble(width).excess_error)

    return [
        about(tree, "channels", "fraction that fits, fewest channels", lambda w: fraction(w, w.smallest), below=0.5),
        about(tree, "channels", "fraction that fits, most channels", lambda w: fraction(w, w.largest), above=0.5),
        about(tree, "channels", "gain of the ensemble near N*", lambda w: gain(w, w.near(1)), above=0),
        about(
            tree,
            "channels",
            "that gain minus the one at most channels",
            lambda w: gain(w, w.near(1)) - gain(w, w.largest),
            above=0,
        ),
    ]
