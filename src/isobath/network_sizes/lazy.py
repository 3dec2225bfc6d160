"""The size of a network that keeps its start."""

import importlib
from types import ModuleType
from typing import Any

from isobath import sizes
from isobath.binding import parts
from isobath.sizes import Size


def require_inside(network: Any) -> None:
    """Refuse networks that can't be inside another, such as those without biases (ValueError)."""
    kind, _ = parts(network)
    if reason := _plugins().literal("network", kind, "NEVER_INSIDE"):
        raise ValueError(f"network is {kind}; {reason}")


def _plugins() -> ModuleType:
    return importlib.import_module("isobath.plugins")  # on demand: it reads files


def size(*, n_inputs: int, n_outputs: int, depth: int, width: int, network: Any) -> Size:
    """Return the size of a network that keeps its start beside its trained weights, and applies both.

    Raises LookupError where that of the network inside is not known, and ValueError for one that can't be inside.
    """
    require_inside(network)
    plugins = _plugins()
    kind, settings = plugins.completed("network", network)
    path = plugins.literal("network", kind, "SIZE")
    if path is None:
        raise LookupError(f"the size of a network {kind} is not known")
    inner = sizes.size(path, {"n_inputs": n_inputs, "n_outputs": n_outputs, "depth": depth, "width": width}, settings)
    return inner._replace(parameters=2 * inner.parameters)
