"""Numbers that figures of several shapes of networks have to draw: on shells, on folds, between two regimes."""

import numpy as np
import xarray as xr
from artists import Panel, curve, level, line, text
from figures_of_accuracies import CHANCE, STEPS, accuracy, points
from planted_numbers import (
    MARKERS,
    Case,
    at_widths,
    half,
    mean,
    numbers,
    of_ten_classes,
    quoted,
    rank_shade,
    shade,
    shown,
)
from recorded_cubes import FIRST, cube, recorded

SHELLS = {"4-20": (4, 20), "2-9": (2, 9), "4-5": (4, 5), "2-30": (2, 30), "2-5": (2, 5)}  # shells and dimension
WIDTHS = {("2-9", 1): (20, 60), ("2-30", 1): (40, 120), ("2-5", 1): (10, 30), ("4-20", 1): (20,), ("4-5", 1): (10,)}
WIDTHS |= {("2-9", 2): (10,), ("2-30", 2): (20, 30), ("2-5", 2): (10, 20), ("4-20", 2): (40,), ("4-5", 2): (60,)}


@shown("accuracy_by_dimension")
def accuracies_on_shells():
    def trained(n):
        asked = xr.zeros_like(n.recorded_test_error.isel(step=0), dtype=bool)
        for (task, depth), widths in WIDTHS.items():
            asked.loc[{"task": task, "depth": depth, "width": list(widths)}] = True
        return asked.drop_vars("step")

    table = recorded(80, trained, task=SHELLS, depth=[1, 2], width=[10, 20, 30, 40, 60, 120])
    networks = table.assign_coords(
        task_shells=("task", [float(s) for s, _ in SHELLS.values()]),
        task_dimension=("task", [float(d) for _, d in SHELLS.values()]),
    )
    words = {(2, 1, 1): ", 3 times as wide", (2, 2, 1): ", wider"}
    panels = []
    for shells, tasks in ((2, ("2-5", "2-9", "2-30")), (4, ("4-5", "4-20"))):
        for part in ("test", "training"):
            marks = [CHANCE]
            for depth in (1, 2):
                for rank in range(2):
                    own = [task for task in tasks if len(WIDTHS[task, depth]) > rank]
                    values = [_shells(table, task, depth, WIDTHS[task, depth][rank], part) for task in own]
                    label = f"{depth} hidden layer{'s' if depth == 2 else ''}{words.get((shells, depth, rank), '')}"
                    look = {"color": shade(depth), "marker": MARKERS[rank], "face": "white" if rank else shade(depth)}
                    x = [SHELLS[task][1] for task in own]
                    marks += [points(label, x, np.stack(values), **look)] if own else []
            panels.append(Panel(f"{shells} shells, {part} set", marks, "dimension d", "accuracy", "log linear"))
    return Case(cube(networks), {"protocol": "adam"}, panels)


def _shells(table, task, depth, width, part):
    cells = table.sel(**FIRST, task=task, depth=depth, width=width)
    return accuracy(cells) if part == "test" else 1 - quoted(cells, *STEPS, judged="recorded_train_error")


FOLDS = {  # folds and triangles
    "three": (3, 1),
    "one": (1, 1),
    "wide": (2, 3),
    "two": (2, 1),
    "five": (5, 1),
    "wave": (3, 2),
}
ON_FOLDS = {("three", 1): 30, ("one", 1): 10, ("two", 1): 20, ("three", 4): 20, ("one", 4): 10, ("two", 4): 10}
ON_FOLDS |= {("wide", 1): 10, ("wide", 4): 20}  # of three triangles, which are not drawn


def wave(networks):
    return networks.assign_coords(
        task_folds=("task", [float(FOLDS[task][0]) for task in networks.task.values]),
        task_triangles=("task", [float(FOLDS[task][1]) for task in networks.task.values]),
    )


