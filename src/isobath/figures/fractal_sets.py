"""Sets of fractal distributions, level by level (Malach & Shalev-Shwartz, Figs 1 and 3).

- ``levels``: number of levels
- ``height``: value of all coordinates but the first two
"""

import json
from typing import Annotated, Any

import numpy as np
import xarray as xr
from annotated_types import Ge, Le
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from isobath.fractals.iterated_functions import System, level
from isobath.fractals.sets import of_task
from isobath.plotting.axes import panels
from isobath.plotting.style import BLUE, ORANGE
from isobath.settings import TaskName

KINDS = {"tasks": "fractal"}
PIXELS = 400  # per side, at least


def draw(
    cube: xr.DataTree, *, tasks: tuple[TaskName, ...], levels: Annotated[int, Ge(1), Le(7)], height: float = 0.0
) -> Figure:
    """Draw a panel per task: in two dimensions the last level that contains a point, in one a row per level.

    A side has at least 3^``levels`` pixels where the ratio of a fractal is 3.

    In three and more dimensions, draw the plane in which all coordinates but the first two are ``height``.
    """
    settings = json.loads(cube.attrs["spec"])["tasks"]
    systems = [of_task(settings[task]).maps for task in tasks]
    figure, axes = panels([_title(settings[t], m, levels, height) for t, m in zip(tasks, systems, strict=True)])
    for axis, maps in zip(axes, systems, strict=True):
        if maps.offsets.shape[1] == 1:
            _line(axis, maps, levels)
        else:
            _plane(axis, maps, levels, height)
        axis.grid(visible=False)
    return figure


def _title(task: dict[str, Any], maps: System, levels: int, height: float) -> str:
    fixed = [f"x{k} = " for k in range(3, maps.offsets.shape[1] + 1)]
    return f"{task['system']}, n = {levels}" + (f", {''.join(fixed)}{height:g}" if fixed else "")


def _centres(maps: System, levels: int) -> np.ndarray:
    """Return the centres of pixels along a side (p,); a cell of the last level is a whole number of pixels."""
    cells = maps.ratio**levels
    pixels = cells * -(-PIXELS // cells)
    return np.asarray(maps.low + (1 - maps.low) * (np.arange(pixels) + 0.5) / pixels)


def _plane(axis: Axes, maps: System, levels: int, height: float) -> None:
    """Draw the last level that contains each pixel, from light to dark, and the set itself in blue."""
    centres = _centres(maps, levels)
    x, y = np.meshgrid(centres, centres)
    fixed = [np.full(x.size, height)] * (maps.offsets.shape[1] - 2)
    reached = level(maps, np.stack([x.ravel(), y.ravel(), *fixed], axis=1), levels).reshape(x.shape)
    colors = colormaps["Oranges"](0.1 + 0.6 * reached / levels)
    colors[reached == levels] = (*to_rgb(BLUE), 1)
    axis.imshow(colors, extent=(maps.low, 1, maps.low, 1), origin="lower", interpolation="nearest")
    axis.set_aspect("equal")
    axis.set(xlabel="x1", ylabel="x2")


def _line(axis: Axes, maps: System, levels: int) -> None:
    """Draw a row for each n: the part of C_(n-1) in C_n in blue, the rest of it in orange."""
    reached = level(maps, _centres(maps, levels)[:, None], levels)
    for n in range(1, levels + 1):
        row = np.ones((1, len(reached), 3))
        row[0, reached == n - 1], row[0, reached >= n] = to_rgb(ORANGE), to_rgb(BLUE)
        axis.imshow(row, extent=(maps.low, 1, n + 0.35, n - 0.35), aspect="auto", interpolation="nearest")
    axis.set(ylim=(levels + 0.6, 0.4), yticks=range(1, levels + 1), ylabel="depth n", xlabel="x")
