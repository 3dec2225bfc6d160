"""The chart of the page in headless Chromium, where there is one: it draws what is chosen, and what can be chosen."""

import json

import numpy as np
import xarray as xr
from browser import MARKS, title_of
from made_up_pages import page, study
from page_parts import MADE

from isobath.page.contents import Study
from isobath.statuses import MISSING, UNFITTED

pytestmark = MARKS
CHOOSE = """<iframe width=1000 height=900 srcdoc="{page}"></iframe><script>
addEventListener("load", () => {{
  const page = document.querySelector("iframe").contentDocument, chosen = id => page.getElementById(`choose-${{id}}`)
  const choose = (id, value) => {{
    chosen(id).value = value
    chosen(id).dispatchEvent(new Event("change"))
  }}
  const words = row => [...row.cells].map(cell => cell.textContent).join(" ")
  const cells = () => [...page.querySelectorAll("#drawn tbody tr")].map(words)
  const opened = chosen("grid").value
  choose("grid", "0")
  const said = {{opened, axes: [...chosen("x").options].map(option => option.value)}}
  choose("x", "width")
  choose("lines", "")
  said.widths = cells()
  said.hollow = page.querySelectorAll("#chart .hollow").length
  choose("mean", "finite")
  said.finite = cells()
  choose("grid", "1")
  choose("x", "terms")
  choose("lines", "method")
  said.terms = cells()
  said.key = [...page.querySelectorAll(".key li")].map(entry => entry.textContent)
  said.focused = page.activeElement.id
  const boxes = [...page.querySelectorAll("#controls select")]
  said.named = boxes.every(box => page.querySelector(`label[for=${{box.id}}]`))
  said.title = page.querySelector("#chart svg title").textContent
  document.title = JSON.stringify(said)
}})</script>"""


def with_terms():
    """Make a cube of two tasks that differ in their number of terms, with networks and a kernel."""
    dims = ("task", "protocol", "depth", "width", "n_train", "draw", "seed")
    at = {"task": ["t1", "t4"], "protocol": ["sgd"], "depth": [1], "width": [8], "n_train": [10], "draw": [0, 1]}
    errors = np.broadcast_to(np.array([0.1, 0.4]).reshape(2, 1, 1, 1, 1, 1, 1), (2, 1, 1, 1, 1, 2, 1)).copy()
    errors[..., 1, :] += 0.02
    status = np.full(errors.shape, "fitted", dtype=object)
    networks = xr.Dataset({"test_error": (dims, errors), "status": (dims, status)}, {**at, "seed": [0]})
    kernel = networks.test_error.isel(seed=0, width=0, drop=True).rename(protocol="kernel") + 0.05
    kernels = xr.Dataset({"test_error": kernel.assign_coords(kernel=["ntk"])})
    tree = xr.DataTree.from_dict({"networks": networks, "kernels": kernels})
    tasks = {name: {"kind": "k_terms", "terms": m, "dimension": 9} for name, m in (("t1", 1), ("t4", 4))}
    tree.attrs = {**MADE, "spec": json.dumps({"tasks": tasks}), "n_test": 100}
    return tree


def test_the_chart_draws_what_is_chosen(tmp_path):
    """Numbers of the table are those of the cubes: means by width, over networks that fit or all, and by terms."""
    two = study()
    document = page(Study("locality", "Depth", "M", None, [], {**two.cubes, "terms": with_terms()}))
    said = json.loads(title_of(tmp_path, CHOOSE, document))
    assert said["opened"] == "1"  # of grids with as many axes the one with more cells
    assert said["axes"] == ["width"]
    assert [row.split()[:2] for row in said["widths"]] == [["3", "0.15"], ["5", "0.4"]]
    assert [row.split()[-3:] for row in said["widths"]] == [["2", "of", "3"], ["2", "of", "3"]]
    assert said["hollow"] == 2
    assert [row.split()[:2] for row in said["finite"]] == [["3", "0.15"], ["5", "0.5"]]
    assert [row.split("[")[0].split() for row in said["terms"]] == [
        ["kernel", "ntk", "1", "0.16"],
        ["kernel", "ntk", "4", "0.46"],
        ["sgd", "1", "0.11"],
        ["sgd", "4", "0.41"],
    ]
    assert said["key"] == ["protocol or kernel kernel ntk", "protocol or kernel sgd"]
    assert said["focused"] == "choose-lines"
    assert said["named"]
    assert "against terms of the task" in said["title"]


