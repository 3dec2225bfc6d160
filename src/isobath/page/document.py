"""Composition of the page: the templates, filled with the numbers of the studies."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from isobath.disk.seals import seal
from isobath.page import claims, exhibits, intervals, numbers, provenance
from isobath.page.contents import Study

SIGNS = {">=": "≥", "<=": "≤", "||": "‖", " - ": f" {numbers.MINUS} "}


def compose(
    studies: Sequence[Study], *, scale: str, seed: int, made: Mapping[str, str], demanded: Sequence[str] = ()
) -> bytes:
    """Return the page of a run, with its checksum. ``made`` is its provenance: see ``jobs/provenance.py``.

    ``demanded`` are lines on the time that the studies take at the settings of their papers.
    """
    count = sum(figure.record is not None for study in studies for figure in study.figures)
    room = exhibits.ROOM // max(1, count)
    judged = {study.name: claims.of_study(study) for study in studies}
    html = _template().render(
        studies=studies,
        claims=judged,
        tally=claims.tally(claim.record for listed in judged.values() for claim in listed),
        exhibits={study.name: exhibits.of_study(study, room) for study in studies},
        gathered=(cubes := provenance.gathered(studies)),
        statuses=sorted({status for cube in cubes for status in cube.networks}),
        groups=sorted({group for cube in cubes for group in cube.cells}),
        origins=provenance.origins(studies),
        versions=provenance.versions(studies),
        scale=scale,
        seed=seed,
        made=dict(made),
        demanded=demanded,
        plot_width=intervals.WIDTH,
        rows_shown=exhibits.ROWS,
    )
    return seal(html)


def prose(text: str) -> Markup:
    """Typeset a sentence as HTML: exponents raised (N^-1/4), mathematical signs for typed ones."""
    return Markup(typeset(text, escape))  # noqa: S704 (escaped there)


def typeset(text: str, escaped: Callable[[str], str]) -> str:
    """Typeset a sentence as HTML, or as Markdown, whose other characters ``escaped`` keeps as they are."""
    for typed, sign in SIGNS.items():
        text = text.replace(typed, sign)
    return re.sub(r"\^(-?[\d./]+\d|-?\w)", lambda match: f"<sup>{_minus(match[1])}</sup>", str(escaped(text)))


def heading(name: str) -> str:
    """Turn the name of a figure or a study into a heading: 'figure2' becomes 'Figure 2'."""
    words = re.sub(r"(?<=[a-z])(?=\d)", " ", name.replace("_", " "))
    return words[:1].upper() + words[1:]


def _minus(text: str) -> str:
    return text.replace("-", numbers.MINUS)


def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("isobath", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "prose": prose,
        "heading": heading,
        "estimate": numbers.estimate,
        "interval": numbers.interval,
        "count": numbers.count,
        "published": numbers.published,
        "region": numbers.region,
    }
    return environment.get_template("page.html")
