"""Tables of theorems and losses of regressions, made up so that numbers differ along every axis (expressivity)."""

import numpy as np
import xarray as xr

from isobath.analysis.cubes import describe

NOISE, NETWORKS = (0.1, 0.0, 0.001, 1.0, 0.01, 0.0003, 0.03, 0.003, 0.3), 12
BASINS = {"folding_basin": 0.003, "folding_basin_0.0001": 1e-4, "folding_basin_0.001": 1e-3, "folding_basin_0.01": 0.01}

RECORDS = (0, 1, 3, *range(6, 300, 6))
RATES = tuple(2.0 ** np.arange(-3, 4))  # the third to the fifth are best on some data set
DRAWS, STARTS, DEPTHS, WIDTHS = 4, 2, (0, 1, 2, 7), (1, 4)
DESCENT = "gradient_descent"
RUN = {  # powers of the loss by method and grid, in the order of the criteria
    "diabetes": {DESCENT: (4,), "momentum": (4,), "adagrad": (4,), "adadelta": (4,), "adam": (2,)},
    "correlated": {DESCENT: (2, 4)},
    "table": {"momentum": (2, 4)},
}
ENDLESS = "adadelta_4"  # does not arrive on one data set


def table(coords, **columns):
    """Return a table of ``columns``, each a list of its dims and its values."""
    return xr.Dataset({name: (dims, np.asarray(values, float)) for name, (dims, values) in columns.items()}, coords)


def of_waves(rng):
    """Make counts that miss their formula by up to nine, most of them from below, one of them not counted."""
    coords = {"triangles": [1, 2, 3], "folds": [1, 2, 4, 5]}
    expected = (2.0 * np.array(coords["triangles"])[:, None]) ** coords["folds"]
    dims, missed = ["triangles", "folds"], [rng.permutation(np.arange(-n, 12 - n)).reshape(3, 4) for n in (7, 9)]
    columns = {
        "intervals": expected + 1 + missed[0],
        "regions": expected + missed[1],
        "peaks": expected * rng.uniform(0.4, 0.6, expected.shape),
    }
    for values in columns.values():
        values[2, 3] = np.nan
    return table(coords, expected=(dims, expected), **{name: (dims, values) for name, values in columns.items()})


def of_polynomials(rng):
    most = np.outer([1, 2, 5], [2, 4, 5])
    coords, dims = {"parts": [1, 2, 5], "degree": [1, 3, 4], "sample": range(6)}, ["parts", "degree"]
    return table(
        coords,
        intervals=([*dims, "sample"], most[..., None] - rng.integers(1, 9, (3, 3, 6)) / 4),
        tight_intervals=(dims, most + rng.integers(-9, 9, (3, 3)) / 8),
        most_intervals=(dims, most),
    )


def of_basin(rng):
    """Make accuracies that fall and rise again over the noise, at folds of which one stays accurate in two of twelve.

    At another one network stays accurate; at a third all are inaccurate from the least noise on.
    """
    folds = np.array([2, 3, 5, 6, 8, 9])
    logs = np.log2(np.maximum(NOISE, 1e-6))[:, None]
    center = (-1.5 - 0.8 * folds[:, None] + 0.05 * folds[:, None] ** 2 + rng.normal(0, 0.5, (6, NETWORKS)))[:, None]
    before = 1 - 0.5 / (1 + 2.0 ** (1.5 * (center - logs))) + rng.uniform(-0.06, 0.06, (6, len(NOISE), NETWORKS))
    before[1, :, 4] = before[3, :, 2] = before[3, :, 7] = 0.9
    before[4, 2, 5] = 0.7  # it falls first at the second least noise, and rises again
    before[5] = 0.6 - 0.1 * rng.uniform(size=before[5].shape)
    after = rng.uniform(0.45, 0.6, before.shape)
    after[4, 1, 3] = np.nan
    dims = ["folds", "noise", "network"]
    return table(
        {"folds": folds, "noise": list(NOISE), "network": range(NETWORKS)}, before=(dims, before), after=(dims, after)
    )


