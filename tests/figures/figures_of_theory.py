"""Numbers that figures of mathematics have to draw: steps, regions, gradients, functions of the radius, fractals."""

import numpy as np
import xarray as xr
from artists import Panel, curve, line
from figures_of_accuracies import FRACTALS
from matplotlib import colormaps
from matplotlib.colors import to_rgb, to_rgba
from planted_numbers import MARKERS, Case, numbers, shade, shown
from recorded_cubes import cube, recorded

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#777777"


def tree(tasks=None, **tables):
    """Make a cube of calculations, and of others of the same names whose numbers are twice as large."""
    twice = {f"calculations__not_{name}": table * 2 for name, table in tables.items()}
    own = {f"calculations__{name}": table for name, table in tables.items()}
    return cube(recorded(2, task=["a"], depth=[1], width=[5]), tasks=tasks, **twice, **own)


@shown("end_to_end")
def the_end_to_end_rule():
    axes = {"decay": [0.1, 0.0], "layers": [3, 1, 2], "draw": 3}
    rule = xr.Dataset({
        "deviation": numbers(300, 0.1, 1, **axes, rate=[1e-3, 1e-1]),
        "unbalanced_deviation": numbers(301, 0.1, 1, **axes, rate=[1e-3, 1e-1]),
        "gain": numbers(302, 0.1, 1, layers=[3, 1, 2], draw=3, left=3, right=3),
    })  # fmt: skip
    step = xr.Dataset({"remainder": numbers(303, 0.1, 1, power=[4, 2], draw=3, rate=[1e-4, 1e-2])})
    first, second, third = [], [], []
    for n in (3, 1, 2):
        look, at = {"color": shade(n), "marker": MARKERS[n]}, rule.sel(layers=n)
        if n > 1:
            deviations = [at[name].isel(decay=0).values.mean(0) for name in ("deviation", "unbalanced_deviation")]
            first.append(line(f"N = {n}", [1e-3, 1e-1], deviations[0], style="-", **look))
            first.append(line(None, [1e-3, 1e-1], deviations[1], style=":", **look))
        second.append(line(f"N = {n}", [1, 2, 3], np.diagonal(at.gain.values.mean(0)), style="-", **look))
    for i, p in enumerate((4, 2)):
        y = step.remainder.sel(power=p).values.mean(0)
        third.append(line(f"p = {p}", [1e-4, 1e-2], y, color=f"C{i}", marker="o", style="-"))
    rate = "learning rate η"
    panels = [
        Panel("deviation of the rule", first, rate, "relative deviation of a step", "log log"),
        Panel("gain of directions", second, "singular direction u_r v_r'", "gain"),
        Panel("remainder of w = w₁ w₂", third, rate, "|remainder| / |w|", "log log"),
    ]
    return Case(tree(rule=rule, step=step), {"rule": "rule", "step": "step"}, panels)


@shown("region_counts")
def counted_regions():
    starts, axes = ["he", "uniform"], {"width": [5, 7, 9], "depth": [2, 1]}
    columns = {name: numbers(310 + i, 2, 90, level=[1, 2, 3]) for i, name in enumerate(KNOWN)}
    table = xr.Dataset({
        "regions": numbers(314, 2, 90, start=starts, **axes, network=5),
        "most_regions": numbers(315, 90, 99, **axes).assign_attrs(long_name="the most"),
        "region_bound": numbers(316, 99, 120, **axes).assign_attrs(long_name="the bound"),
        **columns,
    })  # fmt: skip
    left = []
    for i, start in enumerate(starts):
        rows = table.regions.sel(start=start, width=9).values
        look = {"color": f"C{i}", "marker": MARKERS[i], "low": rows.min(1), "high": rows.max(1)}
        left.append(curve(start, [2, 1], rows.mean(1), **look))
    at = table.sel(width=9)
    left.append(line("the most", [2, 1], at.most_regions, color=GREY, style="--"))
    left.append(line("the bound", [2, 1], at.region_bound, color="black", style=":"))
    looks = {
        "known_regions": ("o", "-", BLUE),
        "needed_regions": ("s", "--", ORANGE),
        "known_bound": ("", ":", "black"),
    }
    words = ("width 2, n + 1 hidden layers", "needed, r^n", "the bound (e k / d)^(t d)")
    right = [
        line(label, [1, 2, 3], table[name], marker=marker, style=style, color=color)
        for label, (name, (marker, style, color)) in zip(words, looks.items(), strict=True)
    ]
    ticks = {1.0: "1", 2.0: "2"}
    panels = [
        Panel("random networks at the start", left, "depth (hidden layers)", "regions, width 9", "linear log", ticks),
        Panel("a network that knows the Cantor set", right, "levels n of the set", "regions", "linear log"),
    ]
    cube_ = tree(counts=table)
    for name in ("most_regions", "region_bound"):
        cube_["calculations/counts"][name].attrs = table[name].attrs
    return Case(cube_, {"calculation": "counts"}, panels)


