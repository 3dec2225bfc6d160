"""A network whose weights are known in closed form, scored on the test set of a task."""

from pathlib import Path
from typing import Any

import xarray as xr

from isobath.binding import bound
from isobath.classes import misclassified
from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.device import choose_device
from isobath.jobs.provenance import provenance
from isobath.jobs.specs import architecture, tensors
from isobath.results.constructions import VARIABLES
from isobath.training.architecture import n_parameters, outputs_in_blocks


def main(spec: dict[str, Any], code: str, test_set: Path, output: Path) -> None:
    """Write the variables of results/constructions.py for the network built for the task, in float64."""
    device = choose_device()
    built = bound("construction", spec["construction"])(spec["task"])
    network, weights = architecture(built.network), [w.to(device) for w in built.weights]
    inputs, labels = tensors(test_set, device)
    f = outputs_in_blocks(network, weights, inputs.double())
    widths = network.widths(weights)
    wrong = misclassified(f, labels)[0].double()
    columns = {
        "test_error": wrong.mean().item(),
        **{f"error_of_class{c}": wrong[labels == c].mean().item() for c in (0, 1)},
        **{f"count_of_class{c}": (labels == c).sum().item() for c in (0, 1)},
        "n_parameters": n_parameters(weights),
        "n_hidden_layers": len(widths) - 1,
        "largest_width": max(widths),
    }
    variables = {name: ((), value, VARIABLES[name].attrs) for name, value in columns.items()}
    attrs = {"title": "construction", "device": device.type, **provenance(spec, code, test_set)}
    store.write(xr.Dataset(variables, coords=spec["cell"], attrs=attrs), output)
    print(columns)


if __name__ == "__main__":
    command_line.run(main)
