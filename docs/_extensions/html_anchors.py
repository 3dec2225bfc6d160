"""Anchors that a heading writes as HTML, ``<a id="..."></a>``, as git hosts need them: ids of its section here."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

ANCHOR = re.compile(r'<a id="([^"]+)">')


class Anchors(SphinxTransform):
    """Take the anchors out of headings, where search and contents would show them, and tell MyST where they are."""

    default_priority = 700

    def apply(self) -> None:
        """Change the page that is read."""
        slugs = self.env.metadata[self.env.docname].setdefault("myst_slugs", {})
        for title in [*self.document.findall(nodes.title)]:
            for raw in [*title.findall(nodes.raw)]:
                if found := ANCHOR.match(raw.astext()):
                    title.parent["ids"].append(found[1])
                    slugs[found[1]] = (title.line, found[1], "")
                if found or raw.astext() == "</a>":
                    raw.parent.remove(raw)
            for name in title.parent["ids"]:
                if name in slugs:
                    slugs[name] = (title.line, name, title.astext())


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_transform(Anchors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
