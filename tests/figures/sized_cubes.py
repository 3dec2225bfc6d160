"""Cubes of networks of several widths, their ensembles and laws, with numbers that differ along every axis."""

import json

import numpy as np
import xarray as xr
from artists import line
from planted_numbers import mean, numbers

WIDTHS, SEEDS, SIZES = [3, 5, 8, 12, 16, 24], 4, [1, 2, 4, 7]
CELL = {"task": ["other", "digits"], "protocol": ["sgd", "adam"], "depth": [2, 3], "n_train": [50, 100], "draw": 2}
AT = {"task": "digits", "protocol": "adam"}
SECOND = {**AT, "depth": 3, "n_train": 100}
FIRST = {**AT, "depth": 2, "n_train": 50}
MISSING, BLUE, GREEN, PURPLE, ORANGE, GREY = 12, "#0072B2", "#009E73", "#AA3377", "#D55E00", "#777777"
STEPS = [10, 100, 300, 1000, 3000]  # those of the law of norms are three of them
LAWS = {  # exponents, and what the axes are beside those of CELL
    "error": ([0, -0.5, -0.75], {}),
    "fluctuation": ([-0.25], {}),
    "scatter": ([-0.25], {}),
    "change": ([-0.5], {}),
    "gradient": ([0, -0.25], {}),
    "distance": ([0, 2], {}),
    "estimate": ([1], {}),
    "excess": ([-0.5, -0.75], {}),
    "norm": ([0, -1], {"step": [10, 300, 1000]}),
    "by_size": ([0, -1], {"width": WIDTHS}),
    "gap_by_size": ([-0.5], {"width": WIDTHS}),
    "both_by_size": ([0, 2], {"width": WIDTHS}),
}
FORMULAS = {  # of the laws of x
    "error": "law $c + c_0 {x}^{{-1/2}} + c_1 {x}^{{-3/4}}$",
    "fluctuation": r"law $\propto {x}^{{-1/4}}$",
    "scatter": r"law $\propto {x}^{{-1/4}}$",
    "change": r"law $\propto {x}^{{-1/2}}$",
    "gradient": "law $c + c_0 {x}^{{-1/4}}$",
    "distance": "law $c + c_0 {x}^{{2}}$",
    "estimate": r"law $\propto {x}$",
    "excess": "law $c_0 {x}^{{-1/2}} + c_1 {x}^{{-3/4}}$",
    "by_size": "law $c + c_0 {x}^{{-1}}$",
    "norm": "law $c + c_0 {x}^{{-1}}$",
    "gap_by_size": r"law $\propto {x}^{{-1/2}}$",
    "both_by_size": "law $c + c_0 {x}^{{2}}$",
}


def n_weights(depth, width):
    return (depth - 1) * width * width + 11.0 * width


def networks():
    """Make networks; of the width 3 none fits, of 5 and 24 some do, one of 8 diverged and MISSING has none."""
    own = {**CELL, "width": WIDTHS, "seed": SEEDS}
    names = ("test_error", "early_stopping_error", "train_error", "train_norm", "test_norm")
    table = xr.Dataset({name: numbers(500 + i, 0.1, 0.9, **own) for i, name in enumerate(names)})
    table["epochs"] = numbers(508, 10, 90, **own)
    table["recorded_test_norm"] = numbers(509, 1, 9, **own, step=STEPS)
    status = xr.full_like(table.test_error, "fitted", dtype=object)
    status.loc[{"width": 3}] = "unfitted"
    status.loc[{"width": 5, "seed": [0, 1]}] = "unfitted"
    status.loc[{"width": 24, "seed": 3, "task": "digits"}] = "unfitted"
    status.loc[{"width": 8, "seed": 2}] = "diverged"
    status.loc[{"width": MISSING}] = "missing"
    there = status != "missing"
    size = n_weights(table.depth, table.width).where(there).transpose(*status.dims)
    return table.where(there).assign(status=status, n_weights=size)


