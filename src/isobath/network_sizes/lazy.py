"""The size of a network that keeps its start."""

import importlib
from typing import Any

from isobath import sizes
from isobath.sizes import Size


def size(*, n_inputs: int, n_outputs: int, depth: int, width: int, network: Any) -> Size:
    """Return the size of a network that keeps its start beside its trained weights, and applies both.

    Raises LookupError where that of the network inside is not known.
    """
    plugins = importlib.import_module("isobath.plugins")  # on demand: it reads files
    kind, settings = plugins.completed("network", network)
    path = plugins.literal("network", kind, "SIZE")
    if path is None:
        raise LookupError(f"the size of a network {kind} is not known")
    inner = sizes.size(path, {"n_inputs": n_inputs, "n_outputs": n_outputs, "depth": depth, "width": width}, settings)
    return Size(2 * inner.parameters, inner.activations, inner.operations)
