"""Cubes of the locality study in which every number differs along every axis, and the parts of an error are known.

No two cells are alike, some depths, widths and N lack others' cells, some networks do not fit, and every grid has
protocols, kernels, depths and tasks that a claim has to leave aside.
"""

import json
from itertools import product

import numpy as np
import xarray as xr

N_TEST = 3000
RATES = [0.01, 0.03, 0.1, 0.3, 1.0]
SIZES = [500, 1000, 2000, 4000]
PLAIN = {"depth": [1, 3, 7], "width": [100, 200], "n_train": SIZES[1:]}
NTK = {"ntk": 0.1, "nngp": 0.1}
DIMS = ("task", "protocol", "depth", "width", "n_train", "draw", "seed")


def task(k, kind, dimension, **more):
    return {"kind": f"k_{kind}", "k": k, "dimension": dimension, **more}


def named(*names, dimension=20):
    """Return the settings of tasks that are named k-local or k-global, with an ending or without."""
    return {name: task(int(name[0]), name[2:].split("-")[0], dimension) for name in names}


def n_parameters(dimension, depth, width):
    """Return the weights and biases of a perceptron with two outputs."""
    if depth == 0:
        return (dimension + 1) * 2
    return (dimension + 1) * width + (depth - 1) * (width + 1) * width + (width + 1) * 2


def networks(rng, tasks, asked, *, draws=3, seeds=6, rates=None, base=None, protocols=("sgd", "other"), **axes):
    """Make networks of the cells (task, depth, width, n) that are ``asked``, of errors that scatter about a base.

    Starts scatter by as much to either side, so that a bootstrap knows their spread as well as it ever does. The base
    is random, or that which ``base(task, depth, width, n)`` plants, alike at all rates.
    """
    coords = {"task": [*tasks], "protocol": [*protocols], **axes, "draw": range(draws), "seed": range(seeds)}
    coords = {dim: list(coords[dim]) for dim in DIMS} | ({"learning_rate": rates} if rates else {})
    shape, more = [len(values) for values in coords.values()], [1] * bool(rates)
    places = list(product(*(coords[dim] for dim in ("task", "depth", "width", "n_train"))))
    grid = [1 if dim in ("protocol", "draw", "seed", "learning_rate") else len(v) for dim, v in coords.items()]
    there = np.array([asked(*place) for place in places]).reshape(grid)
    error = rng.uniform(0.08, 0.36, [*shape[:5], 1, 1, *shape[7:]])
    if base:
        error = np.array([base(*place) if asked(*place) else 0.5 for place in places]).reshape(grid)
    error = error + rng.normal(0, 0.01, [*shape[:6], 1, *shape[7:]])
    signs = (-1.0) ** np.arange(seeds).reshape([seeds, *more])
    error = error + rng.uniform(0.01, 0.03, [*shape[:5], 1, 1, *more]) * signs * rng.uniform(0.95, 1.05, shape)
    sizes = [n_parameters(tasks[name]["dimension"], depth, width) for name, depth, width, _ in places]
    data = {
        "test_error": np.where(there, error, np.nan),
        "status": np.where(there, "fitted", "missing") + np.zeros(shape, dtype="U1").astype(object),
        "n_parameters": np.where(there, np.array(sizes).reshape(grid) * np.ones(shape), np.nan),
    }
    return xr.Dataset({name: (list(coords), values) for name, values in data.items()}, coords=coords)


def spoilt(rng, data, *, share, draw=-1, status="unfitted", error=0.47):
    """Let one network in a share of the cells have another status, and an error that is far from the others'."""
    place = {"draw": draw, "seed": -1}
    picked = xr.zeros_like(data.status, dtype=bool)
    there = data.status[place] != "missing"
    picked[place] = there & (rng.random(there.shape) < share)
    return data.assign(status=data.status.where(~picked, status), test_error=data.test_error.where(~picked, error))


