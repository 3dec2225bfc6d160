"""Made-up cubes of the study of kernels in which every number differs along every axis: tables and regressions."""

import json

import numpy as np
import xarray as xr

DIMENSIONS = [4, 3, 12, 5, 10, 7, 20, 6]
LAST = 103  # degree; the last even one is another
LAYERS = {  # by family and not in order, as a claim may not lean on it; 0 without layers
    **{"step": [3, 2, 4], "rf": [8, 2, 5, 3], "ntk": [3, 8, 2, 5], "rf_bias": [2], "ntk_bias": [3, 2]},
    **{"laplace": [0], "gamma_0.25": [0], "gamma_0.75": [0], "gamma_0.6": [0], "rf_beta0.1": [8, 2]},
    **{f"ntk_beta{beta}": [8, 2] for beta in ("0.1", "0.3", "0.5", "1", "2")},
}


def named(family, layers):
    """Return the family, the layers and the name of a kernel."""
    return family, layers, f"{family} L={layers}" if layers else family


KERNELS = [named(family, layers) for family in LAYERS for layers in LAYERS[family]]
SLOW_KERNELS = ("step L=3", "step L=4", "gamma_0.25")
DECAYING = (  # families of a claim, so that each of their kernels can be the farthest off somewhere
    ("ntk", "ntk_bias", *(family for family in LAYERS if family.startswith("ntk_beta"))),
    ("rf", "rf_beta0.1"),
    ("laplace", "gamma_0.25", "gamma_0.75"),
    ("step",),
)


def theorem(family, layers, dimension):
    """Return the exponent that Bietti & Bach give a kernel."""
    if family == "step":
        return -dimension + 1 - 2.0 ** (2 - layers)
    if family.startswith("gamma"):
        return -dimension - 2 * float(family.removeprefix("gamma_")) + 1
    return -dimension - 2 if family.startswith("rf") else -dimension


def members(families):
    """List the kernels of some families."""
    return [kernel for family, _, kernel in KERNELS if family in families]


def coordinates(kernels):
    """Return the coordinates of kernels (family, layers, name)."""
    families, layers, names = zip(*kernels, strict=True)
    return {"kernel": list(names), "family": ("kernel", list(families)), "layers": ("kernel", list(layers))}


def spectra():
    """Make eigenvalues with exponents: two layers of ntk have no odd ones, of step no even ones, of rf next to none."""
    rng, shape = np.random.default_rng(10), (len(KERNELS), len(DIMENSIONS))
    k = np.arange(LAST + 1)
    signs = rng.choice([-1.0, 1.0], (*shape, LAST + 1))
    prediction = signs * rng.uniform(0.5, 2, signs.shape) / np.maximum(k, 1) ** 3.0
    dims = ["kernel", "dimension"]
    table = xr.Dataset(
        {
            "eigenvalue": ([*dims, "degree"], prediction * (1 + rng.uniform(-0.01, 0.01, signs.shape))),
            "prediction": ([*dims, "degree"], prediction),
            "self_estimate": ([*dims, "parity"], rng.uniform(1e-9, 1e-8, (*shape, 2))),
            "value_at_one": ("kernel", rng.uniform(0.5, 8, len(KERNELS))),
            "expected_exponent": (dims, [[theorem(f, layers, d) for d in DIMENSIONS] for f, layers, _ in KERNELS]),
        },
        coords={**coordinates(KERNELS), "dimension": DIMENSIONS, "degree": k, "parity": ["even", "odd"]},
    )
    basis = ["1, log k', k'^(-1/2), k'^(-1)" if name in SLOW_KERNELS else "1, log k'" for _, _, name in KERNELS]
    table = with_exponents(table.assign_coords(basis=("kernel", basis)), rng)
    odd, high = table.degree % 2 == 1, table.degree >= 3
    for kernel, parity, size in (("ntk L=2", odd, 0), ("step L=2", ~odd, 0), ("rf L=2", odd, 1e-103)):
        unseen = parity & high & (table.kernel == kernel)
        table["eigenvalue"] = table.eigenvalue.where(~unseen, table.eigenvalue * size)
    three = table.layers == 3  # degrees that are not asked for have the smallest
    table["eigenvalue"] = table.eigenvalue.where(~(three & (table.degree < 3)), table.eigenvalue * 1e-30)
    table["prediction"] = table.prediction.where(~(odd & (table.kernel == "rf L=2")), 0.0)
    return table


