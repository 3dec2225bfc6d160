"""Numbers that figures of kernels have to draw: spectra, errors of regressions, their predictions."""

import numpy as np
import xarray as xr
from artists import Panel, curve, level, line
from planted_numbers import MARKERS, Case, half, mean, numbers, rank_shade, sd, shade, shown
from recorded_cubes import cube, recorded

KERNELS = {  # in no order: family and layers
    "ntk L=5": ("ntk", 5),
    "rf L=2": ("rf", 2),
    "laplace": ("laplace", 0),
    "ntk L=2": ("ntk", 2),
    "ntk_bias L=2": ("ntk_bias", 2),
    "rf L=7": ("rf", 7),
}
BLUE, GREEN, ORANGE, GREY = "#0072B2", "#009E73", "#D55E00", "#777777"
NAMES = {"ntk": "NTK", "rf": "random features", "laplace": "Laplace", "ntk_bias": "NTK with bias"}
DEGREES, SIZES = 33, [900, 100, 300]
SPHERE = {"n_train": SIZES, "draw": 4}


def known(table):
    """Give kernels their families and layers."""
    families, layers = zip(*KERNELS.values(), strict=True)
    return table.assign_coords(family=("kernel", list(families)), layers=("kernel", list(layers)))


def tree(table, **groups):
    return cube(
        recorded(1, task=["a"], depth=[1], width=[5]), calculations__own=table, calculations__other=table * 2, **groups
    )


def colour(layers):
    return shade(layers - 1) if layers else GREY


def spectra():
    axes = {"kernel": KERNELS, "dimension": [9, 3]}
    low, exponent, high = (numbers(200 + i, -i - 1, -i, **axes, parity=["odd", "even"]) for i in (2, 1, 0))
    table = {
        "eigenvalue": numbers(203, 0.1, 1, **axes, degree=DEGREES + 1),
        "prediction": numbers(204, -0.1, 1, **axes, degree=DEGREES + 1),
        "value_at_one": numbers(205, 1, 2, kernel=KERNELS),
        **{"low": low, "exponent": exponent, "high": high},
        "expected_exponent": numbers(206, -9, 0, **axes),
    }
    table["eigenvalue"].loc[{"kernel": "ntk L=2", "degree": slice(3, None, 2)}] = 0.0
    table["prediction"].loc[{"degree": 32}] = abs(table["prediction"].sel(degree=32))
    return known(xr.Dataset(table))


@shown("zonal_spectra")
def eigenvalues_of_kernels():
    table, panels = spectra(), []
    marked = {round(k) for k in np.geomspace(1, DEGREES, 28)}
    for family, own in (("ntk", ["ntk L=5", "ntk L=2"]), ("laplace", ["laplace"])):
        marks = []
        for kernel in own:
            layers, row = KERNELS[kernel][1], table.sel(kernel=kernel, dimension=3)
            values, predicted = (row[name].values / float(row.value_at_one) for name in ("eigenvalue", "prediction"))
            for parity, face in ((0, colour(layers)), (1, "white")):
                places = sorted({k + (k % 2 != parity) for k in marked} & set(range(DEGREES + 1)))
                places = [k for k in places if values[k] > 0]
                label = f"L = {layers}" if layers and not parity else None
                look = {"color": colour(layers), "face": face, "marker": "o", "style": ""}
                marks.append(line(label, places, values[places], **look))
                tail = [k for k in range(DEGREES + 1) if k >= DEGREES / 8 and k % 2 == parity]
                y = np.where(predicted[tail] > 0, predicted[tail], np.nan)
                marks.append(line(None, tail, y, color=colour(layers), style="--"))
        panels.append(Panel(f"{NAMES[family]}, d = 3", marks, "degree k", "μ_k / κ(1)", "log log"))
    return Case(tree(table), {"calculation": "own", "dimension": 3, "families": ["ntk", "laplace"]}, panels)


