"""Findings of runs whose results are elsewhere now: kept beside those of other runs, from their tables and figures."""

from collections.abc import Mapping

from isobath.findings import figures
from isobath.findings.contents import Findings
from isobath.findings.ledger import Judged, Key, Outline, completed, runs


def together(earlier: Findings, later: Findings) -> Findings:
    """Return the findings of ``later``, and of ``earlier`` the studies of all runs that ``later`` does not have.

    A figure is that of the run with most networks, of equals that of the first run. Raises FindingsError.
    """
    records = dict(later.ledger.judged())
    earlier_records = {
        key: _of_commit(record, earlier) for key, record in earlier.ledger.judged() if key not in records
    }
    exhibits, files = figures.choose(
        _larger(_figures(earlier, earlier_records), _figures(later, records), {**earlier_records, **records})
    )
    of_both = {
        "studies": _outlines(earlier.ledger.studies, later.ledger.studies, {key.study for key in earlier_records}),
        "runs": runs({**earlier_records, **records}),
        "figures": exhibits,
    }
    claims = {**{key: earlier.claims[key] for key in earlier_records}, **later.claims}
    return Findings(later.ledger.model_copy(update=of_both), dict(sorted(claims.items())), files).checked()


def _of_commit(record: Judged, earlier: Findings) -> Judged:
    return record.model_copy(update={"commit": record.commit or earlier.ledger.commit})


def _figures(findings: Findings, records: Mapping[Key, Judged]) -> figures.Drawn:
    by_figure = figures.of_exhibits(findings.ledger.figures, findings.files)
    return {figure: drawing for figure, drawing in by_figure.items() if drawing.key in records}


def _larger(earlier: figures.Drawn, later: figures.Drawn, records: Mapping[Key, Judged]) -> figures.Drawn:
    """Return every figure once, from the run with most networks; of equals that of the first run, by its key."""

    def rank(drawing: figures.Shown) -> tuple[int, Key]:
        return -records[drawing.key].networks, drawing.key

    larger = {
        figure: drawing
        for figure, drawing in earlier.items()
        if figure not in later or rank(drawing) < rank(later[figure])
    }
    return {**later, **larger}


def _outlines(earlier: Mapping[str, Outline], current: Mapping[str, Outline], studies: set[str]) -> dict[str, Outline]:
    """Return the present studies, with claims of the kept findings that they no longer have."""
    merged = {study: completed(current.get(study, earlier[study]), earlier[study].claims) for study in sorted(studies)}
    return {**current, **merged}
