"""Numbers that figures of accuracies have to draw: of recorded networks against depth, width, size and rate."""

import numpy as np
from artists import Panel, curve, level, line, text
from planted_numbers import MARKERS, Case, best, mean, quoted, rank_shade, sd, shade, shown
from recorded_cubes import FIRST, cube, recorded

CLEAN, PAPERS = "chosen on one half", "best on the test set"
STEPS = ("step", "learning_rate")
CHANCE = level(0.5)


def accuracy(table, rule=CLEAN, over=STEPS):
    """Return the accuracies (..., network) that a rule quotes; NaN where a network has no error."""
    return 1 - (quoted(table, *over) if rule == CLEAN else best(table, *over))


def points(label, x, values, **look):
    """Expect means over networks, the last axis of ``values``, with their standard deviations."""
    return curve(label, np.asarray(x, dtype=float), mean(values), sd(values), **look)


def there(values):
    return np.isfinite(values).any(-1)


@shown("accuracy_by_architecture")
def accuracies_of_architectures():
    def trained(n):
        return ((n.width > 0) == (n.depth > 0)) & ((n.protocol != "sgd") | (n.depth != 3))

    axes = {"task": ["b", "a"], "protocol": ["sgd", "mlp", "res"], "depth": [0, 1, 3], "width": [0, 40, 10]}
    table = recorded(20, trained, **axes, n_train=[100])
    panels = []
    for task in ("b", "a"):
        marks = [CHANCE]
        for i, protocol in enumerate(("sgd", "mlp", "res")):
            cells = [
                table.sel(task=task, protocol=protocol, depth=d, width=40 if d else 0, n_train=100) for d in (0, 1, 3)
            ]
            values = np.stack([accuracy(cell) for cell in cells])
            x, look = np.array([0, 1, 3]) + 0.08 * i, {"color": f"C{i}", "marker": MARKERS[i]}
            marks.append(points(protocol, x[there(values)], values[there(values)], **look))
        ticks = {0.0: "0", 1.0: "1", 3.0: "3"}
        panels.append(Panel(task, marks, "depth (hidden layers)", "accuracy", ticks=ticks))
    return Case(cube(table), {}, panels)


FRACTALS = {  # levels and curve: P(j) = 3/2 - 2^(-j / 8) on curve 1, and on curve 6 1/2 up to the last level
    "plane": {"kind": "fractal", "system": "cantor", "levels": 8, "curve": 1, "margin": 0.0},
    "line": {"kind": "fractal", "system": "cantor_1d", "levels": 8, "curve": 1, "margin": 0.0},
    "fine": {"kind": "fractal", "system": "cantor", "levels": 3, "curve": 6, "margin": 0.0},
}
COARSE = 1.5 - 2.0 ** (-np.arange(9) / 8)
ON_FRACTALS = recorded(30, lambda n: (n.width != 3) | (n.depth != 2), task=FRACTALS, depth=[3, 1, 2], width=[1, 45, 3])


@shown("accuracy_by_curve")
def accuracies_on_curves():
    tasks, marks = ["fine", "plane"], [CHANCE]
    levels = [[(1, 0.5), (2, 0.5), (3, 1.0)], list(enumerate(COARSE))[-3:]]
    for i, of_task in enumerate(levels):
        for place, (j, p) in zip((-0.25, 0, 0.25), of_task, strict=True):
            marks.append({"is": "box", "box": [i + place - 0.11, i + place + 0.11, 0.5, p], "color": "#d8d8d8"})
            marks.append(text(str(j), x=i + place, y=0.5))
    cells = [ON_FRACTALS.sel(**FIRST, task=task, depth=2) for task in tasks]
    for shift, rule, marker, color in ((-0.12, PAPERS, "o", "#D55E00"), (0.12, CLEAN, "s", "#0072B2")):
        values = np.stack([accuracy(cell, rule, (*STEPS, "width")) for cell in cells])
        marks.append(points(rule, np.arange(2) + shift, values, marker=marker, color=color, style=""))
    marks.append(line("published", [0, 1], [0.71, 0.92], marker="_", color="k", style=""))
    panel = Panel("", marks, y="accuracy", ticks={0.0: "fine", 1.0: "plane"})
    tree, settings = cube(ON_FRACTALS, tasks=FRACTALS, epochs=77), {"tasks": tasks, "protocol": "adam"}
    says = ("trained for at most 77 epochs",)
    return Case(tree, {**settings, "depth": 2, "published": [0.71, 0.92]}, [panel], says)


