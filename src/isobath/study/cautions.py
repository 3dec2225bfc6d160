"""Cautions: settings that are allowed, since one may want them, and mislead those who did not think of them."""

from collections.abc import Iterator

from isobath.study.run import Run, StudyRun, ends
from isobath.study.schema import Protocol


def of(run: Run) -> list[str]:
    """Return a sentence for each setting of a run that misleads, which names the study and the keys."""
    return [f"study {name}: {caution}" for name, part in run.parts.items() for caution in _coincident_kinks(part)]


def _coincident_kinks(run: StudyRun) -> Iterator[str]:
    """Yield a caution for each protocol whose networks start with biases of 0 on tasks of one input.

    A unit sigma(w x + b) bends at x = -b / w. With b = 0 all units of the first layer bend at 0, so that a network
    starts as two straight lines, however wide and deep it is.
    """
    asked = {(name, task) for block in run.blocks for name in block.protocols for task in block.tasks}
    for name, protocol in run.study.protocols.items():
        tasks = sorted(task for each, task in asked if each == name and ends(run.study, task)[0] == 1)
        if tasks and _starts_with_zeros(protocol):
            yield (
                f"protocols.{name}.network.initialisation.bias is 0, and these of its tasks have one input: "
                f"{', '.join(tasks)}; all units of the first layer bend at 0 when training starts. "
                "A bias of 0.1 spreads the places where they bend"
            )


def _starts_with_zeros(protocol: Protocol) -> bool:
    initialisation = getattr(protocol.network, "initialisation", None) or {}
    return initialisation.get("bias") == 0 and getattr(protocol.network, "activation", None) != "identity"