def ensembles():
    """Make ensembles; those of 16 and 8 have no ensemble of the largest size, and an excess is below zero."""
    of_width, of_seed = {**CELL, "width": WIDTHS}, {**CELL, "width": WIDTHS, "seed": SEEDS}
    names = ("gradient_norm", "distance", "distance_estimate", "distance_along_gradient", "excess_error")
    table = {name: numbers(520 + i, 0.1, 0.9, **of_seed) for i, name in enumerate(names)}
    table |= {
        "ensemble_error_pseudo": numbers(530, 0.3, 0.9, **of_seed, size=SIZES),
        "distance_pseudo": numbers(531, 0.1, 0.9, **of_seed, size=SIZES),
        "ensemble_error": numbers(532, 0.1, 0.9, **of_width, size=SIZES),
        "limit_error": numbers(533, 0.1, 0.3, **of_width),
        "ensemble_distance": numbers(534, 0.1, 0.9, **of_width, size=SIZES, subset=3),
        "ensemble_distance_estimate": numbers(535, 0.1, 0.9, **of_width, size=SIZES, subset=3),
        "variance_unbiased": numbers(536, 0.1, 0.9, **of_width, measure=["normal", "test", "train"]),
        "profile": numbers(537, -1, 1, **of_width, point=6, position=[0.0, 0.7, 1.6]),
        "crossing": numbers(538, 0.5, 1.5, **of_width, point=6),
        "plane_network": numbers(539, -1, 1, **of_width, plane_column=4, plane_row=3),
        "plane_mean": numbers(540, -1, 1, **of_width, plane_column=4, plane_row=3),
        "plane_first": numbers(541, 0, 0.5, **of_width) + xr.DataArray(range(4), dims="plane_column"),
        "plane_second": numbers(542, 0, 0.5, **of_width) + xr.DataArray(range(3), dims="plane_row"),
        "plane_corners": numbers(543, 0, 4, **of_width, corner=3, axis=2),
    }
    made = xr.Dataset(table)
    made.ensemble_error.loc[{"size": 7, "width": [8, 16]}] = np.nan
    made.excess_error.loc[{"width": 16}] -= 1.0
    made.profile.loc[{"point": [4, 5]}] = np.nan
    made.crossing.loc[{"point": 2}] = np.nan
    return made.sel(width=[width for width in WIDTHS if width != MISSING])


def tangent_kernels():
    own = {**CELL, "width": [5, 8, 16, 24, 3], "seed": SEEDS}
    names = ("kernel_fluctuation", "kernel_change", "predicted_correlation")
    return xr.Dataset({name: numbers(550 + i, 0.1, 0.9, **own) for i, name in enumerate(names)})


def law(seed, exponents, more):
    """Make a fitted law; its exponent, its ends and its p-values differ from cell to cell, as all its numbers do."""
    names = ["constant" if p == 0 else f"c{i - (0 in exponents)}" for i, p in enumerate(exponents)]
    sizes = {**CELL, **more, "fit": ["free", "fixed"]}
    of_one = {name: axis for name, axis in sizes.items() if name != "fit"}
    value = numbers(seed, 0.1, 0.3, **sizes, parameter=["exponent", *reversed(names)])
    return xr.Dataset({
        "value": value,
        "low": value - numbers(seed + 1, 0.5, 0.9, **sizes),
        "high": value + numbers(seed + 2, 0.1, 0.4, **sizes),
        "p_value": numbers(seed + 3, 0.01, 0.9, **sizes),
        "x_min": numbers(seed + 4, 20, 40, **of_one) + (180 if "step" in more else 0),  # beyond N* on the way
        "x_max": numbers(seed + 5, 400, 600, **of_one),
        "fitted": numbers(seed + 6, 0, 1, **of_one, size=SIZES) > 0.5,
    })  # fmt: skip


