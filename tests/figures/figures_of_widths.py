"""Numbers that figures of networks against their size have to draw: errors, norms, fluctuations, gradients, compute."""

import numpy as np
from artists import Panel, level, line
from matplotlib import colormaps
from planted_numbers import Case, mean, shown
from sized_cubes import (
    AT,
    BLUE,
    CUBE,
    FIRST,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SECOND,
    WIDTHS,
    at_all_widths,
    by_width,
    dots,
    drawn_law,
    jammed,
    law_of,
    own,
    published,
    sizes,
    usable,
)

WEIGHTS = "number of weights N"


def fractions():
    """Return the fraction of networks of each width that fit."""
    return np.array([0, 0.5, 0.75, np.nan, 1, 0.75])


def errors_and_fits(cell, x):
    """Expect what both panels have but for N* and fits, at x (width,)."""
    ensembles = at_all_widths(own("ensembles", cell))
    largest = [4 if width in (8, 16) else 7 for width in WIDTHS]
    every = [float(ensembles.ensemble_error.sel(width=w, size=s)) for w, s in zip(WIDTHS, largest, strict=True)]
    table = own("networks", cell)
    single = np.where(np.isin(table.status.values, ["fitted", "unfitted"]), table.test_error.values, np.nan)
    errors = [
        *dots(single, x),
        *by_width(usable("test_error", cell), x, "single networks", BLUE),
        *by_width(usable("early_stopping_error", cell), x, "early stopping", GREEN, "s"),
        *by_width(every, x, "ensembles of n = 7", ORANGE, "D"),
        line("n → ∞, extrapolated", x, ensembles.limit_error, color=ORANGE, style=":"),
    ]
    fits = by_width(usable("train_error", cell), x, "single networks", BLUE)
    right = [line("fraction fitted (right)", x, fractions(), color=GREY, marker=".", style="-")]
    return errors, fits, right


def _panels(errors, fits, right, words):
    return [
        Panel("test error", errors, words, "test error", "log linear"),
        Panel("training error and fraction fitted", fits, words, "training error", "log linear"),
        Panel(None, right, "", "fraction of networks fitted", "log linear"),
    ]


@shown("width_dependence")
def errors_against_weights():
    errors, fits, right = errors_and_fits(SECOND, sizes(SECOND))
    terms = [(0.02, 0), (0.3, -0.5), (-0.8, -0.75)]
    errors += [drawn_law("error", SECOND), published(terms, SECOND), level(0.1, GREY) | {"label": "guessing"}]
    settings = {**SECOND, "law": "error", "published": [0.02, 0.3, -0.8], "chance": 0.9}
    panels = _panels([*errors, *jammed(SECOND)], [*fits, *jammed(SECOND)], right, WEIGHTS)
    return Case(CUBE, settings, panels)


@shown("width_dependence")
def errors_against_the_width():
    errors, fits, right = errors_and_fits(FIRST, np.where(np.isnan(sizes(FIRST)), np.nan, WIDTHS))
    trained = np.isfinite(sizes(FIRST))

    def place(number):
        """Return where N lies between the widths, both in logarithms."""
        return np.exp(np.interp(np.log(number), np.log(sizes(FIRST)[trained]), np.log(np.array(WIDTHS)[trained])))

    band = jammed(FIRST, place)
    return Case(CUBE, {**AT, "axis": "width"}, _panels([*errors, *band], [*fits, *band], right, "width h"))


@shown("compute")
def errors_against_compute():
    spent = 6 * sizes(SECOND) * usable("epochs", SECOND) * 100
    error = at_all_widths(own("ensembles", SECOND)).ensemble_error
    curves = {1: usable("test_error", SECOND), 7: error.sel(size=7).values, 2: error.sel(size=2).values}
    marks = []
    for i, (size, y) in enumerate(curves.items()):
        color = colormaps["viridis_r"](0.15 + 0.4 * i) if i else BLUE
        label = f"ensembles of {size}" if i else "single networks"
        marks += by_width(y, size * spent, label, color, "osD"[i])
    x, y = np.concatenate([size * spent for size in curves]), np.concatenate([*curves.values()])
    order = np.argsort(x)
    best = [min([v for at, v in zip(x, y, strict=True) if at <= x[i] and v == v], default=np.nan) for i in order]
    best = np.where(np.isnan(x[order]), np.nanmin(y), best)  # what was not trained comes last
    marks.append(line("best at this compute", x[order], best, color="black", steps="steps-post"))
    words = ("compute: 6 N × epochs × samples × n operations", "test error", "log linear")
    return Case(CUBE, {**SECOND, "sizes": [7, 3, 2]}, [Panel("", marks, *words)])


@shown("fluctuations")
def variances_over_networks():
    x, marks = sizes(SECOND), jammed(SECOND)
    variance = at_all_widths(own("ensembles", SECOND)).variance_unbiased
    looks = {
        "test": ("test set", BLUE, "o"),
        "train": ("training set", GREEN, "s"),
        "normal": ("normal inputs", PURPLE, "D"),
    }
    for measure, look in looks.items():
        marks += by_width(variance.sel(measure=measure), x, *look)
    of = r"law of ‖f − f̄‖ $\propto N^{-1/4}$, test set"
    marks.append(drawn_law("fluctuation", SECOND, of=of, power=2))
    panel = Panel("", marks, WEIGHTS, "variance over networks ‖f − f̄‖²", "log log")
    return Case(CUBE, {**SECOND, "law": "fluctuation"}, [panel])


