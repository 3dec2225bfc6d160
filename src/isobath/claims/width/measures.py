"""What the claims of Jacot, Geiger et al. are measured by.

Errors are averaged over all networks that did not diverge, as in the paper: below N* none fits. Networks
of one cell are tested on the same samples, so differences are taken sample by sample. The factors that
turn words into numbers stand here.
"""

import math
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.verdicts import Bounded, Estimate, NotRun, proportion
from isobath.classes import predicted
from isobath.statuses import UNTRAINED

NEAR = 2.0  # "near N*": within this factor
BEYOND = 2.0  # "beyond N*": at this many times N*
FAR = 6.0  # "N >> N*": at least as many times
JUST_BEYOND = 3.0  # "just beyond N*" (section 9: "a few times N*")
TOLERANCE = 0.25  # of an exponent: as far as the free fits of Fig. 6 are from theory (-0.28, 2.5, 1.1, -0.42)
FLAT = 0.5  # an ensemble's curve is flat if it falls by less than this share of what single networks' errors do


class Widths:
    """The networks of a grid by width, those of its first task, protocol, depth, n_train and draw."""

    def __init__(self, tree: xr.DataTree, grid: str) -> None:
        if grid not in tree.children or "ensembles" not in tree[grid].children:
            raise NotRun
        first = dict.fromkeys(("task", "protocol", "depth", "n_train", "draw"), 0)
        self.groups = {
            name: group.to_dataset().isel(first, missing_dims="ignore")
            for name, group in tree[grid].children.items()
            if name in ("networks", "ensembles", "jamming")
        }
        self.laws = tree[grid]["laws"].children if "laws" in tree[grid].children else {}

    @property
    def threshold(self) -> float:
        """N*. Raises NotRun where it is not known."""
        value = float(self.groups["jamming"].threshold)
        if math.isnan(value):
            raise NotRun
        return value

    def weights(self) -> dict[int, float]:
        """N of each width, increasing."""
        networks = self.groups["networks"]
        n = networks.n_weights.mean("seed")
        return {int(w): float(n.sel(width=w)) for w in networks.width.values}

    def near(self, factor: float) -> int:
        """The width whose N is nearest to ``factor`` N*, on a logarithmic scale. Raises NotRun if none is near."""
        gaps = {width: abs(math.log(n / (factor * self.threshold))) for width, n in self.weights().items()}
        width = min(gaps, key=gaps.__getitem__)
        if gaps[width] > math.log(NEAR):
            raise NotRun
        return width

    @property
    def peak(self) -> int:
        """The width with the largest mean error, in the first half of the test samples, within NEAR of N*."""
        near = [w for w, n in self.weights().items() if abs(math.log(n / self.threshold)) <= math.log(NEAR)]
        if not near:
            raise NotRun
        return max(near, key=lambda width: float(first_half(self.wrong(width)).mean()))

    @property
    def largest(self) -> int:
        """The largest width, if it is far beyond N*. Raises NotRun if not."""
        width, n = max(self.weights().items())
        if n < FAR * self.threshold:
            raise NotRun
        return width

    @property
    def smallest(self) -> int:
        """The smallest width, if it is below N*. Raises NotRun if not."""
        width, n = min(self.weights().items())
        if n * 1.5 > self.threshold:
            raise NotRun
        return width

    def cell(self, width: int) -> xr.Dataset:
        """The networks of a width that did not diverge. Raises NotRun if there are none."""
        cell = self.groups["networks"].sel(width=width)
        cell = cell.isel(seed=cell.status.isin(["fitted", "unfitted"]).values)
        if not cell.sizes["seed"]:
            raise NotRun
        return cell

    def ensemble(self, width: int) -> xr.Dataset:
        return self.groups["ensembles"].sel(width=width)

    def samples(self, outputs: xr.DataArray) -> xr.DataArray:
        """Which test samples are misclassified, (..., test_sample), by outputs (..., test_sample, output)."""
        labels = self.groups["networks"].test_labels
        kept = labels.notnull()
        outputs, labels = outputs.sel(test_sample=kept), labels.sel(test_sample=kept)
        wrong: xr.DataArray = xr.apply_ufunc(predicted, outputs, input_core_dims=[["output"]]) != labels
        return wrong

    def wrong(self, width: int) -> xr.DataArray:
        """(seed, test_sample) by each network of a width."""
        return self.samples(self.cell(width).outputs)

    def wrong_together(self, width: int) -> xr.DataArray:
        """(test_sample) by the ensemble of all networks of a width."""
        return self.samples(self.cell(width).outputs.mean("seed"))


