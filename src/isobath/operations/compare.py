"""Comparison of two runs (seeds, commits or machines): which verdicts, numbers and bytes differ, and by how much.

The difference of two estimates is given in standard errors, each taken from a 95 % interval on the side of the other:

    z = (b - a) / sqrt(s_a^2 + s_b^2),  s = |bound - estimate| / 1.96.

In runs with different seeds one number in twenty differs by more than 2 standard errors by chance.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from isobath.analysis.standard_errors import Z
from isobath.disk import commits, store, verdict_files
from isobath.disk.attributes import read_attributes
from isobath.operations import arguments
from isobath.page.claims import by_label
from isobath.paths import STORE
from isobath.results import page as page_kind

FAR = 2.0  # standard errors from which a difference is listed
MADE_BY = ("seed", "code", "versions", "processor", "device")
CLAIM = {"claim", "verdict", "parts"}  # entries of a claim in verdicts.json that are compared
PART = {"label", "estimate", "low", "high", "verdict"}
SUFFIXES = (STORE, ".json", ".svg", ".pdf", ".png", ".html")

Part = Mapping[str, Any]  # of a claim, as verdicts.json has it


class Place(NamedTuple):
    """A part of a claim: its study, its claim, its label, and its number among parts with this label."""

    study: str
    claim: str
    label: str
    number: int

    def __str__(self) -> str:
        return f"{self.study}, {self.claim}: {self.label}{f' ({self.number + 1})' if self.number else ''}"


class Difference(NamedTuple):
    """The estimates of a part in two runs, and their difference in standard errors; None where there is no interval."""

    place: Place
    a: float
    b: float
    errors: float | None


def claims(records: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Return the verdict of each claim, by study and claim."""
    return {
        (study, claim["claim"]): claim["verdict"] for study, record in records.items() for claim in record["claims"]
    }


def parts(records: Mapping[str, Any]) -> dict[Place, Part]:
    """Return the parts of all claims."""
    return {
        Place(study, claim["claim"], *label): part
        for study, record in records.items()
        for claim in record["claims"]
        for label, part in by_label(claim["parts"]).items()
    }


def differences(a: Mapping[Place, Part], b: Mapping[Place, Part]) -> list[Difference]:
    """Return the differences of the estimates that both runs have, the largest first; equal ones are left out."""
    listed = [
        Difference(place, a[place]["estimate"], b[place]["estimate"], standard_errors(a[place], b[place]))
        for place in a.keys() & b.keys()
        if None not in (a[place]["estimate"], b[place]["estimate"]) and a[place]["estimate"] != b[place]["estimate"]
    ]
    return sorted(listed, key=lambda d: (-math.inf if d.errors is None else -abs(d.errors), d.place))


def standard_errors(a: Part, b: Part) -> float | None:
    """Return b - a in standard errors; None if one of them has no interval, or both have no width."""
    if None in (a["low"], a["high"], b["low"], b["high"]):
        return None
    upward = b["estimate"] > a["estimate"]
    error = math.hypot(*(abs(p[side] - p["estimate"]) / Z for p, side in zip((a, b), _sides(upward), strict=True)))
    return (b["estimate"] - a["estimate"]) / error if error else None


def _sides(upward: bool) -> tuple[str, str]:
    """Return the bounds of a and of b that lie toward each other."""
    return ("high", "low") if upward else ("low", "high")


def files(results: Path) -> dict[str, Path]:
    """Return the results below a folder, by their name there."""
    linked = [study for study in results.glob("*/") if study.is_symlink()]  # which rglob does not enter
    outside = [study for study in linked if not study.resolve().is_relative_to(results.resolve())]
    paths = (path for folder in (results, *outside) for path in folder.rglob("*") if path.name.endswith(SUFFIXES))
    found = {path.relative_to(results).as_posix(): path for path in paths if not path.name.startswith(".")}
    return {name: path for name, path in found.items() if path.is_file()}


def _made_by(results: Path) -> dict[str, set[str]]:
    """Return the values of the attributes MADE_BY in all cubes, which name the devices that made their results."""
    attributes = [read_attributes(path) for path in sorted(results.glob("*/cubes/*.zarr.zip"))]
    return {key: {str(attrs[key]) for attrs in attributes if key in attrs} for key in MADE_BY}