@shown("kernel_fluctuations")
def scatter_and_change_of_kernels():
    names = {
        "kernel_fluctuation": ("scatter at the start", "|Θ − mean| / |mean|"),
        "kernel_change": ("change in training", "|Θ(t) − Θ(0)| / |Θ(0)|"),
        "predicted_correlation": ("prediction of f − f̄", "correlation with f − f̄"),
    }
    kernels, x, panels = at_all_widths(own("tangent_kernels", SECOND)), sizes(SECOND), []
    further = [drawn_law("scatter", SECOND), drawn_law("change", SECOND), level(0, "0.6")]
    for (name, (title, words)), more in zip(names.items(), further, strict=True):
        values = kernels[name].transpose("width", "seed").values
        marks = [*dots(values, x), *by_width(mean(values), x, "mean", BLUE), *jammed(SECOND), more]
        panels.append(Panel(title, marks, WEIGHTS, words, "log linear" if name.startswith("pred") else "log log"))
    return Case(CUBE, {**SECOND, "laws": ["scatter", "change"]}, panels)


@shown("asymptotics")
def gradients_distances_and_excess():
    table, x = at_all_widths(own("ensembles", SECOND)), sizes(SECOND)
    gradient, excess, gap, estimate = (
        table[name].values for name in ("gradient_norm", "excess_error", "distance", "distance_estimate")
    )
    excess, gap, estimate = (np.where(y > 0, y, np.nan) for y in (mean(excess), mean(gap), mean(estimate)))
    loose = {"style": ""}
    marks = [
        [*dots(gradient, x), *by_width(np.median(gradient, 1), x, "median", BLUE), drawn_law("gradient", SECOND)],
        [*by_width(excess, gap, "mean of a width", BLUE, **loose), drawn_law("distance", SECOND, variable=r"\delta")],
        [*by_width(gap, estimate, "mean of a width", BLUE, **loose)],
        [*by_width(excess, x, "mean", BLUE), drawn_law("excess", SECOND)],
    ]
    marks[2].append(drawn_law("estimate", SECOND, variable=r"\mathrm{estimate}"))
    marks[0] += [published([(2.0, 0), (50.0, -0.25)], SECOND), *jammed(SECOND)]
    marks[3] += [published([(0.4, -0.5), (-0.9, -0.75)], SECOND), *jammed(SECOND)]
    words = {
        "gradient": (WEIGHTS, "gradient ‖∇f‖"),
        "excess error and distance": ("distance δ of boundaries", "excess test error ε − ε̄"),
        "distance and its estimate": ("estimate ‖f − f̄‖ / ‖∇f‖", "distance δ of boundaries"),
        "excess error": (WEIGHTS, "excess test error ε − ε̄"),
    }
    panels = [Panel(title, m, *w, "log log") for (title, w), m in zip(words.items(), marks, strict=True)]
    laws = ["gradient", "distance", "estimate", "excess"]
    return Case(CUBE, {**SECOND, "laws": laws, "gradient": [2.0, 50.0], "excess": [0.4, -0.9]}, panels)


@shown("norms")
def norms_beyond_jamming():
    x, threshold = sizes(SECOND), float(own("jamming", SECOND).threshold)
    left = [
        *by_width(usable("train_norm", SECOND, 2), x, "training set", GREEN, "s"),
        *by_width(usable("test_norm", SECOND, 2), x, "test set", BLUE, "o"),
        *jammed(SECOND),
    ]
    beyond, right = np.where(x > threshold, x / threshold - 1, np.nan), []
    table = own("networks", SECOND)
    norms = table.recorded_test_norm.where(table.status.isin(["fitted", "unfitted"]))
    for step, share in ((10, 0.0), (300, 0.425), (1000, 0.85)):
        squares, color = norms.sel(step=step).values ** 2, colormaps["viridis"](share)
        at, y, fit = law_of("norm", SECOND, step=step)
        label = f"after {step} epochs, p = {float(fit.p_value.sel(fit='fixed')):.2g}"
        right += by_width(mean(squares), beyond, label, color)
        of = "law of ‖f‖ = $c + c_0 N^{-1}$, squared" if step == 1000 else None
        right.append(line(of, at / threshold - 1, y**2, color=color, style="--"))
    nearest = np.nanmin(beyond)
    slope = {"y": lambda y: np.isclose(y[1] / y[0], 2.5**-2), "color": "black"}
    right.append({**line("slope −2, for the eye", [nearest, 2.5 * nearest], None), **slope})
    words = "squared norm of the output ‖f‖²"
    titles = ("at the end of training", "on the way, test set, beyond N*")
    panels = [
        Panel(titles[0], left, WEIGHTS, words, "log log"),
        Panel(titles[1], right, "N / N* − 1", words, "log log"),
    ]
    return Case(CUBE, {**SECOND, "law": "norm"}, panels)


@shown("norms")
def norms_at_the_last_step():
    """Norms are those of the last step where there is no law; the first cell is drawn where none is named."""
    threshold, table = float(own("jamming", FIRST).threshold), own("networks", FIRST)
    beyond = np.where(sizes(FIRST) > threshold, sizes(FIRST) / threshold - 1, np.nan)
    usable_ = table.recorded_test_norm.sel(step=3000).where(table.status.isin(["fitted", "unfitted"]))
    marks = by_width(mean(usable_.values**2), beyond, "after 3000 epochs", colormaps["viridis"](0.0))
    case = norms_beyond_jamming()
    left = by_width(usable("train_norm", FIRST, 2), sizes(FIRST), "training set", GREEN, "s")
    left += by_width(usable("test_norm", FIRST, 2), sizes(FIRST), "test set", BLUE)
    slope = {"is": "line", "label": "slope −2, for the eye"}
    panels = [case.panels[0]._replace(marks=[*left, *jammed(FIRST)]), case.panels[1]._replace(marks=[*marks, slope])]
    return Case(CUBE, AT, panels)
