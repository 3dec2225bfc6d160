"""Style of all figures: matplotlib settings, colours and markers."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from cycler import cycler
from matplotlib import colormaps

BLUE, GREEN, ORANGE, PURPLE, GREY = "#0072B2", "#009E73", "#D55E00", "#AA3377", "#777777"  # safe for the colour-blind
YELLOW, SKY, BLACK = "#E69F00", "#56B4E9", "black"
STYLE = {
    "axes.prop_cycle": cycler(color=[BLUE, ORANGE, GREEN, PURPLE, YELLOW, SKY, GREY]),
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 7.0,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.0,
    "errorbar.capsize": 2.0,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "isobath",
    "savefig.dpi": 200,
}
MARKERS = "osD^vP*X"
T = TypeVar("T")


def nth(looks: Sequence[T], i: int) -> T:
    """Return the i-th of some colours or markers, from the first again after the last."""
    return looks[i % len(looks)]


def marker(i: int) -> str:
    """Return the marker of the i-th curve of a figure."""
    return nth(MARKERS, i)


def depth_color(depth: int) -> Any:
    """Return the colour of a depth, the same in every figure, from light (shallow) to dark (deep)."""
    return colormaps["viridis_r"](min(1.0, 0.15 + 0.8 * math.log1p(max(depth, 0)) / math.log1p(10)))


def rank_color(i: int, of: int) -> Any:
    """Return the colour of the i-th of some curves in an order, from light to dark."""
    return colormaps["viridis_r"](0.1 + 0.85 * i / max(1, of - 1))


def depth_marker(depth: int) -> str:
    """Return the marker of a depth, the same in every figure: colours of neighbouring depths are alike in print."""
    return marker(max(depth, 0))


def width_marker(width: int, widths: Iterable[int]) -> str:
    """Return the marker of a width among all widths of a figure."""
    return marker(sorted(set(widths)).index(width))


def layers_color(layers: int) -> Any:
    """Return the colour of a number of layers L, which count the readout; grey for a kernel without depth."""
    return depth_color(layers - 1) if layers else GREY