def with_exponents(table, rng):
    """Add exponents whose intervals reach far for one kernel of each claim in turn, whatever its value."""
    shape, kernels = (len(KERNELS), len(DIMENSIONS), 2), [name for _, _, name in KERNELS]
    exponent = table.expected_exponent.values[..., None] + rng.uniform(-0.01, 0.01, shape)
    below, above = rng.uniform(0.001, 0.01, (2, *shape))
    for families in DECAYING:
        group = members(families)
        for i, parity in np.ndindex(shape[1:]):
            end = below if (i + parity) % 3 else above
            end[kernels.index(group[(2 * i + parity) % len(group)]), i, parity] += 0.03
    for kernel, parity in (("ntk L=2", 1), ("step L=2", 0)):
        exponent[kernels.index(kernel), :, parity] = np.nan
    dims = ["kernel", "dimension", "parity"]
    found = {"exponent": exponent, "low": exponent - below, "high": exponent + above}
    reasons = np.where(np.isnan(exponent), "0 degrees", "").astype(object)
    return table.assign({name: (dims, values) for name, values in found.items()}).assign_coords(reason=(dims, reasons))


SPHERE = [("ntk", 5), ("rf_bias", 2), ("ntk", 2), ("rf", 4), ("laplace", 0), ("ntk", 3), ("rf", 5), ("ntk_bias", 2)]
SPHERE += [("rf", 3), ("ntk", 4)]
SIZES, DRAWS, RIDGES = [100, 200, 500, 1000, 2000], 8, [1e-9, 1e-5, 1e-3, 1e-2]


def sphere():
    """Make regressions on the sphere; a prediction at the smallest ridge, which is not judged, is the worst."""
    rng = np.random.default_rng(11)
    kernels = [named(family, layers) for family, layers in SPHERE]
    shape = (len(kernels), len(SIZES), DRAWS, len(RIDGES))
    predicted = np.exp(rng.normal(-3, 1, (shape[0], shape[1], 1, shape[3])))
    gaps = rng.uniform(-0.1, 0.1, predicted.shape) + np.array([1.0, 0, 0, 0])
    error = predicted * np.exp(gaps + rng.uniform(0.01, 0.2, predicted.shape) * rng.standard_normal(shape))
    dims = ["kernel", "n_train", "draw", "ridge"]
    table = xr.Dataset(
        {
            "error": (dims, error),
            "predicted_error": (["kernel", "n_train", "ridge"], predicted[:, :, 0]),
            "chosen_error": (dims[:3], np.exp(rng.normal(-2, 0.3, shape[:3]))),
            "ridge_at_edge": (dims[:3], np.zeros(shape[:3])),
        },
        coords={**coordinates(kernels), "n_train": SIZES, "draw": range(DRAWS), "ridge": RIDGES},
    )
    table.ridge_at_edge.loc[{"kernel": "ntk L=3", "n_train": 500, "draw": [0, 2, 3, 6]}] = 1  # half of them: no more
    return table


RANKS = {"ntk L=3": [0] + 4 * [2] + 3 * [1] + 12 * [3], "laplace": 4 * [1] + [0] + 15 * [2]}  # degrees by rank