def report(a: Path, b: Path) -> Iterator[str]:
    """Yield the lines of the comparison of two ``results/<scale>``. Raises FileNotFoundError, CorruptedStore."""
    yield f"A: {a}\nB: {b}"
    made_a, made_b = _made_by(a), _made_by(b)
    for key in (key for key in MADE_BY if made_a[key] != made_b[key]):
        yield f"made from other {key}: {_short(made_a[key] - made_b[key])} and {_short(made_b[key] - made_a[key])}"
    pages = [commits.of_page(results / page_kind.FILE) for results in (a, b)]
    if any(pages):
        yield f"pages made at the commits: {' and '.join(commit or 'unknown' for commit in pages)}"
    found_a, found_b = _records(a), _records(b)
    yield from _of_verdicts(claims(found_a), claims(found_b))
    yield from _of_numbers(parts(found_a), parts(found_b))
    yield from _of_bytes(files(a), files(b))


def _records(results: Path) -> dict[str, dict[str, Any]]:
    """Return the verdicts of a run by study. Raises CorruptedStore for those of a version with other entries."""
    files = verdict_files.find(results)
    return {file.parent.name: verdict_files.read(file, of_claim=CLAIM, of_part=PART) for file in files}


def _short(values: set[str]) -> str:
    return f"{len(values)} values" if len(values) > 1 else "".join(values) or "none"


def _of_verdicts(a: Mapping[tuple[str, str], str], b: Mapping[tuple[str, str], str]) -> Iterator[str]:
    both = sorted(a.keys() & b.keys())
    changed = [claim for claim in both if a[claim] != b[claim]]
    yield f"\nVerdicts: {len(changed)} of {len(both)} differ{_only(a, b)}."
    yield from (f"  {study}, {claim}: {a[study, claim]} -> {b[study, claim]}" for study, claim in changed)


def _of_numbers(a: Mapping[Place, Part], b: Mapping[Place, Part]) -> Iterator[str]:
    changed, both = differences(a, b), a.keys() & b.keys()
    far = [d for d in changed if d.errors is None or abs(d.errors) > FAR]
    compared = [abs(d.errors) for d in changed if d.errors is not None]
    yield f"\nNumbers: {len(changed)} of {len(both)} parts differ{_only(a, b)}{_spread(compared) if changed else ''}."
    yield from map(_line, far)
    words = (place for place in sorted(both) if a[place]["verdict"] != b[place]["verdict"])
    yield from (f"  {place}: {a[place]['verdict']} -> {b[place]['verdict']}" for place in words)


def _spread(errors: Sequence[float]) -> str:
    if not errors:
        return "; none of these with intervals in both"
    beyond = f"{sum(error > FAR for error in errors)} by more than {FAR:g} standard errors"
    return f"; of {len(errors)} with intervals {beyond}, the largest by {max(errors):.1f}"


def _line(difference: Difference) -> str:
    by = "no interval" if difference.errors is None else f"{difference.errors:+.1f} standard errors"
    return f"  {difference.place}: {difference.a:.6g} -> {difference.b:.6g}, {by}"


def _of_bytes(a: Mapping[str, Path], b: Mapping[str, Path]) -> Iterator[str]:
    both = sorted(a.keys() & b.keys())
    changed = [name for name in both if _digest(a[name]) != _digest(b[name])]
    kinds = Counter(name.split("/")[1] if name.count("/") > 1 else name.rpartition("/")[2] for name in changed)
    by_kind = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    yield f"\nFiles: {len(changed)} of {len(both)} differ in bytes{_only(a, b)}{': ' if by_kind else ''}{by_kind}."


def _digest(path: Path) -> str:
    """Return the SHA-256 of a result as it is now, and not as a store said when it was made. Raises CorruptedStore."""
    if path.name.endswith(STORE):
        store.verify(path)
    return store.digest(path)


def _only(a: Mapping[Any, Any], b: Mapping[Any, Any]) -> str:
    """Say how many entries only one of the runs has."""
    counts = ((len(first.keys() - second.keys()), name) for first, second, name in ((a, b, "A"), (b, a, "B")))
    return "".join(f", {count} are in {name} alone" for count, name in counts if count)


@click.command(cls=arguments.Command)
@click.argument("a", type=click.Path(path_type=Path), metavar="A/results/SCALE")
@click.argument("b", type=click.Path(path_type=Path), metavar="B/results/SCALE")
def command(a: Path, b: Path) -> None:
    """Compare the verdicts, numbers and bytes of two runs.

    Differences of numbers are given in standard errors. The runs may be of other seeds, scales, commits or machines.
    """
    print(*report(a, b), sep="\n")
