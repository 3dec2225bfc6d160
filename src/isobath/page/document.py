"""Composition of the page: the templates, filled with the numbers of the studies."""

import base64
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from isobath import sources
from isobath.disk.sealed_documents import seal
from isobath.page import claims, exhibits, findings, intervals, links, measurements, numbers, provenance
from isobath.page.contents import Build, Study

SCRIPT = sources.text(Path(__file__).parent / "explorer.js")
NAMED = re.compile(r"[\w.-]*\w_\w[\w.-]*")  # names of tasks and kernels in words
SUBSCRIPT = re.compile(r"\b([A-Za-z]|mu|eps|epsbar|delta|Theta|log)_(\w{1,2}|inf)\b")
SIGNS = {">=": "≥", "<=": "≤", "->": "→", "+-": "±", "||": "‖", " - ": f" {numbers.MINUS} "}
EXPONENT = re.compile(r"\^(?:\(((?:[^()]|\([^()]*\))+)\)|(-?[\d./]+\d|-?\w))")  # N^-1/4, x^2, d^(k + 2^(1 - L))


def compose(
    studies: Sequence[Study],
    *,
    scale: str,
    seed: int,
    origin: Mapping[str, str],
    build: Build,
    lacks: Sequence[str] = (),
    demanded: Sequence[str] = (),
) -> bytes:
    """Return the page of a run, with its checksum. ``origin`` is its provenance: see ``jobs/provenance.py``.

    ``lacks`` are studies that config.yaml names and the page does not show; it says so. ``demanded`` are lines on the
    time that the studies take at the settings of their papers.
    """
    count = sum(figure.record is not None for study in studies for figure in study.figures)
    room = exhibits.ROOM // max(1, count)
    claims_of = {study.name: claims.of_study(study, build) for study in studies}
    html = _template().render(
        **{"studies": studies, "scale": scale, "seed": seed, "made": dict(origin), "build": build, "lacks": lacks},
        **_head(claims_of),
        stale=findings.stale(studies),
        **_provenance(studies),
        claims=claims_of,
        exhibits={study.name: exhibits.of_study(study, room, build) for study in studies},
        works={study.name: links.works(study) for study in studies},
        measurements=measurements.of_studies(studies),
        demanded=demanded,
        script=Markup(SCRIPT),  # noqa: S704 (our own)
        script_digest=base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode(),
        plot_width=intervals.WIDTH,
        rows_shown=exhibits.ROWS,
    )
    return seal(html)


def _head(claims_of: Mapping[str, Sequence[claims.Claim]]) -> dict[str, Any]:
    """Return the head of the page: the matrix of verdicts and the findings."""
    return {
        "tally": claims.tally(claim.record for listed in claims_of.values() for claim in listed),
        "words": findings.words(claims_of),
        "matrix": findings.matrix(claims_of),
        "marks": findings.MARKS,
        "caveats": findings.CAVEATS,
        "found": {
            study: [findings.decided(listed, verdict) for verdict in (findings.FOR, findings.AGAINST)]
            for study, listed in claims_of.items()
        },
    }


def _provenance(studies: Sequence[Study]) -> dict[str, Any]:
    cubes = provenance.gathered(studies)
    return {
        "gathered": cubes,
        "statuses": sorted({status for cube in cubes for status in cube.networks}),
        "groups": sorted({group for cube in cubes for group in cube.cells}),
        "origins": provenance.origins(studies),
        "versions": provenance.versions(studies),
        "machines": provenance.machines(studies),
    }


def prose(text: str) -> Markup:
    """Typeset a sentence as HTML: exponents raised (N^-1/4), indices lowered (mu_k), mathematical signs."""
    return Markup(typeset(text, escape))  # noqa: S704 (escaped there)


def label(text: str) -> Markup:
    """Typeset the label of a part of a claim: 'ntk_beta0.3' becomes 'ntk beta 0.3'."""
    return prose(NAMED.sub(lambda name: name[0] if SUBSCRIPT.fullmatch(name[0]) else _spaced(name[0]), text))


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=\d)", " ", name.replace("_", " "))


def typeset(text: str, escaped: Callable[[str], str]) -> str:
    """Typeset a sentence as HTML, or as Markdown, whose other characters ``escaped`` keeps as they are."""
    for typed, sign in SIGNS.items():
        text = text.replace(typed, sign)
    return formulas(str(escaped(text)))


def formulas(text: str) -> str:
    """Raise the exponents (N^-1/4) and lower the indices (mu_k) of a text, as HTML; all else stays as it is."""
    return SUBSCRIPT.sub(r"\1<sub>\2</sub>", _raised(text))


def _raised(text: str) -> str:
    return EXPONENT.sub(lambda match: f"<sup>{_raised(_minus(match[1] or match[2]))}</sup>", text)


def heading(name: str) -> str:
    """Turn the name of a figure or a study into a heading: 'figure2' becomes 'Figure 2'."""
    words = _spaced(name)
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
        "label": label,
        "heading": heading,
        "version": links.version,
        "estimate": numbers.estimate,
        "interval": numbers.interval,
        "count": numbers.count,
        "published": numbers.published,
        "of_source": numbers.of_source,
        "region": numbers.region,
    }
    return environment.get_template("page.html")
