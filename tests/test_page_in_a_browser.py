"""The page in headless Chromium, where there is one: it fits a telephone and asks the network for nothing."""

import html
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
import xarray as xr
from test_page import MADE, figure, judged, page, part, study

from isobath.page.contents import Study
from isobath.statuses import MISSING, UNFITTED

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium"),
]
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--virtual-time-budget=5000",
]
MEASURE = """<iframe width={width} height=800 srcdoc="{page}"></iframe><script>
addEventListener("load", () => {{
  const page = document.querySelector("iframe").contentDocument
  page.querySelectorAll("details").forEach(details => details.open = true)
  page.getElementById("show-inconclusive").click()
  const shown = [...page.querySelectorAll(".claim")].filter(claim => claim.offsetHeight).length
  page.getElementById("show-all").click()
  const loaded = [...page.images].every(image => image.complete && image.naturalWidth)
  document.title = [page.documentElement.scrollWidth, shown, page.images.length, loaded]
}})</script>"""


@pytest.fixture(scope="module")
def document():
    long = part(-1.5e-5, -1e-3, 1e-3, -0.3125, -0.1875, "inconclusive")
    record = judged([part(), long, part(None, None, None, verdict="not run")])
    inconclusive = judged([long] * 9, "inconclusive", "A statement_without_a_place_to_break_it_" * 3)["claims"][0]
    record["claims"].append({**inconclusive, "claim": "other"})
    return page(study([figure(), figure("figure2")], record))


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

# A frame that may run no script of its own: its page has words in place of the chart, no controls, and the figures.
WITHOUT = """<iframe sandbox="allow-same-origin" width=1000 srcdoc="{page}"></iframe><script>
addEventListener("load", () => {{
  const page = document.querySelector("iframe").contentDocument, instead = page.querySelector("noscript p")
  const shown = instead !== null && instead.offsetHeight > 0 && instead.textContent.includes("show the same")
  document.title = [shown, page.querySelectorAll("select").length, page.images.length]
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
    html_of_both = page(Study("locality", "Depth", "M", None, [], {**two.cubes, "terms": with_terms()}))
    frame = tmp_path / "frame.html"
    frame.write_text(CHOOSE.format(page=html.escape(html_of_both.decode())), encoding="utf-8")
    title = re.search("<title>(.*?)</title>", chromium("--dump-dom", frame.as_uri()), re.DOTALL)[1]
    said = json.loads(html.unescape(title))
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
    frame = tmp_path / "frame.html"
    document = page(Study("expressivity", "Depth", "M", None, [], {"rates": with_rates()}))
    frame.write_text(RATES.format(page=html.escape(document.decode())), encoding="utf-8")
    found = chromium("--dump-dom", frame.as_uri())
    said = json.loads(html.unescape(re.search("<title>(.*?)</title>", found, re.DOTALL)[1]))
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
    frame = tmp_path / "frame.html"
    document = page(Study("locality", "Depth", "M", None, [], {"dims": with_many_dims()}))
    frame.write_text(DIMS.format(page=html.escape(document.decode())), encoding="utf-8")
    found = chromium("--dump-dom", frame.as_uri())
    said = json.loads(html.unescape(re.search("<title>(.*?)</title>", found, re.DOTALL)[1]))
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


def test_without_javascript_the_page_says_where_the_same_is(tmp_path, document):
    frame = tmp_path / "frame.html"
    frame.write_text(WITHOUT.format(page=html.escape(document.decode())), encoding="utf-8")
    assert re.search("<title>(.*?)</title>", chromium("--dump-dom", frame.as_uri()))[1] == "true,0,2"


def chromium(*arguments):
    return subprocess.run([CHROMIUM, *FLAGS, *arguments], capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.mark.parametrize("width", [320, 360, 800, 1030, 1280])
def test_nothing_is_wider_than_the_screen_and_claims_can_be_chosen(tmp_path, document, width):
    frame = tmp_path / "frame.html"
    frame.write_text(MEASURE.format(width=width, page=html.escape(document.decode())), encoding="utf-8")
    title = re.search("<title>(.*?)</title>", chromium("--dump-dom", frame.as_uri()))[1]
    wide, shown, images, loaded = title.split(",")
    assert int(wide) <= width
    assert (shown, images, loaded) == ("1", "2", "true")


def asked(folder, document):
    """Return the URLs that a page asks the network for, without the errands of the browser itself."""
    (folder / "index.html").write_bytes(document)
    log, profile = folder / "net.json", folder / "profile"
    picture = f"--screenshot={folder / 'page.png'}"
    chromium(f"--user-data-dir={profile}", f"--log-net-log={log}", picture, (folder / "index.html").as_uri())
    events = [event.get("params", {}) for event in json.loads(log.read_text(encoding="utf-8"))["events"]]
    return {e["url"] for e in events if "url" in e and e.get("initiator", "not an origin") != "not an origin"}


ROOM = """<iframe width={width} height=900 srcdoc="{page}"></iframe><script>
addEventListener("load", () => {{
  const page = document.querySelector("iframe").contentDocument
  document.title = Math.min(...[...page.querySelectorAll(".parts tbody th")].map(part => part.offsetWidth))
}})</script>"""


@pytest.mark.parametrize("width", [1030, 1180, 1280])
def test_parts_have_room_for_their_names(tmp_path, document, width):
    frame = tmp_path / "frame.html"
    frame.write_text(ROOM.format(width=width, page=html.escape(document.decode())), encoding="utf-8")
    assert int(re.search("<title>(.*?)</title>", chromium("--dump-dom", frame.as_uri()))[1]) > 100


CUT = """<iframe width={width} height=800 srcdoc="{page}"></iframe><script>
addEventListener("load", () => {{
  const matrix = document.querySelector("iframe").contentDocument.querySelector(".matrix")
  document.title = [matrix.scrollHeight - matrix.clientHeight, matrix.querySelectorAll(".cells a").length]
}})</script>"""


@pytest.mark.parametrize("width", [360, 1030])
def test_the_matrix_of_verdicts_is_shown_down_to_its_last_row(tmp_path, width):
    record = judged([part()])
    record["claims"] = [{**record["claims"][0], "claim": f"claim_{i}"} for i in range(400)]
    frame = tmp_path / "frame.html"
    long = page(study([figure()], record)).decode()
    frame.write_text(CUT.format(width=width, page=html.escape(long)), encoding="utf-8")
    title = re.search("<title>(.*?)</title>", chromium("--dump-dom", frame.as_uri()))[1]
    assert title == "0,400"


def test_the_network_is_not_asked(tmp_path, document):
    assert not {url for url in asked(tmp_path, document) if url.startswith(("http", "ws"))}
    assert (tmp_path / "page.png").stat().st_size > 10_000
    picture = b'<img src="http://127.0.0.1:9/picture.png">'
    assert "http://127.0.0.1:9/picture.png" in asked(tmp_path, picture)
