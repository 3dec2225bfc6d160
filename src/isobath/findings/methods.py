"""Page of methods: what was measured for every claim, and what would have refuted it, from the records of its parts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from isobath.analysis.decisions import ALPHA
from isobath.analysis.verdicts import LEAST_SHARE
from isobath.findings import comparison, markdown
from isobath.findings.comparison import Compared
from isobath.findings.contents import Findings
from isobath.findings.ledger import NOT_RUN, Outline
from isobath.findings.markdown import sentence
from isobath.page import numbers
from isobath.page.claims import FEW

HEADER = ("claim", "measured", "claimed region", "would have refuted it", "region of checks")
INTRODUCTION = f"""\
# What would have refuted the claims

[How a verdict is made](../verdicts.md) says what an interval covers, when a part decides nothing, and what was fixed
before the runs. A part speaks against its claim if its 95 % interval lies outside of the region below, if at least
{100 * LEAST_SHARE:g} % of the networks of each cell are usable, and if that has a probability of at most {ALPHA:g} by
chance among all parts of a true claim (Holm). One such part refutes the claim. Checks compare code with theorems and do
not vote; a check is violated by the same rule, among all checks of its claim, and violates a claim of checks alone. The
bounds are those of the runs that were judged by present criteria, as `numbers.csv` has them, or by former ones where
there is no other. A bound that a run measures itself, such as an interval of N\\*, is not the same in all of them.
"""


def lines(findings: Findings) -> Iterator[str]:
    """Yield the lines of the page: a table for each study, with a row per claim."""
    yield INTRODUCTION
    for study, outline in findings.ledger.studies.items():
        rows = map(_row, comparison.of_study(findings, study))
        yield from (f"## {sentence(outline.title)}", "", *_fixed(outline))
        yield from markdown.table(HEADER, rows)


def _fixed(outline: Outline) -> Iterator[str]:
    """Yield the commits that last changed the code of the claims, with their bounds, and the settings."""
    parts = {"the code of the claims, with their bounds,": outline.claims_commit, "settings": outline.settings_commit}
    commits = [f"{part} in commit `{commit}`" for part, commit in parts.items() if commit]
    yield from ([f"Last changed: {'; '.join(commits)}.", ""] if commits else [])


def _row(claim: Compared) -> list[str]:
    statement = claim.statement
    link = markdown.claim_link(statement.statement, claim.study, statement.claim)
    present = [record for record in claim.records if not claim.by_former_criteria(record)]
    parts = _parts(present) or _parts(claim.records)
    votes, checks = ([part for part in parts if part["check"] == check] for check in (False, True))
    columns = _listed(map(numbers.region, votes)), _listed(map(_outside, votes)), _listed(map(numbers.region, checks))
    return [link, sentence(statement.statistic), *(columns if parts else [NOT_RUN] * 3)]


def _outside(part: Mapping[str, Any]) -> str:
    """Say where the interval of a part has to lie to refute its claim; a part without bounds is only shown."""
    ends = (("below", part["above"]), ("above", part["below"]))
    places = [f"{word} {_text(bound)}" for word, bound in ends if bound is not None]
    return f"an interval {' or '.join(places)}" if places else "–"


def _parts(records: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the parts of all records that were run."""
    return [part for record in records for part in record["parts"] if part["verdict"] != NOT_RUN]


def _text(bound: float) -> str:
    return f"{bound:g}".replace("-", numbers.MINUS)


def _listed(texts: Iterable[str]) -> str:
    """Join the texts that occur, the most frequent first, and only the first few of many."""
    distinct = [text for text, _ in Counter(texts).most_common()]
    more = [f"and {len(distinct) - FEW} others"] if len(distinct) > FEW else []
    return "; ".join([*distinct[:FEW], *more]) or "–"
