"""Numbers that figures of test errors have to draw: of networks and kernels against samples, depth, rate and terms."""

import json

import numpy as np
import xarray as xr
from artists import Panel, curve, level, line, text
from planted_numbers import MARKERS, Case, at_widths, half, mean, numbers, of_ten_classes, sd, shade, shown

TASKS = {  # k, dimension, terms, and whether rotated; in no order
    "b": (2, 8, 4, False),
    "turned": (2, 8, 2, True),
    "c": (3, 6, 2, False),
    "a": (2, 8, 1, False),
    "alone": (5, 9, 1, False),  # has no networks of depth 7
}
PROTOCOLS, DEPTHS, WIDTHS, SIZES = ["adam", "sgd"], [0, 1, 7], [0, 20, 50], [30, 100, 300]
WHOLE = {"b": (100, 50), "turned": (300, 20), "c": (30, 20), "a": (300, 50), "alone": (100, 20)}  # N and width
CELL = {"depth": DEPTHS, "width": WIDTHS, "n_train": SIZES}
CELLS = {"task": TASKS, "protocol": PROTOCOLS, **CELL, "draw": 3, "seed": 2}
BETAS = {"ntk_beta1": 1.0, "ntk": 0.1, "ntk_beta0": 0.0}
KINDS = {"ntk_beta1": "ntk", "ntk": "ntk", "ntk_beta0": "nngp"}
TITLES = {name: f"k = {k}, m = {m}, d = {d}" for name, (k, d, m, _) in TASKS.items()}
NTK = {"style": "--", "marker": ""}
TICKS = {float(n): str(n) for n in SIZES}


def labels(table):
    """Give the tasks of a table their settings."""
    names = ("k", "dimension", "terms")
    columns = {f"task_{name}": ("task", [float(t[i]) for t in TASKS.values()]) for i, name in enumerate(names)}
    return table.assign_coords(task_kind=("task", ["k_terms"] * len(TASKS)), **columns)


def spec(**more):
    keys = ("k", "dimension", "terms", "rotated")
    tasks = {name: {"kind": "k_terms", **dict(zip(keys, values, strict=True))} for name, values in TASKS.items()}
    return {"spec": json.dumps({"tasks": tasks, **more})}


def networks():
    """Make networks of which some did not fit, failed or were not asked for; those of WHOLE were all trained."""
    error = numbers(0, 0.05, 0.3, **CELLS)
    chance = numbers(1, 0, 1, **CELLS).values
    status = np.select([chance < 0.1, chance < 0.15, chance < 0.2], ["unfitted", "diverged", "missing"], "fitted")
    status = error.copy(data=status.astype(object))
    status.loc[{"draw": 0, "seed": 0, "depth": [1, 7]}] = "missing"
    for task, (n, width) in WHOLE.items():
        cell = {"task": task, "n_train": n, "width": width}
        status.loc[cell] = status.loc[cell].where(status.loc[cell] != "missing", "fitted")
    status.loc[{"task": "a", "depth": 1, "width": 50, "n_train": 30}] = "unfitted"
    status.loc[{"task": "a", "depth": 7, "width": 20, "n_train": 30}] = "missing"
    status.loc[{"task": "a", "depth": 7, "width": 20, "n_train": 100}] = "failed"
    status.loc[{"task": "a", "depth": 7, "width": 50, "n_train": [100, 300]}] = "missing"
    status.loc[{"task": "alone", "depth": 7}] = "missing"
    status = status.where((status.width > 0) == (status.depth > 0), "missing")
    known = status.isin(["fitted", "unfitted"])
    return labels(xr.Dataset({"test_error": error.where(known), "status": status}))


def kernels():
    error = numbers(2, 0.1, 0.4, kernel=[*BETAS], task=TASKS, depth=[7, 1], n_train=SIZES, draw=3)
    error.loc[{"task": "b", "depth": 7}] *= 0.2
    error.loc[{"task": "b", "depth": 7}] += 0.46  # from there on, the axis ends a little above chance
    error.loc[{"task": "c", "n_train": 300}] = np.nan
    error.loc[{"task": "a", "depth": 7, "n_train": [30, 100]}] = np.nan  # a single number is left
    coords = {"kernel_beta": ("kernel", [*BETAS.values()]), "kernel_kind": ("kernel", [*KINDS.values()])}
    return labels(xr.Dataset({"test_error": error}).assign_coords(coords))


