"""Legends and small print: the meaning of colours, bars and marks, and remarks about missing data."""

import json
import re
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from isobath.analysis.over_networks import Status
from isobath.plotting.style import GREY
from isobath.statuses import UNTRAINED

COLUMN = 1.6  # inches of an entry of a legend
ENTRY, CHARACTER = 0.45, 0.06  # and, by its length, of its line and of each character
HOLLOW = "hollow: some networks of a width did not fit · averages are over all that did not diverge"
INTERVALS = "bars: 95 % intervals over data sets, where there are several"
KERNEL_BARS = "bars of dashed curves: over data sets, where there are several"


def add_legend(
    figure: Figure, axes: Sequence[Axes], *, ordered: bool = False, by_length: bool = False, **look: Any
) -> None:
    """Add one legend for all panels below them, with each label once, ``ordered`` by words and numbers.

    ``by_length`` has as many columns as the longest line leaves room for. ``look`` is matplotlib's.
    """
    handles = {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    if ordered:
        handles = {label: handles[label] for label in sorted(handles, key=words_and_numbers)}
    if handles:
        longest = max(len(line) for label in handles for line in label.splitlines())
        room = int(figure.get_figwidth() / (ENTRY + CHARACTER * longest if by_length else COLUMN))
        columns = max(1, min(room, len(handles)))
        figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=columns, **look)


def words_and_numbers(label: str) -> list[tuple[str, int]]:
    """Return the words and the numbers of a label, by which L=2 comes before L=10."""
    return [(words, int(number or 0)) for words, number in re.findall(r"(\D+|^)(\d*)", label)]


def add_legends(figure: Figure, axes: Sequence[Axes], *, columns: int = 1) -> None:
    """Add a legend below each panel, and increase the height of the figure accordingly."""
    below = ScaledTranslation(0, -0.45, figure.dpi_scale_trans)
    lines = [sum(1 + label.count("\n") for label in axis.get_legend_handles_labels()[1]) for axis in axes]
    grid = axes[0].get_subplotspec()
    rows = grid.get_gridspec().nrows if grid else 1
    figure.set_figheight(figure.get_figheight() + 0.14 * rows * max(lines) / columns)
    for axis, count in zip(axes, lines, strict=True):
        if count:
            anchor = {"bbox_to_anchor": (0, 0), "bbox_transform": axis.transAxes + below}
            axis.legend(loc="upper left", borderaxespad=0, ncols=columns, **anchor)


def bars(status: Status = "fitted") -> str:
    """Return the meaning of the bars and marks of curves of networks of which those with a status count."""
    counted, none = {"fitted": ("fitted", "none did"), "finite": ("did not diverge", "all diverged")}[status]
    spread = f"bars: standard deviation over the networks of all data sets that {counted}"
    return join(spread, f"hollow, n/m: n of m networks {counted}", f"×: {none}")


def explain(figure: Figure, text: str) -> None:
    """Print the meaning of bars and marks in small print above the panels."""
    unbroken = text.replace(" · ", "\u00a0· ")  # a line ends with the point between two sentences
    lines = textwrap.wrap(unbroken, int(20 * figure.get_figwidth()))
    figure.suptitle("\n".join(lines).replace("\u00a0", " "), fontsize=6, color="#555555", x=0.01, ha="left")


def budget(cube: xr.DataTree, protocol: str) -> str:
    """Return the epochs that networks of a protocol train at most, in words; "" where the cube does not say it."""
    protocols = json.loads(cube.attrs.get("spec", "{}")).get("protocols", {})
    epochs = protocols.get(protocol, {}).get("max_epochs")
    return f"trained for at most {epochs} epochs" if epochs else ""


def networks_shown(networks: xr.Dataset) -> str:
    """Return how many networks of a cell there are and how large, in words; "" where there are none."""
    if "n_weights" not in networks:
        return ""
    width, weights = int(networks.width), float(networks.n_weights.mean())
    trained = int((~networks.status.isin(UNTRAINED)).sum()) if "status" in networks else networks.sizes["seed"]
    return f"{trained} networks of h = {width}, N = {weights:.0f} weights"


def join(*remarks: str) -> str:
    """Return remarks as one line of small print, without those that are empty."""
    return " · ".join(filter(None, remarks))


def lines_drawn(axes: Sequence[Axes], meanings: dict[str, str]) -> list[str]:
    """Return the meanings of those linestyles, such as "--", of which some panel has a line."""
    lines = [line for axis in axes for line in axis.lines]
    styles = {line.get_linestyle() for line in lines if np.isfinite(np.asarray(line.get_ydata(), dtype=float)).any()}
    return [text for style, text in meanings.items() if style in styles]


def add_remark(figure: Figure, text: str) -> None:
    """Add a sentence to the small print."""
    explain(figure, join(figure.get_suptitle(), text))


def note_absence(axis: Axes, content: str) -> None:
    """Print in an empty panel that the cube has no such content."""
    axis.text(0.5, 0.5, f"no {content} in this cube", transform=axis.transAxes, ha="center", va="center", color=GREY)
