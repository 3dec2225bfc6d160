"""Numbers that the figure of the origins of a variance has to draw: standard deviations, intervals and shares."""

import json

import numpy as np
import xarray as xr
from artists import Panel, curve, text
from planted_numbers import Case, numbers, parts_of_variance, shown

ORIGINS = ("data set", "rate search", "start")


def searched(seed=5):
    """Make a cube of two protocols that differ in their search, and a third; the spread of errors has three parts."""
    axes = {"task": ["a", "b"], "protocol": ["other", "own", "again"], "depth": [1, 7], "width": [50], "n_train": [100]}
    shapes = {("draw",): 0.02, ("protocol", "draw"): 0.012, ("protocol", "draw", "seed"): 0.008}
    sizes = {**axes, "draw": 6, "seed": 3}
    error = numbers(seed, 0.2, 0.3, **axes) + sum(
        scale * numbers(seed + i, -1, 1, **{dim: sizes[dim] for dim in ("task", "depth", *dims)})
        for i, (dims, scale) in enumerate(shapes.items())
    )
    error = error.transpose(*sizes)
    status = xr.full_like(error, "fitted", dtype=object)
    status.loc[{"task": "a", "depth": 7, "draw": 2, "protocol": "own", "seed": 1}] = "diverged"
    status.loc[{"task": "b", "depth": 1}] = "missing"
    search = {"folds": 2, "partition": 0, "draws": 1}
    again = {"kind": "sgd", "learning_rate": {**search, "partition": 1}}
    protocols = {"other": {"kind": "adam", "learning_rate": 0.1}, "own": {"kind": "sgd", "learning_rate": search}}
    tree = xr.DataTree.from_dict({"networks": xr.Dataset({"test_error": error, "status": status})})
    tree.attrs["spec"] = json.dumps({"protocols": {**protocols, "again": again}})
    return tree


def searched_errors(tree, task, depth):
    """Return the errors (draw, search, seed) of a cell of ``searched``, without the data set of which one diverged."""
    errors = tree["networks"].test_error.sel(task=task, depth=depth, protocol=["own", "again"]).squeeze()
    errors = errors.transpose("draw", "protocol", "seed").values
    return np.delete(errors, 2, 0) if (task, depth) == ("a", 7) else errors


@shown("variance_components")
def origins_of_a_variance():
    tree, cells, marks = searched(), [("a", 1), ("a", 7), ("b", 7)], []
    for i, (task, depth) in enumerate(cells):
        deviations, shares = parts_of_variance(searched_errors(tree, task, depth))
        places, look = np.arange(3) + (i - 1) * 0.8 / 3, {"color": f"C{i}"}
        value, low, high = deviations.T
        marks.append(curve(None, places, value, low=low, high=high, **look))
        del marks[-1]["y"], marks[-1]["is"]  # the bars have no line
        for place, top, share in zip(places, value, shares[:, 0], strict=True):
            box = [place - 0.35 / 3, place + 0.35 / 3, 0, top]
            marks.append({"is": "box", "label": f"{task}, L = {depth}, N = 100", "box": box})
            marks.append(text(f"{share:.0%}", x=place))
    panel = Panel("", marks, y="standard deviation of a test error", ticks=dict(enumerate(ORIGINS)))
    return Case(tree, {"searches": ["own", "again"]}, [panel])
