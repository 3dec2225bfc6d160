"""Links of pages to files of the repository: each file that is code becomes a page of the site, highlighted."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.osutil import relative_uri

LANGUAGES = {".py": "python", ".yaml": "yaml", ".smk": "python", ".cff": "yaml", ".txt": "text"}


def redirect(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Let links to code lead to its page, in place of a download."""
    if app.builder.format != "html":
        return
    shown = app.env.__dict__.setdefault("isobath_sources", set())
    for node in [*doctree.findall(addnodes.download_reference)]:
        file = (Path(app.srcdir) / Path(page).parent / node["reftarget"]).resolve()
        if file.suffix not in LANGUAGES or not file.is_relative_to(app.srcdir):
            continue
        name = f"source/{file.relative_to(app.srcdir)}"
        shown.add(name)
        uri = relative_uri(app.builder.get_target_uri(page), app.builder.get_target_uri(name))
        node.replace_self(nodes.reference("", "", *node.children, refuri=uri, internal=True))


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield a page for each file that is linked."""
    for name in sorted(app.env.__dict__.get("isobath_sources", ())):
        file = Path(app.srcdir) / name.removeprefix("source/")
        text = file.read_text(encoding="utf-8")
        code = app.builder.highlighter.highlight_block(text, LANGUAGES[file.suffix], linenos="inline")
        title = escape(name.removeprefix("source/"))
        yield name, {"title": title, "body": f"<h1>{title}</h1>{code}", "parents": []}, "page.html"


def setup(app: Sphinx) -> dict[str, bool]:
    """Replace the links of each page when it is written, then add the pages of code."""
    app.connect("doctree-resolved", redirect)
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
