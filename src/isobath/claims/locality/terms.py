"""Claims of our own on labels of m terms: is it locality that lets depth help, or the number of terms?"""

from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.combinations import slope
from isobath.analysis.estimates import Estimate, NotRun
from isobath.analysis.term_families import Family, term_families
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.locality.cells import common_cells, grid_of
from isobath.claims.locality.measures import depth_difference, depth_gain
from isobath.claims.locality.thresholds import BETWEEN, DEEP, FAR_BELOW, SAME_GAIN, SHALLOW

SUMS = "k_terms"  # kind of labels


def families(cells: Cells, *, rotated: bool = False) -> dict[Family, dict[int, str]]:
    """Return the tasks by k and d and by their number of terms, increasing, with at least two numbers each."""
    found = term_families(cells, SUMS, rotated=rotated)
    return {family: tasks for family, tasks in found.items() if len(tasks) > 1}


def gain(cells: Cells, task: str) -> Estimate:
    """Return error(L = 1) - error(L = 7) at the largest N."""
    return depth_gain(cells, task, SHALLOW, DEEP)


def common_sizes(cells: Cells, tasks: dict[int, str], deep: int) -> list[int]:
    """List the N, increasing, at which all labels have networks of L = 1 and of the depth ``deep``. NotRun for none."""
    of_each = ({int(cell["n_train"]) for cell in common_cells(cells, task, SHALLOW, deep)} for task in tasks.values())
    if not (sizes := set.intersection(*of_each)):
        raise NotRun(f"no N has networks of L = {SHALLOW} and L = {deep} on all labels")
    return sorted(sizes)


def fall_with_terms(cells: Cells, tasks: dict[int, str], *, deep: int = DEEP, n: int | None = None) -> Estimate:
    """Return the slope against ln m of the gain of the depth ``deep`` over L = 1: at N, or at the largest of all."""
    n = common_sizes(cells, tasks, deep)[-1] if n is None else n
    return slope(np.log(list(tasks)), (depth_difference(cells, task, SHALLOW, deep, n=n) for task in tasks.values()))


def fall_at_fewest_samples(cells: Cells, tasks: dict[int, str]) -> Estimate:
    """Return the slope of the gain of depth against ln m at the smallest N, where there are several."""
    sizes = common_sizes(cells, tasks, DEEP)
    if len(sizes) < 2:
        raise NotRun("all labels were trained at one N alone")
    return fall_with_terms(cells, tasks, n=sizes[0])


def gain_at_few_terms(cells: Cells, tasks: dict[int, str], dimension: int) -> Estimate:
    """Return the gain of depth at the largest number of terms that is still far below d."""
    few = [terms for terms in tasks if 1 < terms <= FAR_BELOW * dimension]
    if not few:
        raise NotRun(f"no number of terms lies between 1 and {FAR_BELOW:g} d")
    return gain(cells, tasks[max(few)])


def change_by_rotation(cells: Cells, plain: str, turned: str, unit: str) -> Estimate:
    """Return gain(rotated) - gain(plain) in units of the gain of the task ``unit``."""
    return (gain(cells, turned) - gain(cells, plain)).over_value_of(gain(cells, unit))


@claim(
    "the gain of depth falls with the number of terms of a label and changes its sign far below d",
    own=True,
    statistic="slope of error(L=1) - error(L=7) against ln m; its value at m = 1 and at the largest m <= d / 4",
)
def gain_of_depth_falls_with_terms(tree: xr.DataTree) -> list[Criterion]:
    cells, criteria = grid_of(tree, "terms", protocol="sgd_normal"), []
    for (k, d), tasks in families(cells).items():
        label = f"k = {k}, d = {d}"
        criteria.append(criterion(f"{label}, slope", fall_with_terms, cells, tasks, below=0))
        criteria.append(criterion(f"{label}, m = 1", gain, cells, tasks[min(tasks)], above=0))
        criteria.append(criterion(f"{label}, m <= d / 4", gain_at_few_terms, cells, tasks, d, below=0))
    return criteria


@claim(
    "the gain of depth falls with the number of terms at another depth and at another number of samples as well",
    own=True,
    statistic=f"slope against ln m of error(L=1) - error(L={BETWEEN}) at the largest N; of error(L=1) - error(L=7) at "
    "the smallest",
)
def fall_with_terms_is_general(tree: xr.DataTree) -> list[Criterion]:
    cells, criteria = grid_of(tree, "terms", protocol="sgd_normal"), []
    for (k, d), tasks in families(cells).items():
        label = f"k = {k}, d = {d}"
        criteria.append(criterion(f"{label}, L = {BETWEEN}", fall_with_terms, cells, tasks, deep=BETWEEN, below=0))
        criteria.append(criterion(f"{label}, smallest N", fall_at_fewest_samples, cells, tasks, below=0))
    return criteria


@claim(
    "a rotation of the inputs does not change the gain of depth: the number of terms matters, not their locality",
    own=True,
    statistic=f"gain(rotated inputs) - gain at each m, within {SAME_GAIN:g} of the gain at m = 1; a check, since a "
    "rotation leaves the distribution of Gaussian inputs and of a Gaussian first layer as it is",
)
def rotation_leaves_the_gain_of_depth(tree: xr.DataTree) -> list[Criterion]:
    cells, criteria = grid_of(tree, "terms", protocol="sgd_normal"), []
    turned = families(cells, rotated=True)
    for (k, d), tasks in families(cells).items():
        for terms in sorted(tasks.keys() & turned.get((k, d), {}).keys()):
            pair = tasks[terms], turned[k, d][terms], tasks[min(tasks)]
            label = f"k = {k}, d = {d}, m = {terms}"
            bounds: dict[str, Any] = {"above": -SAME_GAIN, "below": SAME_GAIN, "check": True}
            criteria.append(criterion(label, change_by_rotation, cells, *pair, **bounds))
    return criteria
