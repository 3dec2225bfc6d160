"""Lines of scaling laws: fitted laws of a cube, published fits, and the jamming threshold N*."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from isobath.analysis.laws.law import Law, law_of
from isobath.plotting.cells import select
from isobath.plotting.style import GREY, PURPLE

PROPORTIONAL = r"$\propto"
SMALL = 0.001  # a p-value below it is not spelt out


class LawLine(NamedTuple):
    """A fitted law over its range, x and y (p,), its constant, its goodness and formula, and its free fit, in words."""

    x: np.ndarray
    y: np.ndarray
    exponent: str
    constant: float = 0.0
    goodness: str = ""
    formula: str = "law"

    def of(self, quantity: str) -> str:
        """Return the words for the law of a quantity, such as "law of f ∝ 1/N"."""
        text = self.formula.removeprefix("law").strip()
        return f"law of {quantity} {text if not text or text.startswith(PROPORTIONAL) else f'= {text}'}".strip()


def law_group(cube: xr.DataTree, name: str | None, **cell: Any) -> xr.Dataset:
    """Return the law ``name`` of a cube at the values of dims in ``cell``; an empty dataset if there is none."""
    return select(cube, f"laws/{name}", **cell) if name else xr.Dataset()


def law_line(cube: xr.DataTree, name: str | None, *, x: str = "N", free: bool = False, **cell: Any) -> LawLine | None:
    """Return the law ``name`` of a cube, with the exponents of the theory or ``free``; None if it is not fitted.

    ``x`` is TeX for its variable.
    """
    group = law_group(cube, name, **cell)
    if name is None or not group:
        return None
    law = law_of(json.loads(cube.attrs["spec"])["laws"][name]["form"], free=free)
    fit = group.sel(fit="free" if free else "fixed")
    value, k = fit.value.sel(parameter=law.names).values, len(law.coefficients)
    if not np.isfinite(value).all():
        return None
    low, high = float(group.x_min), float(group.x_max)
    places = np.geomspace(low, high, 200) if low > 0 else np.linspace(low, high, 200)
    constant = value[law.names.index("constant")] if "constant" in law.names else 0.0
    y = law.basis(places, value[k:]) @ value[:k]
    return LawLine(places, y, _free_exponent(group), float(constant), _goodness(fit), _formula(law, x))


def _formula(law: Law, x: str) -> str:
    """Return the law as a legend says it; a single term is a proportionality."""
    written = getattr(law.form, "formula", None)
    if written is None:
        return "law"
    text = written(x, **law.settings)
    single = re.fullmatch(r"c(?:_0)? (.*)", text) if len(law.coefficients) == 1 else None
    return f"law {PROPORTIONAL} {single[1]}$" if single else f"law ${text}$"


def _free_exponent(group: xr.Dataset) -> str:
    """Return the exponent of the free fit with its interval, if it has one, as a legend says it."""
    free = group[["value", "low", "high"]].sel(fit="free", parameter="exponent")
    value, low, high = (float(free[name]) for name in ("value", "low", "high"))
    if not np.isfinite(value):
        return "no free exponent justified"
    interval = f" [{low:.2f}, {high:.2f}]" if np.isfinite([low, high]).all() else ", without an interval"
    goodness = _goodness(group.sel(fit="free")) if "p_value" in group else ""
    return ", ".join(filter(None, (f"free exponent {value:.2f}{interval}".replace("-", "−"), goodness)))


def _goodness(fit: xr.Dataset) -> str:
    """Return the p-value of a fit as a legend says it, "" where points share networks: there it has none."""
    p = float(fit.p_value)
    return "" if not np.isfinite(p) else f"p = {p:.2g}" if p >= SMALL else f"p < {SMALL:g}"


def draw_law(
    axis: Axes, line: LawLine | None, label: str | None = None, *, square: bool = False, dashes: str = "--"
) -> None:
    """Draw a law, if there is one, with its formula, or ``label``, its goodness and its free exponent in the legend.

    ``square`` draws y^2.
    """
    if line is not None:
        y = line.y**2 if square else line.y
        words = "\n".join(filter(None, (label or line.formula, line.goodness, line.exponent)))
        axis.plot(line.x, y, dashes, color="black", label=words, zorder=5)


def draw_published(axis: Axes, terms: Sequence[tuple[float, float]] | None, low: float, high: float) -> None:
    """Draw a fit of the source, the sum of c x^p over ``terms`` (c, p), between ``low`` and ``high``.

    It begins at its maximum: the source does not claim it for smaller x.
    """
    x = np.geomspace(low, high, 400)
    y = np.sum([c * x**p for c, p in terms or []], axis=0)
    if terms and y.argmax() < len(x) - 1:
        axis.plot(x[y.argmax() :], y[y.argmax() :], "-.", color=PURPLE, label="fit of the paper", zorder=5)


def mark_jamming(axis: Axes, jamming: xr.Dataset, place: Callable[[Any], Any] = float) -> None:
    """Draw N* as a vertical line, and its interval as a shaded band, if they are known.

    ``place`` maps N to the x axis.
    """
    if not jamming or not np.isfinite(place(jamming.threshold)):
        return
    axis.axvline(place(jamming.threshold), color=GREY, linestyle=(0, (4, 2)), linewidth=0.9, label="N*", zorder=1.6)
    low, high = place(jamming.low), place(jamming.high)
    if np.isfinite([low, high]).all():
        axis.axvspan(low, high, color=GREY, alpha=0.18, linewidth=0, zorder=1.6)