def kernels(rng, tasks, betas, *, draws=3, **axes):
    """Make kernel regressions with random errors, for each kernel by its beta."""
    coords = {"task": [*tasks], "kernel": [*betas], **axes, "draw": range(draws)}
    coords = {dim: list(coords[dim]) for dim in ("task", "kernel", "n_train", "draw", "depth")}
    shape = [len(values) for values in coords.values()]
    errors = rng.uniform(0.08, 0.36, [*shape[:3], 1, shape[4]]) + rng.normal(0, 0.01, shape)
    data = xr.Dataset({"test_error": (list(coords), errors)}, coords=coords)
    return data.assign_coords(kernel_beta=("kernel", [*betas.values()]))


def tree_of(tasks, groups):
    """Make the tree of groups, by ``grid/group``, with the settings of the tasks of each grid."""
    tree = xr.DataTree.from_dict(groups)
    for grid in tree.children:
        tree[grid].attrs |= {"n_test": N_TEST, "spec": json.dumps({"tasks": tasks})}
    return tree


def asked_of_samples(name, depth, width, n):
    """Tell which cells of ``samples`` are trained: not all widths at all N, and one N with deep networks alone."""
    if name == "1-global-b" and (n == 500 or width == 50):
        return False
    if depth == 0:
        return width == 0 and not (name == "1-global" and n == 500)
    if n == 4000 or width == 0:
        return (depth, width) == (7, 200) and n == 4000
    if width == 20:  # too few parameters for N = 4000
        return depth == 7 and name[0] != "1" and (n < 2000 or name == "3-local")
    if width == 1600:
        return depth == 1 and n < 2000
    return not (name == "1-global" and (depth, width, n) == (7, 800, 500))


def asked_of_product(name, depth, width, n):
    """Tell which cells of other grids are trained: all, but of the largest N the deep networks of one width alone."""
    return n < 4000 or (depth, width) == (7, 200)


def asked_of_terms(name, depth, width, n):
    """Tell which labels of m terms are trained: at the smallest N that of m = 1 alone, and some at one width."""
    settings = TERMS[name]
    return (n > 500 or settings["terms"] == 1) and (width == 100 or settings["k"] == 3)


def fits_at(name, depth):
    """Return the rates of the sweep at which all networks fit."""
    return {("2-global", 1): [0.01, 0.03, 0.1], ("3-global", 7): [0.1, 0.3, 1.0]}.get((name, depth), [0.03, 0.1, 0.3])


def asked_of_sweep(name, depth, width, n):
    """Tell which cells of the sweep are trained: up to an N that depends on the task, and for one on the depth."""
    return n <= {"2-global": 1000, "2-local-b": 4000 if depth == 7 else 2000}.get(name, 2000)


def swept(rng, tasks):
    """Make the networks of a sweep of rates, of which one does not fit at the slowest, and one diverges at others."""
    axes = {"depth": [1, 7], "width": [50, 200], "n_train": SIZES[1:]}
    data = networks(rng, tasks, asked_of_sweep, rates=RATES, protocols=("sgd_sweep", "other"), **axes)
    for name, depth, n, rate in product(tasks, axes["depth"], axes["n_train"], RATES):
        at = {"task": name, "depth": depth, "n_train": n, "learning_rate": rate, "draw": 2, "seed": 1}
        if rate not in fits_at(name, depth) and asked_of_sweep(name, depth, 50, n):
            slow = rate < fits_at(name, depth)[0]
            data.status.loc[at] = "unfitted" if slow else "diverged"
            data.test_error.loc[at] = 0.45 if slow else np.nan
    return data


SIXES = ("2-local", "3-local", "2-global", "3-global")
SAMPLES = named("1-local", "1-global", *SIXES) | named("1-global-b", dimension=24)
SWEPT = {name: SAMPLES[name] for name in ("2-local", "2-global", "3-global")} | named("2-local-b", "2-global-b")
ALONE = {f"{k}-local-alone": task(k, "local", k) for k in (2, 3)}
EQUAL = named("2-local-equal", "3-local-equal", "2-global", "3-global", "2-local-equal-b", "3-global-b")
BIAS = named("3-global", "2-global", "3-local", "3-global-b")
TURNED = {"1-terms-1": False, "1-terms-1-rotated": True}
ONES = {name: task(1, "terms", 20, terms=1, rotated=rotated) for name, rotated in TURNED.items()}
FAMILIES = {(3, 16): [1, 4, 16], (2, 40): [4], (2, 20): [1, 2, 4, 20]}  # not in order
TERMS = {
    f"{k}-terms-{m}-{d}{'-rotated' * rotated}": task(k, "terms", d, terms=m, rotated=rotated)
    for (k, d), numbers in FAMILIES.items()
    for rotated in (False, True)
    for m in (numbers[::-2] if rotated else numbers[::-1])  # rotated are some of them; from the largest
}
TASKS = SAMPLES | SWEPT | ALONE | EQUAL | BIAS | ONES | TERMS