def basins(rng):
    """Make a basin at each of four rates, and at two more without eight folds or without their exact network."""
    found = {name: of_basin(rng).assign_coords(learning_rate=rate) for name, rate in BASINS.items()}
    few, noisy = (of_basin(rng).assign_coords(learning_rate=rate) for rate in (2e-4, 3e-4))
    return found | {"folding_basin_few": few.isel(folds=[0, 2]), "folding_basin_noisy": noisy.isel(noise=[0, 2, 3])}


def of_density(rng):
    """Make masses of which even and odd dimensions miss one by different amounts, the largest in odd ones."""
    dimension = np.array([2, 3, 4, 7, 10])
    odd, off = dimension % 2, rng.uniform(-1e-8, 5e-9, (3, 5))
    volume = np.array([3.1, 4.2, 0.7, 4.7, 2.5])
    within = rng.uniform(0.1, 0.9, (5, 3))
    exact = within + rng.uniform(2e-9, 1e-8, (5, 3))
    dims = ["dimension"]
    return table(
        {"dimension": dimension, "radius": [0.5, 1.0, 2.0]},
        mass=(dims, 1 + off[0] + odd * 1e-6),
        unit_ball_mass=(dims, volume * (1 + off[1] + odd * 1e-6)),
        unit_ball_volume=(dims, volume),
        mass_within=([*dims, "radius"], within),
        exact_mass_within=([*dims, "radius"], np.where(odd[:, None], np.nan, exact)),
    )


def of_widths(rng):
    """Make widths of which two are not known."""
    coords = {"profile": ["cosine", "wave"], "activation": ["relu", "step"], "dimension": [2, 3, 8, 30]}
    width = np.array([2.0, 3.0, 8.0, 30.0]) ** rng.uniform(1, 2, (2, 2, 1)) * rng.uniform(2, 4, (2, 2, 4))
    width[0, 1, 3] = width[1, 0, 0] = np.nan
    return table(coords, width=(list(coords), width))


def of_tubes(rng):
    coords = {"dimension": [2, 5, 20, 40], "activation": ["relu", "sigmoid"], "network": range(3)}
    dims = ["activation", "network"]
    return table(
        coords,
        share=(["dimension"], [0.7, 0.31, 0.35, 0.02]),
        outside_tubes=(dims, rng.uniform(0, 0.1, (2, 3))),
        shells_outside_tubes=(dims, rng.uniform(0.2, 0.8, (2, 3))),
    )


def of_rule(rng):
    """Make deviations of one to four layers, at three rates: those of one layer are the most extreme."""
    coords = {"layers": [1, 2, 4], "decay": [0.0, 0.1], "rate": [1e-4, 1e-3, 3e-3], "draw": range(3)}
    one, spread = np.array([5.0, 1.0, 1.0]), rng.uniform(0.5, 2, (2, 3, 2, 3, 3))
    slopes = one[:, None, None, None] * rng.uniform(0.7, 1.3, (3, 2, 1, 3))
    shape = (3, 3, 3, 3)
    return table(
        coords | {"left": range(3), "right": range(3)},
        deviation=(list(coords), np.array(coords["rate"])[:, None] ** slopes * spread[0]),
        unbalanced_deviation=(list(coords), spread[1] / one[:, None, None, None] * np.array([3.0, 2.0, 1.0])[:, None]),
        vector_deviation=(["layers", "draw"], rng.uniform(0, 1, (3, 3))),
        gain=(["layers", "draw", "left", "right"], rng.uniform(0, 1, shape) * one[:, None, None, None]),
    )


def of_step(rng):
    coords = {"power": [2, 4], "rate": [1e-4, 1e-3, 3e-3], "draw": range(3)}
    slopes, near = rng.uniform(1.6, 2.4, (2, 1, 3)), rng.uniform(0.8, 1.2, (2, 3, 3))
    remainder = np.array(coords["rate"])[:, None] ** slopes * near
    return table(
        coords,
        remainder=(list(coords), remainder),
        weighted_sum_deviation=(["power", "draw"], rng.uniform(0, 1, (2, 3))),
    )


