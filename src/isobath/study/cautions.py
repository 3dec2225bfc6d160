"""Warnings about settings of a run that are valid and often not intended."""

import itertools
from collections.abc import Iterator
from typing import Any

from isobath import plugins
from isobath.binding import parts
from isobath.study.run import Run, StudyRun, ends
from isobath.study.schema import Protocol
from isobath.study.training_costs import size_in


def of(run: Run) -> list[str]:
    """Return a sentence for each setting of a run that misleads, which names the study and the keys."""
    kinds = (_coincident_kinks, _unknown_sizes)
    return [f"study {name}: {caution}" for name, part in run.parts.items() for kind in kinds for caution in kind(part)]


def _unknown_sizes(run: StudyRun) -> Iterator[str]:
    """Yield a caution for each protocol whose networks have a size that their plug-in does not say."""
    for name, protocol in run.study.protocols.items():
        network = {"kind": protocol.network.kind, **protocol.network.settings}
        trains = (block for block in run.blocks if name in block.protocols and block.depth and block.width)
        for block in itertools.islice(trains, 1):
            if size_in(run.study, block.tasks[0], network, depth=block.depth[0], width=block.width[0]) is None:
                yield (
                    f"protocols.{name} trains networks of the kind {_without_size(network)}, whose size is not known "
                    "without SIZE in its plug-in: estimates and limits count its jobs as if they trained nothing"
                )


def _without_size(network: Any) -> str:
    """Return the kind of a network, or of the one inside, that does not say its size."""
    kind, settings = parts(network)
    inside = settings.get("network")
    return kind if inside is None or plugins.literal("network", kind, "SIZE") is None else _without_size(inside)


def _coincident_kinks(run: StudyRun) -> Iterator[str]:
    """Yield a caution for each protocol whose networks say that their units bend together, on tasks of one input.

    A unit sigma(w x + b) bends at x = -b / w. With b = 0 all units of the first layer bend at 0, so that a network
    starts as two straight lines, however wide and deep it is.
    """
    pairs = {(name, task) for block in run.blocks for name in block.protocols for task in block.tasks}
    for name, protocol in run.study.protocols.items():
        tasks = sorted(task for protocol_name, task in pairs if protocol_name == name and ends(run.study, task)[0] == 1)
        bending = _bending_together(protocol) if tasks else {}
        for key, value in list(bending.items())[:1]:
            yield (
                f"protocols.{name}.network.{key} is {value}, and these of its tasks have one input: "
                f"{', '.join(tasks)}; all units of the first layer bend at 0 when training starts. "
                "A value of 0.1 spreads the places where they bend"
            )


def _bending_together(protocol: Protocol) -> dict[str, Any]:
    """Return the settings with which all units bend at 0, as the network's plug-in says; {} if it has others."""
    network = protocol.network
    settings = plugins.literal("network", network.kind, "BEND_TOGETHER", {})
    return settings if all(_setting(network.settings, key) == value for key, value in settings.items()) else {}


def _setting(settings: Any, key: str) -> Any:
    """Return the setting with a dotted key, such as ``initialisation.bias``; None where there is none."""
    for part in key.split("."):
        settings = settings.get(part) if isinstance(settings, dict) else None
    return settings
