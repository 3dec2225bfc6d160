"""Links of the Markdown files lead somewhere, on a git host and in the site; every page is in its contents."""

import re
from pathlib import Path

import pytest
from house import ROOT

ELSEWHERE = ("http://", "https://", "mailto:")
HIDDEN = (".", "_")
SKIPPED = {"results", "resources", "logs", "checkpoints", "build", "workflow"}
# workflow/**/findings.md become pages of docs/findings, and are read there


def pages():
    """Return the Markdown files of the repository that people read."""
    tops = [
        ROOT / "docs",
        ROOT / "config",
        ROOT / "src/isobath/README.md",
        ROOT / "tests/README.md",
        *ROOT.glob("*.md"),
    ]
    found = [file for top in tops for file in ([top] if top.is_file() else top.rglob("*.md"))]
    return sorted(f for f in found if not any(part.startswith(HIDDEN) for part in f.relative_to(ROOT).parts))


PAGES = pages()


def prose(page):
    """Return a page without its code."""
    text = re.sub(r"^(`{3,}|:{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "code", text)


def slug(heading):
    """Return the anchor that git hosts and MyST make of a heading."""
    plain = re.sub(r"<[^>]*>|\[([^\]]*)\]\([^)]*\)|[`*\\]", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def anchors(page):
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#{1,6} +(.+?) *$", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE), re.M)
    return {*map(slug, headings), *re.findall(r'<a id="([^"]+)"', text)}


def links(page):
    return re.findall(r"\]\(([^)\s]+)\)", prose(page))


def trees(page):
    """Return the pages that the contents of a page name."""
    found = re.findall(r"^:::\{toctree\}\n(.*?)^:::$", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    entries = [line for block in found for line in block.splitlines() if line and not line.startswith(":")]
    names = [re.sub(r".*<(.*)>", r"\1", entry) for entry in entries]
    return [(page.parent / f"{name}.md").resolve() for name in names]


def faults(page):
    """Return the links of a page that lead nowhere."""
    for link in links(page):
        if link.startswith(ELSEWHERE):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.is_file():
            yield f"{link}: there is no such file"
        elif anchor and anchor not in anchors(target):
            yield f"{link}: there is no such anchor"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    assert not [*faults(page)]


def test_the_contents_have_every_page_once():
    listed = trees(ROOT / "docs/index.md")
    assert sorted(listed) == sorted({*listed})
    assert {*listed, ROOT / "docs/index.md"} == {*PAGES}


def test_wrong_links_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A title: of `code`\n[a](#a-title-of-code) [b](#b) [c](c.md) ![d](d.png) `[e](e.md)`\n")
    assert [fault.split(":")[0] for fault in faults(page)] == ["#b", "c.md", "d.png"]


def test_the_site_reads_the_pages_that_are_tested(monkeypatch):
    """The patterns are those of docs/conf.py, applied without Sphinx."""
    (patterns,) = re.findall(r"^include_patterns = (\[.*?\])", (ROOT / "docs/conf.py").read_text(), re.DOTALL | re.M)
    shown = {path for pattern in eval(patterns) for path in ROOT.glob(pattern.replace("**.md", "**/*.md"))}
    assert {path for path in shown if "_build" not in path.parts} == {*map(Path, PAGES)}
