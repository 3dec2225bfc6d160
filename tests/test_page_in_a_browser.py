"""The page in headless Chromium, where there is one: it fits a telephone and asks the network for nothing."""

import html
import json
import re
import shutil
import subprocess

import pytest
from test_page import figure, judged, page, part, study

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


def chromium(*arguments):
    return subprocess.run([CHROMIUM, *FLAGS, *arguments], capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_nothing_is_wider_than_the_screen_and_claims_can_be_chosen(tmp_path, document, width):
    frame = tmp_path / "frame.html"
    frame.write_text(MEASURE.format(width=width, page=html.escape(document.decode())), encoding="utf-8")
    title = re.search("<title>(.*?)</title>", chromium("--dump-dom", frame.as_uri()))[1]
    wide, shown, images, loaded = title.split(",")
    assert int(wide) <= width
    assert (shown, images, loaded) == ("1", "2", "true")


def asked(folder, document):
    """The URLs that a page asks the network for, not those of the browser's own errands."""
    (folder / "index.html").write_bytes(document)
    log, profile = folder / "net.json", folder / "profile"
    picture = f"--screenshot={folder / 'page.png'}"
    chromium(f"--user-data-dir={profile}", f"--log-net-log={log}", picture, (folder / "index.html").as_uri())
    events = [event.get("params", {}) for event in json.loads(log.read_text(encoding="utf-8"))["events"]]
    return {e["url"] for e in events if "url" in e and e.get("initiator", "not an origin") != "not an origin"}


def test_the_network_is_not_asked(tmp_path, document):
    assert not {url for url in asked(tmp_path, document) if url.startswith(("http", "ws"))}
    assert (tmp_path / "page.png").stat().st_size > 10_000
    picture = b'<img src="http://127.0.0.1:9/picture.png">'
    assert "http://127.0.0.1:9/picture.png" in asked(tmp_path, picture)
