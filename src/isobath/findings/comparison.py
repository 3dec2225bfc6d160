"""Comparison of runs: the verdict of each on a claim, and the verdicts that differ between seeds of a scale."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from isobath.findings.contents import Findings
from isobath.findings.ledger import NOT_RUN, Key, Outline, Run, Statement, by_former_criteria
from isobath.findings.tables import not_run

FORMER = "by former criteria"
OPPOSITES = ({"reproduced", "not reproduced"}, {"holds", "does not hold"}, {"verified", "violated"})


class Compared(NamedTuple):
    """A claim of a study with its record in each run; one that was not judged has the verdict not run and no parts."""

    study: str
    statement: Statement
    records: Sequence[Mapping[str, Any]]
    outline: Outline

    @property
    def verdicts(self) -> list[str]:
        """Return the verdicts of the claim, one for each run."""
        return [record["verdict"] for record in self.records]

    @property
    def counted(self) -> list[str]:
        """Return the verdicts of the claim, one for each run; of one by former criteria, that it is by those."""
        return [FORMER if self.by_former_criteria(record) else record["verdict"] for record in self.records]

    @property
    def comparable(self) -> list[str]:
        """Return the verdicts of the claim, one for each run; not run where former criteria judged it."""
        return [NOT_RUN if self.by_former_criteria(record) else record["verdict"] for record in self.records]

    def by_former_criteria(self, record: Mapping[str, Any]) -> bool:
        """Tell whether a run judged the claim when it measured something else, or when the study still had it."""
        return by_former_criteria(self.outline, record)

    def verdict_of(self, record: Mapping[str, Any]) -> str:
        """Return the verdict of a run, and that it is by former criteria where it is."""
        return f"{record['verdict']} ({FORMER})" if self.by_former_criteria(record) else str(record["verdict"])


class Change(NamedTuple):
    """A claim whose verdict depends on the run, with the runs in which it was run and their verdicts."""

    claim: Compared
    verdicts: Mapping[str, str]


def of_study(findings: Findings, study: str) -> list[Compared]:
    """Return all claims of a study in the order of the workflow."""
    by_run = [_by_name(findings, run, study) for run in findings.ledger.runs]
    outline, compared = findings.ledger.studies[study], []
    for claim in outline.claims:
        records = [of_run.get(claim.claim) or {**not_run(claim), "parts": []} for of_run in by_run]
        compared.append(Compared(study, claim, records, outline))
    return compared


def changes(findings: Findings) -> list[Change]:
    """Return the claims that have different verdicts with different seeds of one scale."""
    claims = [claim for study in findings.ledger.studies for claim in of_study(findings, study)]
    return [change for claim in claims for change in _changes(findings.ledger.runs, claim)]


def contradictions(findings: Findings) -> list[Change]:
    """Return the claims that one run confirms and another refutes, whatever their seeds and scales."""
    claims = [claim for study in findings.ledger.studies for claim in of_study(findings, study)]
    runs = [run.name for run in findings.ledger.runs]
    return [
        Change(claim, {run: word for run, word in zip(runs, claim.comparable, strict=True) if word != NOT_RUN})
        for claim in claims
        if any(pair <= {*claim.comparable} for pair in OPPOSITES)
    ]


def repeated(findings: Findings) -> bool:
    """Tell whether there is a study that was judged with several seeds at one scale."""
    keys = [(key.scale, key.study) for key, _ in findings.ledger.judged()]
    return len(set(keys)) < len(keys)


def _changes(runs: Sequence[Run], claim: Compared) -> Iterator[Change]:
    for scale in dict.fromkeys(run.scale for run in runs):
        of_scale = [
            (run.name, verdict) for run, verdict in zip(runs, claim.comparable, strict=True) if run.scale == scale
        ]
        verdicts = {name: verdict for name, verdict in of_scale if verdict != NOT_RUN}
        if len(set(verdicts.values())) > 1:
            yield Change(claim, verdicts)


def _by_name(findings: Findings, run: Run, study: str) -> dict[str, Mapping[str, Any]]:
    claims = findings.claims.get(Key(run.scale, run.seed, study), ())
    return {claim["claim"]: claim for claim in claims}
