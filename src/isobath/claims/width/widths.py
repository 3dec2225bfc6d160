"""Networks of a grid by their width: which widths lie where in units of N*, and the test samples that are missed.

Errors are averaged over all networks that did not diverge, as in the paper: below N* none fits.
"""

import math
from dataclasses import replace

import numpy as np
import xarray as xr

from isobath.analysis import axes
from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.analysis.laws.intervals import jackknife
from isobath.analysis.over_networks import with_finite_outputs
from isobath.analysis.standard_errors import Z
from isobath.analysis.tallies import Tally
from isobath.analysis.verdicts import LEAST_SHARE
from isobath.claims.width.thresholds import BELOW, FAR, NEAR
from isobath.classes import predicted
from isobath.results import PART, WITHOUT_PART
from isobath.statuses import UNTRAINED


def grid_of(tree: xr.DataTree, grid: str) -> Cells:
    """Return the cells of a grid by width, those of its first task, protocol, depth, n_train and draw."""
    return Cells.of(tree, grid, first=("task", "protocol", "depth", "n_train", "draw"))


def over_data_sets(tree: xr.DataTree) -> Cells:
    """Return the cells of the grid with several draws of the data, those of its first task, protocol and depth."""
    return Cells.of(tree, "data_sets", first=("task", "protocol", "depth", "n_train"))


def weights(cells: Cells) -> dict[int, float]:
    """Return N of each width that was asked for, increasing.

    Raises Undetermined where that of a width is not known, since its jobs failed: no other width takes its place.
    """
    n = cells.cell().n_weights
    n = n.mean([dim for dim in n.dims if dim != "width"])
    found = {width: float(n.sel(width=width)) for width in cells.values("width")}
    if failed := [str(width) for width, size in found.items() if math.isnan(size)]:
        raise Undetermined(f"the jobs of width {', '.join(failed)} failed")
    return found


def near(cells: Cells, factor: float) -> int:
    """Return the width whose N is nearest to ``factor`` N*, on a logarithmic scale. Raises NotRun if none is near.

    A width that is nearer to N* itself is not at another multiple of it.
    """
    n_star = cells.threshold()
    gaps = {width: abs(math.log(n / (factor * n_star))) for width, n in weights(cells).items()}
    width = min(gaps, key=gaps.__getitem__)
    reach = math.log(NEAR) if factor == 1 else min(math.log(NEAR), abs(math.log(factor)) / 2)
    if gaps[width] > reach:
        raise NotRun(f"no width has an N within a factor {math.exp(reach):.2g} of {factor:g} N*")
    return width


def threshold_interval(cells: Cells) -> tuple[float, float]:
    """Return the ends of the interval of N*. Raises Undetermined where N* or one of the ends is not known."""
    cells.threshold()
    jamming = cells.group("jamming")
    low, high = float(jamming.low), float(jamming.high)
    if math.isnan(low) and math.isnan(high):
        raise Undetermined(f"N* has no interval: {jamming.reason.item()}")
    if not (math.isfinite(low) and math.isfinite(high)):
        raise Undetermined("the interval of N* has no end on one side")
    return low, high


def just_above(cells: Cells) -> int:
    """Return the smallest width whose N lies above the interval of N*, within NEAR of it. Raises NotRun for none.

    Raises Undetermined where N* or its interval is not known.
    """
    _, high = threshold_interval(cells)
    above = {width: n for width, n in weights(cells).items() if n >= max(high, cells.threshold())}
    if not above or min(above.values()) > NEAR * high:
        raise NotRun(f"no width has an N just above the interval of N*, up to a factor {NEAR:g}")
    return min(above)


def above(cells: Cells) -> int:
    """Return the smallest width whose N is at least N*, within NEAR of it. Raises NotRun for none."""
    n_star = cells.threshold()
    candidates = {n: width for width, n in weights(cells).items() if n_star <= n <= NEAR * n_star}
    if not candidates:
        raise NotRun(f"no width has an N above N*, up to a factor {NEAR:g}")
    return candidates[min(candidates)]


def near_threshold(cells: Cells) -> list[int]:
    """List the widths whose N is within NEAR of N*. Raises NotRun for none."""
    n_star = cells.threshold()
    widths = [width for width, n in weights(cells).items() if abs(math.log(n / n_star)) <= math.log(NEAR)]
    if not widths:
        raise NotRun(f"no width has an N within a factor {NEAR:g} of N*")
    return widths


def peak(cells: Cells) -> int:
    """Return the width with the largest mean error within NEAR of N*, by the first half of networks and samples."""
    return max(
        near_threshold(cells), key=lambda width: float(first_half(first_half(missed(cells, width)), "seed").mean())
    )


