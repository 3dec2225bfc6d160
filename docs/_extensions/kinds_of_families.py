"""Directive ``{kinds} task``: every kind of a family with its settings, as ``isobath kinds`` has them."""

from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

from isobath import plugins


class Kinds(Directive):
    """Every kind of the family that the argument names: its name, its settings, the first line of its docstring."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        family = self.arguments[0]
        return [nodes.definition_list("", *(_item(family, kind) for kind in plugins.kinds(family)))]


def _item(family: str, kind: str) -> nodes.Node:
    settings = [_setting(name, *typed) for name, typed in plugins.declared(family, kind).items()]
    parts: list[nodes.Node] = [nodes.paragraph("", plugins.summary(family, kind))]
    if settings:
        parts.append(nodes.paragraph("", "", nodes.literal("", ", ".join(settings))))
    term = nodes.term("", "", nodes.literal("", kind))
    return nodes.definition_list_item("", term, nodes.definition("", *parts))


def _setting(name: str, written: str, default: Any) -> str:
    return f"{name}: {written}" + ("" if default is ... else f" = {default!r}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("kinds", Kinds)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
