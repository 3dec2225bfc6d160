"""Choice of the figures that findings show: each from the largest run that drew it, all within a limit of size."""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

from isobath.disk.drawings import Drawing
from isobath.findings.ledger import Exhibit, Key

ROOM = 7_000_000  # bytes of all figures together, at most
SHARP = 120_000  # bytes up to which a figure is an SVG although its PNG may be smaller


class Figure(NamedTuple):
    """A figure of a study."""

    study: str
    name: str


Drawn = Mapping[Figure, tuple[Key, Drawing]]


def choose(drawn: Drawn) -> tuple[list[Exhibit], dict[str, bytes]]:
    """Return all figures as the ledger has them, and the files of those that fit, the smallest first."""
    files = {figure: _smaller(figure, drawing) for figure, (_, drawing) in drawn.items()}
    kept: dict[Figure, tuple[str, bytes]] = {}
    room = ROOM
    for figure, (name, content) in sorted(files.items(), key=lambda item: (len(item[1][1]), item[0])):
        room -= len(content)
        if room >= 0:
            kept[figure] = name, content
    return [_exhibit(figure, *of, kept.get(figure)) for figure, of in drawn.items()], dict(kept.values())


def _smaller(figure: Figure, drawing: Drawing) -> tuple[str, bytes]:
    """Return the name and the content of the SVG, sharp at any size, or of the PNG if that is large and this not."""
    svg, png = drawing.files["svg"], drawing.files["png"]
    suffix, content = ("svg", svg) if len(svg) <= max(SHARP, len(png)) else ("png", png)
    return f"figures/{figure.study}-{figure.name}.{suffix}", content


def _exhibit(figure: Figure, key: Key, drawing: Drawing, kept: tuple[str, bytes] | None) -> Exhibit:
    name, content = kept or ("", b"")
    digest = hashlib.sha256(content).hexdigest() if name else ""
    about = {"caption": drawing.record["caption"], "scale": key.scale, "seed": key.seed}
    return Exhibit(study=figure.study, name=figure.name, **about, file=name, sha256=digest)
