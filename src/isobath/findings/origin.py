"""Provenance of findings: the commit, versions, processors, core-hours, networks and digests of all runs."""

from collections.abc import Iterator, Sequence

from isobath.findings import markdown
from isobath.findings.contents import Findings
from isobath.findings.ledger import Cube, Judged, Key
from isobath.page.provenance import as_words

SHORT = 12  # digits of a digest that are shown; provenance.json has all
HOURS = ("study", "run", "cubes", "networks", "core-hours", "read at commit", "verdicts.json, SHA-256")


def of_all(found: Findings) -> Iterator[str]:
    """Yield the provenance of all studies and runs."""
    yield from _commit(found)
    yield from _made_by(found)
    rows = ([key.study, _run(key), *_costs(judged, found.ledger.commit)] for key, judged in found.ledger.judged())
    yield from markdown.table(HOURS, rows, right=HOURS[2:5])
    yield from ("Grids of a study may share networks; core-hours are those of the jobs that finished, by their logs.",)


def of_study(found: Findings, study: str) -> Iterator[str]:
    """Yield the cubes of a study in every run, with the networks in them."""
    judged = [(key, each) for key, each in found.ledger.judged() if key.study == study]
    cubes = [(key, grid, cube) for key, each in judged for grid, cube in each.cubes.items()]
    statuses = sorted({status for *_, cube in cubes for status in cube.networks})
    groups = list(dict.fromkeys(group for *_, cube in cubes for group in cube.cells))
    rows = ([_run(key), grid, *_counts(cube, statuses, groups), _digest(cube.sha256)] for key, grid, cube in cubes)
    counted = [*statuses, *(group.replace("_", " ") for group in groups)]
    yield from markdown.table(["run", "grid", *counted, "cube, SHA-256"], rows, right=counted)


def _counts(cube: Cube, statuses: Sequence[str], groups: Sequence[str]) -> list[str]:
    counts = [*(cube.networks.get(status) for status in statuses), *(cube.cells.get(group) for group in groups)]
    return [str(count or "") for count in counts]


def _digest(sha256: str) -> str:
    return f"`{sha256[:SHORT]}`"


def _run(key: Key) -> str:
    return f"{key.scale}, seed {key.seed}"


def _commit(found: Findings) -> Iterator[str]:
    ledger = found.ledger
    made = [
        flag for _, each in ledger.judged() for flag in (each.current, *(cube.current for cube in each.cubes.values()))
    ]
    which = f"commit `{ledger.commit}`" if ledger.commit else "a folder that is no repository"
    since = ", with changes that were not committed" if ledger.changed else ""
    yield (
        f"The pages were made at {which}{since}. {sum(made)} of the {len(made)} verdicts and cubes are of the code of "
        "the commit at which they were read."
    )
    yield ""


def _made_by(found: Findings) -> Iterator[str]:
    """Yield the versions and the processors, each once."""
    for key, title in (("versions", "Versions"), ("processor", "Processor"), ("device", "Device")):
        texts = sorted({text for _, judged in found.ledger.judged() for text in judged.made_by[key]})
        if texts:
            yield f"- {title}: {'; '.join(map(as_words, texts))}"
    yield ""


def _costs(judged: Judged, commit: str) -> list[str]:
    hours = "" if judged.hours is None else f"{judged.hours:g}"
    read = judged.commit or commit
    counts = [str(len(judged.cubes)), str(judged.networks), hours]
    return [*counts, _digest(read) if read else "", _digest(judged.sha256)]
