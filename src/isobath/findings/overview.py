"""Overview of findings: counts of verdicts, those that change with the seed, all claims by run, provenance."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from isobath.findings import METHODS, comparison, markdown, number_tables, origin, page_of
from isobath.findings.comparison import Change, Compared
from isobath.findings.contents import Findings
from isobath.findings.ledger import NAME as LEDGER
from isobath.findings.ledger import NOT_RUN, Run
from isobath.findings.markdown import sentence, written
from isobath.findings.tables import NUMBERS, VERDICTS
from isobath.page.claims import WORDS


def lines(findings: Findings, text: str) -> Iterator[str]:
    """Yield the lines of the overview; they begin with ``text``, which people wrote. Raises FindingsError."""
    claims = {study: comparison.of_study(findings, study) for study in findings.ledger.studies}
    yield from ("# Findings", "")
    yield from ([number_tables.filled(written(text), findings), ""] if text else [])
    yield f"[All verdicts]({VERDICTS}), [their numbers]({NUMBERS}), [what would have refuted them]({METHODS}),"
    yield from (f"[provenance]({LEDGER}).", "", "## Studies", "", *_studies(findings), "## Verdicts", "")
    yield from _counts(findings, claims)
    yield from ("## Verdicts that change with the seed", "", *_changes(findings))
    yield from ("## Verdicts that contradict each other", "", *_contradictions(findings), "## Claims", "")
    yield from _matrix(findings, claims)
    yield from ("## Provenance", "", *origin.of_all(findings))


def _studies(findings: Findings) -> Iterator[str]:
    runs = findings.ledger.runs
    for name, outline in findings.ledger.studies.items():
        run_names = "; ".join(run.name for run in runs if name in run.studies) or NOT_RUN
        yield f"- [{sentence(outline.title)}]({page_of(name)}): {sentence(outline.source)} ({run_names})"
    yield ""


def _counts(findings: Findings, claims: Mapping[str, Sequence[Compared]]) -> Iterator[str]:
    """Yield a table with the number of claims of each verdict, by run, those of sources and our own apart.

    The counts of a run are those of its studies.
    """
    rows: list[tuple[str, str, Counter[str]]] = []
    for i, run in enumerate(findings.ledger.runs):
        for whose, is_own in (("of the sources", False), ("of our own", True)):
            listed = [c for study in run.studies for c in claims[study] if c.statement.own == is_own]
            if listed:
                rows.append((run.name, whose, Counter(claim.counted[i] for claim in listed)))
    words = [word for word in (*WORDS, comparison.FORMER) if any(counts[word] for *_, counts in rows)]
    cells = ([run, whose, *(str(counts[word] or "") for word in words)] for run, whose, counts in rows)
    yield from markdown.table(["run", "claims", *words], cells, right=words)


def _changes(findings: Findings) -> Iterator[str]:
    if not comparison.repeated(findings):
        yield from ("No study was run with several seeds of one scale.", "")
        return
    changes = comparison.changes(findings)
    yield from ([*map(_change, changes), ""] if changes else ["None.", ""])


def _contradictions(findings: Findings) -> Iterator[str]:
    contradictions = comparison.contradictions(findings)
    yield from ([*map(_change, contradictions), ""] if contradictions else ["None.", ""])


def _change(change: Change) -> str:
    verdicts = "; ".join(f"{run}: **{verdict}**" for run, verdict in change.verdicts.items())
    return f"- {_link(change.claim)} ({change.claim.study}): {verdicts}"


def _matrix(findings: Findings, claims: Mapping[str, Sequence[Compared]]) -> Iterator[str]:
    runs = findings.ledger.runs
    judged = [(claim, record) for of_study in claims.values() for claim in of_study for record in claim.records]
    if any(claim.by_former_criteria(record) for claim, record in judged):
        yield from (
            f"A verdict {comparison.FORMER} is of a run that was judged when the claim measured something else, "
            "or by a claim that its study no longer has. It is not compared with others, nor counted among them.",
            "",
        )
    rows = (
        [study, _link(claim), sentence(claim.statement.source), *_verdicts(runs, claim)]
        for study, of_study in claims.items()
        for claim in of_study
    )
    yield from markdown.table(["study", "claim", "place", *(run.name for run in runs)], rows)


def _verdicts(runs: Sequence[Run], claim: Compared) -> Iterator[str]:
    """Yield the verdict of each run, and nothing for a run without the study."""
    for run, record in zip(runs, claim.records, strict=True):
        yield claim.verdict_of(record) if claim.study in run.studies else ""


def _link(claim: Compared) -> str:
    return markdown.claim_link(claim.statement.statement, claim.study, claim.statement.claim)