def tables(seed=20):
    """Return the numbers of all theorems by path."""
    rng = np.random.default_rng(seed)
    found = {
        "folds/sawtooth_counts": of_waves(rng),
        "folds/piecewise_polynomials": of_polynomials(rng),
        **{f"own_size/{name}": basin for name, basin in basins(rng).items()},
        "shells/radial_density": of_density(rng),
        "shells/radial_widths": of_widths(rng),
        "shells/fourier_tubes": of_tubes(rng),
        "diabetes/end_to_end_rule": of_rule(rng),
        "diabetes/overparametrised_step": of_step(rng),
    }
    return {path.replace("/", "/calculations/"): part for path, part in found.items()}


def gaps(rng, shape, rates):
    """Return gaps that fall over the records and rise at times, fastest at one of the inner rates of each data set."""
    best = rng.integers(2, 5, [*shape[:6], 1, 1])
    best[:, :, :, :, :, 0] = 3  # which every second rate leaves out
    time = rng.uniform(7, 10, [*shape[:4], 1, 1, 1, 1]) * rng.uniform(0.8, 1.25, shape)
    time = (time * (1 + 0.8 * abs(np.arange(rates)[:, None] - best)))[..., None]
    at = np.array(RECORDS) / time
    return np.exp(-at + 1.5 * np.sin(2.5 * at))


def protocols(grid):
    """Return the protocols of a grid by name: its methods, and that which finds the optimum."""
    rows = [("newton", p) for p in (2, 4)] + [(kind, p) for kind, powers in RUN[grid].items() for p in powers]
    return {f"{kind}_{p}": {"kind": kind, "loss": {"kind": "power", "p": p}} for kind, p in rows}


def regressions(grid):
    """Make losses (task, protocol, depth, width, n_train, draw, rate, seed, step) of two tasks and two n_train.

    One run of each deep network diverged at the largest rate.
    """
    rng, named = np.random.default_rng([*grid.encode()]), protocols(grid)
    shape = (2, len(named), len(DEPTHS), len(WIDTHS), 2, DRAWS, len(RATES), STARTS)
    gap = gaps(rng, shape, len(RATES))
    gap[:, [name == ENDLESS for name in named], :, :, :, 1] **= 0.1
    newton, deep = ([settings["kind"] == kind for settings in named.values()] for kind in ("newton", DESCENT))
    gap[:, newton] = np.where(np.array(RECORDS) == 0, 1.0, 0.0)
    gap[:, newton, ..., 3:] = np.nan
    least = rng.uniform(0.1, 0.3, (2, 2, 1, 1, 2, DRAWS, 1, 1, 1))  # of each p
    first = least + rng.uniform(0.5, 2, (2, 2, 1, 1, 2, DRAWS, 1, STARTS, 1))
    p = [settings["loss"]["p"] // 4 for settings in named.values()]
    loss = least[:, p] + (first - least)[:, p] * gap
    status = np.full(shape, "unfitted", dtype=object)
    status[:, np.logical_not(deep), 1:] = "missing"  # of one layer alone
    status[:, newton, :, :, :, :, 1:] = status[:, newton, ..., 1:] = "missing"
    status[:, deep, :, :, :, 2, -1, 0] = "diverged"
    loss[status == "missing"] = np.nan
    loss[..., 4:][status == "diverged"] = np.nan
    axes = ("task", "protocol", "depth", "width", "n_train", "draw", "learning_rate", "seed")
    values = (["d", "e"], named, DEPTHS, WIDTHS, [50, 90], range(DRAWS), RATES, range(STARTS))
    cube = xr.Dataset({"recorded_loss": ([*axes, "step"], loss), "status": (axes, status)})
    cube = cube.assign_coords({**dict(zip(axes, map(list, values), strict=True)), "step": list(RECORDS)})
    return describe(cube, {"task": {name: {"kind": "diabetes"} for name in "de"}, "protocol": named})