def cube(**groups):
    return xr.DataTree(xr.Dataset(attrs=spec()), {name: xr.DataTree(group) for name, group in groups.items()})


WITH_GAPS = cube(networks=networks(), kernels=kernels())


def rows(cells, along, *statuses):
    """Return errors (along, network) of networks that count and the numbers of those counted, trained and failed."""
    error, status = (cells[name].transpose(along, "draw", "seed").values for name in ("test_error", "status"))
    fitted = np.isin(status, statuses)
    flat = [each.reshape(len(error), -1) for each in (np.where(fitted, error, np.nan), fitted, status)]
    trained, failed = (np.isin(flat[2], words).sum(1) for words in (["fitted", "unfitted", "diverged"], ["failed"]))
    return flat[0], flat[1].sum(1), trained, failed


def of_networks(label, cells, along, color, marker, statuses=("fitted",)):
    """Expect the curve of the networks of cells that count, and marks where not all do."""
    errors, fitted, trained, failed = rows(cells, along, *statuses)
    there = trained + failed > 0
    if not trained.any():
        return []
    x, y, bars = cells[along].values, mean(errors), np.nan_to_num(sd(errors))
    marks = [curve(label, x[there], y[there], bars[there], color=color, marker=marker, face=color, style="-")]
    for i in np.flatnonzero(there & (fitted < trained)):
        place = (x[i], y[i] if fitted[i] else 0.5)
        look = {"marker": marker, "face": "white"} if fitted[i] else {"marker": "x"}
        marks.append(line(None, [place[0]], [place[1]], color=color, **look))
        marks.append(text(f"{fitted[i]}/{trained[i]}", x=place[0], y=place[1], color=color))
    return marks


def of_kernel(label, errors, color):
    """Expect the dashed curve of a kernel (x, draw); a short line for a single number."""
    values = errors.transpose(..., "draw").values
    y, spread = mean(values), sd(values)
    along = errors.dims[0] if errors.dims[0] != "draw" else errors.dims[1]
    x, there = errors[along].values, np.isfinite(y)
    look = NTK if there.sum() > 1 else {"style": "--", "marker": "_"}
    return [curve(label, x[there], y[there], spread[there], color=color, **look)] if there.any() else []


@shown("learning_curves")
def errors_of_all_that_did_not_diverge_against_samples():
    return errors_against_samples(("c", "b"), status="finite", statuses=("fitted", "unfitted"))


@shown("learning_curves")
def errors_against_samples(tasks=("c", "a"), *, statuses=("fitted",), **settings):
    found = WITH_GAPS["networks"].to_dataset().sel(protocol="sgd")
    panels = []
    for task in tasks:
        marks = [level(0.5)]
        for depth in DEPTHS:
            for width in [20, 50] if depth else [0]:
                cells = found.sel(task=task, depth=depth, width=width)
                label = f"L = {depth}, H = {width}" if depth else "L = 0, perceptron"
                marks += of_networks(label, cells, "n_train", shade(depth), {0: ".", 20: "o", 50: "s"}[width], statuses)
        for depth in (7, 1):
            errors = WITH_GAPS["kernels"].test_error.sel(task=task, kernel="ntk_beta1", depth=depth)
            marks += of_kernel(f"NTK, β = 1, L = {depth}", errors, shade(depth))
        panels.append(Panel(TITLES[task], marks, "training samples N", "test error", "log linear", TICKS))
    of_shapes = [f"L = {depth}, H = {width}" for depth in (1, 7) for width in (20, 50)]
    legend = ("L = 0, perceptron", *of_shapes, "NTK, β = 1, L = 1", "NTK, β = 1, L = 7")
    settings |= {"tasks": [tasks[0], "not here", tasks[1]], "protocol": "sgd", "kernel": "ntk_beta1"}
    return Case(WITH_GAPS, settings, panels, legend=legend)


