"""The verdicts as the page shows them: parts with their drawings, counts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from isobath.page import intervals
from isobath.page.contents import Study

OUTCOMES = ("reproduced", "not reproduced", "inconclusive", "not run")
FEW = 8  # up to so many parts are shown without being asked for


class Claim(NamedTuple):
    """A claim of a study, as ``verdicts.judge`` has it, with what is drawn of each part; unfolded or not."""

    study: str
    scale: str
    about: Mapping[str, Any]
    parts: Sequence[tuple[Mapping[str, Any], intervals.Interval | None]]
    unfolded: bool

    @property
    def counts(self) -> str:
        """What became of its parts: '3 reproduced, 1 inconclusive'."""
        return ", ".join(f"{n} {outcome}" for outcome, n in tally(part for part, _ in self.parts).items() if n)


def of_study(study: Study) -> list[Claim]:
    """The claims of a study, in its order; none where nothing was judged."""
    if study.verdicts is None:
        return []
    return [_claim(study.name, study.verdicts["scale"], record) for record in study.verdicts["claims"]]


def tally(judged: Any) -> dict[str, int]:
    """How many of what has a ``verdict`` have which, in the order of OUTCOMES."""
    counts = Counter(one["verdict"] for one in judged)
    return {outcome: counts[outcome] for outcome in OUTCOMES}


def _claim(study: str, scale: str, record: Mapping[str, Any]) -> Claim:
    parts = list(zip(record["parts"], intervals.place(record["parts"]), strict=True))
    unfolded = record["verdict"] != "not run" and len(parts) <= FEW
    return Claim(study, scale, record, parts, unfolded)
