"""The files of a figure: one look, and the same bytes for the same cube."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import xarray as xr
from matplotlib import style

from isobath import binding
from isobath.analysis.cubes import failures
from isobath.plotting.charts import STYLE, remark

# No dates and no versions: the same cube gives the same bytes.
METADATA: dict[str, dict[str, Any]] = {
    ".pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
    ".svg": {"Date": None, "Creator": None},
    ".png": {"Software": None},
}


def save(figure: Mapping[str, Any], cube: xr.DataTree, outputs: Iterable[Path]) -> None:
    """Draw a figure (its kind and settings) of ``cube``, and save it under each of ``outputs``, by its suffix."""
    settings = dict(figure)
    draw = binding.load("figure", settings.pop("kind")).draw
    with style.context(["default", STYLE]):
        drawing = draw(cube, **settings)
        if lacking := failures(cube):
            remark(drawing, lacking)
        for path in outputs:
            path.parent.mkdir(parents=True, exist_ok=True)
            drawing.savefig(path, metadata=METADATA[path.suffix])
