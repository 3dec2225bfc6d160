"""What is fitted to a cube once its cells are gathered: the jamming threshold and the laws of the study."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis import jamming, laws

WEIGHTS = "n_weights"  # N


def thresholds(networks: xr.Dataset, *, generator: np.random.Generator) -> xr.Dataset:
    """The group ``jamming``: N* of every combination of task, protocol, depth, n_train, with t* in epochs.

    Where trainings were recorded, also the N* that each of the recorded epochs would have given as t*: it
    drifts. A network that was given up early, as dead, would not have fitted by t* either.
    """
    t_star = networks.protocol_max_epochs.reset_coords(drop=True)
    epochs = networks.epochs.where(networks.status != "unfitted", t_star)
    found = jamming.jamming(networks.assign(epochs=epochs), generator=generator)
    about = {"long_name": "t*, the epochs after which an unfitted network is given up", "units": "1"}
    found = found.assign(t_star=t_star.assign_attrs(about))
    steps = [step for step in networks.step.values if step > 0] if "step" in networks.dims else []
    if not steps:
        return found
    drift = [_at_step(networks, step, generator) for step in steps]
    drifting = xr.concat(drift, xr.DataArray(steps, dims="step", name="step"), combine_attrs="drop")
    return found.merge(drifting, combine_attrs="drop")


def _at_step(networks: xr.Dataset, step: int, generator: np.random.Generator) -> xr.Dataset:
    """N* and its interval with ``step`` as t*."""
    late = (networks.status == "fitted") & (networks.epochs > step)
    status = networks.status.where(~late, "unfitted")
    found = jamming.jamming(networks.drop_vars("epochs").assign(status=status), generator=generator)
    return found[["threshold", "low", "high"]].rename(threshold="threshold_at", low="low_at", high="high_at")


def fitted_laws(
    groups: Mapping[str, xr.Dataset],
    asked: Mapping[str, Mapping[str, Any]],
    *,
    generators: Callable[[str], np.random.Generator],
) -> dict[str, xr.Dataset]:
    """The groups ``laws/<name>``: each law of ``asked`` (see schema.Law), fitted to the group of the cube it names.

    Each has a generator of its own, by its name, so that one more law moves no other.

    Raises ValueError where the cube has no such group, variable or value.
    """
    found = {}
    for name, law in asked.items():
        if law["group"] not in groups:
            raise ValueError(f"law {name}: the cube has no group {law['group']!r}; it has {', '.join(groups)}")
        try:
            found[f"laws/{name}"] = _fitted(groups, law, generators(name))
        except (ValueError, KeyError) as error:
            raise ValueError(f"law {name}: {error}") from None
    return found


def _fitted(groups: Mapping[str, xr.Dataset], law: Mapping[str, Any], generator: np.random.Generator) -> xr.Dataset:
    whole = data = groups[law["group"]]
    for name in (law["variable"], law["axis"]):
        if name not in data.variables:
            raise ValueError(f"{name!r} is not in the group; it has {', '.join(map(str, data.variables))}")
    for dim, wanted in law["select"].items():
        has = data[dim].values.tolist() if dim in data.coords else []
        if not set(wanted if isinstance(wanted, list) else [wanted]) <= set(has):
            raise ValueError(f"select.{dim} is {wanted!r}; the group has {', '.join(map(str, has)) or 'no such dim'}")
    data = data[[law["variable"], *({law["axis"]} & set(data.data_vars))]].sel(law["select"])
    if law["beyond"] is not None or law["within"] is not None:
        if WEIGHTS not in whole or law["along"] not in whole[WEIGHTS].dims:
            raise ValueError(f"beyond and within are in units of N*; {law['along']!r} is no dim of {WEIGHTS}")
        data = _about_jamming(data, whole[WEIGHTS], groups["jamming"].threshold, law)
    settings = dict(law["form"])
    return laws.fit(
        data,
        variable=law["variable"],
        axis=law["axis"],
        along=law["along"],
        form=settings.pop("kind"),
        settings=settings,
        statistic=law["statistic"],
        minimum=law["above"],
        maximum=law["below"],
        generator=generator,
    )


def _about_jamming(
    data: xr.Dataset, weights: xr.DataArray, threshold: xr.DataArray, law: Mapping[str, Any]
) -> xr.Dataset:
    """Only what lies in a range in units of N*; nothing where N* is not known."""
    dims = [dim for dim in threshold.dims if dim in data.coords]
    unit = threshold.sel({dim: data[dim] for dim in dims}).reset_coords(drop=True)
    low, high = law["beyond"] or 0, law["within"] or np.inf
    kept = (weights >= low * unit) & (weights <= high * unit)
    return data.assign({law["variable"]: data[law["variable"]].where(kept)})