def largest(cells: Cells) -> int:
    """Return the largest width. Raises NotRun if it is not far beyond N*."""
    width, n = max(weights(cells).items())
    if n < FAR * cells.threshold():
        raise NotRun(f"the largest N is {n / cells.threshold():.2g} N*, less than {FAR:g} N*")
    return width


def smallest(cells: Cells) -> int:
    """Return the smallest width. Raises NotRun if it is not below N*."""
    width, n = min(weights(cells).items())
    if n * BELOW > cells.threshold():
        raise NotRun(f"the smallest N is {n / cells.threshold():.2g} N*, not well below N*")
    return width


def finite_networks(cells: Cells, width: int) -> xr.Dataset:
    """Return the networks (seed) of a width that did not diverge, on the test set neither.

    Raises Undetermined where too many did.
    """
    networks, counts = cells.cell(width=width), tally(cells, width)
    if counts.counted < max(1, LEAST_SHARE * counts.trained):
        raise Undetermined(f"{counts.counted} of {counts.trained} networks of width {width} did not diverge")
    return networks.isel(seed=with_finite_outputs(networks).values)


def tally(cells: Cells, *widths: int) -> Tally:
    """Count the networks of some widths that did not diverge, of those that were trained."""
    total = Tally()
    for width in widths:
        networks = cells.cell(width=width)
        trained = ~networks.status.isin(UNTRAINED)
        total += Tally.of(int(with_finite_outputs(networks).sum()), int(trained.sum()), cell=width)
    return total


def without_parts(rows: xr.Dataset, name: str) -> xr.DataArray:
    """Return the mean over networks of a number without each part of the test samples (PART,).

    A network that lacks the number without a part has that of all samples. Without parts there is none.
    """
    if name + WITHOUT_PART not in rows:
        return xr.DataArray(np.zeros(0), dims=PART)
    return rows[name + WITHOUT_PART].fillna(rows[name]).mean("seed")


def with_samples(estimate: Estimate, without: xr.DataArray) -> Estimate:
    """Return an estimate with the error of the test samples, by its value without each part of them (PART,)."""
    half = jackknife(without.values[:, None], parts=len(without))
    return replace(estimate, sample=float(half[0]) / Z)


def ensemble(cells: Cells, width: int) -> xr.Dataset:
    """Return the ensembles of the networks of a width. Raises NotRun for a width that has none."""
    return axes.select(cells.group("ensembles"), {"width": width})


def tangent_kernels(cells: Cells, width: int) -> xr.Dataset:
    """Return the tangent kernels of the networks of a width. Raises NotRun for a width that has none."""
    return axes.select(cells.group("tangent_kernels"), {"width": width})


def by_networks(cells: Cells, width: int) -> tuple[xr.DataArray, xr.DataArray]:
    """Return pseudo-values (seed) of the error of one network, and of that of all together."""
    pseudo = ensemble(cells, width).ensemble_error_pseudo
    return pseudo.sel(size=1), by_networks_of(cells, width, pseudo.sizes["size"])


def by_networks_of(cells: Cells, width: int, size: int) -> xr.DataArray:
    """Return pseudo-values (seed) of the error of ensembles of ``size`` networks, of two thirds of them at most.

    The error of all networks has no pseudo-values. Over networks it scatters as that of two thirds does.
    """
    pseudo = ensemble(cells, width).ensemble_error_pseudo
    networks = int(pseudo.sel(size=1).notnull().sum())
    of_size: xr.DataArray = pseudo.sel(size=min(size, max(1, 2 * networks // 3)))
    return of_size


def missed_by(cells: Cells, outputs: xr.DataArray) -> xr.DataArray:
    """Return which test samples (..., test_sample) are misclassified by outputs (..., test_sample, output)."""
    labels = cells.cell().test_labels
    outputs, labels = outputs.sel(test_sample=labels.notnull()), labels.sel(test_sample=labels.notnull())
    missed: xr.DataArray = xr.apply_ufunc(predicted, outputs, input_core_dims=[["output"]]) != labels
    return missed


def missed(cells: Cells, width: int) -> xr.DataArray:
    """Return which test samples (seed, test_sample) each network of a width misclassifies."""
    return missed_by(cells, finite_networks(cells, width).outputs)


def missed_together(cells: Cells, width: int) -> xr.DataArray:
    """Return which test samples (test_sample) the ensemble of all networks of a width misclassifies."""
    return missed_by(cells, finite_networks(cells, width).outputs.mean("seed"))


def first_half(samples: xr.DataArray, dim: str = "test_sample") -> xr.DataArray:
    """Return the first half of the test samples, or of the values of another dim."""
    return samples.isel({dim: slice(0, samples.sizes[dim] // 2)})


def second_half(samples: xr.DataArray, dim: str = "test_sample") -> xr.DataArray:
    """Return the second half of the test samples, or of the values of another dim."""
    return samples.isel({dim: slice(samples.sizes[dim] // 2, None)})