@shown("accuracy_by_folds")
def accuracies_on_folds():
    def trained(n):
        asked = xr.zeros_like(n.recorded_test_error.isel(step=0), dtype=bool)
        for (task, depth), width in ON_FOLDS.items():
            asked.loc[{"task": task, "depth": depth, "width": width}] = True
        return asked.drop_vars("step")

    table = recorded(90, trained, task=["three", "wide", "one", "two"], depth=[1, 4], width=[10, 20, 30])
    scores = numbers(91, 0, 0.3, task=FOLDS, construction=["other", "folding"])
    scores.loc[{"task": "two", "construction": "folding"}] = np.nan
    marks = [CHANCE]
    for depth in (1, 4):
        own = [(k, task, ON_FOLDS[task, depth]) for k, task in ((1, "one"), (2, "two"), (3, "three"))]
        values = np.stack([accuracy(table.sel(**FIRST, task=t, depth=depth, width=w)) for _, t, w in own])
        look = {"color": shade(depth), "marker": MARKERS[depth]}
        marks.append(points(f"trained, depth {depth}", [1, 2, 3], values, **look))
        marks.append(line(None, [1, 2, 3], np.nanmedian(values, -1), marker="x", color="black", style=""))
    made = 1 - scores.sel(construction="folding", task=["one", "three", "five"]).values
    marks.append(line("in closed form, k layers of 2 units", [1, 3, 5], made, marker="*", color="k", style=""))
    ceilings = [min(1.0, 1 - (2**k + 1 - (2 * k + 2)) / (2 * 2**k)) for k in range(1, 6)]  # of 2 k + 2 intervals
    marks.append(line("ceiling of one layer of the folding's size", range(1, 6), ceilings, style="--", color="black"))
    panel = Panel("", marks, "folds k", "accuracy", ticks={float(k): str(k) for k in range(1, 6)})
    tree = cube(wave(table), constructions=wave(xr.Dataset({"test_error": scores})))
    return Case(tree, {"protocol": "adam", "construction": "folding"}, [panel])


def shapes(seed, **more):
    """Make networks of three shapes on three waves, two of three folds; the first data set has none of the last."""
    made = {(1, 30), (3, 10), (3, 20)}

    def trained(n):
        asked = sum((n.depth == d) & (n.width == w) for d, w in made) > 0
        return asked & ((n.task != "wave") | (n.draw == 1))

    axes = {"task": ["two", "three", "wave"], "n_train": [100], "depth": [3, 1], "width": [10, 20, 30]}
    return wave(recorded(seed, trained, **axes, **more))


@shown("network_functions")
def functions_of_networks():
    table, x = shapes(100), np.linspace(0, 1, 7)
    axes = {name: table[name].values for name in table.n_parameters.dims}
    output = numbers(101, -3, 3, **axes, x=x).where(table.n_parameters.notnull())
    panels = []
    for depth, width in ((3, 10), (3, 20), (1, 30)):
        cell = {"task": "wave", "protocol": "adam", "n_train": 100, "depth": depth, "width": width, "draw": 1}
        rate = max(table.learning_rate.values, key=lambda r, cell=cell: _mean_at(table.sel(cell), r))
        y = np.clip(output.sel(cell).sel(learning_rate=rate, seed=0), -2, 2)
        spans = [(2 * i + 1) / 128 for i in range(64)]  # 4^3 changes of the label
        marks = [_span(low, high) for low, high in zip(spans[::2], spans[1::2], strict=True)]
        marks += [line(None, x, y, color=shade(depth)), level(0), text(f"rate {rate:g}")]
        panels.append(Panel(f"depth {depth}, width {width}", marks, "x", "f"))
    counts = wave(xr.Dataset({"output": output.sel(protocol=["adam"])}))  # without a protocol, the first counted
    settings = {"folds": 3, "triangles": 2}
    return Case(cube(table, oscillation_counts=counts), settings, panels)


def _mean_at(cell, rate):
    return float(mean(accuracy(cell.sel(learning_rate=rate), over=("step",))))


def _span(left, right):
    return {"is": "box", "box": lambda ends: np.allclose(ends[:2], [left, right]), "color": "#e8e8e8"}