@shown("accuracy_by_curve")
def accuracies_of_the_deepest():
    case = accuracies_on_curves()
    marks = [mark for mark in case.panels[0].marks if mark["is"] != "curve" and mark.get("label") != "published"]
    values = accuracy(ON_FRACTALS.sel(**FIRST, task="fine", depth=3), PAPERS, (*STEPS, "width"))
    marks = [mark for mark in marks if mark["is"] == "line" or mark.get("x", mark.get("box", [0])[0]) < 0.5]
    marks.append(points(PAPERS, [-0.12], values[None]))
    clean = accuracy(ON_FRACTALS.sel(**FIRST, task="fine", depth=3), over=(*STEPS, "width"))
    marks.append(points(CLEAN, [0.12], clean[None]))
    return Case(case.cube, {"tasks": ["fine"], "protocol": "adam"}, [Panel("", marks)])


def reached(task, width, depth):
    """Return the accuracy of Theorem 3, NaN up to chance: level s t' - 1 for 5 d r^s <= width and t' - 1 folds."""
    s = {("line", 45): 3, ("plane", 45): 1}.get((task, width), 0)
    return COARSE[2 * s - 1] if s and depth == 3 else np.nan


def allowed(width, depth):
    """Return the accuracy of Theorem 4 in one dimension, with width < 2^s, NaN where it is 1."""
    regions = {1: 1, 3: 2, 45: 6}[width] * (depth + 1)
    errors = [(1 - 2.0 ** (regions - j)) * (1 - COARSE[j]) for j in range(regions + 1, 8)]
    return 1 - max(errors) if errors else np.nan


@shown("accuracy_by_depth")
def accuracies_and_their_bounds():
    panels = []
    for task in ("line", "plane"):
        known = [(j, p) for j, p in enumerate(COARSE[:-1]) if p > 0.51]
        marks = [CHANCE, *(level(p, "#cccccc") for _, p in known)]
        marks += [text(f"P({j})", x=1, y=p) for j, p in known]
        for i, width in enumerate((1, 45, 3)):
            values = accuracy(ON_FRACTALS.sel(**FIRST, task=task, width=width))
            depths, color = np.array([3, 1, 2])[there(values)], rank_shade(i, 3)
            look = {"color": color, "marker": MARKERS[i], "style": ""}
            marks.append(points(f"width {width}", depths + 0.08 * (i - 1), values[there(values)], **look))
            bounds = [("--", "^", [reached(task, width, d) for d in depths])]
            bounds += [(":", "v", [allowed(width, d) for d in depths])] if task == "line" else []
            marks += [line(None, depths, y, color=color, style=style, marker=m) for style, m, y in bounds]
        panels.append(Panel(task, marks, "depth (hidden layers)", "accuracy", ticks={1.0: "1", 2.0: "2", 3.0: "3"}))
    says = ("dashed, hollow", "dotted, hollow")
    return Case(cube(ON_FRACTALS, tasks=FRACTALS), {"tasks": ["line", "plane"], "protocol": "adam"}, panels, says)


@shown("accuracy_by_width")
def accuracies_against_width():
    table = recorded(40, lambda n: (n.width > 0) == (n.depth > 0), task=["b", "a"], depth=[0, 3, 1], width=[0, 30, 10])
    table = table.where((table.width != 10) | (table.depth != 1))
    networks = table.assign_coords(protocol_network=("protocol", ["cnn", "cnn"]))
    panels = []
    for along in ("width", "parameters"):
        for rule in (PAPERS, CLEAN):
            marks = [level(0.1)]
            for depth in (3, 1):
                cells = table.sel(**FIRST, task="a", depth=depth, width=[30, 10])
                values = accuracy(cells, rule)
                size = cells.width if along == "width" else cells.n_parameters.isel(draw=0, seed=0, learning_rate=0)
                look = {"color": shade(depth), "marker": MARKERS[depth], "label": f"depth {depth}"}
                marks.append(points(x=size.values[there(values)], values=values[there(values)], **look))
            words = "channels" if along == "width" else "number of parameters"
            title = f"{rule}, by {'channels' if along == 'width' else along}"
            panels.append(Panel(title, marks, words, "accuracy", "log linear"))
    says = ("trained for at most 55 epochs", "perceptrons without hidden layers, which have no width, are left out")
    settings = {"task": "a", "protocol": "adam", "chance": 0.1}
    return Case(cube(networks, epochs=55), settings, panels, says)


