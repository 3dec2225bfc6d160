"""Anchors that a page writes as HTML, ``<a id="...">``: links can lead to them, as they do on a git host."""

import re

from docutils import nodes
from sphinx.application import Sphinx

ANCHOR = re.compile(r'<a id="([^"]+)">')


def register(app: Sphinx, doctree: nodes.document) -> None:
    """Tell MyST of the anchors of a page, among those of its headings."""
    slugs = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    for raw in doctree.findall(nodes.raw):
        for name in ANCHOR.findall(raw.astext()):
            heading = next((n for n in _above(raw) if isinstance(n, nodes.section)), None)
            title = heading.next_node(nodes.title).astext() if heading else name
            slugs[name] = (raw.line, name, title)


def _above(node: nodes.Node) -> list[nodes.Node]:
    return [] if node.parent is None else [node.parent, *_above(node.parent)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the anchors of each page once it is read."""
    app.connect("doctree-read", register)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
