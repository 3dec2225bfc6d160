"""Findings of runs whose results are elsewhere now: kept beside those of other runs, from their tables and figures."""

from collections.abc import Mapping

from isobath.findings import figures
from isobath.findings.contents import Findings
from isobath.findings.ledger import Judged, Key, Outline, completed, runs


def together(earlier: Findings, found: Findings) -> Findings:
    """Return the findings of ``found``, and of ``earlier`` the studies of all runs that ``found`` does not have.

    A figure is that of the run with most networks, of equals that of the first run. Raises FindingsError.
    """
    judged = dict(found.ledger.judged())
    kept = {key: _of_commit(each, earlier) for key, each in earlier.ledger.judged() if key not in judged}
    exhibits, files = figures.choose(_larger(_drawn(earlier, kept), _drawn(found, judged), {**kept, **judged}))
    of_both = {
        "studies": _outlines(earlier.ledger.studies, found.ledger.studies, {key.study for key in kept}),
        "runs": runs({**kept, **judged}),
        "figures": exhibits,
    }
    claims = {**{key: earlier.claims[key] for key in kept}, **found.claims}
    return Findings(found.ledger.model_copy(update=of_both), dict(sorted(claims.items())), files).checked()


def _of_commit(judged: Judged, earlier: Findings) -> Judged:
    return judged.model_copy(update={"commit": judged.commit or earlier.ledger.commit})


def _drawn(of: Findings, judged: Mapping[Key, Judged]) -> figures.Drawn:
    every = figures.of_exhibits(of.ledger.figures, of.files)
    return {figure: shown for figure, shown in every.items() if shown.key in judged}


def _larger(kept: figures.Drawn, drawn: figures.Drawn, judged: Mapping[Key, Judged]) -> figures.Drawn:
    """Return every figure once, from the run with most networks; of equals that of the first run, by its key."""

    def rank(shown: figures.Shown) -> tuple[int, Key]:
        return -judged[shown.key].networks, shown.key

    more = {figure: shown for figure, shown in kept.items() if figure not in drawn or rank(shown) < rank(drawn[figure])}
    return {**drawn, **more}


def _outlines(kept: Mapping[str, Outline], known: Mapping[str, Outline], studies: set[str]) -> dict[str, Outline]:
    """Return the present studies, with claims of the kept findings that they no longer have."""
    more = {study: completed(known.get(study, kept[study]), kept[study].claims) for study in sorted(studies)}
    return {**known, **more}