def first_half(samples: xr.DataArray) -> xr.DataArray:
    return samples.isel(test_sample=slice(0, samples.sizes["test_sample"] // 2))


def second_half(samples: xr.DataArray) -> xr.DataArray:
    return samples.isel(test_sample=slice(samples.sizes["test_sample"] // 2, None))


def fraction(widths: Widths, width: int) -> Estimate:
    """The fraction of all networks of a width that fit, with the interval of Clopper and Pearson."""
    status = widths.groups["networks"].status.sel(width=width)
    n, k = int((~status.isin(UNTRAINED)).sum()), int((status == "fitted").sum())
    if not n:
        raise NotRun
    return proportion(k, n)


def difference(a: xr.DataArray, b: xr.DataArray) -> Estimate:
    """How much larger the error of ``a`` is than that of ``b``, both (seed, test_sample): over networks and samples."""
    count = min(a.sizes["seed"], b.sizes["seed"])
    networks = math.hypot(
        *(one.mean("test_sample").std("seed", ddof=1) / math.sqrt(one.sizes["seed"]) for one in (a, b))
    )
    return _paired(a.mean("seed") - b.mean("seed"), networks, count)


def difference_together(widths: Widths, a: int, b: int) -> Estimate:
    """How much larger the error of the ensemble of width ``a`` is than that of ``b``; networks from pseudo-values."""
    gap = widths.wrong_together(a).astype(float) - widths.wrong_together(b)
    spread = [widths.ensemble(w).limit_error_pseudo for w in (a, b)]
    networks = math.hypot(*(float(s.std(ddof=1)) / math.sqrt(int(s.count())) for s in spread))
    return _paired(gap, networks, int(min(s.count() for s in spread)))


def _paired(gap: xr.DataArray, networks: float, count: int) -> Estimate:
    sample = float(gap.std(ddof=1)) / math.sqrt(gap.size)
    return Estimate(float(gap.mean()), networks, sample, count)


def mean_over_networks(values: xr.DataArray) -> Estimate:
    """The mean of a variable (seed) with its error over networks; NaN networks are left out. Raises NotRun for none."""
    kept = values.values[np.isfinite(values.values)]
    if not len(kept):
        raise NotRun
    spread = float(kept.std(ddof=1)) / math.sqrt(len(kept)) if len(kept) > 1 else math.nan
    return Estimate(float(kept.mean()), spread, 0.0, len(kept))


def fitted(widths: Widths, law: str, parameter: str, *, free: bool, **at: Any) -> Estimate:
    """A parameter of a law with its interval over networks. Raises NotRun where the fit is not justified."""
    if law not in widths.laws:
        raise NotRun
    dataset = widths.laws[law].to_dataset()
    one = dataset.isel(dict.fromkeys(("task", "protocol", "depth", "n_train", "draw"), 0), missing_dims="ignore")
    one = one.isel(width=0, missing_dims="ignore") if "size" in dataset.dims else one
    one = one.sel(fit="free" if free else "fixed", parameter=parameter, **at)
    value, low, high = (float(one[name]) for name in ("value", "low", "high"))
    if not math.isfinite(value + low + high):
        raise NotRun
    return Bounded(value, low=low, high=high, count=int(one.networks.min()))
