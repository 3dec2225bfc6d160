"""Docstrings of isobath for autodoc: plain text with ``code``, lists and indented formulas, and no other markup."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

CODE = re.compile(r"(``[^`]+``)")
MARKUP = re.compile(r"([\\*|`]|_(?=\W|$))")


def converted(lines: list[str]) -> list[str]:
    """Return reStructuredText that shows a docstring as it stands: indented blocks to the letter, no markup in text."""
    blocks = [list(block) for blank, block in groupby(lines, key=lambda line: not line.strip()) if not blank]
    return [line for block in blocks for line in _block(block)]


def _block(block: list[str]) -> Iterator[str]:
    """Yield a paragraph, a list, or what is indented to the letter; a list that follows on a line begins a block."""
    if block[0].startswith(" "):
        yield from (["::", "", *(f"    {line}" for line in block), ""])
        return
    for _, lines in groupby(block, key=lambda line: line.startswith(("- ", "  "))):
        yield from (_escaped(line) for line in lines)
        yield ""


def _escaped(line: str) -> str:
    """Return a line whose characters are no markup, but for its code."""
    return "".join(part if i % 2 else MARKUP.sub(r"\\\1", part) for i, part in enumerate(CODE.split(line)))


def convert(app: "Sphinx", what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Convert a docstring in place."""
    lines[:] = converted(lines)


def skip(app: "Sphinx", what: str, name: str, obj: Any, would: bool, options: Any) -> bool | None:
    """Leave out the fields of tuples, which have no words of their own: the signature lists them."""
    return True if str(getattr(obj, "__doc__", "")).startswith("Alias for field number") else None


def no_signature(app: "Sphinx", what: str, name: str, obj: Any, *_: Any) -> tuple[str, str] | None:
    """Leave out the signature of a protocol, which nobody calls."""
    return ("", "") if getattr(obj, "_is_protocol", False) else None


def setup(app: "Sphinx") -> dict[str, bool]:
    """Convert every docstring that autodoc reads."""
    app.connect("autodoc-process-docstring", convert)
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-signature", no_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
