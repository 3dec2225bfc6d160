"""Markdown: sentences with their characters kept, tables, folded blocks."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from isobath.findings import page_of
from isobath.page import numbers
from isobath.page.document import formulas, typeset

AS_IT_IS = re.compile(r"(`[^`]*`|\]\([^)]*\))")  # code, and where a link leads


def sentence(text: str) -> str:
    """Typeset a sentence in one line: exponents raised, indices lowered, signs for typed ones.

    Characters that Markdown takes for markup are escaped.
    """
    return typeset(" ".join(text.split()), lambda plain: re.sub(r"([\\`*<>|\[\]~])", r"\\\1", plain))


def written(text: str) -> str:
    """Typeset Markdown that people wrote: exponents raised, indices lowered, but for code and where links lead."""
    parts = AS_IT_IS.split(text)
    return "".join(part if i % 2 else formulas(part) for i, part in enumerate(parts))


def claim_link(words: str, study: str, claim: str, *, on: str | None = None, folder: str = "") -> str:
    """Return a link to a claim on the page of its study, as it stands on the page of the study ``on``, or on another.

    ``folder`` is that of the findings, for a link of a text outside of it. Raises FindingsError.
    """
    return f"[{sentence(words)}]({folder}{'' if study == on else page_of(study)}#{claim})"


def number(part: Mapping[str, Any], *, between: str = " ") -> str:
    """Return the estimate of a part that was measured, with its interval: '0.12 [0.10, 0.14]'.

    ``between`` is the space between the ends of the interval.
    """
    interval = "" if part["low"] is None else sentence(numbers.interval(part)).replace(" ", between)
    return " ".join(filter(None, [numbers.estimate(part), interval]))


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of a table with an empty line after it; columns named in ``right`` are flush right."""
    yield _row(header)
    yield _row(["---:" if name in right else "---" for name in header])
    yield from map(_row, rows)
    yield ""


def folded(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield lines that are shown when their title is clicked."""
    yield from (f"<details><summary>{title}</summary>", "", *lines, "</details>", "")


def anchor(name: str) -> str:
    """Return the target of links to a name on a page."""
    return f'<a id="{name}"></a>'


def page(lines: Iterable[str]) -> bytes:
    """Return a page without empty lines at its end."""
    return ("\n".join(lines).rstrip("\n") + "\n").encode()


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