@shown("decay_constants")
def constants_of_decays():
    table, panels = spectra(), []
    for family, own in (("rf", ["rf L=2", "rf L=7"]), ("ntk", ["ntk L=2", "ntk L=5"])):
        marks, layers = [], [KERNELS[kernel][1] for kernel in own]
        rows = table.sel(kernel=own)
        for i, (d, color) in enumerate(((9, BLUE), (3, ORANGE))):
            at, one = rows.sel(dimension=d), rows.value_at_one.values
            look = {"color": color}
            columns = (at.eigenvalue.sel(degree=32), at.prediction.sel(degree=32), at.eigenvalue.sel(degree=1))
            last, predicted, first = ((y / one) / (y[0] / one[0]) for y in (column.values for column in columns))
            marks.append(line(f"d = {d}", layers, last, marker=MARKERS[i], style="", **look))
            marks.append(line(None, layers, predicted, style="--", **look))
            marks.append(line(None, layers, first, style=":", **look))
        words = f"μ_k / κ(1), k = 32, over that of L = {layers[0]}"
        panels.append(Panel(NAMES[family], marks, "layers L", words, "linear log"))
    return Case(tree(table), {"calculation": "own", "families": ["rf", "ntk"]}, panels)


@shown("decay_exponents")
def exponents_of_decays():
    table, panels = spectra(), []
    for d in (9, 3):
        marks = []
        for i, (family, color, own) in enumerate(
            (("ntk", BLUE, ["ntk L=5", "ntk L=2"]), ("rf", ORANGE, ["rf L=2", "rf L=7"]))
        ):
            layers, rows = np.array([KERNELS[kernel][1] for kernel in own]), table.sel(kernel=own, dimension=d)
            for parity, shift, face in (("even", -0.06, color), ("odd", 0.06, "white")):
                low, y, high = (rows[name].sel(parity=parity).values for name in ("low", "exponent", "high"))
                label = NAMES[family] if parity == "even" else None
                look = {"color": color, "face": face, "marker": MARKERS[i], "style": "", "low": low, "high": high}
                marks.append(curve(label, layers + shift, y, **look))
            marks.append(line(None, layers, rows.expected_exponent, style="--", color=color))
        panels.append(Panel(f"d = {d}", marks, "layers L", "exponent of k"))
    return Case(tree(table), {"calculation": "own", "families": ["ntk", "rf"]}, panels)


def regressions():
    ridges = {"ridge": [1e-4, 1e-2]}
    return known(
        xr.Dataset({
            "chosen_error": numbers(210, 0.1, 0.5, kernel=KERNELS, **SPHERE),
            "error": numbers(211, 0.1, 0.5, kernel=KERNELS, **SPHERE, **ridges),
            "predicted_error": numbers(212, 0.1, 0.5, kernel=KERNELS, n_train=SIZES, **ridges),
            "unseen_power": numbers(213, 0.1, 0.5, kernel=KERNELS) * [0, 1, 0, 1, 0, 0],
        })
    )  # fmt: skip


@shown("sphere_learning_curves")
def errors_on_the_sphere():
    table, panels = regressions(), []
    groups = {"random features": ["rf L=2", "laplace", "rf L=7"]}
    for title, own in {**groups, "NTK": ["ntk L=5", "laplace", "ntk L=2", "ntk_bias L=2"]}.items():
        marks = []
        for kernel in own:
            layers, row, bias = KERNELS[kernel][1], table.sel(kernel=kernel), "bias" in kernel
            errors, color = row.chosen_error.transpose("n_train", "draw").values, ORANGE if bias else colour(layers)
            marker = "o" if bias else MARKERS[(layers - 1) % 8] if layers else "*"
            label = f"L = {layers}{' with bias' if bias else ''}" if layers else "Laplace"
            marks.append(curve(label, SIZES, mean(errors), half(errors), color=color, marker=marker, style=""))
            marks.append(line(None, SIZES, row.predicted_error.values.min(1), color=color, style="-"))
            unseen = float(row.unseen_power)
            marks += [level(unseen, GREY, style=":")] if unseen else []
        panels.append(Panel(title, marks, "number of samples n", "mean squared error", "log log"))
    return Case(tree(table), {"calculation": "own"}, panels)


