"""What the sets of fractal distributions look like (Malach & Shalev-Shwartz, Figs 1 and 3)."""

import json

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath import charts
from isobath.fractals import of_task
from isobath.iterated_functions import System, level
from isobath.settings import Count

PIXELS = 400  # a side, at least


def draw(cube: xr.DataTree, *, tasks: tuple[str, ...], levels: Count) -> Figure:
    """A panel per task: in two dimensions the level at which a point leaves, in one the fine distributions by level.

    Raises ValueError for a task of more dimensions.
    """
    settings = json.loads(cube.attrs["spec"])["tasks"]
    figure, axes = charts.panels([f"{settings[task]['system']}, n = {levels}" for task in tasks])
    for axis, task in zip(axes, tasks, strict=True):
        maps = of_task(settings[task]).maps
        dimension = maps.offsets.shape[1]
        if dimension > 2:
            raise ValueError(f"the task {task} has {dimension} dimensions; one or two can be drawn")
        (_line if dimension == 1 else _plane)(axis, maps, levels)
        axis.grid(visible=False)
    return figure


def _centres(maps: System, levels: int) -> np.ndarray:
    """The middles of pixels along a side; a cell of the last level is a whole number of them."""
    cells = maps.ratio**levels
    pixels = cells * -(-PIXELS // cells)
    return np.asarray(maps.low + (1 - maps.low) * (np.arange(pixels) + 0.5) / pixels)


def _plane(axis: Axes, maps: System, levels: int) -> None:
    """Of each pixel the last level of which it is, light to dark; the set itself in blue."""
    centres = _centres(maps, levels)
    x, y = np.meshgrid(centres, centres)
    reached = level(maps, np.stack([x.ravel(), y.ravel()], axis=1), levels).reshape(x.shape)
    colors = colormaps["Oranges"](0.1 + 0.6 * reached / levels)
    colors[reached == levels] = (*_rgb(charts.BLUE), 1)
    axis.imshow(colors, extent=(maps.low, 1, maps.low, 1), origin="lower", interpolation="nearest")
    axis.set_aspect("equal")


def _line(axis: Axes, maps: System, levels: int) -> None:
    """A row for each n: what of C_(n-1) is in C_n, blue, and what is not, orange."""
    reached = level(maps, _centres(maps, levels)[:, None], levels)
    for n in range(1, levels + 1):
        row = np.ones((1, len(reached), 3))
        row[0, reached == n - 1], row[0, reached >= n] = _rgb(charts.ORANGE), _rgb(charts.BLUE)
        axis.imshow(row, extent=(maps.low, 1, n + 0.35, n - 0.35), aspect="auto", interpolation="nearest")
    axis.set(ylim=(levels + 0.6, 0.4), yticks=range(1, levels + 1), ylabel="depth n", xlabel="x")


def _rgb(color: str) -> tuple[float, ...]:
    return tuple(int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
