"""Warnings about settings of a run that are valid and often not intended."""

from collections.abc import Iterator
from typing import Any

from isobath import plugins
from isobath.study.run import Run, StudyRun, ends
from isobath.study.schema import Protocol


def of(run: Run) -> list[str]:
    """Return a sentence for each setting of a run that misleads, which names the study and the keys."""
    return [f"study {name}: {caution}" for name, part in run.parts.items() for caution in _coincident_kinks(part)]


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
