"""Choice of the figures that findings show, all within a limit of size.

Each is from the largest run that drew it, and once more from every scale that has sizes of the source, if it drew it.
"""

import hashlib
import io
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from PIL import Image

from isobath.disk.drawings import Drawing
from isobath.findings import FindingsError
from isobath.findings.ledger import Exhibit, Key

ROOM = 8_150_000  # bytes of all figures together, at most
SHARP = 120_000  # bytes up to which a figure is an SVG although its PNG may be smaller
COLOURS = 256  # of a PNG: lines and letters need no more, and a third of the bytes
SOURCE = "source"  # begins the names of scales at which some figures, and no others, have the sizes of their source


class Figure(NamedTuple):
    """A figure of a study, and the scale with sizes of the source that it has, or nothing if it has others."""

    study: str
    name: str
    source: str

    @classmethod
    def of(cls, key: Key, name: str) -> "Figure":
        """Return the figure that a run drew under a name."""
        return cls(key.study, name, key.scale if key.scale.startswith(SOURCE) else "")


class Shown(NamedTuple):
    """A drawing for the findings: the run that it is from, and its file; both empty if it was too large before."""

    key: Key
    caption: str
    file: str
    content: bytes


Drawn = Mapping[Figure, Shown]


def shown(key: Key, name: str, drawing: Drawing) -> Shown:
    """Return a drawing as its SVG, sharp at any size, or as its PNG if the SVG is large and the PNG is not."""
    suffix, content = "svg", drawing.files["svg"]
    if len(content) > SHARP:
        png = with_a_palette(drawing.files["png"])
        suffix, content = min(("svg", content), ("png", png), key=lambda form: len(form[1]))
    file = "-".join(filter(None, Figure.of(key, name)))
    return Shown(key, drawing.record["caption"], f"figures/{file}.{suffix}", content)


def with_a_palette(png: bytes) -> bytes:
    """Return a PNG on white, with a palette of COLOURS; one that has a palette as it is."""
    with Image.open(io.BytesIO(png)) as image:
        if image.mode == "P":
            return png
        opaque = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image.convert("RGBA")).convert("RGB")
    reduced = opaque.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    content = io.BytesIO()
    reduced.save(content, "png", optimize=True)
    return content.getvalue()


def of_exhibits(exhibits: Iterable[Exhibit], files: Mapping[str, bytes]) -> Drawn:
    """Return the figures that findings have, from their ledger and their files; PNGs get a palette."""
    pairs = [(Key(exhibit.scale, exhibit.seed, exhibit.study), exhibit) for exhibit in exhibits]
    small = {name: with_a_palette(content) if name.endswith(".png") else content for name, content in files.items()}
    return {
        Figure.of(key, exhibit.name): Shown(key, exhibit.caption, exhibit.file, small.get(exhibit.file, b""))
        for key, exhibit in pairs
    }


def choose(drawings: Drawn) -> tuple[list[Exhibit], dict[str, bytes]]:
    """Return all figures as the ledger has them, and the files of those that fit, the smallest first.

    Raises FindingsError for two figures whose names make one name of a file.
    """
    _require_files_of_their_own(drawings)
    fitting: dict[Figure, Shown] = {}
    room = ROOM
    for figure, drawing in sorted(drawings.items(), key=lambda item: (len(item[1].content), item[0])):
        room -= len(drawing.content)
        if drawing.file and room >= 0:
            fitting[figure] = drawing
    exhibits = [_exhibit(figure, drawings[figure], fits=figure in fitting) for figure in sorted(drawings)]
    return exhibits, {fitting[figure].file: fitting[figure].content for figure in sorted(fitting)}


def _require_files_of_their_own(drawings: Drawn) -> None:
    of_file: dict[str, Figure] = {}
    for figure, drawing in drawings.items():
        other = of_file.setdefault(drawing.file or str(figure), figure)
        if other != figure:
            both = " and ".join(f"{each.name} of {each.study}" for each in (other, figure))
            raise FindingsError(f"the figures {both} both have the file {drawing.file}; rename one of them")


def _exhibit(figure: Figure, drawing: Shown, *, fits: bool) -> Exhibit:
    file, digest = (drawing.file, hashlib.sha256(drawing.content).hexdigest()) if fits else ("", "")
    key, names = drawing.key, {"study": figure.study, "name": figure.name, "caption": drawing.caption}
    return Exhibit(**names, scale=key.scale, seed=key.seed, file=file, sha256=digest)
