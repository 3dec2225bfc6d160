"""Functions of the radius in theory: their density, the width that expresses them, tubes (Eldan & Shamir).

- ``density``: calculation of the density
- ``widths``: calculation of the widths
- ``tubes``: calculation of the tubes
"""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isobath.plotting.axes import panels, set_log_scale
from isobath.plotting.cells import select
from isobath.plotting.legends import add_legends, explain, note_absence
from isobath.plotting.style import GREY, marker
from isobath.separation.radial_profiles import PROFILES
from isobath.settings import CalculationName

MARKS = "(b) filled: ReLUs, hollow: steps; dashed: a width at which ReLUs are within the error everywhere"
UNTRAINED = "nothing here is trained"
TITLES = ("mass of the density", "width of two hidden layers", "shell within tubes, at most")


def draw(
    cube: xr.DataTree,
    *,
    density: CalculationName = "radial_density",
    widths: CalculationName = "radial_widths",
    tubes: CalculationName = "fourier_tubes",
) -> Figure:
    """Draw the total mass, the least width and the share of a shell within tubes, each against the dimension."""
    figure, axes = panels(TITLES, columns=3)
    contents = ((density, _mass), (widths, _widths), (tubes, _tubes))
    for axis, (name, panel) in zip(axes, contents, strict=True):
        table = select(cube, f"calculations/{name}")
        if table:
            panel(axis, table)
        else:
            note_absence(axis, "such numbers")
        set_log_scale(axis, "y", axis.get_ylabel())
        set_log_scale(axis, "x", "dimension d")
    add_legends(figure, axes)
    explain(figure, f"{MARKS} · {UNTRAINED}")
    return figure


def _mass(axis: Axes, table: xr.Dataset) -> None:
    axis.plot(table.dimension, table.mass, "o-", label="ball of volume one")
    axis.plot(table.dimension, table.unit_ball_mass, "s-", label="ball of radius one")
    axis.plot(table.dimension, table.unit_ball_volume, "--", color=GREY, label="volume of that ball")
    axis.set_ylabel("total mass")


def _widths(axis: Axes, table: xr.Dataset) -> None:
    for i, profile in enumerate(table.profile.values):
        of_profile = table.sel(profile=profile)
        for activation in table.activation.values:
            _width(axis, of_profile.sel(activation=activation), f"C{i}", marker(i))
        axis.plot(table.dimension, of_profile.sure_width.sel(activation="relu"), "--", color=f"C{i}", linewidth=0.7)
    axis.set_ylabel(f"least width, error {float(table.error):g}")


def _width(axis: Axes, table: xr.Dataset, color: str, marker: str) -> None:
    """Draw the least widths for one profile and activation, labelled by their slope."""
    width, activation = table.width.dropna("dimension"), str(table.activation.item())
    slope = np.polyfit(np.log(width.dimension), np.log(width), 1)[0] if width.size > 1 else np.nan
    fill = color if activation == "relu" else "white"
    label = f"{PROFILES[str(table.profile.item())].formula}, {activation}, slope {slope:.2f}"
    axis.plot(width.dimension, width, color=color, marker=marker, markerfacecolor=fill, label=label)


def _tubes(axis: Axes, table: xr.Dataset) -> None:
    label = f"{int(table.tubes)} tubes, radius {float(table.distance):g} √d"
    axis.plot(table.dimension, table.share, "o-", label=label)
    axis.set_ylabel("share of the sphere")
