"""Widths and tasks without numbers: no neighbour takes the place of a cell that failed, and no claim raises."""

import json

import fractal_cubes as made
import numpy as np
import planted_widths as planted
import pytest
import regime_cubes
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import NotRun, Undetermined
from isobath.analysis.verdicts import judge
from isobath.claim_files import load_claim
from isobath.claims.expressivity import sizes
from isobath.claims.kernels import sample_sizes
from isobath.claims.width import widths

COARSE = {"cantor-1": made.fractal("cantor", 1)}


def without(table, lost):
    """Let the jobs of the cells where ``lost`` is true fail."""
    numbers = {name: table[name].where(~lost) for name in table if table[name].dtype.kind == "f"}
    return table.assign(status=table.status.where(~lost, "failed"), **numbers)


def node(table, grid, tasks, n_test=100_000):
    """Return the tree of one grid of networks."""
    tree = xr.DataTree.from_dict({f"{grid}/networks": table})
    tree[grid].attrs |= {"n_test": n_test, "spec": json.dumps({"tasks": tasks})}
    return tree


@pytest.mark.parametrize("lost", [64, 16])
def test_a_width_that_failed_is_not_replaced(lost):
    """Once the next smaller width was the largest, and its error judged."""
    groups = planted.cube(fluctuation=planted.peaked)
    assert planted.verdict("error_decreases_beyond", planted.tree_of(groups)) == "reproduced"
    networks = without(groups["networks"], groups["networks"].width == lost)
    failed = planted.tree_of({**groups, "networks": networks})
    (part, *_) = judge(load_claim("width", "error_decreases_beyond"), failed)["parts"]
    assert (part["verdict"], part["reason"]) == ("inconclusive", f"the jobs of width {lost} failed")
    with pytest.raises(Undetermined, match="failed"):
        widths.near(widths.grid_of(failed, "widths"), 3)


@pytest.mark.parametrize(("depth", "width"), [(3, 40), (1, 200)])
def test_a_cell_of_unknown_parameters_is_not_replaced(depth, width):
    """Once a narrower one was compared, or the claim was not run."""
    table = made.networks(COARSE, lambda t, d, w: 0.3 / d - 0.001 * w, depths=(1, 3), widths=(10, 20, 40, 200))
    parameters = xr.DataArray([[100, 200, 400, 3000], [300, 800, 2500, 9999]], dims=("depth", "width"))
    table["n_parameters"] = table.n_parameters * 0 + parameters
    claim = load_claim("fractals", "depth_uses_parameters_better")
    (part, *_) = judge(claim, node(table, "depth", COARSE))["parts"]
    assert (part["label"], part["verdict"]) == ("depth 3, width 40, best on the test set", "reproduced")
    failed = without(table, (table.depth == depth) & (table.width == width))
    (part, *_) = judge(claim, node(failed, "depth", COARSE))["parts"]
    assert (part["verdict"], part["reason"]) == ("inconclusive", "the jobs failed")


def test_a_budget_that_is_not_known_decides_nothing():
    table = made.networks(COARSE, lambda t, d, w: 0.2, depths=(1, 5), widths=(10, 20, 40))
    cells = Cells.of(node(table, "sizes", COARSE), "sizes", first=("protocol", "n_train"))
    assert np.isfinite(sizes.budget(cells, "cantor-1"))
    failed = node(without(table, (table.depth == 5) & (table.width == 20)), "sizes", COARSE)
    with pytest.raises(Undetermined, match="failed"):
        sizes.budget(Cells.of(failed, "sizes", first=("protocol", "n_train")), "cantor-1")


@pytest.mark.parametrize("axis", [{"n_train": [200]}, {"protocol": ["adam_long"]}])
@pytest.mark.parametrize(
    ("grid", "name"),
    [
        ("curves", "error_grows_with_fineness"),
        ("curves", "accuracies_are_as_published"),
        ("curves", "dying_units_are_a_part_of_the_fall"),
        ("fractals", "curve_matters_on_other_fractals"),
    ],
)
def test_a_task_of_another_protocol_or_size_is_left_out(grid, name, axis):
    """Once it ended all verdicts of the study."""
    tasks = {f"cantor-{curve}": made.fractal("cantor", curve) for curve in (1, 6)}
    first, second = (made.networks({task: spec}, lambda t, d, w: 0.1) for task, spec in tasks.items())
    tables = [table.drop_vars([c for c in table.coords if c.startswith("task_")]) for table in (first, second)]
    how = {"join": "outer", "data_vars": "all", "coords": "minimal", "compat": "override"}
    table = xr.concat([tables[0], tables[1].assign_coords(axis)], "task", fill_value={"status": "missing"}, **how)
    table["status"] = table.status.fillna("missing")
    assert judge(load_claim("fractals", name), node(table, grid, tasks))["verdict"] in ("not run", "inconclusive")


