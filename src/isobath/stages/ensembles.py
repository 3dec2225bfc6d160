"""Average the networks of a cell to ensembles, and measure the distances between their boundaries."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
import xarray as xr

from isobath.analysis.ensembles.errors import SampleErrors
from isobath.analysis.ensembles.tables import of_distances, of_errors, of_fluctuations
from isobath.classes import is_real
from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.device import choose_device
from isobath.jobs.provenance import provenance
from isobath.jobs.seed_blocks import converged
from isobath.jobs.specs import loss, tensors
from isobath.jobs.stored_networks import boundaries, trained
from isobath.randomness import stream
from isobath.results import labelled
from isobath.results.ensembles import VARIABLES


def main(
    spec: dict[str, Any], code: str, training_set: Path, test_set: Path, networks: list[Path], output: Path
) -> None:
    """Write the ensembles of the networks that did not diverge; of two classes in one output, boundaries too."""
    cell, device = spec["cell"], choose_device()
    block = converged(networks, first=spec["seeds"])
    train, test = tensors(training_set, device), tensors(test_set, device)
    streams = [
        stream(spec["seed"], "ensembles", purpose, *map(str, cell.values())) for purpose in ("errors", "distances")
    ]
    f = block.outputs.transpose("seed", "test_sample", "output").values.astype(np.float64)
    ensemble = trained(
        spec["protocol"], cell, block.weights.values, inputs=train[0].shape[1], outputs=f.shape[2], device=device
    )
    parts, classes = [], not is_real(test[1])
    if len(f) > 1:
        normal = stream(spec["seed"], "ensembles", "normal", cell["task"]).standard_normal(test[0].shape)
        measures = {"test": f, "train": ensemble.outputs(train[0])} | (
            {"normal": ensemble.outputs(normal)} if f.shape[2] == 1 else {}
        )
        error, labels = sample_errors(spec["protocol"]["loss"]), test[1].cpu().numpy()
        errors = [of_errors(f, labels, error=error, generator=streams[0])] if classes else []
        parts = [*errors, of_fluctuations(measures)]
    if len(f) > 1 and f.shape[2] == 1 and classes:
        parts += [of_distances(f, ensemble.gradients(test[0]), generator=streams[1]), boundaries(ensemble, test, f)]
    dataset = xr.merge(parts, join="outer", compat="equals", combine_attrs="drop_conflicts")
    dataset = dataset.assign(labelled(VARIABLES, {"n_weights": int(block.n_weights.values.max(initial=0))}))
    dataset = dataset.assign_coords(seed=block.seed.values, **cell)
    made_by = provenance(spec, code, training_set, test_set, *networks)
    store.write(dataset.assign_attrs(title="ensembles", device=device.type, **made_by), output)
    print(dataset)


def sample_errors(settings: dict[str, Any]) -> SampleErrors:
    """Return the error of a loss as a function of outputs (S, B, K) and labels (B,), arrays of NumPy."""
    objective = loss(settings)
    return lambda outputs, labels: objective.error(torch.from_numpy(outputs), torch.from_numpy(labels)).numpy()


if __name__ == "__main__":
    command_line.run(main)