@shown("interval_counts")
def intervals_of_classifiers():
    table = shapes(110)
    axes = {name: table[name].values for name in table.n_parameters.dims}
    intervals = numbers(111, 2, 40, moment=["end", "start"], **axes).where(table.n_parameters.notnull())
    counts = xr.Dataset({name: numbers(i, 2, 90, triangles=[3, 1], folds=[1, 2, 4]) for i, name in enumerate(CLOSED)})
    counts.intervals.loc[{"triangles": 3, "folds": 4}] = np.nan
    left = []
    for i, t in enumerate((3, 1)):
        row = counts.sel(triangles=t, folds=[1, 2] if t == 3 else [1, 2, 4])
        look = {"color": f"C{i}"}
        left.append(line(f"t = {t}", row.folds, row.intervals, marker=MARKERS[i], style="", **look))
        left.append(line(None, row.folds, row.expected + 1, style="-", **look))
    right, of_task = [level(4.0**3 + 1), text("the labels: 4^3 + 1", x=2, y=65)], ((3, 10), (3, 20), (1, 30))
    bounds = [11**3 + 1, 21**3 + 1, 31 + 1]
    right.append(line("the bound", range(3), bounds, marker="_", color="black", style=""))
    for moment, side, label, color in (("start", -1, "at the start", 0), ("end", 1, "trained, at all rates", 6)):
        found = [intervals.sel(task="wave", moment=moment, depth=d, width=w).values.ravel() for d, w in of_task]
        middle = np.repeat(np.arange(3.0), len(found[0])) + 0.15 * side
        near = {"x": lambda x, middle=middle: len(x) == len(middle) and (abs(x - middle) <= 0.1).all()}
        right.append(line(label, None, np.concatenate(found), color=shade(color), marker=".", style="") | near)
    ticks = {0.0: "3 × 10", 1.0: "3 × 20", 2.0: "1 × 30"}
    names = ("hidden layers × units", "intervals of 1[f ≥ 0]", "linear log", ticks)
    words = ("folds k", "intervals of 1[f ≥ 1/2]", "linear log")
    panels = [
        Panel("t triangles, composed k times", left, *words),
        Panel("all networks trained on 3 folds of 2 triangles", right, *names),
    ]
    trained = wave(xr.Dataset({"intervals": intervals.transpose(*axes, "moment")}))
    tree = cube(table, oscillation_counts=trained, calculations__other=counts * 2, calculations__closed=counts)
    return Case(tree, {"counts": "closed", "folds": 3, "triangles": 2}, panels)


CLOSED = ("intervals", "expected")


@shown("folding_basin")
def accuracies_after_noise():
    table = xr.Dataset({
        when: numbers(i, 0.4, 0.9, noise=[0.1, 0.0, 0.01], folds=[4, 2], network=3)
        for i, when in enumerate(("after", "before"), start=120)
    })  # fmt: skip
    table = table.assign(steps=600).assign_coords(learning_rate=0.003)
    other = (table * 0.9).assign(steps=7).assign_coords(learning_rate=0.02)
    panels = []
    for when, title in (("before", "before training"), ("after", "after training")):
        marks = [CHANCE]
        for i, k in enumerate((4, 2)):
            values = table[when].sel(folds=k).transpose("noise", "network").values
            look = {"color": rank_shade(i, 2), "marker": MARKERS[i]}
            marks.append(points(f"k = {k}", [0.1, 0.01 / 3, 0.01], values, **look))
            if when == "after":
                values = other.after.sel(folds=k, noise=[0.0]).transpose("noise", "network").values
                look = {"color": "black", "marker": MARKERS[-1], "face": "white"}
                marks.append(points(f"k = {k}, no noise, rate 0.02", [1.3 * 0.01 / 3], values, **look))
        ticks = {0.003333333: "0", 0.01: "0.01", 0.1: "0.1"}
        panels.append(Panel(title, marks, "relative noise on all parameters", "accuracy", "log linear", ticks))
    tree = cube(shapes(121), calculations__basin=table, calculations__other=other)
    settings = {"calculation": "basin", "without_noise": ["other"]}
    return Case(tree, settings, panels, ("(b) 600 steps at a rate of 0.003",))


TERMS = {"3-8": (3, 8, 8), "2-1": (2, 9, 1), "3-1": (3, 8, 1), "2-4": (2, 9, 4)}  # k, dimension and terms
LAZY = {
    "own": ("linearised", np.nan),
    "ten": ("lazy", 10.0),
    "one": ("lazy", 1.0),
    "tenth": ("lazy", 0.1),
    "sgd": ("mlp", np.nan),
}


