"""Numbers that figures of ensembles have to draw: gains with their size, distances of boundaries, planes of inputs."""

import numpy as np
from artists import Panel, curve, level, line, text
from matplotlib.colors import to_rgba
from planted_numbers import Case, mean, sd, shown
from sized_cubes import BLUE, CUBE, GREY, SECOND, SEEDS, SIZES, drawn_law, own

OF_16 = (f"{SEEDS} networks of h = 16, N = 688 weights",)


def standard_errors(values):
    """Return means over networks and their standard errors of values (seed, size)."""
    columns = values.transpose("size", "seed").values
    return mean(columns), sd(columns) / SEEDS**0.5


def split(x, y, fitted, left=None):
    """Expect points with bars: full where they were fitted, hollow elsewhere."""
    marks = []
    for chosen, face in ((fitted, BLUE), (~fitted, "white")):
        ends = {"left": (x - left)[chosen], "right": (x + left)[chosen]} if left is not None else {}
        look = {"color": BLUE, "face": face, "marker": "o", "style": "", **ends}
        marks.append(curve(None, x[chosen], y[0][chosen], y[1][chosen], **look))
    return marks


@shown("ensemble_size")
def gains_of_ensembles():
    cell = {**SECOND, "width": 16}
    table = own("ensembles", cell)
    distance = standard_errors(table.distance_pseudo)
    names, x = ("by_size", "gap_by_size", "both_by_size"), np.array(SIZES, dtype=float)
    bases = [float(own(f"laws/{name}", cell).value.sel(fit="fixed", parameter="constant")) for name in names[::2]]
    first, last = (standard_errors(table.ensemble_error_pseudo - base) for base in bases)
    fitted = [own(f"laws/{name}", cell).fitted.values for name in names]
    marks = [
        split(x, first, fitted[0]),
        split(x, distance, fitted[1]),
        split(distance[0], last, fitted[2], distance[1]),
    ]
    for name, of_panel, variable in zip(names, marks, ("n", "n", r"\delta"), strict=True):
        of_panel.append(drawn_law(name, cell, variable=variable, less=True))
    words = {
        "excess error": ("networks n in an ensemble", "excess test error"),
        "distance": ("networks n in an ensemble", "distance δ of boundaries"),
        "excess error and distance": ("distance δ of boundaries", "excess test error"),
    }
    panels = [Panel(title, m, *w, "log log") for (title, w), m in zip(words.items(), marks, strict=True)]
    return Case(CUBE, {**cell, "laws": list(names)}, panels, OF_16, framed=False)  # laws reach beyond the points


@shown("ensemble_size")
def gains_of_ensembles_without_laws():
    """Errors are then those above the limit of large ensembles, of the first width."""
    table = own("ensembles", {**SECOND, "width": 3})
    above = standard_errors(table.ensemble_error_pseudo - float(table.limit_error))
    distance, every = standard_errors(table.distance_pseudo), np.ones(len(SIZES), dtype=bool)
    x = np.array(SIZES, dtype=float)
    marks = [split(x, above, every), split(x, distance, every), split(distance[0], above, every, distance[1])]
    titles = ("excess error", "distance", "excess error and distance")
    panels = [Panel(title, m, scales="log log") for title, m in zip(titles, marks, strict=True)]
    return Case(CUBE, SECOND, panels, (f"{SEEDS} networks of h = 3, N = 51 weights",))


REGIONS = ("#c6dbef", "#fde0c5", "#8c8c8c")


@shown("boundary_plane")
def classes_on_a_plane():
    table = own("ensembles", {**SECOND, "width": 8})
    single, mean_ = (
        table[name].transpose("plane_row", "plane_column").values for name in ("plane_network", "plane_mean")
    )
    x, y = table.plane_first.values, table.plane_second.values
    region = np.where(single * mean_ < 0, 2, np.where(mean_ > 0, 1, 0))
    colors = np.array([to_rgba(color) for color in REGIONS])
    marks = [{"is": "mesh", "x": x, "y": y, "colors": colors[region.ravel()]}]
    marks += [
        {"is": "contour", "levels": [0], "style": style, "points": _on_the_boundary(values, x, y)}
        for values, style in ((single, "-"), (mean_, "--"))
    ]
    corners = table.plane_corners.transpose("axis", "corner").values
    marks.append(line(None, *corners, marker="o", face="white", style=""))
    panel = Panel("width h = 8", marks, "first direction of the plane", "second direction")
    legend = {"f, f̄ < 0": REGIONS[0], "f, f̄ > 0": REGIONS[1], "f f̄ < 0: they disagree": REGIONS[2]}
    legend |= {"f = 0": "-", "f̄ = 0": "--", "test samples": "o"}
    return Case(CUBE, {**SECOND, "width": 8}, [panel], legend=legend)