def gram():
    """Make Gram spectra of 320 points, of which 8 are a fortieth: so many ranks have the first degrees of a kernel."""
    rng, degrees = np.random.default_rng(12), np.array([*RANKS.values()])
    of_degree = rng.uniform(0.1, 1, (2, 4))
    mu = np.take_along_axis(of_degree, degrees, 1)
    cumulated = [[int(np.isin(row, row[: i + 1]).sum()) for i in range(len(row))] for row in degrees]
    variables = {
        "eigenvalue": (["kernel", "rank"], mu),
        "degree": (["kernel", "rank"], degrees),
        "cumulated": (["kernel", "rank"], cumulated),
        "gram_eigenvalue": (["kernel", "draw", "rank"], mu[:, None] * rng.normal(1, 0.03, (2, 5, degrees.shape[1]))),
    }
    return xr.Dataset(variables, coords={"kernel": [*RANKS], "draw": range(5), "n_train": 320})


def finite(seed):
    """Make deviations of the kernels of finite networks, of which one is not known; widths are in no order."""
    rng, widths = np.random.default_rng(seed), [64, 256, 32]
    deviation = np.exp(rng.normal(-2, 0.2, (3, 3, 6))) / np.sqrt(widths)[:, None]
    deviation[1, 2, 3] = np.nan
    coords = {"depth": [1, 2, 4], "width": widths, "network": range(6)}
    return xr.Dataset({"deviation": (["depth", "width", "network"], deviation)}, coords=coords)


REGRESSED = ["task", "kernel", "n_train", "draw", "depth"]
IMAGE_TASKS = {"mnist": {"kind": "mnist"}, "digits": {"kind": "digits"}}
LABEL_TASKS = {
    "2-local": {"kind": "k_local", "k": 2, "n_test": 500},
    "3-local": {"kind": "k_local", "k": 3},
    "2-global": {"kind": "k_global", "k": 2, "n_test": 900},
}


def regressions(rng, error, *, draws, **axes):
    """Make regressions of kernels by the axes, with errors between the two of ``error``."""
    coords = {name: list(axes[name]) if name in axes else range(draws) for name in REGRESSED}
    values = rng.uniform(*error, [len(values) for values in coords.values()])
    return xr.Dataset({"test_error": (REGRESSED, values), "ridge_at_edge": (REGRESSED, 0 * values)}, coords=coords)


def images():
    """Make regressions on images, one of whose jobs failed; sizes and depths are in no order."""
    axes = {"kernel": ["ntk", "laplace", "rf"], "n_train": [300, 100, 1000], "depth": [4, 2, 1, 3]}
    found = regressions(np.random.default_rng(15), (0.1, 0.2), draws=6, task=[*IMAGE_TASKS], **axes)
    failed = (found.kernel == "rf") & (found.n_train == 1000) & (found.draw == 2)
    return found.where(~failed)


def labels():
    """Make regressions on labels, of which one cell and one size were not run, and predictions above and below."""
    rng, names = np.random.default_rng(16), ["ntk_b", "ntk_a"]
    axes = {"kernel": names, "n_train": [1000, 300, 4000], "depth": [1, 4, 7]}
    found = regressions(rng, (0.2, 0.4), draws=7, task=[*LABEL_TASKS], **axes).drop_vars("ridge_at_edge")
    not_run = (found.task == "2-local") & (found.kernel == "ntk_b") & (found.n_train == 4000) & (found.depth == 7)
    kernels = [named(family, layers) for family in ("ntk_a", "ntk_b") for layers in (8, 2)]
    predicted = rng.uniform(0.2, 0.4, (len(kernels), len(LABEL_TASKS), 3))
    predictions = xr.Dataset(
        {"predicted_error": (["kernel", "task", "n_train"], predicted)},
        coords={**coordinates(kernels), "task": [*LABEL_TASKS], "n_train": [4000, 300, 9000]},
    )
    return {"kernels": found.where(~not_run), "calculations/labels": predictions}


def tables():
    """Return the groups of the grid of calculations alone."""
    found = {"spectra": spectra(), "regression": sphere(), "gram": gram()}
    found |= {"finite": finite(13), "finite_with_biases": finite(14)}
    return {f"calculations/{name}": table for name, table in found.items()}


def grid(groups, tasks, n_test=700):
    """Return the node of a grid."""
    node = xr.DataTree.from_dict(groups)
    node.attrs = {"spec": json.dumps({"tasks": tasks}), "n_test": n_test}
    return node