KNOWN = ("known_regions", "needed_regions", "known_bound")


@shown("initial_gradients")
def gradients_at_the_start():
    axes = {"start": ["he", "glorot"], "depth": [3, 1]}
    norm = 10 ** numbers(320, -30, 0, **axes, network=12, growth=[1.0, 4.0])
    table = xr.Dataset({
        "gradient_norm": norm.where(numbers(321, 0, 1, **axes, network=12, growth=[1.0, 4.0]) > 0.3, 0.0),
        "gradient_bound": numbers(322, 0.01, 1, growth=[1.0, 4.0]),
        "largest_output": numbers(323, 0.5, 1.5, **axes, network=12, growth=[1.0, 4.0]),
    })  # fmt: skip
    panels = []
    for start in axes["start"]:
        marks = []
        for depth in (3, 1):
            at, look = table.sel(start=start, depth=depth).transpose("network", "growth"), {"color": shade(depth)}
            marks.append(line(f"depth {depth}", [], [], marker="o", style="", **look))
            x, y = np.tile(table.gradient_bound.values, (12, 1)), at.gradient_norm.values
            large = at.largest_output.values > 1
            for marker, there in (("o", y > 0), ("v", y == 0)):
                for chosen, face in ((there & ~large, shade(depth)), (there & large, "white")):
                    height = [max(v, 1e-24) if v else 1e-24 / 4 for v in y[chosen]]
                    marks.append(line(None, x[chosen], height, face=face, marker=marker, style="", **look))
        ends = [table.gradient_bound.values.min(), table.gradient_bound.values.max()]
        marks.append(line("the bound of Theorem 5", ends, ends, style="--", color="black"))
        words = "" if panels else "largest entry of the gradient"
        panels.append(Panel(start, marks, "5 (P(n') − 1/2)", words, "log log"))
    return Case(tree(gradients=table), {"calculation": "gradients"}, panels)


@shown("radial_theory")
def functions_of_the_radius():
    d = {"dimension": [20, 2, 5]}
    density = xr.Dataset({name: numbers(330 + i, 0.1, 1, **d) for i, name in enumerate(DENSITY)})
    profiles = {"profile": ["triangle_wave", "gaussian"]}
    width = numbers(334, 10, 900, **profiles, activation=["step", "relu"], **d)
    width.loc[{"profile": "gaussian", "activation": "step", "dimension": 2}] = np.nan
    widths = xr.Dataset(
        {"width": width, "sure_width": numbers(335, 10, 900, **profiles, activation=["step", "relu"], **d)}
    )
    tubes = xr.Dataset({"share": numbers(336, 0.01, 1, **d)}).assign(tubes=11, distance=0.25)
    looks = zip(
        DENSITY, ("ball of volume one", "ball of radius one", "volume of that ball"), ("o", "s", ""), strict=True
    )
    first = [
        line(label, [20, 2, 5], density[name], marker=marker, style="-" if marker else "--", color=color)
        for (name, label, marker), color in zip(looks, ("C0", "C1", GREY), strict=True)
    ]
    second = []
    for i, profile in enumerate(profiles["profile"]):
        for activation in ("step", "relu"):
            y = width.sel(profile=profile, activation=activation).dropna("dimension")
            logs, of_logs = (np.log(values) - np.log(values).mean() for values in (y.values, y.dimension.values))
            slope = (logs * of_logs).sum() / (of_logs**2).sum()
            look = {"color": f"C{i}", "face": f"C{i}" if activation == "relu" else "white", "marker": MARKERS[i]}
            label = f"{FORMULAS[profile]}, {activation}, slope {slope:.2f}"
            second.append(line(label, y.dimension, y, style="-", **look))
        sure = widths.sure_width.sel(profile=profile, activation="relu")
        second.append(line(None, [20, 2, 5], sure, color=f"C{i}", style="--"))
    third = [line("11 tubes, radius 0.25 √d", [20, 2, 5], tubes.share, marker="o", style="-")]
    names = ("total mass", "least width, error 0.05", "share of the sphere")
    titles = ("mass of the density", "width of two hidden layers", "shell within tubes, at most")
    panels = [
        Panel(title, marks, "dimension d", name, "log log")
        for title, marks, name in zip(titles, (first, second, third), names, strict=True)
    ]
    cube_ = tree(density=density, widths=widths.assign_coords(error=0.05), tubes=tubes)
    return Case(cube_, {"density": "density", "widths": "widths", "tubes": "tubes"}, panels)


