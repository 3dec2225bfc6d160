"""Page of a study: the text that people wrote on it, figures, every claim with its numbers in all runs, networks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from isobath.findings import OVERVIEW, comparison, cube_sections, markdown, number_tables, origin
from isobath.findings.comparison import Compared
from isobath.findings.contents import Findings
from isobath.findings.figures import SOURCE
from isobath.findings.ledger import NOT_RUN, Exhibit
from isobath.findings.markdown import sentence, written
from isobath.page import numbers
from isobath.page.claims import FEW, by_label, tally
from isobath.page.document import heading
from isobath.plotting.legends import words_and_numbers

RULE = (
    "Each figure is of that run, among those that drew it, which has the most networks, and of equals of that with the "
    "smallest seed; its caption ends with scale and seed. At the size of the source there is one of its own."
)
OWN_REGION = "another in each run"
Part = Mapping[str, Any]
Parts = Mapping[tuple[str, int], Part]
T = TypeVar("T")


def lines(findings: Findings, study: str, text: str) -> Iterator[str]:
    """Yield the lines of the page; they begin with ``text``, which people wrote. Raises FindingsError."""
    outline, claims = findings.ledger.studies[study], comparison.of_study(findings, study)
    indices = [i for i, run in enumerate(findings.ledger.runs) if study in run.studies]
    runs = [findings.ledger.runs[i].name for i in indices]
    yield from (f"# {sentence(outline.title)}", "", f"{sentence(outline.source)}. [All studies]({OVERVIEW}).", "")
    yield from ([number_tables.filled(written(text), findings, study), ""] if text else [])
    if runs:
        yield from ("## Figures", "", *_figures([e for e in findings.ledger.figures if e.study == study]))
    yield from _sentences("Settings that are not those of the source, or that it does not state", outline.deviations)
    yield from _sentences("What the source asserts and no claim judges", outline.not_judged)
    yield from ("## Claims", "")
    yield from ([] if runs else ["This study was not run.", ""])
    changed = {change.claim.statement.claim for change in comparison.changes(findings) if change.claim.study == study}
    for claim in claims:
        records = [claim.records[i] for i in indices]
        name = claim.statement.claim
        of_runs = dict(zip(runs, records, strict=True))
        yield from _claim(claim, of_runs, grids=outline.grids.get(name, ()), changed=name in changed)
    if runs:
        yield from cube_sections.lines(findings, study)
        yield from ("## Networks and other cells", "", *origin.of_study(findings, study))


def _sentences(title: str, sentences: Sequence[str]) -> Iterator[str]:
    """Yield a section of what ``study.yaml`` says in sentences, which holds at every scale; nothing if it has none."""
    if sentences:
        yield from (f"## {title}", "")
        yield from (*(f"- {sentence(item)}" for item in sentences), "")


def _claim(
    claim: Compared, records: Mapping[str, Mapping[str, Any]], *, grids: Sequence[str], changed: bool
) -> Iterator[str]:
    statement = claim.statement
    yield from (f"### {markdown.anchor(statement.claim)}{sentence(statement.statement)}", "")
    name = f"`{statement.claim}`" + (f", from the cubes of {', '.join(f'`{grid}`' for grid in grids)}" if grids else "")
    measured = f"Source: {sentence(statement.source)}. Measured: {sentence(statement.statistic)}. Claim: {name}."
    yield from (measured, "")
    verdicts = _grouped({run: _verdict(claim, record) for run, record in records.items()})
    yield from (f"- {'; '.join(runs)}: {verdict}" for verdict, runs in verdicts.items())
    yield from ([] if records else [f"- **{NOT_RUN}**"])
    yield from (["- The verdict changes with the seed."] if changed else [])
    yield ""
    yield from _parts(claim, records)


def _grouped(texts: Mapping[str, T]) -> dict[T, list[str]]:
    """Return the runs with equal texts, by the text."""
    runs: dict[T, list[str]] = {}
    for run, text in texts.items():
        runs.setdefault(text, []).append(run)
    return runs


def _verdict(claim: Compared, record: Mapping[str, Any]) -> str:
    """Return a verdict with the rest of its headline, "3 of 4 parts agree", or with the parts that were not run.

    A verdict by former criteria says so.
    """
    word, rest = record["verdict"], str(record["headline"]).removeprefix(record["verdict"])
    labels = [part["label"] for part in record["parts"] if word == NOT_RUN]
    former = f" ({comparison.FORMER})" if claim.by_former_criteria(record) else ""
    return f"**{word}**{sentence(rest)}{former}" + (f" ({_few(labels)})" if labels else "")


def _parts(claim: Compared, records: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    parts = {run: by_label(record["parts"]) for run, record in records.items()}
    labels = list(dict.fromkeys(label for of_run in parts.values() for label in of_run))
    measured = any(part["estimate"] is not None for of_run in parts.values() for part in of_run.values())
    if not measured and all(record["verdict"] == NOT_RUN for record in records.values()):
        yield from _reasons(parts)
        return
    present = [parts[run] for run, record in records.items() if not claim.by_former_criteria(record)]
    rows = ([*_described(label, present, parts.values()), *_measured(parts.values(), label)] for label in labels)
    header = ["part", "claimed", "published", *(name for run in parts for name in (run, "verdict"))]
    block = [*markdown.table(header, rows), *_reasons(parts)]
    counts = "; ".join(f"{run}: {_tally(record)}" for run, record in records.items())
    yield from block if len(labels) <= FEW else markdown.folded(f"{len(labels)} parts. {counts}", block)


def _tally(record: Mapping[str, Any]) -> str:
    return ", ".join(f"{n} {word}" for word, n in tally(record["parts"]).items())


def _described(label: tuple[str, int], present: Iterable[Parts], runs: Iterable[Parts]) -> list[str]:
    """Return label, region and published number of a part, as runs by ``present`` criteria measured it, else as others.

    A bound that each run measures itself is not the same in all of them.
    """
    of_present, of_all = ([of_run[label] for of_run in group if label in of_run] for group in (present, runs))
    measured = ([part for part in parts if part["verdict"] != NOT_RUN] for parts in (of_present, of_all))
    parts = next(filter(None, measured), of_all)
    first, regions = parts[0], {numbers.region(part) for part in parts}
    name = f"{first['label']} (check)" if first["check"] else first["label"]
    return [sentence(name), regions.pop() if len(regions) == 1 else OWN_REGION, sentence(numbers.of_source(first))]


def _measured(runs: Iterable[Parts], label: tuple[str, int]) -> Iterator[str]:
    """Yield the number of a part and its verdict in each run."""
    for of_run in runs:
        part = of_run.get(label)
        yield "" if part is None or part["estimate"] is None else _number(part)
        yield NOT_RUN if part is None else part["verdict"]


def _number(part: Part) -> str:
    """Return the estimate with its interval and the numbers behind it: '0.12 [0.10, 0.14]; 6 data sets'."""
    return "; ".join(filter(None, [markdown.number(part), numbers.count(part)]))


def _reasons(parts: Mapping[str, Mapping[tuple[str, int], Part]]) -> Iterator[str]:
    """Yield each reason with the runs and the parts that it concerns."""
    concerned: dict[tuple[str, str, str], list[str]] = {}
    for run, of_run in parts.items():
        for part in of_run.values():
            if part["reason"]:
                concerned.setdefault((run, part["verdict"], part["reason"]), []).append(part["label"])
    reasons: dict[tuple[str, str, str], list[str]] = {}
    for (run, word, reason), names in concerned.items():
        reasons.setdefault((word, reason, _few(names)), []).append(run)
    yield from (
        f"- {'; '.join(runs)}, {word}: {sentence(reason)} ({labels})"
        for (word, reason, labels), runs in reasons.items()
    )
    yield from [""] if reasons else []


def _few(names: Sequence[str]) -> str:
    return sentence("; ".join(names)) if len(names) <= FEW else f"{len(names)} parts"


def _figures(exhibits: Sequence[Exhibit]) -> Iterator[str]:
    yield from (RULE, "") if exhibits else ()
    for exhibit in sorted(exhibits, key=_as_in_the_paper):
        yield from (f"### {heading(exhibit.name)}{_place(exhibit.scale)}", "")
        image = f"![{heading(exhibit.name)}]({exhibit.file})" if exhibit.file else "Left out: the drawing is too large."
        yield from (image, "", f"{sentence(exhibit.caption)} ({exhibit.scale}, seed {exhibit.seed})", "")
    yield from [] if exhibits else ["None were drawn.", ""]


def _as_in_the_paper(exhibit: Exhibit) -> tuple[bool, list[tuple[str, int]]]:
    """Return a key by which figures and tables of the paper come first, by their numbers."""
    return not exhibit.name.startswith(("figure", "table")), words_and_numbers(exhibit.name)


def _place(scale: str) -> str:
    return f", at the scale {scale}" if scale.startswith(SOURCE) else ""
