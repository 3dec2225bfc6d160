"""Artists of a figure in words, and their differences from what it should have drawn.

A mark is an artist in words: what it ``is``, and its numbers, colours and label. An expected mark names those that
matter. Every drawn mark has to be an expected one, and the other way round.
"""

import string
from typing import Any, NamedTuple

import numpy as np
from matplotlib.collections import LineCollection, PathCollection, QuadMesh
from matplotlib.colors import to_hex, to_rgba
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.contour import ContourSet
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

Mark = dict[str, Any]
COLOURS = ("color", "face")


class Panel(NamedTuple):
    """A panel as it should be: its title without the letter, None for one of a second axis, its marks and labels."""

    title: str | None
    marks: list[Mark]
    x: str | None = None
    y: str | None = None
    scales: str = "linear linear"
    ticks: dict[float, str] | None = None  # labels of the ticks of the x axis, by their places
    rows: list[str] | None = None  # labels of the ticks of the y axis


def line(label, x, y, **look):
    """Expect a line; one of a style has no markers unless they are named."""
    return {"is": "line", "label": label, "x": x, "y": y, **({"marker": ""} if look.get("style") else {}), **look}


def curve(label, x, y, half=None, **look):
    """Expect a line with bars, which reach ``half`` below and above y."""
    ends = {} if half is None else {"low": np.subtract(y, half), "high": np.add(y, half)}
    return {"is": "curve", "label": label, "x": x, "y": y, **ends, **look}


def level(y, color="#999999", **look):
    """Expect a horizontal line across the panel."""
    return line(None, [0, 1], [y, y], color=color, **look)


def text(words, **place):
    return {"is": "text", "text": words, **place}


def drawn(axis):
    """Return all marks of a panel."""
    parts, marks = set(), []
    for container in axis.containers:
        if isinstance(container, ErrorbarContainer):
            data, caps, bars = container.lines
            parts |= {data, *caps, *bars}
            marks.append(_curve(container, data, bars))
        if isinstance(container, BarContainer):
            parts |= {*container.patches}
            marks += [_box(patch, container.get_label()) for patch in container.patches]
    marks += [_line(each) for each in axis.lines if each not in parts]
    marks += [_box(each) for each in axis.patches if each not in parts]
    marks += [_collection(each) for each in axis.collections if each not in parts]
    marks += [_image(each) for each in axis.images]
    return marks + [_text(each) for each in axis.texts]


def _line(one):
    x, y = (np.asarray(values, dtype=float) for values in one.get_data())
    look = {"color": one.get_color(), "face": one.get_markerfacecolor(), "steps": one.get_drawstyle()}
    plain = {"marker": one.get_marker(), "style": one.get_linestyle()}
    look |= {name: "" if value in ("None", " ") else value for name, value in plain.items()}
    return {"is": "line", "label": _label(one), "x": x, "y": y, **look}


def _curve(container, data, bars):
    """Return a line with the ends of its bars; NaN where a point has none."""
    mark = _line(data) if data is not None else {}
    names = [*(["left right"] if container.has_xerr else []), *(["low high"] if container.has_yerr else [])]
    for name, one in zip(names, bars, strict=True):
        segments = [each if len(each) == 2 else np.full((2, 2), np.nan) for each in one.get_segments()]
        axis = 0 if name == "left right" else 1
        mark |= dict(zip(name.split(), np.reshape([each[:, axis] for each in segments], (-1, 2)).T, strict=True))
        mark.setdefault("color", one.get_color()[0])
        mark.setdefault("x", np.array([each[0, 0] for each in segments]))
    return {**mark, "is": "curve", "label": _label(container)}


def _box(patch, label=None):
    """Return a bar or a shaded band, by its ends."""
    (left, low), (right, high) = patch.get_path().transformed(patch.get_patch_transform()).get_extents().get_points()
    label = None if label is None or label.startswith("_") else label
    return {"is": "box", "label": label, "box": [left, right, low, high], "color": patch.get_facecolor()}


def _collection(one):
    """Return dots, coloured cells, the lines of a level, horizontal lines or a shaded band."""
    if isinstance(one, ContourSet):
        points = np.concatenate([path.vertices for path in one.get_paths()])
        return {"is": "contour", "points": points, "levels": one.levels, "style": one.linestyles}
    if isinstance(one, QuadMesh):
        corners = one.get_coordinates()
        middles = (corners[1:, 1:] + corners[:-1, :-1]) / 2
        colors = one.to_rgba(np.ravel(one.get_array()))
        return {"is": "mesh", "x": middles[0, :, 0], "y": middles[:, 0, 1], "colors": colors}
    if isinstance(one, PathCollection):
        x, y = np.asarray(one.get_offsets()).T
        return {"is": "dots", "x": x, "y": y, "values": np.asarray(one.get_array()), "label": _label(one)}
    if isinstance(one, LineCollection):
        return {"is": "strokes", "segments": np.array(one.get_segments()), "color": one.get_color()[0]}
    corners = one.get_paths()[0].vertices
    return {"is": "band", "corners": {tuple(np.round(corner, 9)) for corner in corners}}


