"""Count the oscillations of a block of networks on sawtooth labels from their kinks, at their start and trained."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
import xarray as xr

from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.provenance import provenance
from isobath.jobs.stored_networks import started, trained
from isobath.results.oscillation_counts import MOMENTS, VARIABLES
from isobath.separation.sawtooth import pieces
from isobath.separation.sawtooth_networks import Network, each, judge, value

X = np.linspace(0, 1, 257)  # where the networks are drawn
COUNTED = ("intervals", "wrong", "accuracy")


def main(spec: dict[str, Any], code: str, networks: Path, output: Path) -> None:
    """Write the counts of intervals along seed, or along learning_rate and seed of a sweep; NaN where one diverged."""
    cell, count = spec["cell"], pieces(**spec["wave"])
    weights = store.read(networks).weights.transpose(..., "seed", "parameter")
    axes, lengths = weights.dims[:-1], weights.shape[:-1]
    flat = weights.values.reshape(-1, weights.shape[-1])
    end = trained(spec["protocol"], cell, flat, inputs=1, outputs=1, device=torch.device("cpu"))
    start = started(spec, end, weights.seed.values.tolist(), inputs=1, outputs=1)
    before, after = (np.array([counts(network, count) for network in each(state.weights)]) for state in (start, end))
    after = after.reshape(*lengths, len(COUNTED))
    table = np.stack([np.broadcast_to(before, after.shape), after])
    outputs = np.array([value(network, 2 * X - 1) for network in each(end.weights)], dtype=np.float32)
    columns: dict[str, Any] = {name: (("moment", *axes), table[..., i]) for i, name in enumerate(COUNTED)}
    columns["output"] = ((*axes, "x"), outputs.reshape(*lengths, -1))
    variables = {name: (dims, values, VARIABLES[name].attrs) for name, (dims, values) in columns.items()}
    coords = {dim: weights[dim].values for dim in axes} | {"moment": list(MOMENTS), "x": X} | cell
    attrs = {"title": "oscillations of networks", **provenance(spec, code, networks)}
    store.write(xr.Dataset(variables, coords=coords, attrs=attrs), output)
    print(f"at most {np.nanmax(table[..., 0]):g} intervals")


def counts(network: Network, count: int) -> list[float]:
    """Return COUNTED of a network on a wave of ``count`` pieces."""
    if not all(np.isfinite(w).all() for w in network):
        return [np.nan] * len(COUNTED)
    intervals, judgement = judge(network, count)
    return [intervals, judgement.wrong, judgement.accuracy]


if __name__ == "__main__":
    command_line.run(main)
