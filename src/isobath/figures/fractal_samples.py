"""Samples of fractal distributions (Malach & Shalev-Shwartz, Fig. 2)."""

import json

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from isobath.plotting import charts
from isobath.randomness import stream
from isobath.settings import Count
from isobath.tasks.fractal import sample


def draw(cube: xr.DataTree, *, tasks: tuple[str, ...], samples: Count = 5000) -> Figure:
    """A panel per task with fresh samples by their first two coordinates: positives in blue, negatives in orange.

    In one dimension the second is the label.
    """
    settings = json.loads(cube.attrs["spec"])["tasks"]
    figure, axes = charts.panels([f"{task}: curve {settings[task]['curve']}" for task in tasks])
    for axis, task in zip(axes, tasks, strict=True):
        own = {key: value for key, value in settings[task].items() if key not in ("kind", "n_test")}
        x, labels = sample(samples, generator=stream(0, "samples to be shown", task), **own)
        x = x[:, :2] if x.shape[1] > 1 else np.column_stack([x, labels])
        for label, color, name in ((0, charts.ORANGE, "negative"), (1, charts.BLUE, "positive")):
            axis.plot(*x[labels == label].T, ".", color=color, markersize=0.8, label=name, rasterized=True)
        axis.set_aspect("equal")
    charts.legend(figure, axes)
    return figure
