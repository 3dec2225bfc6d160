"""Headless Chromium, where there is one: a page in a frame, and what a script beside it says in its title."""

import html
import re
import shutil
import subprocess

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
MARKS = [
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


def chromium(*arguments):
    return subprocess.run([CHROMIUM, *FLAGS, *arguments], capture_output=True, text=True, check=True, timeout=60).stdout


def title_of(folder, frame, document, **sizes):
    """Return the title that the script of a frame gives itself once it has looked at the page inside."""
    file = folder / "frame.html"
    file.write_text(frame.format(page=html.escape(document.decode()), **sizes), encoding="utf-8")
    return html.unescape(re.search("<title>(.*?)</title>", chromium("--dump-dom", file.as_uri()), re.DOTALL)[1])