def cube():
    groups = {"networks": networks(), "ensembles": ensembles(), "tangent_kernels": tangent_kernels()}
    groups |= {f"laws/{name}": law(600 + 20 * i, *made) for i, (name, made) in enumerate(LAWS.items())}
    jamming = {name: numbers(560 + i, low, low + 20, **CELL) for i, (name, low) in enumerate(JAMMING.items())}
    tree = xr.DataTree.from_dict({**groups, "jamming": xr.Dataset(jamming)})
    forms = {name: {"form": {"kind": "powers", "exponents": p}} for name, (p, _) in LAWS.items()}
    tree.attrs["spec"] = json.dumps({"laws": forms, "tasks": {"digits": {"kind": "mnist"}}})
    return tree


JAMMING = {"threshold": 130.0, "low": 100.0, "high": 160.0}  # between the widths 5 and 8, of depth 2 and 3
CUBE = cube()


def own(group, cell):
    return CUBE[group].to_dataset().sel(**cell, draw=0)


def sizes(cell):
    """Return N (width,), NaN where no network was trained."""
    return np.array([n_weights(cell["depth"], w) if w != MISSING else np.nan for w in WIDTHS])


def usable(name, cell, power=1):
    """Return the means of a variable over the networks of a width that did not diverge."""
    table = own("networks", cell)
    values = np.where(np.isin(table.status.values, ["fitted", "unfitted"]), table[name].values, np.nan)
    return mean(values**power)


def by_width(values, x, label, color, marker="o", **style):
    """Expect a curve over widths, with a hollow point where some networks did not fit; NaN at MISSING."""
    y = np.asarray(values, dtype=float)
    partly = np.isin(WIDTHS, [3, 5, 8, 24])
    look = {"color": color, "marker": marker, **style}
    return [line(label, x, y, **look), line(None, x[partly], y[partly], **{**look, "face": "white", "style": ""})]


def dots(values, x):
    """Expect a dot per network of values (width, seed)."""
    return [line(None, np.repeat(x, SEEDS), np.asarray(values).ravel(), color=BLUE, marker=".", style="")]


def at_all_widths(values):
    return values.reindex(width=WIDTHS)


def law_of(name, cell, **more):
    """Return x and y of a law, and its table at a cell."""
    at = own(f"laws/{name}", {**cell, **more})
    x = np.geomspace(float(at.x_min), float(at.x_max), 200)
    names = ["constant" if p == 0 else f"c{i - (0 in LAWS[name][0])}" for i, p in enumerate(LAWS[name][0])]
    fixed = at.sel(fit="fixed")
    y = sum(float(fixed.value.sel(parameter=c)) * x**p for c, p in zip(names, LAWS[name][0], strict=True))
    return x, y, at


def drawn_law(name, cell, *, variable="N", of="", less=False, power=1, **more):
    """Expect the line of a law with its formula, the words ``of`` in it, its p-value and its free exponent."""
    x, y, at = law_of(name, cell, **more)
    formula = FORMULAS[name].format(x=variable)
    free = at.sel(fit="free", parameter="exponent")
    ends = ", ".join(f"{float(free[end]):.2f}" for end in ("low", "high"))
    exponent = f"free exponent {float(free.value):.2f} [{ends}], p = {float(free.p_value):.2g}".replace("-", "−")
    label = f"{of or formula}\np = {float(at.sel(fit='fixed').p_value):.2g}\n{exponent}"
    constant = float(at.value.sel(fit="fixed", parameter="constant")) if less and 0 in LAWS[name][0] else 0.0
    return line(label, x, (y - constant) ** power, color="black", style="--")


def jammed(cell, place=float):
    """Expect N* and its interval, at places of the axis."""
    threshold, low, high = (place(float(own("jamming", cell)[name])) for name in JAMMING)
    return [
        line("N*", [threshold] * 2, [0, 1], color=GREY),
        {"is": "box", "box": [low, high, 0, 1], "color": (*(int(GREY[1:3], 16) / 255,) * 3, 0.18)},
    ]


def published(terms, cell):
    """Expect the fit of the source, from its maximum on."""
    x = np.geomspace(np.nanmin(sizes(cell)), np.nanmax(sizes(cell)), 400)
    y = sum(c * x**p for c, p in terms)
    return line("fit of the paper", x[y.argmax() :], y[y.argmax() :], color=PURPLE, style="-.")
