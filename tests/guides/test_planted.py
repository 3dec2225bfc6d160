"""Planted cubes for the tests of claims, as the guide shows them, and messages about trees without their attributes."""

import re

import numpy as np
import pytest
import xarray as xr
from findings_runs import claim, run
from house import ROOT
from own_folders import write
from test_own_guide import STEP

from isobath import roots
from isobath.analysis.cells import Cells
from isobath.analysis.estimates import NotRun, Undetermined
from isobath.contracts.planted import planted
from isobath.operations.summary import summary
from isobath.statuses import UNFITTED

AXES = {"protocol": ["sgd"], "depth": [1, 2], "width": [16, 64], "n_train": [100]}


@pytest.fixture(autouse=True)
def _roots():
    yield
    roots.use([])


@pytest.fixture
def tree():
    return planted("widths", lambda *, width, **_: 4 / width, tasks={"rings": {"kind": "k_local", "k": 2}}, **AXES)


def test_the_test_of_a_claim_in_the_guide_passes(tmp_path):
    shown = {file: text for file, text, _ in STEP.findall((ROOT / "docs/own.md").read_text(encoding="utf-8")) if file}
    write(tmp_path, {"own/claims/waves.py": shown["own/claims/waves.py"]})
    roots.use([tmp_path / "own"])
    test = shown["own/tests/test_claim_waves.py"]
    names: dict[str, object] = {}
    exec(test, names)
    for error, verdict in ((0.3, "holds"), (0.7, "does not hold")):
        names["test_networks_see_rings_that_err_less_than_a_guess"](error, verdict)


def test_a_planted_error_is_estimated(tree):
    cells = Cells.of(tree, "widths", task="rings", protocol="sgd", depth=1, n_train=100)
    for width in (16, 64):
        low, high = cells.error(width=width).interval()
        assert low < 4 / width < high
        assert cells.error(width=width).count == 5


def test_a_regression_is_found_whether_its_kernel_has_a_depth_or_not(tree):
    axes = {"task": ["rings"], "n_train": [100], "draw": [0, 1, 2]}
    for group, depths, error in (("kernels", {"depth": [1, 2]}, 0.2), ("kernels_without_depth", {}, 0.3)):
        coords = {**axes, "kernel": [f"of {group}"], **depths}
        values = np.full([len(values) for values in coords.values()], error)
        tree[f"widths/{group}"] = xr.Dataset({"test_error": (list(coords), values)}, coords)
    cells = Cells.of(tree, "widths", task="rings", n_train=100)
    assert cells.regression(kernel="of kernels", depth=2).value == pytest.approx(0.2)
    assert cells.regression(kernel="of kernels_without_depth").value == pytest.approx(0.3)
    with pytest.raises(NotRun, match="there is no depth 2"):
        cells.regression(kernel="of kernels_without_depth", depth=2)
    tree["widths/kernels"] = tree["widths/kernels"].to_dataset().where(lambda group: group.depth < 2)
    with pytest.raises(NotRun, match="grid widths has no such regressions"):
        Cells.of(tree, "widths", task="rings", n_train=100).regression(kernel="of kernels", depth=2)


@pytest.mark.parametrize("attribute", ["spec", "n_test"])
def test_a_tree_without_an_attribute_says_which_and_what_it_is(tree, attribute):
    del tree["widths"].attrs[attribute]
    with pytest.raises(ValueError, match=f"the node widths of the tree has no attribute {attribute}; n_test is the"):
        Cells.of(tree, "widths", task="rings", protocol="sgd", depth=1).error(width=16, n_train=100)


def test_a_cell_of_which_no_network_fitted_is_named(tree):
    tree["widths/networks"].status[:] = UNFITTED
    with pytest.raises(Undetermined, match=re.escape("none of 5 networks fitted (rings, depth 2, width 16)")):
        Cells.of(tree, "widths", task="rings", protocol="sgd", depth=2).error(width=16, n_train=100)


def test_a_summary_without_figures_says_so(tmp_path):
    (made,) = [text for text in summary(run(tmp_path, claim("x"))) if text.startswith("Figures")]
    assert made == "Figures: none; `isobath status` names those that failed, if there are any"
