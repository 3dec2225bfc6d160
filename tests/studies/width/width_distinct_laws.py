"""Tables of the laws of the width study with other numbers in every place, and whole trees of the study with them.

A fit that no claim should ask about is rejected in these tables, and an exponent drifts where no claim should mind.
"""

import functools
import json
from contextlib import contextmanager

import numpy as np
import width_distinct
import xarray as xr

CONSTANT, CORRECTED = ("constant", "c0", "exponent"), ("constant", "c0", "c1", "exponent")
OF_WIDTHS = {
    "fluctuation": ("c0", "exponent"), "variance": CONSTANT, "gradient_norm": CONSTANT,
    "kernel_fluctuation": ("c0", "exponent"), "kernel_change": ("c0", "exponent"), "limit_error": CONSTANT,
    "distance": ("c0", "c1", "exponent"), "distance_estimate": ("c0", "exponent"), "apparent_error": CONSTANT,
    "excess_error": ("c0", "c1", "exponent"), "error_and_distance": ("c0", "exponent"), "test_error": CORRECTED,
    "norm": ("amplitude", "pole", "exponent"),
}  # fmt: skip
OF_SIZES = {
    "ensemble_size": CONSTANT,
    "distance_size": ("c0", "exponent"),
    "error_and_distance_size": ("constant", "c0", "exponent"),
}
# The fits whose chi^2 a claim asks about: of the exponents of theory (fixed), of a free one, or both.
TESTED = dict.fromkeys(("gradient_norm", "distance", "excess_error", "norm"), ("fixed", "free"))
TESTED |= dict.fromkeys(("test_error", "test_error_channels", "variance"), ("fixed",))
TESTED |= dict.fromkeys(("fluctuation", "kernel_fluctuation", "kernel_change", "limit_error"), ("free",))
TESTED |= dict.fromkeys(("distance_estimate", "error_and_distance"), ("free",))
# The laws whose exponent may not be another in the half of the points with the larger networks.
STEADY = {"fluctuation", "gradient_norm", "kernel_fluctuation", "kernel_change", "limit_error", "distance_estimate"}
STEADY |= {"distance", "error_and_distance", "excess_error", *OF_SIZES}
FITS, LAW_STEPS = ["fixed", "free"], [10, 300, 900]
SCALES = {"constant": 0.04, "pole": 300.0, "exponent": -0.4, "c1": -7.0, "c0": 3.0, "amplitude": 20.0}
PAPER = {
    "tasks": {"digits": {"kind": "mnist_parity", "dimension": 10}},
    "blocks": [{"depth": [5], "n_train": [10000]}],
    "protocols": {"adam": {"max_epochs": 2_000_000}},
}
SIZES_OF_THE_PAPER = {
    "widths": PAPER,
    "ensembles": PAPER | {"tasks": {"digits": {"kind": "mnist_parity", "dimension": 30}}},
    "channels": {
        "tasks": {"digits": {"kind": "cifar10"}},
        "blocks": [{"width": [*width_distinct.CHANNELS], "depth": [3], "n_train": [50000], "seeds": 20}],
    },
}
OTHER_SIZES = {"tasks": {task: {"kind": "digits_parity"} for task in width_distinct.AXES["task"]}}
N_TEST, N_TEST_OF_TASK = 5000, 700


