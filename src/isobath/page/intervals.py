"""Positions of estimates, their intervals and claimed regions in the drawings of the page."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from isobath.page.ticks import ticks

WIDTH = 200.0  # units of a drawing
MARGIN = 0.06  # on both sides, as a fraction of the range that is drawn
REACH = 1.5  # the farthest end of an interval beyond estimates and bounds, in units of their range


class Interval(NamedTuple):
    """Abscissas between 0 and WIDTH. ``low`` and ``high`` are None if the interval ends outside of the drawing.

    ``zero`` is None outside of it. ``ticks`` have their texts in the last of parts that follow each other on one scale.
    """

    estimate: float
    low: float | None
    high: float | None
    left: float  # end of the claimed region
    right: float
    published: float | None = None  # None without a published number, or if it lies outside of the drawing
    zero: float | None = None
    ticks: Sequence[tuple[float, str]] = ()


def place(parts: Sequence[Mapping[str, Any]]) -> list[Interval | None]:
    """Return the positions of each part of a claim, None for a part that was not run.

    Parts with the same claimed region have the same scale, so they can be compared by eye.
    """
    families: dict[tuple[Any, Any], list[Mapping[str, Any]]] = {}
    for part in parts:
        if part["estimate"] is not None:
            families.setdefault((part["above"], part["below"]), []).append(part)
    ranges = {bounds: _range(family) for bounds, family in families.items()}
    placed = [
        None if part["estimate"] is None else _interval(part, *ranges[part["above"], part["below"]]) for part in parts
    ]
    return [
        interval if interval is None or last else interval._replace(ticks=[(x, "") for x, _ in interval.ticks])
        for interval, last in zip(placed, _last(parts), strict=True)
    ]


def _last(parts: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Tell whether each part is the last on its scale: the next that was run has another, or there is none."""
    following: Any = None
    flags = []
    for part in reversed(parts):
        bounds = following if part["estimate"] is None else (part["above"], part["below"])
        flags.append(bounds != following)
        following = bounds
    return flags[::-1]


def _range(parts: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """Return the range that is drawn: all estimates and bounds, and intervals up to REACH beyond these."""
    bounds = [parts[0][side] for side in ("above", "below") if parts[0][side] is not None]
    published = [part["published"]["value"] for part in parts if part.get("published")]
    core = [*bounds, *published, *(part["estimate"] for part in parts)]
    ends = [part[end] for part in parts for end in ("low", "high") if part[end] is not None]
    room = REACH * (max(core) - min(core)) or math.inf
    first = max(min([*core, *ends]), min(core) - room)
    last = min(max([*core, *ends]), max(core) + room)
    margin = MARGIN * (last - first) or max(1.0, MARGIN * abs(first))
    return first - margin, last + margin


def _interval(part: Mapping[str, Any], first: float, last: float) -> Interval:
    def position(value: float | None, otherwise: float) -> float:
        return otherwise if value is None else round(WIDTH * (value - first) / (last - first), 1)

    estimate = position(part["estimate"], 0.0)
    low, high = position(part["low"], estimate), position(part["high"], estimate)
    left, right = position(part["above"], 0.0), position(part["below"], WIDTH)
    publication = part.get("published")
    published = position(publication["value"], 0.0) if publication else None
    mark, zero = (x if x is not None and 0 <= x <= WIDTH else None for x in (published, position(0.0, 0.0)))
    marks = [(position(value, 0.0), text) for value, text in ticks(first, last)]
    ends = low if low >= 0 else None, high if high <= WIDTH else None
    return Interval(estimate, *ends, left, right, mark, zero, marks)