def some(*names):
    return {name: TASKS[name] for name in names}


def every(*_):
    """Ask for all cells."""
    return True


def of_the_paper(rng):
    """Make the cubes of Figs. 1 to 4, and of the remarks of the paper."""
    wide = {"depth": [0, 1, 3, 7], "width": [0, 20, 50, 200, 800, 1600]}
    alone = {"protocols": ("sgd_fixed", "other"), "depth": [1, 7], "width": [10, 30, 100, 300]}
    trends = {"depth": [1, 2, 4, 7], "width": [100, 200, 400], "n_train": SIZES[1:3], "draws": 6}
    networks_of = {
        "samples": spoilt(rng, networks(rng, SAMPLES, asked_of_samples, n_train=SIZES, **wide), share=0.3),
        "depth": networks(
            rng, some("2-local", "2-global"), lambda _, depth, width, __: width < 400 or depth < 4, **trends
        ),
        "learning_rate": swept(rng, SWEPT),
        "rotation": networks(rng, ONES, asked_of_product, protocols=("sgd_normal", "other"), **PLAIN),
        "variants": networks(rng, some(*SIXES), asked_of_product, protocols=("sgd_mse", "sgd_he"), **PLAIN),
        "expressivity": spoilt(rng, networks(rng, ALONE, every, n_train=SIZES[1:], **alone), share=1),
    }
    kernels_of = {
        "samples": kernels(rng, SAMPLES, NTK, n_train=[*SIZES, 8000], depth=[1, 3, 7]),
        "learning_rate": kernels(rng, SWEPT, NTK, n_train=SIZES, depth=[1, 7]),
    }
    return networks_of, kernels_of


def of_our_own(rng):
    """Make the cubes of the controls and claims that are not in the paper."""
    betas = {"ntk_wide": 1.0, "ntk": 0.1, "ntk_none": 0.0, "ntk_half": 0.5}
    terms = {"protocols": ("sgd_normal", "other"), "seeds": 2, "depth": [1, 3, 7], "width": [100, 200]}
    starts = {"protocols": ("sgd", "sgd_again"), "draws": 5, "seeds": 3}
    starts |= {"depth": [1, 7], "width": [50, 100], "n_train": SIZES[:2]}
    variance = networks(rng, some("2-local", "3-local"), every, **starts)
    of_data = xr.DataArray(rng.normal(0.15, 0.08, 5), dims="draw")  # in which all searches and starts share
    variance = spoilt(rng, variance.assign(test_error=variance.test_error + of_data), share=0.5, error=0.4)
    networks_of = {
        "equal_dimension": networks(rng, EQUAL, asked_of_product, **PLAIN),
        "terms": networks(rng, TERMS, asked_of_terms, n_train=SIZES[:3], **terms),
        "variance": spoilt(rng, variance, share=0.5, draw=1, status="diverged", error=np.nan),
    }
    kernels_of = {
        "equal_dimension": kernels(rng, EQUAL, NTK, n_train=[*SIZES, 8000], depth=[1, 3, 7]),
        "bias": kernels(rng, BIAS, betas, draws=6, n_train=SIZES, depth=[1, 2, 7]),
    }
    return networks_of, kernels_of


def made(seed=0):
    """Make the cubes of all grids."""
    rng, groups = np.random.default_rng(seed), {}
    for networks_of, kernels_of in (of_the_paper(rng), of_our_own(rng)):
        groups |= {f"{grid}/networks": data for grid, data in networks_of.items()}
        groups |= {f"{grid}/kernels": data for grid, data in kernels_of.items()}
    return tree_of(TASKS, groups)
