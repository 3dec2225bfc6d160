"""Formulas as MathML, which browsers draw without a script or a font from elsewhere."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.math import get_node_equation_number


def of_line(self: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(_converted(node, "inline"))
    raise nodes.SkipNode


def of_display(self: Any, node: nodes.math_block) -> None:
    """Write a formula of its own, with its number if it has one."""
    number = f"({get_node_equation_number(self, node)})" if node.get("number") else ""
    label = f'<span class="eqno">{number}</span>' if number else ""
    self.body.append(f'<div class="formula"{self.starttag(node, "", "")[1:-1]}>{label}{_converted(node, "block")}</div>')
    raise nodes.SkipNode


def _converted(node: nodes.Element, display: str) -> str:
    try:
        return str(convert(node.astext().strip(), display=display))
    except Exception as error:
        raise ExtensionError(f"the formula {node.astext()!r} cannot be converted: {error}") from error


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (of_line, None), (of_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