@shown("learning_curves")
def errors_of_many_classes_beside_a_kernel_without_depth():
    """Errors of ten classes have no chance of one half, and bars may end above it."""
    table = networks().sel(task=["b"], depth=[1], width=[20], protocol=["sgd"])
    table = table.assign(test_error=table.test_error + 0.3)
    kernel = kernels().test_error.sel(kernel=["ntk"], task=["b"]).isel(depth=0, drop=True)
    both = cube(networks=table, kernels_without_depth=xr.Dataset({"test_error": kernel}))
    both.attrs["spec"] = json.dumps({"tasks": {"b": {"kind": "mnist"}}})
    cells = table.sel(task="b", depth=1, width=20, protocol="sgd")
    marks = of_networks("L = 1, H = 20", cells, "n_train", shade(1), "o")
    marks += of_kernel("NTK", kernel.sel(kernel="ntk", task="b"), "#777777")
    settings = {"tasks": ["b"], "protocol": "sgd", "kernel": "ntk"}
    return Case(both, settings, [Panel(TITLES["b"], marks, "training samples N", "test error", "log linear", TICKS)])


@shown("depth_dependence")
def errors_of_all_that_did_not_diverge_against_depth():
    return errors_against_depth(status="finite", statuses=("fitted", "unfitted"))


@shown("depth_dependence")
def errors_against_depth(*, statuses=("fitted",), **settings):
    found = WITH_GAPS["networks"].to_dataset().sel(protocol="sgd")
    marks = [level(0.5)]
    for i, task in enumerate(("turned", "b")):
        n, width = WHOLE[task]
        cells = found.sel(task=task, n_train=n, width=xr.DataArray([0, width, width], dims="depth"))
        label = f"{TITLES[task]}, N = {n}, H = {width}"
        marks += of_networks(label, cells, "depth", f"C{i}", MARKERS[i], statuses)
        errors = WITH_GAPS["kernels"].test_error.sel(task=task, kernel="ntk_beta0", n_train=n)
        marks += of_kernel(f"{task}, NTK, β = 0", errors, f"C{i}")
    panels = [Panel("", marks, "depth L (hidden layers)", "test error")]
    settings |= {"tasks": ["turned", "b"], "protocol": "sgd", "kernel": "ntk_beta0"}
    return Case(WITH_GAPS, settings, panels)


@shown("depth_dependence")
def errors_of_many_classes_against_depth():
    return of_ten_classes(errors_against_depth())


@shown("depth_dependence")
def errors_beside_a_kernel_without_depth():
    """The kernel's error is then that of every depth."""
    n, width = WHOLE["b"]
    cells = networks().sel(task="b", protocol="sgd", n_train=n, width=xr.DataArray([0, width, width], dims="depth"))
    kernel = kernels().test_error.sel(kernel=["ntk"]).isel(depth=0, drop=True)
    tree = cube(networks=networks(), kernels_without_depth=xr.Dataset({"test_error": kernel}))
    errors = kernel.sel(kernel="ntk", task="b", n_train=n).values
    marks = of_networks(f"{TITLES['b']}, N = {n}, H = {width}", cells, "depth", "C0", "o")
    marks += [curve("b, NTK", DEPTHS, [mean(errors)] * 3, [sd(errors)] * 3, color="C0", **NTK), level(0.5)]
    return Case(tree, {"tasks": ["b"], "protocol": "sgd", "kernel": "ntk"}, [Panel("", marks)])


@shown("bias_dependence")
def errors_of_many_classes_against_the_bias():
    return of_ten_classes(errors_against_the_bias())


@shown("learning_rate_dependence")
def errors_of_many_classes_against_the_rate():
    return of_ten_classes(errors_against_the_rate())


@shown("learning_rate_dependence")
def errors_of_all_that_did_not_diverge_against_the_rate():
    return errors_against_the_rate(status="finite", statuses=("fitted", "unfitted"))