def _image(one):
    return {"is": "image", "values": one.get_array(), "extent": one.get_extent(), "origin": one.origin}


def _text(one):
    x, y = getattr(one, "xy", one.get_position())
    return {"is": "text", "text": one.get_text(), "x": x, "y": y, "color": one.get_color()}


def _label(artist):
    label = str(artist.get_label())
    return None if label.startswith("_") else label


def differences(figure, panels):
    """Return what differs between a figure and the panels that it should have, in lines."""
    titled = [panel.title for panel in panels if panel.title is not None]
    letters = iter(string.ascii_lowercase)
    said = []
    if len(figure.axes) != len(panels):
        return [f"{len(figure.axes)} panels"]
    for axis, panel in zip(figure.axes, panels, strict=True):
        found = (axis.get_title(loc="left"), axis.get_xlabel(), axis.get_ylabel())
        title = f"({next(letters)}) {panel.title}" if panel.title is not None and len(titled) > 1 else panel.title
        expected = (title or "", panel.x, panel.y)
        said += [f"{a!r} is not {b!r}" for a, b in zip(found, expected, strict=True) if b is not None and a != b]
        scales = f"{axis.get_xscale()} {axis.get_yscale()}"
        said += [f"{title}: scales {scales}"] if scales != panel.scales else []
        said += [f"{title}: ticks differ"] if panel.ticks is not None and panel.ticks != _ticks(axis) else []
        said += [f"{title}: rows differ"] if panel.rows is not None and panel.rows != _rows(axis) else []
        said += [f"{title}: {each}" for each in _unmatched(drawn(axis), panel.marks)]
    return said


def _rows(axis):
    return [label.get_text() for label in axis.get_yticklabels()]


def _ticks(axis):
    labels = [label.get_text() for label in axis.get_xticklabels()]
    return dict(zip(np.round(axis.get_xticks(), 9).tolist(), labels, strict=True))


def cut_off(figure):
    """Return the labels and places of points that lie outside of the frame of their panel."""
    found = []
    for axis in figure.axes:
        frames = sorted(axis.get_xlim()), sorted(axis.get_ylim())
        for one in axis.lines:
            if one.get_transform() == axis.transData:
                points = np.asarray(one.get_xydata(), dtype=float)
                points = points[np.isfinite(points).all(1)]
                inside = [(low <= at) & (at <= high) for at, (low, high) in zip(points.T, frames, strict=True)]
                found += [(_label(one), *point) for point in points[~np.all(inside, axis=0)]]
    return found


def legend(figure):
    """Return what the legends of a figure have: labels with the colour of a patch, the style or marker of a line."""
    legends = [*figure.legends, *(axis.get_legend() for axis in figure.axes if axis.get_legend())]
    return {
        text_.get_text(): _key(handle)
        for one in legends
        for text_, handle in zip(one.get_texts(), one.legend_handles, strict=True)
    }


def _key(handle):
    if isinstance(handle, Patch):
        return to_hex(handle.get_facecolor())
    if isinstance(handle, Line2D):
        return handle.get_marker() if handle.get_linestyle() == "None" else handle.get_linestyle()
    return ""


def unexplained(figure):
    """Return the labels of marks that no legend has."""
    return {mark["label"] for axis in figure.axes for mark in drawn(axis) if mark.get("label")} - {*legend(figure)}


def _unmatched(found, expected):
    """Return the expected marks that are not among those found, and those found that nobody expects."""
    left, missing = list(found), []
    for mark in sorted(expected, key=len, reverse=True):
        place = next((i for i, each in enumerate(left) if _is(each, mark)), None)
        if place is None:
            missing.append(mark)
        else:
            del left[place]
    return [*(f"missing: {mark}" for mark in missing), *(f"not expected: {mark}" for mark in left)]


def _is(mark, expected):
    return all(name in mark and _equal(name, mark[name], value) for name, value in expected.items())


def _equal(name, value, expected):
    if callable(expected):
        return bool(expected(value))
    if name in COLOURS:
        return np.allclose(to_rgba(value), to_rgba(expected), atol=1e-6)
    if expected is None or isinstance(expected, str | set):
        return value == expected
    value, expected = np.asarray(value, dtype=float), np.asarray(expected, dtype=float)
    return value.shape == expected.shape and np.allclose(value, expected, rtol=1e-9, atol=1e-12, equal_nan=True)
