"""Claims as the page shows them: their verdicts, and their parts with drawings and counts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from isobath.page import intervals, links
from isobath.page.contents import Build, Study

# Outcomes of a source's claims, of our own, and of checks, then those that all can have.
WORDS = ("reproduced", "not reproduced", "holds", "does not hold", "verified", "violated", "inconclusive", "not run")
FEW = 8  # parts of a claim that are shown unfolded, at most


class Claim(NamedTuple):
    """A claim of a study, its record from ``verdicts.judge``, and each part with its drawn interval.

    The parts of an ``unfolded`` claim are visible at once. ``papers`` and ``code`` are links, ``figures`` names.
    """

    study: str
    scale: str
    record: Mapping[str, Any]
    parts: Sequence[tuple[Mapping[str, Any], intervals.Interval | None]]
    unfolded: bool
    papers: Sequence[links.Link]
    figures: Sequence[str]
    code: links.Link | None

    @property
    def anchor(self) -> str:
        """Return the name by which links find the claim."""
        return f"{self.study}-{self.record['claim']}"

    @property
    def published(self) -> bool:
        """Tell whether the source has a number for one of the parts."""
        return any(part["published"] for part, _ in self.parts)

    @property
    def counts(self) -> str:
        """Count the verdicts of its parts: '3 reproduced, 1 inconclusive'."""
        return ", ".join(f"{n} {word}" for word, n in tally(part for part, _ in self.parts).items())

    @property
    def about(self) -> str:
        """Return the headline without the verdict: how many parts agree and were run, and what they hold fixed."""
        return str(self.record["headline"]).removeprefix(self.record["verdict"]).removeprefix(", ")


def of_study(study: Study, build: Build) -> list[Claim]:
    """Return the claims of a study in its order; none if the study was not judged."""
    if study.verdicts is None:
        return []
    return [_claim(study, study.verdicts["scale"], record, build) for record in study.verdicts["claims"]]


def by_label(parts: Iterable[Mapping[str, Any]]) -> dict[tuple[str, int], Mapping[str, Any]]:
    """Return the parts of a claim by their label, and by their number among parts with this label."""
    counts: Counter[str] = Counter()
    by_label = {}
    for part in parts:
        by_label[part["label"], counts[part["label"]]] = part
        counts[part["label"]] += 1
    return by_label


def tally(records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count the verdicts of claims or parts, in the order of WORDS; those that do not occur are left out."""
    counts = Counter(record["verdict"] for record in records)
    return {word: counts[word] for word in WORDS if counts[word]}


def _claim(study: Study, scale: str, record: Mapping[str, Any], build: Build) -> Claim:
    parts = list(zip(record["parts"], intervals.place(record["parts"]), strict=True))
    shown = record["verdict"] != "not run" or any(place for _, place in parts)
    unfolded = shown and len(parts) <= FEW
    made_by = study.code.get(record["claim"])
    code = links.of_code(build, made_by.file) if made_by else None
    linked = links.of_source(study, record), links.figures_of(study, record), code
    return Claim(study.name, scale, record, parts, unfolded, *linked)
