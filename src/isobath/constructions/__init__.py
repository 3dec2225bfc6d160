"""Constructions: networks whose weights are known in closed form, for a task.

A construction is a file ``constructions/<kind>.py`` with a function

    build(task, *, <settings>) -> Built(weights, network)

for the settings of a task, ``{"kind": ..., ...}``. The weights (R = 1), float64, are those of ``network``, a plug-in of
that family: its kind, or a mapping of ``kind`` and settings. Raises ValueError as ``accept`` does.

Optional: ``NETWORK``, that network where it is not ``mlp``; it is read, not imported, so that an edit of its code makes
constructions anew. ``accept(task, *, <settings>)`` refuses a task that the construction does not know (ValueError),
before any job; ``check(*, <settings>)`` refuses settings that contradict each other (ValueError). ``NEEDS = {setting:
{other setting: value}}`` refuses a setting that does nothing unless the other has that value; it too is read, not
imported.

Settings that mean the same in all kinds:

- ``shortcut``: levels s that fold at once
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from torch import Tensor

VERBS = ("build",)
PROVIDED = ()


class Built(NamedTuple):
    """Weights of one network (R = 1), and the plug-in whose weights they are: kind, or kind and settings."""

    weights: "list[Tensor]"
    network: str | Mapping[str, Any] = "mlp"


@runtime_checkable
class ConstructionModule(Protocol):
    """A module of this family."""

    def build(self, task: Mapping[str, Any]) -> Built:
        """Return the network that is known for a task."""