RATES = """<iframe id=frame width=1000 height=900 srcdoc="{page}"></iframe><script>
addEventListener("load", () => {{
  const page = document.querySelector("iframe").contentDocument
  const drawn = () => page.querySelector("#chart svg").viewBox.baseVal.width
  const said = {{}}
  said.controls = [...page.querySelectorAll("#controls select")].map(box => [box.id.slice(7), box.value, box.length])
  said.key = [...page.querySelectorAll(".key li")].map(entry => entry.textContent)
  said.rates = [...page.querySelectorAll("#drawn tbody tr")].map(row => row.cells[1].textContent)
  said.wide = drawn()
  document.getElementById("frame").width = 360
  page.defaultView.dispatchEvent(new Event("resize"))  // the browser sends its own with the next frame
  said.narrow = drawn()
  document.title = JSON.stringify(said)
}})</script>"""


def with_rates():
    """Make a cube of two depths, each of its own width, at three rates, and a protocol with one rate far from them."""
    dims = ("task", "protocol", "depth", "width", "n_train", "learning_rate", "draw", "seed")
    at = {"task": ["t"], "protocol": ["adam", "newton"], "depth": [1, 2], "width": [4, 8], "n_train": [10]}
    at |= {"learning_rate": [0.1, 0.2, 0.4, 1e8], "draw": [0, 1], "seed": [0]}
    status = np.full([len(at[dim]) for dim in dims], UNFITTED, dtype=object)
    status[:, :, 0, 0] = status[:, :, 1, 1] = status[:, 0, ..., 3, :, :] = status[:, 1, ..., :3, :, :] = MISSING
    errors = np.where(status == MISSING, np.nan, 0.2)
    networks = xr.Dataset({"test_error": (dims, errors), "status": (dims, status)}, at)
    tree = xr.DataTree.from_dict({"networks": networks})
    tree.attrs = {**MADE, "spec": json.dumps({"tasks": {"t": {"kind": "sawtooth"}}}), "n_test": 100}
    return tree


def test_the_chart_asks_for_what_differs_within_a_line_and_fits_its_screen(tmp_path):
    document = page(Study("expressivity", "Depth", "M", None, [], {"rates": with_rates()}))
    said = json.loads(title_of(tmp_path, RATES, document))
    assert said["key"] == [
        "depth L 1, width H 8",
        "depth L 2, width H 4",
    ]  # no choice of one width hides the other depth
    assert said["rates"] == ["0.1", "0.2", "0.4"] * 2  # nor does 1e8 stretch the axis
    assert [name for name, *_ in said["controls"]] == ["grid", "x", "lines", "mean", "scale"]
    assert ["mean", "finite", 1] in said["controls"]  # no network fits
    assert said["narrow"] < 360 < said["wide"] == 720


DIMS = """<iframe width=390 height=900 srcdoc="{page}"></iframe><script>
addEventListener("load", () => {{
  const page = document.querySelector("iframe").contentDocument, chosen = id => page.getElementById(`choose-${{id}}`)
  const choose = (id, value) => {{
    chosen(id).value = value
    chosen(id).dispatchEvent(new Event("change"))
  }}
  const about = box => [box.id.slice(7), box.value, box.length]
  const controls = () => [...page.querySelectorAll("#controls select")].map(about)
  const drawn = () => ({{
    controls: controls(),
    rows: [...page.querySelectorAll("#drawn tbody tr")].map(row => [...row.cells].map(cell => cell.textContent)),
    key: [...page.querySelectorAll(".key li")].map(entry => entry.textContent),
    said: page.getElementById("said").textContent,
  }})
  const said = {{}}
  choose("x", "n_train")
  choose("lines", "depth")
  choose("at-terms", "4")
  choose("at-method", "sgd")
  choose("at-width", "8")
  said.held = drawn()
  choose("at-width", "")
  said.averaged = drawn()
  choose("at-method", "adam")
  said.gap = drawn()
  choose("lines", "shape")
  said.shapes = drawn()
  choose("x", "terms")
  choose("lines", "width")
  said.terms = drawn()
  said.wide = page.documentElement.scrollWidth
  document.title = JSON.stringify(said)
}})</script>"""
PARTS = {
    "task": 0.2,
    "protocol": 0.1,
    "depth": 0.04,
    "width": 0.02,
    "n_train": -0.01,
}  # of an error


