"""Samples of fractal distributions (Malach & Shalev-Shwartz, Fig. 2).

- ``samples``: number of samples of each task
"""

import json

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from isobath.fractals.sets import of_task
from isobath.plotting.axes import panels
from isobath.plotting.legends import add_legend
from isobath.plotting.style import BLUE, ORANGE
from isobath.randomness import stream
from isobath.settings import Count, TaskName
from isobath.tasks.fractal import sample

KINDS = {"tasks": "fractal"}


def draw(cube: xr.DataTree, *, tasks: tuple[TaskName, ...], samples: Count = 5000) -> Figure:
    """Draw a panel per task with the first two coordinates of fresh samples: positives in blue, negatives in orange.

    In one dimension the ordinate is the label.
    """
    settings = {task: json.loads(cube.attrs["spec"])["tasks"][task] for task in tasks}
    for of_one in settings.values():
        of_task(of_one)  # raises ValueError for a task that is no fractal
    figure, axes = panels([f"{task}: curve {settings[task]['curve']}" for task in tasks])
    for axis, task in zip(axes, tasks, strict=True):
        task_settings = {key: value for key, value in settings[task].items() if key not in ("kind", "n_test")}
        x, labels = sample(samples, generator=stream(0, "samples to be shown", task), **task_settings)
        names = ("x1", "x2") if x.shape[1] > 1 else ("x", "label")
        x = x[:, :2] if x.shape[1] > 1 else np.column_stack([x, labels])
        for label, color, name in ((0, ORANGE, "negative"), (1, BLUE, "positive")):
            axis.plot(*x[labels == label].T, ".", color=color, markersize=0.8, label=name, rasterized=True)
        axis.set_aspect("equal")
        axis.set(xlabel=names[0], ylabel=names[1])
    add_legend(figure, axes, markerscale=8)
    return figure