def lazy_networks(seed, depth, width):
    table = recorded(seed, task=TERMS, protocol=LAZY, depth=depth, width=width, n_train=[100], draw=3)
    names = ("k", "dimension", "terms")
    settings = {f"task_{name}": ("task", [float(t[i]) for t in TERMS.values()]) for i, name in enumerate(names)}
    networks, alphas = zip(*LAZY.values(), strict=True)
    return table.assign_coords(
        protocol_network=("protocol", list(networks)),
        protocol_network_alpha=("protocol", list(alphas)),
        task_kind=("task", ["k_terms"] * 4),
        **settings,
    )


def by_draw(table, **cell):
    """Return the clean errors of a cell, (draw,), over its networks."""
    found = table.sel(n_train=100, **cell)
    return np.array([mean(quoted(found.sel(draw=[draw]), *STEPS)) for draw in found.draw])


def _lazy_panel(table, task, depth, width, look):
    values = np.stack(
        [by_draw(table, task=task, protocol=p, depth=depth, width=width) for p in ("tenth", "one", "ten")]
    )
    kernel = mean(by_draw(table, task=task, protocol="own", depth=depth, width=width))
    curve_ = curve(f"L = {depth}, H = {width}", [0.1, 1, 10], mean(values), half(values), **look)
    return [curve_, level(float(kernel), color=look["color"], style="--")]


@shown("lazy_to_feature")
def errors_between_the_regimes():
    table, panels = lazy_networks(130, [7, 1], [20, 50]), []
    for task in ("3-8", "2-1"):
        marks = [CHANCE]
        for depth in (7, 1):
            for i, width in enumerate((20, 50)):
                look = {"color": shade(depth), "marker": MARKERS[i], "style": "-:"[i]}
                marks += _lazy_panel(table, task, depth, width, look)
        k, d, m = TERMS[task]
        panels.append(Panel(f"k = {k}, m = {m}, d = {d}", marks, "α", "test error", "log linear"))
    panels.insert(1, Panel("gone", [CHANCE, text("no gone in this cube")], None, "test error"))
    says = ("dashed: regression with the tangent kernel",)
    return Case(cube(table), {"tasks": ["3-8", "gone", "2-1"]}, panels, says)


@shown("lazy_to_feature")
def errors_of_many_classes_between_the_regimes():
    return of_ten_classes(errors_between_the_regimes())


@shown("lazy_to_feature")
def widths_of_one_depth_have_colours():
    table, marks = lazy_networks(131, [7], [20, 50]), [CHANCE]
    for i, width in enumerate((20, 50)):
        look = {"color": rank_shade(i, 2), "marker": MARKERS[i], "style": "-:"[i]}
        marks += _lazy_panel(table, "2-4", 7, width, look)
    return Case(cube(table), {"tasks": ["2-4"]}, [Panel("k = 2, m = 4, d = 9", marks, "α", "test error", "log linear")])


@shown("value_of_features")
def errors_that_features_save():
    widths, panels = {"2-1": 20, "2-4": 50, "3-1": 20, "3-8": 20}, []
    table = at_widths(lazy_networks(140, [7, 1], [20, 50]), widths)
    for k, d, tasks in ((2, 9, ("2-1", "2-4")), (3, 8, ("3-1", "3-8"))):
        marks = [level(0)]
        for depth in (7, 1):
            cells = [{"task": task, "depth": depth, "width": widths[task]} for task in tasks]
            gains = np.stack(
                [by_draw(table, **c, protocol="ten") - by_draw(table, **c, protocol="tenth") for c in cells]
            )
            look = {"color": shade(depth), "marker": "o"}
            marks.append(curve(f"L = {depth}", [TERMS[task][2] for task in tasks], mean(gains), half(gains), **look))
        words = ("number of terms m", "error(largest α) − error(smallest α)", "log linear")
        panels.append(Panel(f"k = {k}, d = {d}", marks, *words, {float(TERMS[t][2]): str(TERMS[t][2]) for t in tasks}))
    return Case(cube(table), {}, panels)
