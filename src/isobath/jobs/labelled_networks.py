"""Trained networks as a labelled data set: what a job of the workflow stores and what ``isobath.train`` returns."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from torch import Tensor

from isobath import results
from isobath.classes import is_real
from isobath.results.networks import VARIABLES


def labelled(
    columns: Mapping[str, np.ndarray],
    cell: Mapping[str, Any],
    *,
    rates: Sequence[float] | None,
    seeds: Sequence[int],
    records: Sequence[int],
    truth: Tensor,
) -> xr.Dataset:
    """Return columns (networks, ...) along seed, or along learning_rate and seed where the ``rates`` are an axis.

    The other dims of a variable are those that results/networks.py declares. ``truth`` holds the labels (n,) or the
    targets (n, K) of the test samples, which stand beside the outputs f(x) where these are stored.
    """
    axes: dict[str, Any] = {"seed": list(seeds)} if rates is None else {"learning_rate": rates, "seed": list(seeds)}
    lengths, real = [len(values) for values in axes.values()], is_real(truth)
    variables: dict[str, tuple[Sequence[str], np.ndarray, dict[str, str]]] = {}
    for name, column in columns.items():
        further = [dim for dim in VARIABLES[name].dims if dim != "seed"]
        variables[name] = (
            [*axes, *further],
            column.reshape(*lengths, *column.shape[1:]),
            VARIABLES[name].attrs_of(real=real),
        )
    if "outputs" in columns:
        name = "test_targets" if real else "test_labels"
        variables |= results.labelled(VARIABLES, {name: truth.cpu().numpy()})
    steps = {"step": records} if records else {}
    data = xr.Dataset(variables, coords={**axes, **steps, **cell})
    return data.assign_coords({dim: np.arange(n) for dim, n in data.sizes.items() if dim not in data.coords})
