"""The interactive chart: its numbers are means of the cubes with the intervals of the verdicts, small, equal bytes."""

import base64
import hashlib
import json
import re

import numpy as np
import pytest
import xarray as xr
from locality_cubes import block
from made_up_pages import Document, cube, page, study
from test_verdicts import cells_of, search_of

from isobath.analysis.cells import Cells
from isobath.page import measurements
from isobath.page.contents import Study
from isobath.page.document import SCRIPT

AXES = ("depth", "width", "n_train", "learning_rate")


def found(**groups):
    return measurements.of_studies([Study("locality", "", "", cubes={"samples": cube(**groups)})])


def rows(data):
    return [dict(zip(data["columns"], row, strict=True)) for row in data["grids"][0]["rows"]]


def test_a_row_has_the_mean_and_the_interval_of_a_cell():
    first, second = rows(found())
    assert (first["depth"], first["width"], first["n_train"], first["method"]) == (1, 3, 10, "sgd")
    assert (first["counted"], first["trained"]) == (2, 3)
    assert first["fitted"][0] == pytest.approx(0.15)
    assert first["finite"] is None  # the third diverged: the same networks
    assert second["fitted"][0] == pytest.approx(0.4)
    assert second["finite"][0] == pytest.approx(0.5)
    tree = cube()
    cells = Cells("samples", {"networks": tree["networks"].to_dataset()}, tree.attrs, {"task": "a", "protocol": "sgd"})
    estimate = cells.error(depth=1, width=5, n_train=10)
    assert second["fitted"] == pytest.approx([estimate.value, *estimate.interval()], rel=1e-3)


def test_kernels_are_rows_without_a_width_and_settings_of_tasks_are_there():
    dims = ("task", "kernel", "depth", "n_train", "draw")
    errors = xr.Dataset({"test_error": (dims, np.full((1, 1, 1, 1, 2), 0.25))})
    errors = errors.assign_coords(task=["a"], kernel=["ntk"], depth=[1], n_train=[10], draw=[0, 1])
    data = found(kernels=errors)
    last = rows(data)[-1]
    assert (last["method"], last["width"], last["trained"], last["fitted"][0]) == ("kernel ntk", None, 0, 0.25)
    assert data["grids"][0]["tasks"] == {"a": {"kind": "k_local", "dimension": 5}}


def test_what_has_no_room_is_named(monkeypatch):
    monkeypatch.setattr(measurements, "ROOM", 10)
    assert found()["grids"] == []
    assert found()["left_out"] == ["locality/samples"]
    assert "Left out, to keep this page small: locality/samples." in Document(page(study())).text


def test_numbers_that_are_none_are_not_written_as_nan():
    assert "NaN" not in json.dumps(found())


def test_a_grid_that_has_no_room_does_not_take_that_of_the_next():
    """Once all grids after the first that was too large were left out."""
    entries = [{"rows": "x" * size} for size in (10, 1000, 20)]
    fitting, excess = measurements._within(entries, 100)
    assert (fitting, excess) == ([entries[0], entries[2]], [entries[1]])


def test_data_sets_that_share_a_search_are_one_unit_as_in_verdicts():
    """Once the chart counted them as six, with an interval a tenth as wide as that of the verdict."""
    parts = [block([0, 1], [0.3 + 0.1 * (draw > 2)] * 2, draw=draw) for draw in range(6)]
    searches = [search_of([0.1, 1.0, 9.5], [0.5, 0.2, 0.4], chosen=1.0, draw=draw) for draw in (0, 3)]
    cells = cells_of(parts, searches)
    (row,) = measurements._networks(Cells("samples", dict(cells.groups), dict(cells.attrs), {}))
    estimate = cells.error(task="2-local", depth=1, width=10, n_train=50)
    assert estimate.count == 2
    assert row.fitted == pytest.approx([estimate.value, *estimate.interval()], rel=1e-3)


def test_the_script_is_the_one_that_the_page_allows():
    """A browser runs it only if its digest stands in the policy: no other script can run."""
    html = page(study()).decode()
    script = re.search(r"<script>(.*?)</script>", html, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'\"" in html
    assert "<noscript>" in html
    assert "show the same measurements" in Document(page(study())).text


def test_the_dims_of_a_row_are_its_own():
    """The chart averages rows that share the dims that it draws: two rows of one cell would count twice."""
    dims = ("task", "kernel", "depth", "n_train", "draw")
    errors = xr.Dataset({"test_error": (dims, np.full((1, 1, 2, 1, 2), 0.25))})
    errors = errors.assign_coords(task=["a"], kernel=["ntk"], depth=[1, 2], n_train=[10], draw=[0, 1])
    data = found(kernels=errors)
    cells = [tuple(row[dim] for dim in ("task", "method", *AXES)) for row in rows(data)]
    assert len(set(cells)) == len(cells) == 4
    assert all(f'"{dim}"' in SCRIPT for dim in ("task", "method", *AXES))


def test_the_page_says_that_dims_are_held_or_averaged_over():
    assert "is held at a value or averaged over" in Document(page(study())).text


def test_a_row_has_the_number_of_weights_without_biases():
    tree = cube()
    group = tree["networks"].to_dataset()
    sized = {name: xr.full_like(group.test_error, n) for name, n in (("n_weights", 70.0), ("n_parameters", 90.0))}
    tree["networks"] = xr.DataTree(group.assign(sized))
    assert [row.n_weights for row in measurements._of_cube("s", "samples", tree)["rows"]] == [70, 70]