@pytest.mark.parametrize(("task", "draw"), [("cantor-6", None), ("cantor-1", 3)])
def test_the_best_of_all_widths_is_not_known_where_one_failed(task, draw):
    """Once the best of the others was taken for it, and the claim was decided either way."""
    tasks = {f"cantor-{curve}": made.fractal("cantor", curve) for curve in (1, 6)}

    def error(task, depth, width):
        return 0.05 + 0.05 * (task["curve"] == 6) + 4 / width

    table = made.networks(tasks, error, depths=(5,), widths=(20, 50, 100), draws=6)
    claim = load_claim("fractals", "error_grows_with_fineness")
    assert {part["reason"] for part in judge(claim, node(table, "curves", tasks))["parts"]} == {""}
    lost = (table.task == task) & (table.width == 100)
    failed = without(table, lost if draw is None else lost & (table.draw == draw))
    parts = judge(claim, node(failed, "curves", tasks))["parts"]
    assert {(part["verdict"], part["reason"]) for part in parts} == {("inconclusive", "the jobs of width 100 failed")}


@pytest.mark.parametrize("width", [10, 40])
def test_no_width_of_equal_size_is_known_where_one_failed(width):
    """Once its unknown size was the nearest to any, or the mean was that of the other pairs."""
    table = made.networks(COARSE, lambda t, d, w: 0.2, depths=(1, 5), widths=(10, 20, 40))
    failed = without(table, (table.depth == 1) & (table.width == width))
    cells = Cells.of(node(failed, "sizes", COARSE), "sizes", first=("protocol", "n_train"))
    with pytest.raises(Undetermined, match=f"the jobs of depth 1, width {width} failed"):
        sizes.at_equal_parameters(cells, "cantor-1")


def test_a_size_whose_regressions_failed_is_no_hole_in_a_curve():
    """Once the error was interpolated over it."""
    tasks = {"2-local-8": {"kind": "k_local", "k": 2, "dimension": 8}}
    shape = {"task": [*tasks], "kernel": ["ntk"], "depth": [1, 7], "n_train": [100, 200, 400], "draw": range(6)}
    kernels = xr.Dataset(
        {"test_error": (tuple(shape), np.full([len(values) for values in shape.values()], 0.3))}, shape
    )
    block = {"tasks": [*tasks], "kernels": ["ntk"], "depth": [1, 7], "n_train": [100, 200, 400]}

    def sizes_of(kernels):
        tree = regime_cubes.tree("samples", tasks, kernels=kernels)
        tree["samples"].attrs["spec"] = json.dumps({"tasks": tasks, "blocks": [block]})
        return [*sample_sizes.of_kernel(sample_sizes.cells_of(tree), task="2-local-8", depth=1)]

    assert sizes_of(kernels) == [100, 200, 400]
    assert sizes_of(kernels.where((kernels.n_train != 200) | (kernels.draw > 0))) == [100, 200, 400]
    with pytest.raises(Undetermined, match="the regressions of N = 200 failed"):
        sizes_of(kernels.where(kernels.n_train != 200))


def test_a_task_without_kernels_is_not_run():
    """Once it raised KeyError."""
    tasks = {f"2-local-{d}": {"kind": "k_local", "k": 2, "dimension": d} for d in (8, 14, 20)}
    shape = {"task": [*tasks][:2], "kernel": ["ntk"], "depth": [1], "n_train": [100, 400], "draw": range(6)}
    kernels = xr.Dataset(
        {"test_error": (tuple(shape), np.full([len(values) for values in shape.values()], 0.3))}, shape
    )
    cells = sample_sizes.cells_of(regime_cubes.tree("samples", tasks, kernels=kernels))
    assert [*sample_sizes.of_kernel(cells, task="2-local-8", depth=1)] == [100, 400]
    with pytest.raises(NotRun):
        sample_sizes.of_kernel(cells, task="2-local-20", depth=1)
