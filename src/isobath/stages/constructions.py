"""A network whose weights are known in closed form, scored on the test set of a task."""

from pathlib import Path
from typing import Any

import xarray as xr

from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.device import choose_device
from isobath.jobs.provenance import provenance
from isobath.jobs.specs import bound, tensors
from isobath.networks import mlp
from isobath.results import constructions
from isobath.training.losses import misclassified
from isobath.training.stacks import Network, outputs_in_blocks


def main(spec: dict[str, Any], code: str, test_set: Path, output: Path) -> None:
    """Write what results/constructions.py declares of the perceptron that ``build`` makes for the task, in float64."""
    device = choose_device()
    weights = [w.to(device) for w in bound("construction", spec["construction"])(spec["task"])]
    inputs, labels = tensors(test_set, device)
    f = outputs_in_blocks(Network(mlp, {}), weights, inputs.double())
    wrong = misclassified(f, labels)[0].double()
    columns = {
        "test_error": wrong.mean().item(),
        **{f"error_of_class{c}": wrong[labels == c].mean().item() for c in (0, 1)},
        **{f"count_of_class{c}": (labels == c).sum().item() for c in (0, 1)},
        "n_parameters": sum(w[0].numel() for w in weights),
        "n_hidden_layers": len(weights) // 2 - 1,
        "largest_width": max(w.shape[1] for w in weights[::2]),
    }
    variables = {name: ((), value, constructions.VARIABLES[name].attrs) for name, value in columns.items()}
    attrs = {"title": "construction", "device": device.type, **provenance(spec, code, test_set)}
    store.write(xr.Dataset(variables, coords=spec["cell"], attrs=attrs), output)
    print(columns)


if __name__ == "__main__":
    command_line.run(main)
