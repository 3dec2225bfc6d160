"""Files of a figure: one style, and equal bytes for equal cubes."""

import io
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import xarray as xr
from matplotlib import style
from matplotlib.figure import Figure

from isobath import binding
from isobath.analysis.cubes import failures
from isobath.plotting.legends import add_remark
from isobath.plotting.style import STYLE
from isobath.plotting.typesetting import typeset_figure
from isobath.plugin_arrays import refused

METADATA: dict[str, dict[str, Any]] = {  # no dates and no versions, which would change the bytes
    ".pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
    ".svg": {"Date": None, "Creator": None},
    ".png": {"Software": None},
}


def files(
    figure: Mapping[str, Any], cube: xr.DataTree, paths: Iterable[Path], *, notes: bool = True
) -> dict[Path, bytes]:
    """Draw a figure (its kind and settings) of ``cube``, and return the content of the files at ``paths``.

    Their suffixes name the formats. The small print explains marks if ``notes``, and names failed cells of the cube in
    any case.
    """
    settings = dict(figure)
    draw = binding.load("figure", settings.pop("kind")).draw
    with style.context(["default", STYLE]):
        drawing = _drawn(draw, cube, settings)
        if not notes:
            drawing.suptitle("")
        if remark := failures(cube):
            add_remark(drawing, remark)
        typeset_figure(drawing)
        return {path: _content(drawing, path.suffix) for path in paths}


def _content(drawing: Figure, suffix: str) -> bytes:
    """Return the bytes of a figure in the format of a suffix, such as ``.svg``."""
    content = io.BytesIO()
    drawing.savefig(content, format=suffix.removeprefix("."), metadata=METADATA[suffix])
    return content.getvalue()


def _drawn(draw: Callable[..., Any], cube: xr.DataTree, settings: Mapping[str, Any]) -> Figure:
    """Draw a figure of a kind. Raises ValueError if that returns no figure, KeyError for a group that is not there."""
    try:
        drawing = draw(cube, **settings)
    except KeyError as error:
        groups = ", ".join(node.path.strip("/") for node in cube.subtree if node.has_data)
        raise KeyError(f"{error.args[0]}; the cube has {groups or 'no group'}") from error
    if not isinstance(drawing, Figure):
        raise refused(draw, type(drawing).__name__, "a matplotlib Figure")
    return drawing