@shown("accuracy_by_size")
def accuracies_against_parameters_and_compute():
    table = recorded(
        50, lambda n: (n.width == 30) | (n.depth == 1), task=["b", "a"], depth=[3, 1], width=[10, 30], steps=(0, 5, 20)
    )
    panels = []
    for task in ("b", "a"):
        sizes, costs = [CHANCE], [CHANCE]
        for depth in (3, 1):
            cells = table.sel(**FIRST, task=task, depth=depth, width=[10, 30] if depth == 1 else [30])
            parameters = cells.n_parameters.isel(draw=0, seed=0, learning_rate=0)
            look = {"color": shade(depth), "marker": "o", "label": f"depth {depth}"}
            sizes.append(points(x=parameters, values=accuracy(cells), **look))
            spent = parameters * cells.step
            budgets = np.geomspace(float(spent.where(spent > 0).min()), float(spent.max()), 10)
            values = [accuracy(cells.where(spent <= budget), over=(*STEPS, "width")) for budget in budgets]
            costs.append(points(x=budgets, values=np.stack(values), **look))
        panels.append(Panel(task, sizes, "number of parameters", "accuracy", "log linear"))
        panels.append(Panel(task, costs, "compute: parameters × epochs", "accuracy", "log linear"))
    return Case(cube(table), {"protocol": "adam"}, panels)


@shown("accuracy_by_rate")
def accuracies_against_the_rate():
    shapes = [(3, 30), (1, 10), (1, 30)]  # in the order of the axes

    def trained(n):
        return ((n.depth != 3) | (n.width == 30)) & ((n.task != "b") | (n.width != 10) | (n.learning_rate < 0.5))

    table = recorded(
        60, trained, seed=3, task=["b", "a"], depth=[3, 1], width=[10, 30], learning_rate=[0.01, 0.1, 1.0, 10.0]
    )
    last = {"task": "b", "depth": 3, "width": 30, "learning_rate": 10.0}
    table = table.where((table.seed == 2) & (table.draw == 1) | ~at(table, **last))  # a single one is left
    dims = {"task": ("b", "a"), "depth": [3, 1]}
    networks = table.assign_coords(task_kind=("task", ["none", "none"]), task_dimension=("task", [4.0, 6.0]))
    panels, rates = [], table.learning_rate.values
    for task, d in zip(dims["task"], (4, 6), strict=True):
        marks = [CHANCE]
        for depth, width in shapes:
            rank = 1 if (depth, width) == (1, 30) else 0
            values = accuracy(table.sel(**FIRST, task=task, depth=depth, width=width), over=("step",))
            y, left = mean(values), np.isfinite(values).sum(1)
            look = {"color": shade(depth), "marker": MARKERS[rank]}
            marks.append(line(f"{depth} × {width}", rates, y, **look, style="-"))
            most = left.max()
            place = max((i for i in range(4) if left[i] == most), key=lambda i, y=y: y[i])
            marks.append(line(None, [rates[place]], [y[place]], **look, face=shade(depth)))
            for i in range(4):
                if 0 < left[i] < most:
                    marks.append(line(None, [rates[i]], [y[i]], **look, face="white"))
                    marks.append(text(f"{left[i]}/{most}", x=rates[i], y=y[i]))
        panels.append(Panel(f"{task}, d = {d}", marks, "learning rate", "accuracy", "log linear"))
    return Case(cube(networks), {"tasks": ["b", "a"], "protocol": "adam"}, panels)


def at(table, **cell):
    """Return where a table has a cell."""
    found = True
    for dim, value in cell.items():
        found = found & (table[dim] == value)
    return found


@shown("accuracy_table")
def accuracies_in_a_table():
    table = recorded(70, lambda n: (n.depth != 1) | (n.width < 20), task="bac", depth=[3, 1], width=[10, 30], high=0.3)
    rows, panels = [("c", 3), ("c", 1), ("b", 3), ("b", 1)], []
    for rule in (PAPERS, CLEAN):
        values = np.stack([mean(accuracy(table.sel(**FIRST, task=t, depth=d), rule)) for t, d in rows])
        cells = {"values": lambda found, own=values: np.allclose(found.filled(np.nan), own, equal_nan=True)}
        marks = [{"is": "image", **cells, "extent": [-0.5, 1.5, 3.5, -0.5], "origin": "upper"}]
        for (row, column), value in np.ndenumerate(values):
            if np.isfinite(value):
                color = "white" if value > 0.85 else "black"
                marks.append(text(f"{100 * value:.1f}", x=column, y=row, color=color))
        names = [f"{task}, depth {depth}" for task, depth in rows]
        labels = [""] * 4 if panels else names
        panels.append(Panel(rule, marks, "width", ticks={0.0: "10", 1.0: "30"}, rows=labels))
    return Case(cube(table, epochs=5), {"tasks": ["c", "b"], "protocol": "adam"}, panels, ("at most 5 epochs",))


@shown("accuracy_table")
def a_table_of_one_depth_names_tasks_alone():
    case = accuracies_in_a_table()
    panels = []
    for panel, labels in zip(case.panels, (["c", "b"], ["", ""]), strict=True):
        marks = [{**mark, "y": mark["y"] // 2} for mark in panel.marks[1:] if mark["y"] % 2]  # rows of depth 1
        panels.append(panel._replace(marks=[{"is": "image"}, *marks], rows=labels))
    return case._replace(settings={**case.settings, "depth": 1}, panels=panels)
