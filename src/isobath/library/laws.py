"""Fits of scaling laws to points of one's own, as the workflow fits those of a study."""

import json
from typing import Any, ClassVar

import numpy as np
import xarray as xr

from isobath import plugins
from isobath.analysis.laws.fit import fit
from isobath.analysis.laws.law import law_of
from isobath.analysis.laws.statistics import Statistic
from isobath.analysis.standard_errors import RESAMPLES
from isobath.library import arguments, labels
from isobath.library.points import points, require_networks, require_sizes, require_values
from isobath.study import loading
from isobath.study.schema import Law, Plugin

WHERE = "isobath.fit_law"
STATISTICS = Law.model_fields["statistic"].annotation

FORM = plugins.default("form")


class Form(Plugin):
    """The form of a law."""

    family: ClassVar[str] = "form"


def fit_law(
    x: Any,
    y: Any,
    *,
    form: Any = FORM,
    along: str | None = None,
    statistic: Statistic = "mean",
    above: float | None = None,
    below: float | None = None,
    generator: np.random.Generator | None = None,
    resamples: int = RESAMPLES,
    **settings: Any,
) -> xr.Dataset:
    """Fit a law y(x) to networks: plain arrays x (p,), y (p, networks) or (p, draws, networks), or labelled ones.

    Networks of labelled arrays lie along the dim seed, and along draw where there are several data sets.

    ``form`` is a kind with ``settings``, such as ``exponents=[0, -0.5]`` of ``powers``, or a mapping of both
    (``isobath kinds form``). The points lie ``along`` a dim; each combination of the other dims is fitted by itself.
    Networks of points that differ in depth, width, n_train or task are taken for independent; else they are the same,
    and are resampled together. Those that differ in n_train alone start from the same weights unless their ``seed`` or
    ``draw`` differs. Plain arrays are taken to differ in width. Networks of a point are averaged by ``statistic``
    (mean, median, root_mean_square); one that is not to count is NaN, and x is finite wherever one counts. At each
    point of plain arrays one must; of labelled ones, points without are ``left_out``. ``above`` and ``below`` bound x.
    ``generator`` draws the resamples of networks, or of draws where there are several.

    Returns value, low and high of each parameter, with the exponents of the form (fit ``fixed``) and with the leading
    one free (``free``), 95 % intervals, and the points; a fit that is not justified has a ``reason`` and no numbers.
    ``upper`` is the free exponent of the half of the points with the larger labels, or x where labels are no numbers.
    Intervals are over networks, or draws, and hold for the test samples that these share.
    Raises ValueError, one sentence, for what is not allowed.
    """
    content = arguments.plugin(form, settings, "form")
    checked_form = loading.completed("form", content, WHERE, "form", model=Form)
    content = {"kind": checked_form.kind, **checked_form.settings}
    minimum, maximum = _bounds(above, below)
    data, dim = _points(x, y, along)
    fitted = fit(
        data,
        [law_of(content, free=free) for free in (False, True)],
        variable="y",
        axis="x",
        along=dim,
        generator=arguments.generator(generator, "laws"),
        statistic=arguments.one_of(statistic, STATISTICS.__args__, "statistic"),  # type: ignore[union-attr,arg-type]
        minimum=minimum,
        maximum=maximum,
        bootstraps=arguments.index(resamples, "resamples", least=arguments.LEAST_RESAMPLES),
    )
    return labels.explained(fitted.assign_attrs(form=json.dumps(content), x=_name(x, "x"), y=_name(y, "y")))


def _name(values: Any, side: str) -> str:
    """Return the long name of labelled values, or the name of their side."""
    return str(getattr(values, "attrs", {}).get("long_name", side))


def _bounds(above: Any, below: Any) -> tuple[float | None, float | None]:
    """Return the bounds of x, None for one that is not given. Raises ValueError where nothing lies between them."""
    low = None if above is None else arguments.number(above, "above")
    high = None if below is None else arguments.number(below, "below")
    if low is not None and high is not None and low >= high:
        raise ValueError(f"above is {low:g}; it must be less than below, which is {high:g}")
    return low, high


def _points(x: Any, y: Any, along: str | None) -> tuple[xr.Dataset, str]:
    """Return the points of a law and the dim along which they lie. Raises ValueError for what would be lost unseen."""
    data, dim = points(x, y, along, ("x", "y"))
    require_values(data.y)
    if not isinstance(y, xr.DataArray):  # labelled cubes have dims in which not every cell exists
        require_networks(data.y, dim)
    require_sizes(data.x, data.y.notnull())
    return data, dim