@shown("depth_ratios")
def errors_over_those_of_two_layers():
    table, panels = regressions(), []
    for family, reference, own in (
        ("rf", "ntk_bias L=2", ["rf L=2", "rf L=7"]),
        ("ntk_bias", "rf L=2", ["ntk_bias L=2"]),
        ("ntk", "ntk L=2", ["ntk L=5", "ntk L=2"]),
    ):
        marks, layers_of_reference = [level(1)], KERNELS[reference][1]
        for i, kernel in enumerate(own):
            pair = (table.chosen_error.sel(kernel=k).transpose("n_train", "draw").values for k in (kernel, reference))
            logs, layers = np.log(np.divide(*pair)), KERNELS[kernel][1]
            y, x = np.exp(mean(logs)), np.array(SIZES) * 1.03 ** (i - 1)
            ends = {"low": y / np.exp(half(logs)), "high": y * np.exp(half(logs))}
            words = (" with bias" if family == "ntk_bias" else ", no bias") if layers == layers_of_reference else ""
            look = {"color": shade(layers - 1), "marker": MARKERS[layers - 1], **ends}
            marks.append(curve(f"L = {layers}{words}", x, y, **look))
        name = f"{NAMES[KERNELS[reference][0]]}, L = {layers_of_reference}"
        words = ("number of samples n", f"error over that of\n{name}", "log linear")
        panels.append(Panel(NAMES[family], marks, *words))
    references = [["rf", "ntk_bias L=2"], ["ntk_bias", "rf L=2"], ["ntk", "ntk L=2"]]
    legend = ("L = 2 with bias", "L = 2, no bias", "L = 5", "L = 7")
    return Case(tree(table), {"calculation": "own", "references": references}, panels, legend=legend)


@shown("eigenlearning")
def measured_over_predicted_errors():
    table, panels = regressions(), []
    for kernel, (family, layers) in KERNELS.items():
        marks = [{"is": "box", "box": [0, 1, 0.9, 1.1]}]
        for i, n in enumerate([100, 300, 900]):
            row = table.sel(kernel=kernel, n_train=n)
            ratios = row.error.transpose("ridge", "draw").values / row.predicted_error.values[:, None]
            x = np.array([1e-4, 1e-2]) * 10 ** (0.6 * 2 * (i / 3 - 0.5))  # the ridges are two decades apart
            look = {"color": rank_shade(i, 3), "marker": MARKERS[i]}
            marks.append(curve(f"n = {n}", x, mean(ratios), half(ratios), **look))
        title = NAMES[family] + (f", L = {layers}" if layers else "")
        panels.append(Panel(title, marks, "ridge λ", "" if panels else "measured / predicted error", "log linear"))
    return Case(tree(table), {"calculation": "own"}, panels)


@shown("gram_spectra")
def eigenvalues_of_gram_matrices():
    own = {"kernel": ["rf L=2", "ntk L=5"], "n_train": [70, 50]}
    table = xr.Dataset({
        "gram_eigenvalue": numbers(220, 0.1, 1, **own, draw=3, rank=5),
        "eigenvalue": numbers(221, 0.1, 1, **own, rank=5),
    })  # fmt: skip
    panels = []
    for kernel, title in (("rf L=2", "random features, L = 2"), ("ntk L=5", "NTK, L = 5")):
        at, ranks = table.sel(kernel=kernel, n_train=70), [1, 2, 3, 4, 5]
        marks = [line(None, ranks, at.gram_eigenvalue.sel(draw=i), color=BLUE) for i in range(3)]
        marks.append(line(None, ranks, at.eigenvalue, color="black", steps="steps-mid"))
        panels.append(Panel(title, marks, "rank", "" if panels else "eigenvalue, n = 70", "log log"))
    return Case(tree(table), {"calculation": "own"}, panels)


