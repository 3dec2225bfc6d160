"""Tiny fake files of the finite data sets, for the contracts."""

from typing import Any

from isobath import plugins
from isobath.contracts.tiny_images import archive, cifar, mnist
from isobath.randomness import stream


def files(kind: str) -> dict[str, bytes]:
    """Return tiny fake files of a finite data set, by their names."""
    if any(name.startswith("cifar10/") for name in plugins.files(kind)):
        return {name: archive([*cifar().items()]) for name in plugins.files(kind)}
    if "table/table.csv" in plugins.files(kind):
        rows = stream(0, "table").standard_normal((90, 3))
        return {"table/table.csv": "\n".join(",".join(map(str, row)) for row in rows).encode()}
    size: dict[str, Any] = {"size": (28, 28)} if kind == "mnist" else {}  # it has no other, since its inputs are pixels
    return {name: content for name, content in mnist(**size).items() if name in plugins.files(kind)}