def table(random, name, parameters, along, points):
    """Make the table of a law at points of the dim ``along``."""
    value = np.array([SCALES[p] for p in parameters]) * random.uniform(0.7, 1.3, (2, len(parameters)))
    reach = np.abs(value) * random.uniform(0.1, 0.3, (2, *value.shape))
    exponent = value[:, parameters.index("exponent")] + (0.0 if name in STEADY else 5.0)
    p = random.uniform(0.02, 0.9, 2)
    p[[fit not in TESTED.get(name, ()) for fit in FITS]] = np.nan if along == "size" else 1e-4
    fitted = random.permutation(np.arange(len(points)) % 2 == 1)
    columns = {
        "value": (("fit", "parameter"), value),
        "low": (("fit", "parameter"), value - reach[0]),
        "high": (("fit", "parameter"), value + reach[1]),
        "p_value": (("fit",), p),
        "reason": (("fit",), np.full(2, "", dtype=object)),
        "upper": (("fit",), exponent + 0.01),
        "upper_low": (("fit",), exponent - random.uniform(0.05, 0.1, 2)),
        "upper_high": (("fit",), exponent + random.uniform(0.05, 0.1, 2)),
        "upper_reason": (("fit",), np.full(2, "", dtype=object)),
        "n_points": ((), int(fitted.sum())),
        "networks": ((along,), random.integers(12, 20, len(points)) - 6 * ~fitted),
        "x": ((along,), random.uniform(1, 2, len(points)) + ~fitted),  # points that are not fitted are the largest
        "y": ((along,), random.uniform(1, 2, len(points))),
        "fitted": ((along,), fitted),
    }
    coords = {along: points, "fit": FITS, "parameter": [*parameters]}
    return width_distinct.everywhere(random, width_distinct.AXES, columns, coords)


def of_grid(random, grid, sizes):
    """Make the laws of a grid, by the paths of their groups."""
    if grid == "ensembles":
        made = {
            name: [table(random, name, parameters, "size", np.arange(1, 10)) for _ in range(2)]
            for name, parameters in OF_SIZES.items()
        }
        for first, _ in made.values():
            first["n_points"] *= 0  # its one fit is that of the second width
        laws = {
            name: xr.concat(both, xr.DataArray([30, 60], dims="width", name="width")) for name, both in made.items()
        }
    else:
        named = OF_WIDTHS if grid == "widths" else {"test_error_channels": CORRECTED}
        laws = {name: table(random, name, parameters, "width", [*sizes]) for name, parameters in named.items()}
    if "norm" in laws:
        by_step = [table(random, "norm", OF_WIDTHS["norm"], "width", [*sizes]) for _ in LAW_STEPS]
        laws["norm"] = xr.concat(by_step, xr.DataArray(LAW_STEPS, dims="step", name="step"))
        low = laws["variance"].low
        low.loc[{"fit": "fixed", "parameter": "constant"}] *= -1  # no residual variance is known to be there
    return {f"laws/{name}": law for name, law in laws.items()}


@functools.cache
def tree(*, published=False):
    """Make a tree of the study; with the sizes of the paper where ``published``, which adds parts to claims."""
    makers = {"widths": width_distinct.widths, "channels": width_distinct.channels}
    makers |= {"data_sets": width_distinct.data_sets, "margins": width_distinct.margins}
    groups = {grid: make(np.random.default_rng(20)) for grid, make in makers.items()}
    for grid, sizes in {"widths": width_distinct.SIZES, "channels": width_distinct.CHANNELS}.items():
        groups[grid] |= of_grid(np.random.default_rng(21), grid, sizes)
    groups["ensembles"] = of_grid(np.random.default_rng(22), "ensembles", ())
    groups["ensembles"]["networks"] = groups["widths"]["networks"][["status"]]
    made = xr.DataTree.from_dict(
        {f"{grid}/{path}": table for grid, cube in groups.items() for path, table in cube.items()}
    )
    for grid in groups:
        spec = json.loads(json.dumps(SIZES_OF_THE_PAPER.get(grid, OTHER_SIZES) if published else OTHER_SIZES))
        spec["tasks"]["digits"] = spec["tasks"]["digits"] | {"n_test": N_TEST_OF_TASK}
        made[grid].attrs |= {"n_test": N_TEST, "spec": json.dumps(spec)}
    return made


@contextmanager
def changed(path, change, *, published=False):
    """Give the tree other numbers within the context: the variables of a group that ``change`` makes of it."""
    made = tree(published=published)
    before = made[path]
    made[path] = xr.DataTree(before.to_dataset().assign(change(before.to_dataset())))
    try:
        yield made
    finally:
        made[path] = before


@contextmanager
def with_spec(grid, change, *, published=False):
    """Give a grid of the tree other settings within the context, those that ``change`` makes of them in place."""
    made = tree(published=published)
    before = made[grid].attrs["spec"]
    spec = json.loads(before)
    change(spec)
    made[grid].attrs["spec"] = json.dumps(spec)
    try:
        yield made
    finally:
        made[grid].attrs["spec"] = before
