"""Training loss against width, a dot per network."""

import xarray as xr
from matplotlib.figure import Figure

from isobath.plotting.axes import panels
from isobath.settings import ProtocolName, TaskName


def draw(cube: xr.DataTree, *, task: TaskName, protocol: ProtocolName) -> Figure:
    """Draw the loss of every network of a task at its end of training."""
    loss = cube["networks"].loss.sel(task=task, protocol=protocol).mean(["depth", "n_train", "draw"])
    figure, (axis,) = panels([""])
    for seed in loss.seed.values:
        axis.plot(loss.width, loss.sel(seed=seed), "o", color="#0072B2")
    axis.set(xlabel="width H", ylabel="training loss")
    return figure