DENSITY = ("mass", "unit_ball_mass", "unit_ball_volume")
FORMULAS = {"triangle_wave": "triangle wave", "gaussian": "exp(-r²)"}
CORNERS = {(0, 0), (2, 0), (1, 2)}  # ternary digits of the images of the maps of a set without symmetry
OFFSETS = [[2 * x - 2, 2 * y - 2] for x, y in CORNERS]
SETS = {"given": {**FRACTALS["plane"], "system": "given", "ratio": 3, "offsets": OFFSETS}, "line": FRACTALS["line"]}


def reached(x, y=None, most=2):
    """Return the last level that contains points of [0, 1]^2 or [0, 1]: of the given set, or of the Cantor set."""
    inside, found = np.ones(np.shape(x), dtype=bool), np.zeros(np.shape(x), dtype=int)
    for power in 3 ** np.arange(most):
        digits = [np.floor(z * power * 3).astype(int) % 3 for z in (x, x if y is None else y)]
        if y is None:
            inside = inside & (digits[0] != 1)
        else:
            inside = inside & np.any([(digits[0] == a) & (digits[1] == b) for a, b in CORNERS], axis=0)
        found += inside
    return found


def _plane(image):
    """Tell whether an image has the levels of the given set, from light to dark, and the set itself in blue."""
    middles = (np.arange(len(image)) + 0.5) / len(image)
    level = reached(*np.meshgrid(middles, middles))
    colors = np.where((level == 2)[..., None], to_rgba(BLUE), colormaps["Oranges"](0.1 + 0.6 * level / 2))
    return len(image) >= 400 and np.allclose(image, colors, atol=1e-6)


def _row(n):
    """Return whether an image is the row of level n: white outside of level n - 1, blue on level n, orange between."""

    def is_it(image):
        level = reached((np.arange(image.shape[1]) + 0.5) / image.shape[1])
        colors = np.array([(1, 1, 1), to_rgb(ORANGE), to_rgb(BLUE)])
        return np.allclose(image[0], colors[np.clip(level - n + 2, 0, 2)], atol=1e-6)

    return is_it


@shown("fractal_sets")
def levels_of_sets():
    rows = [{"is": "image", "values": _row(n), "extent": [0, 1, n + 0.35, n - 0.35]} for n in (1, 2)]
    plane = {"is": "image", "values": _plane, "extent": [-1, 1, -1, 1], "origin": "lower"}
    panels = [Panel("given, n = 2", [plane]), Panel("cantor_1d, n = 2", rows, "x", "depth n")]
    return Case(tree(tasks=SETS), {"tasks": ["given", "line"], "levels": 2}, panels)


@shown("fractal_samples")
def samples_of_sets():
    looks = {"marker": ".", "style": ""}

    def inside(low):
        return lambda x: 60 < len(x) < 140 and (reached((x - low) / (1 - low), most=3) == 3).all()

    fine = {**FRACTALS["line"], "levels": 3}
    panels = []
    for title, low in (("plane: curve 6", -1), ("line: curve 1", 0)):
        positive = line("positive", inside(low), inside(low) if low else lambda y: (y == 1).all(), color=BLUE, **looks)
        y = {} if low else {"y": lambda y: (y == 0).all()}
        x = {"x": lambda x: 60 < len(x) < 140 and not (reached(x, most=3) == 3).any()} if not low else {}
        panels.append(Panel(title, [positive, {"is": "line", "label": "negative", "color": ORANGE, **x, **y, **looks}]))
    tasks = {"line": fine, "plane": FRACTALS["fine"]}
    return Case(tree(tasks=tasks), {"tasks": ["plane", "line"], "samples": 200}, panels)
