"""Labels of cells: symbols of their axes, and the settings of their plug-ins under one name each."""

from collections.abc import Mapping
from typing import Any

SYMBOLS = {"depth": "L", "width": "H", "n_train": "N"}  # of axes, in messages


def flat(plugin: Mapping[str, Any]) -> dict[str, Any]:
    """Return the kind and settings of a plug-in, with the kind and settings of each plug-in inside, such as loss_p."""
    settings: dict[str, Any] = {}
    for name, value in plugin.items():
        if isinstance(value, Mapping) and "kind" in value:
            inner = flat(value)
            settings |= {name: inner.pop("kind"), **{f"{name}_{key}": setting for key, setting in inner.items()}}
        else:
            settings[name] = value
    return settings
