"""The page in headless Chromium, where there is one: it fits a telephone and asks the network for nothing."""

import json

import pytest
from browser import MARKS, chromium, title_of
from made_up_pages import figure, page, study
from page_parts import judged, part

pytestmark = MARKS
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


# A frame that may run no script of its own: its page has words in place of the chart, no controls, and the figures.
WITHOUT = """<iframe sandbox="allow-same-origin" width=1000 srcdoc="{page}"></iframe><script>
addEventListener("load", () => {{
  const page = document.querySelector("iframe").contentDocument, instead = page.querySelector("noscript p")
  const shown = instead !== null && instead.offsetHeight > 0 && instead.textContent.includes("show the same")
  document.title = [shown, page.querySelectorAll("select").length, page.images.length]
}})</script>"""


def test_without_javascript_the_page_says_where_the_same_is(tmp_path, document):
    assert title_of(tmp_path, WITHOUT, document) == "true,0,2"


@pytest.mark.parametrize("width", [320, 360, 800, 1030, 1280])
def test_nothing_is_wider_than_the_screen_and_claims_can_be_chosen(tmp_path, document, width):
    wide, shown, images, loaded = title_of(tmp_path, MEASURE, document, width=width).split(",")
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
    assert int(title_of(tmp_path, ROOM, document, width=width)) > 100


CUT = """<iframe width={width} height=800 srcdoc="{page}"></iframe><script>
addEventListener("load", () => {{
  const matrix = document.querySelector("iframe").contentDocument.querySelector(".matrix")
  document.title = [matrix.scrollHeight - matrix.clientHeight, matrix.querySelectorAll(".cells a").length]
}})</script>"""


@pytest.mark.parametrize("width", [360, 1030])
def test_the_matrix_of_verdicts_is_shown_down_to_its_last_row(tmp_path, width):
    record = judged([part()])
    record["claims"] = [{**record["claims"][0], "claim": f"claim_{i}"} for i in range(400)]
    assert title_of(tmp_path, CUT, page(study([figure()], record)), width=width) == "0,400"


def test_the_network_is_not_asked(tmp_path, document):
    assert not {url for url in asked(tmp_path, document) if url.startswith(("http", "ws"))}
    assert (tmp_path / "page.png").stat().st_size > 10_000
    picture = b'<img src="http://127.0.0.1:9/picture.png">'
    assert "http://127.0.0.1:9/picture.png" in asked(tmp_path, picture)
