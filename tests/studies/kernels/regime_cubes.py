"""Made-up cubes of networks between the lazy and the feature regime, with errors that are planted."""

import json
import math

import numpy as np
import xarray as xr

from isobath import claim_files
from isobath.analysis.verdicts import judge

ALPHAS = [0.01, 0.1, 1.0, 10.0, 100.0]
RATES = [0.1, 0.3, 1.0]
DRAWS = 6
DIMS = ["task", "protocol", "depth", "width", "n_train", "draw", "seed", "learning_rate", "step"]


def networks(tasks, protocols, error, *, depths=(1, 7), widths=(50,), sizes=(400,), best=0.3, noise=0.002, falling=0.2):
    """Make networks with errors (task, protocol, depth, width, n) at the ``best`` rate, and 0.1 more at the others.

    In the second half of the training they are ``falling`` by that.
    """
    axes = [tasks, protocols, depths, widths, sizes]
    shape = (*map(len, axes), DRAWS, 1, len(RATES), 2)
    values = np.empty(shape)
    for place in np.ndindex(*shape[:5]):
        values[place] = error(*(axis[i] for axis, i in zip(axes, place, strict=True)))
    of_draw = np.random.default_rng(0).normal(0, noise, (DRAWS, 1, 1, 1))
    values = values + of_draw + 0.1 * (np.array(RATES) != best)[:, None] + np.array([falling, 0.0])
    coords = {dim: list(axis) for dim, axis in zip(DIMS[:5], axes, strict=True)} | {"draw": range(DRAWS), "seed": [0]}
    coords |= {"learning_rate": RATES, "step": [1, 2]}
    names = ("recorded_test_error", "recorded_first_half_error", "recorded_second_half_error")
    found = xr.Dataset(dict.fromkeys(names, (DIMS, values)), coords=coords)
    return found.assign(
        status=xr.full_like(found.recorded_test_error[..., 0], "fitted", dtype=object).drop_vars("step")
    )


TASKS = {
    f"{k}-terms-{m}": {"kind": "k_terms", "k": k, "terms": m, "dimension": d, "rotated": False}
    for k, d in ((2, 10), (3, 8))
    for m in (1, d)
}


def lazy(error, *, kernel=0.0, **how):
    """Make lazy networks with error(alpha, k, m, depth, width), and a kernel that differs from them by ``kernel``."""
    protocols = {**{f"lazy_{a:g}": a for a in ALPHAS}, "own": math.nan}

    def planted(task, protocol, depth, width, n):
        settings, alpha = TASKS[task], protocols[protocol]
        off = 0.0 if alpha == alpha else kernel
        return off + error(alpha if alpha == alpha else ALPHAS[-1], settings["k"], settings["terms"], depth, width)

    data = networks([*TASKS], [*protocols], planted, **how)
    return data.assign_coords(
        protocol_network=("protocol", ["lazy"] * len(ALPHAS) + ["linearised"]),
        protocol_network_alpha=("protocol", [*protocols.values()]),
        **{f"task_{name}": ("task", [s[name] for s in TASKS.values()]) for name in ("k", "terms", "dimension")},
    )


def tree(grid, tasks=TASKS, **groups):
    node = xr.DataTree.from_dict({name.replace("__", "/"): group for name, group in groups.items()})
    node.attrs = {"spec": json.dumps({"tasks": tasks}), "n_test": 10**7}
    return xr.DataTree(children={grid: node})


def verdict(name, cube):
    return judge(claim_files.load_claim("kernels", name), cube)["verdict"]


def feature_share(alpha):
    """Return 1 in the feature regime, 0 in the lazy one, 1/2 at alpha = 1."""
    return float(np.interp(np.log(alpha), [np.log(0.1), np.log(10)], [1, 0]))


def expected(alpha, k, m, depth, width):
    """Return the gain that the claims state: depth helps local labels in the feature regime alone.

    On 3-global labels it changes its sign.
    """
    share = feature_share(alpha)
    if m == 1:
        return 0.4 - share * (0.1 + 0.1 * (depth == 7))
    return 0.4 - 0.05 * share + (0.1 * share - 0.05 if (depth, k) == (7, 3) else 0.0)
