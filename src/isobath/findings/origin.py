"""Provenance of findings: the commit, versions, processors, core-hours, networks and digests of all runs."""

from collections.abc import Iterator, Sequence

from isobath.findings import markdown
from isobath.findings.contents import Findings
from isobath.findings.ledger import Cube, Judged
from isobath.page.provenance import as_words

SHORT = 12  # digits of a digest that are shown; provenance.json has all
HOURS = ("study", "run", "cubes", "networks", "core-hours", "read at commit", "verdicts.json, SHA-256")


def of_all(findings: Findings) -> Iterator[str]:
    """Yield the provenance of all studies and runs."""
    yield from _commit(findings)
    yield from _made_by(findings)
    rows = ([key.study, key.run, *_costs(record, findings.ledger.commit)] for key, record in findings.ledger.judged())
    yield from markdown.table(HOURS, rows, right=HOURS[2:5])
    yield from ("Grids of a study may share networks; core-hours are those of the jobs that finished, by their logs.",)


def of_study(findings: Findings, study: str) -> Iterator[str]:
    """Yield the cubes of a study in every run, with the networks in them."""
    records = [(key, record) for key, record in findings.ledger.judged() if key.study == study]
    cubes = [(key, grid, cube) for key, record in records for grid, cube in record.cubes.items()]
    statuses = sorted({status for *_, cube in cubes for status in cube.networks})
    groups = list(dict.fromkeys(group for *_, cube in cubes for group in cube.cells))
    rows = ([key.run, grid, *_counts(cube, statuses, groups), _digest(cube.sha256)] for key, grid, cube in cubes)
    counted = [*statuses, *(group.replace("_", " ") for group in groups)]
    yield from markdown.table(["run", "grid", *counted, "SHA-256 of the cube's content"], rows, right=counted)


def _counts(cube: Cube, statuses: Sequence[str], groups: Sequence[str]) -> list[str]:
    counts = [*(cube.networks.get(status) for status in statuses), *(cube.cells.get(group) for group in groups)]
    return [str(count or "") for count in counts]


def _digest(sha256: str) -> str:
    return f"`{sha256[:SHORT]}`"


def _commit(findings: Findings) -> Iterator[str]:
    ledger = findings.ledger
    flags: dict[str, bool] = {}
    for key, record in ledger.judged():
        parts = {"verdicts": record.current, **{f"cube {grid}": cube.current for grid, cube in record.cubes.items()}}
        flags |= {f"{key.run}, {key.study}: {name}": current for name, current in parts.items()}
    others = [name for name, current in flags.items() if not current]
    place = f"commit `{ledger.commit}`" if ledger.commit else "a folder that is no repository"
    since = ", with changes that were not committed" if ledger.changed else ""
    names = f" Not so: {'; '.join(others)}." if others else ""
    read = "of the commit at which they were read" if ledger.commit else "that was there when they were read"
    yield (
        f"The pages were made at {place}{since}. {sum(flags.values())} of the {len(flags)} verdicts and cubes are of "
        f"the code {read}.{names}"
    )
    yield ""


def _made_by(findings: Findings) -> Iterator[str]:
    """Yield the versions, the processors and the devices, each once."""
    for key, title in (
        ("versions", "Versions"),
        ("processor", "Processor"),
        ("device", "Device, where results name it"),
    ):
        texts = sorted({text for _, record in findings.ledger.judged() for text in record.made_by[key]})
        if texts:
            yield f"- {title}: {'; '.join(map(as_words, texts))}"
    yield ""


def _costs(record: Judged, commit: str) -> list[str]:
    hours = "" if record.hours is None else f"{record.hours:g}"
    read_at = record.commit or commit
    counts = [str(len(record.cubes)), str(record.networks), hours]
    return [*counts, _digest(read_at) if read_at else "", _digest(record.sha256)]