def _on_the_boundary(values, x, y):
    """Return a test that points lie on edges of the plane's cells where values (row, column) pass through zero."""

    def between(at, places, heights):
        order = int(np.clip(np.searchsorted(places, at) - 1, 0, len(places) - 2))
        share = (at - places[order]) / (places[order + 1] - places[order])
        return (1 - share) * heights[order] + share * heights[order + 1]

    def they_do(points):
        rows, columns = (np.abs(points[:, [1 - i]] - at).min(1) < 1e-9 for i, at in ((0, y), (1, x)))
        heights = [
            between(a, x, values[np.abs(y - b).argmin()]) if row else between(b, y, values[:, np.abs(x - a).argmin()])
            for (a, b), row in zip(points, rows, strict=True)
        ]
        return len(points) > 2 and (rows | columns).all() and np.abs(heights).max() < 1e-6

    return they_do


@shown("boundary_distances")
def distances_of_boundaries():
    table = own("ensembles", {**SECOND, "width": 16})
    x, y = (table[f"ensemble_distance{end}"].transpose("size", "subset").values.ravel() for end in ("_estimate", ""))
    along, distance = table.distance_along_gradient.values, table.distance.values
    values = np.repeat(SIZES, 3)
    left = [{"is": "dots", "x": x, "y": y, "values": values}, _diagonal(x, y)]
    right = [line("one network", along, distance, marker="o", color=BLUE, style=""), _diagonal(along, distance)]
    words = ("estimate ‖f − f̄‖ / ‖∇f‖", "distance δ of boundaries, eq. 2", "log log")
    panels = [
        Panel("ensembles", left, *words),
        Panel("single networks", right, "distance found along the gradient", *words[1:]),
        Panel(None, [{"is": "mesh"}, {"is": "strokes"}], "", "networks n in an ensemble", "linear log"),
    ]
    return Case(CUBE, {**SECOND, "width": 16}, panels, (*OF_16, "(a) up to 3 ensembles of each size"))


@shown("boundary_distances")
def distances_at_the_first_width():
    table = own("ensembles", {**SECOND, "width": 3})
    along, distance = table.distance_along_gradient.values, table.distance.values
    case = distances_of_boundaries()
    marks = [line("one network", along, distance), _diagonal(along, distance)]
    panels = [case.panels[0]._replace(marks=[{"is": "dots"}, {"is": "line"}]), case.panels[1]._replace(marks=marks)]
    return Case(CUBE, SECOND, [*panels, case.panels[2]], (f"{SEEDS} networks of h = 3, N = 51 weights",))


def _diagonal(x, y):
    ends = [min(*x, *y), max(*x, *y)]
    return line("equal", ends, ends, color="black", style="-")


@shown("profiles")
def outputs_along_the_gradient():
    panels, s = [], np.array([0.0, 0.7, 1.6])
    for width, n in ((16, 688), (5, 105)):
        table = own("ensembles", {**SECOND, "width": width})
        curves = table.profile.transpose("point", "position").values[:4]
        crossing = np.sort(np.where(np.isnan(table.crossing.values[:4]), np.inf, table.crossing.values[:4]))
        quartiles = crossing[[0, 1, 2]]  # of three samples that cross and one that does not
        marks = [line(None, s, row, color=BLUE) for row in curves]
        marks += [line(None, s, 1 - s, color="black", style="--"), level(0, GREY)]
        marks.append(line(None, quartiles, [0, 0, 0], marker="|", color="#d00000", style=""))
        said = ", ".join(f"{q:.2f}" for q in quartiles)
        marks.append(text(f"4 samples\n1 do not cross\nquartiles {said}"))
        words = "" if panels else "f(x − s δ u) / f(x)"
        panels.append(Panel(f"h = {width}, N = {n}", marks, "step s in units of the predicted distance", words))
    return Case(CUBE, {**SECOND, "widths": [16, 5]}, panels)
