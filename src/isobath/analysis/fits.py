"""Fits to the gathered cells of a cube: the jamming threshold, and the laws of the study."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.jamming.tables import jamming, labelled
from isobath.analysis.laws.fit import fit
from isobath.analysis.laws.law import law_of
from isobath.results import WITHOUT_PART
from isobath.statuses import FITTED, UNFITTED

WEIGHTS = "n_weights"  # N


def thresholds(networks: xr.Dataset, *, generator: np.random.Generator) -> xr.Dataset:
    """Return the group ``jamming``: N* of every combination of task, protocol, depth, n_train, with t* in epochs.

    Where trainings were recorded, the group also has the N* that each of the recorded epochs would have given as t*,
    since N* drifts with t*. A network that was given up early, as dead, would not have fitted by t* either.
    """
    t_star = networks.protocol_max_epochs.reset_coords(drop=True)
    epochs = networks.epochs.where(networks.status != UNFITTED, t_star)
    located = labelled(jamming(networks.assign(epochs=epochs), generator=generator).assign(t_star=t_star))
    steps = [step for step in networks.step.values if step > 0] if "step" in networks.dims else []
    if not steps:
        return located
    drift = [_at_step(networks, step, generator) for step in steps]
    drifting = xr.concat(drift, xr.DataArray(steps, dims="step", name="step"), combine_attrs="drop")
    return labelled(located.merge(drifting, combine_attrs="drop"))


def _at_step(networks: xr.Dataset, step: int, generator: np.random.Generator) -> xr.Dataset:
    """Return N* and its interval with ``step`` as t*."""
    late = (networks.status == FITTED) & (networks.epochs > step)
    status = networks.status.where(~late, UNFITTED)
    located = jamming(networks.drop_vars("epochs").assign(status=status), generator=generator)
    return located[["threshold", "low", "high"]].rename(threshold="threshold_at", low="low_at", high="high_at")


def fitted_laws(
    groups: Mapping[str, xr.Dataset],
    laws: Mapping[str, Mapping[str, Any]],
    *,
    generators: Callable[[str], np.random.Generator],
) -> dict[str, xr.Dataset]:
    """Return the groups ``laws/<name>``: each law (see schema.Law), fitted to the group of the cube that it names.

    Each has a generator of its own, by its name, so that one more law changes no other. Raises ValueError where the
    cube has no such group, variable or value.
    """
    fits = {}
    for name, law in laws.items():
        if law["group"] not in groups:
            raise ValueError(f"law {name}: the cube has no group {law['group']!r}; it has {', '.join(groups)}")
        try:
            fits[f"laws/{name}"] = _fitted(groups, law, generators(name))
        except (ValueError, KeyError) as error:
            raise ValueError(f"law {name}: {error}") from None
    return fits


def _fitted(groups: Mapping[str, xr.Dataset], law: Mapping[str, Any], generator: np.random.Generator) -> xr.Dataset:
    """Fit a law to the part of its group that it selects."""
    return fit(
        _selected(groups, law),
        [law_of(law["form"], free=free) for free in (False, True)],
        variable=law["variable"],
        axis=law["axis"],
        along=law["along"],
        statistic=law["statistic"],
        minimum=law["above"],
        maximum=law["below"],
        generator=generator,
    )


def _selected(groups: Mapping[str, xr.Dataset], law: Mapping[str, Any]) -> xr.Dataset:
    """Return variable and axis of a law where ``select``, ``beyond`` and ``within`` have them."""
    group = groups[law["group"]]
    for name in (law["variable"], law["axis"]):
        if name not in group.variables:
            raise ValueError(f"{name!r} is not in the group; it has {', '.join(map(str, group.variables))}")
    for dim, selection in law["select"].items():
        values = group[dim].values.tolist() if dim in group.coords else []
        if not set(selection if isinstance(selection, list) else [selection]) <= set(values):
            listed = ", ".join(map(str, values)) or "no such dim"
            raise ValueError(f"select.{dim} is {selection!r}; the group has {listed}")
    names = (name + ending for name in (law["variable"], law["axis"]) for ending in ("", WITHOUT_PART))
    data = group[[name for name in dict.fromkeys(names) if name in group.data_vars]].sel(law["select"])
    if law["beyond"] is None and law["within"] is None:
        return data
    if WEIGHTS not in group or law["along"] not in group[WEIGHTS].dims:
        raise ValueError(f"beyond and within are in units of N*; {law['along']!r} is no dim of {WEIGHTS}")
    return _near_jamming(data, group[WEIGHTS], groups["jamming"].threshold, law)


def _near_jamming(
    data: xr.Dataset, weights: xr.DataArray, threshold: xr.DataArray, law: Mapping[str, Any]
) -> xr.Dataset:
    """Keep the variable of a law in its range in units of N*, NaN elsewhere and where N* is not known."""
    dims = [dim for dim in threshold.dims if dim in data.coords]
    unit = threshold.sel({dim: data[dim] for dim in dims}).reset_coords(drop=True)
    weights = weights.sel({dim: data[dim] for dim in weights.dims if dim in data.coords}).reset_coords(drop=True)
    low, high = law["beyond"] or 0, law["within"] or np.inf
    in_range = (weights >= low * unit) & (weights <= high * unit)
    return data.assign({law["variable"]: data[law["variable"]].where(in_range)})