@shown("learning_rate_dependence")
def errors_against_the_rate(*, statuses=("fitted",), **settings):
    rates = [0.01, 0.1, 1.0, 10.0]
    error = numbers(3, 0.05, 0.45, **{"learning_rate": rates, **CELLS})
    status = xr.where(numbers(4, 0, 1, **{"learning_rate": rates, **CELLS}) < 0.1, "unfitted", "fitted").astype(object)
    there = (status.depth == 1) & (status.width == 20) & (status.n_train == 100)
    there = there | (status.depth == 7) & (status.width == 50) & (status.n_train == 300) & (status.learning_rate < 5)
    table = labels(xr.Dataset({"test_error": error, "status": status.where(there, "missing")}))
    panels, both = [], cube(networks=table, kernels=kernels())
    for group in (["b"], ["c", "a"]):
        marks, places = [level(0.5)], [(t, d, w, n) for t in group for d, w, n in ((1, 20, 100), (7, 50, 300))]
        for i, (task, depth, width, n) in enumerate(places):
            cells = table.sel(task=task, protocol="sgd", depth=depth, width=width, n_train=n)
            label = f"{task}, L = {depth}, H = {width}, N = {n}"
            marks += of_networks(label, cells, "learning_rate", f"C{i}", MARKERS[i], statuses)
            regressed = both["kernels"].test_error.sel(kernel="ntk", task=task, depth=depth, n_train=n)
            marks.append(level(float(mean(regressed.values)), color=f"C{i}", style=":"))
        title = ", ".join(TITLES[task] for task in group)
        panels.append(Panel(title, marks, "learning rate (dotted: NTK)", "test error", "log linear"))
    settings |= {"groups": [["b"], ["not here"], ["c", "a"]], "protocol": "sgd", "kernel": "ntk"}
    return Case(both, settings, panels)


@shown("bias_dependence")
def errors_against_the_bias():
    errors, panels = WITH_GAPS["kernels"].test_error, []
    curves = {"NNGP": ([0], ["ntk_beta0"], "o"), "NTK": ([0.1, 1], ["ntk", "ntk_beta1"], "s")}
    for task in ("c", "b"):
        marks = [level(0.5)]
        for title, (betas, order, marker) in curves.items():
            for n, style in zip(SIZES, ("-", "--", ":"), strict=True):
                for depth in (7, 1):
                    rows = errors.sel(task=task, n_train=n, depth=depth, kernel=order).transpose("kernel", "draw")
                    y, bars = mean(rows), half(rows)
                    look = {"style": style, "marker": marker, "color": shade(depth)}
                    if np.isfinite(y).all():
                        marks.append(curve(f"{title}, L = {depth}, N = {n}", betas, y, bars, **look))
        panels.append(Panel(TITLES[task], marks, "bias strength β", "test error"))
    return Case(WITH_GAPS, {"tasks": ["c", "b"]}, panels)


def gains(errors, terms, aside=1.0):
    """Return m, the mean over draws of the first error less the second, (task, draw) each, and half its interval."""
    difference, terms = errors[0] - errors[1], np.asarray(terms, dtype=float)
    order = [i for i in np.argsort(terms) if np.isfinite(difference[i]).any()]
    return aside * terms[order], mean(difference[order]), half(difference[order])


@shown("gain_by_terms")
def gains_of_depth():
    table = at_widths(networks(), {"b": 20, "turned": 50, "a": 50, "c": 20, "alone": 50})
    regressed = WITH_GAPS["kernels"].to_dataset()
    fitted = table.test_error.where(table.status == "fitted").sel(protocol="sgd").mean(["seed", "width"])
    panels = []
    for k, d, tasks in ((2, 8, ["b", "a"]), (3, 6, ["c"])):
        marks = [level(0)]
        for i, n in enumerate(SIZES):
            of_turned = [(["turned"], ", rotated", "white", "")] if k == 2 else []
            for names, words, face, style in [(tasks, "", f"C{i}", "-"), *of_turned]:
                errors = [fitted.sel(task=names, depth=depth, n_train=n).transpose("task", "draw") for depth in (1, 7)]
                look = {"color": f"C{i}", "marker": "o", "face": face, "style": style}
                drawn = gains([e.values for e in errors], [TASKS[t][2] for t in names])
                marks.append(curve(f"networks, N = {n}{words}", *drawn, **look))
            errors = [regressed.test_error.sel(kernel="ntk", task=tasks, depth=depth, n_train=n) for depth in (1, 7)]
            drawn = gains([e.values for e in errors], [TASKS[t][2] for t in tasks], 1.06)
            look = {"color": "#777777", "marker": "sD^"[i], "style": "--"}
            marks += [curve(f"NTK, N = {n}", *drawn, **look)] if len(drawn[0]) else []
        panels.append(
            Panel(f"k = {k}, d = {d}", marks, "number of terms m", "error(L = 1) − error(L = 7)", "log linear")
        )
    return Case(cube(networks=table, kernels=regressed), {"protocol": "sgd", "kernel": "ntk"}, panels)