def with_many_dims():
    """Make a cube of all combinations of two values of each dim but one; its errors are sums of a part per dim."""
    at = {"task": ["t1", "t4"], "protocol": ["sgd", "adam"], "depth": [1, 2], "width": [4, 8], "n_train": [10, 20]}
    at |= {"draw": [0, 1], "seed": [0]}
    places = xr.Dataset(coords={dim: np.arange(len(values)) for dim, values in at.items()})
    errors = sum((places[dim] * part for dim, part in PARTS.items()), 0.1 + 0.0 * places.draw + 0.0 * places.seed)
    errors = errors.transpose(*at).assign_coords(at)
    status = xr.full_like(errors, "fitted", dtype=object)
    gap = {"protocol": "adam", "depth": 2, "width": 8, "n_train": 20}
    errors.loc[gap], status.loc[gap] = np.nan, MISSING
    tree = xr.DataTree.from_dict({"networks": xr.Dataset({"test_error": errors, "status": status})})
    tasks = {name: {"kind": "k_terms", "terms": m, "dimension": 9} for name, m in (("t1", 1), ("t4", 4))}
    tree.attrs = {**MADE, "spec": json.dumps({"tasks": tasks}), "n_test": 100}
    return tree


def test_each_further_dim_is_held_or_averaged_over(tmp_path):
    """Lines by depth against N, at chosen terms, protocol and width; then averaged over widths; then by shape."""
    document = page(Study("locality", "Depth", "M", None, [], {"dims": with_many_dims()}))
    said = json.loads(title_of(tmp_path, DIMS, document))
    held, averaged, gap, shapes, terms = (said[name] for name in ("held", "averaged", "gap", "shapes", "terms"))
    dims = [["at-terms", "4", 3], ["at-method", "sgd", 3], ["at-width", "8", 3]]
    assert held["controls"][1:6] == [["x", "n_train", 4], ["lines", "depth", 7], *dims]
    assert [name for name, *_ in held["controls"][6:]] == ["mean", "scale"]
    assert [row[:3] for row in held["rows"]] == [
        ["1", "10", "0.32"],
        ["1", "20", "0.31"],
        ["2", "10", "0.36"],
        ["2", "20", "0.35"],
    ]
    assert [[*row[:3], row[4]] for row in averaged["rows"]] == [
        ["1", "10", "0.31", "2"],
        ["1", "20", "0.3", "2"],
        ["2", "10", "0.35", "2"],
        ["2", "20", "0.34", "2"],
    ]
    assert averaged["key"] == ["depth L 1, mean of 2", "depth L 2, mean of 2"]
    assert [row[:2] for row in gap["rows"]] == [["1", "10"], ["1", "20"], ["2", "10"]]
    assert "as cells of their mean are missing: 1 point." in gap["said"]
    assert [row[:2] for row in shapes["rows"]][-3:] == [["2 × 4", "10"], ["2 × 4", "20"], ["2 × 8", "10"]]
    assert shapes["key"] == [f"shape L × H {shape}" for shape in ("1 × 4", "1 × 8", "2 × 4", "2 × 8")]
    assert [name for name, *_ in shapes["controls"]] == ["grid", "x", "lines", "at-terms", "at-method", "mean", "scale"]
    assert [name for name, *_ in terms["controls"]][3:6] == ["at-method", "at-depth", "at-n_train"]
    assert [row[:2] for row in terms["rows"]] == [["4", "1"], ["4", "4"], ["8", "1"], ["8", "4"]]
    assert said["wide"] <= 390