def workflow_kernels(low=0.1, high=0.4):
    names = ["ntk_beta0", "rf", "ntk_beta1"]
    axes = {"task": ["b", "a"], "kernel": names, "depth": [4, 1], "n_train": SIZES, "draw": 3}
    return xr.Dataset({"test_error": numbers(230, low, high, **axes)})


@shown("kernel_accuracy")
def accuracies_of_kernels():
    table, panels = workflow_kernels(), []
    for kernel, title in (("rf", "random features"), ("ntk_beta1", "NTK, β = 1")):
        marks = []
        for depth in (4, 1):
            right = 1 - table.test_error.sel(task="a", kernel=kernel, depth=depth).values
            look = {"color": shade(depth), "marker": MARKERS[depth]}
            x = np.array(SIZES) * 1.02 ** (depth - 2.5)
            marks.append(curve(f"L = {depth + 1}", x, mean(right), half(right), **look))
        panels.append(Panel(title, marks, "number of samples N", "accuracy", "log linear"))
    return Case(tree(regressions(), kernels=table), {"task": "a", "kernels": ["rf", "ntk_beta1"]}, panels)


@shown("predicted_errors")
def errors_without_a_regression():
    measured, rows = workflow_kernels(), {"ntk_beta1 L=5": 5, "rf L=2": 2, "ntk_beta0 L=2": 2, "rf L=7": 7}
    predicted = xr.Dataset(
        {"predicted_error": numbers(231, 0.1, 0.7, kernel=rows, task=["a", "b"], n_train=[300, 7, 900])},
        coords={"layers": ("kernel", [*rows.values()]), "family": ("kernel", [name.split()[0] for name in rows])},
    )
    panels = []
    for task in ("b", "a"):
        marks, ends = [], [0.5]
        for kernel, layers in {k: n for k, n in rows.items() if n < 7}.items():
            for i, n in enumerate((300, 900)):
                x = float(predicted.predicted_error.sel(kernel=kernel, task=task, n_train=n))
                cell = {"kernel": kernel.split()[0], "task": task, "depth": layers - 1, "n_train": n}
                errors = measured.test_error.sel(cell).values[None]
                y, look = float(mean(errors)[0]), {"color": shade(layers - 1), "marker": MARKERS[i]}
                marks.append(curve(f"L = {layers - 1}, N = {n}", [x], [y], half(errors), **look))
                ends += [x, y]
        low, high = min(ends) - 0.02, max(ends) + 0.02
        marks.append(line(None, [low, high], [low, high], color="black"))
        corners = {(round(x, 9), round(x + s, 9)) for x in (low, high) for s in (-0.02, 0.02)}
        marks.append({"is": "band", "corners": lambda found, own=corners: own <= found})
        panels.append(Panel(f"{task} labels", marks, "predicted error", "measured error"))
    return Case(tree(predicted, kernels=measured), {"calculation": "own", "tasks": ["b", "a"]}, panels)


@shown("finite_tangent_kernels")
def deviations_of_finite_kernels():
    widths = np.array([256.0, 16.0, 64.0])
    table = xr.Dataset({
        "deviation": numbers(240, 0.1, 1, depth=[7, 1], width=widths, network=4),
        "mean_deviation": numbers(241, 0.1, 1, depth=[7, 1], width=widths),
    })  # fmt: skip
    marks = []
    for depth in (7, 1):
        values, look = table.deviation.sel(depth=depth).values, {"color": shade(depth)}
        marks.append(curve(f"L = {depth}", widths, mean(values), sd(values), marker="o", **look))
        marks.append(line(None, widths, table.mean_deviation.sel(depth=depth), style=":", **look))
    middle = np.exp(np.log(table.deviation.values.mean((0, 2))).mean())  # at the width in the middle, 64
    marks.append(line(None, widths, middle * (widths / 64) ** -0.5, color="#999999"))
    title, words = "tangent kernels of finite networks", ("width H", "|Θ of width H − Θ| / |Θ|", "log log")
    return Case(tree(table), {"calculation": "own"}, [Panel(title, marks, *words)])
