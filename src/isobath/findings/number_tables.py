"""Tables of numbers in the texts that people write: what parts of claims expect, and what each run measured.

A block of code of the language ``numbers`` in a text, in YAML, names the parts; a table takes its place:

    ```numbers
    study: locality
    columns:
      - {title: product of two, claim: deep_better_for_local, part: 2-local}
      - {title: factor of steps, study: expressivity, claim: depth_accelerates_quartic, part: [a, b], factor: true}
    ```
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field, ValidationError

from isobath.findings import FindingsError, comparison, markdown
from isobath.findings.comparison import Compared
from isobath.findings.contents import Findings
from isobath.findings.ledger import NOT_RUN
from isobath.findings.markdown import sentence
from isobath.page import numbers
from isobath.page.findings import MARKS
from isobath.plugins import nearest
from isobath.study import refusals, yaml
from isobath.study.schema import Closed

BLOCK = re.compile(r"^```numbers\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NONE = "None of the runs has these numbers."
TOGETHER = "\N{NO-BREAK SPACE}"  # between the ends of an interval and before a mark, which a narrow cell must not part
LOGARITHMS = ("estimate", "low", "high", "above", "below")  # the numbers of a part that a factor is the exponential of
Part = Mapping[str, Any]


class Column(Closed):
    """A part of a claim: of the labels in ``part``, which can differ between scales, the first that a run has.

    A ``factor`` is the exponential of the number, which is a logarithm.
    """

    title: str
    claim: str
    part: str | list[str]
    study: str | None = None
    factor: bool = False

    @property
    def labels(self) -> Sequence[str]:
        """Return the labels of the part, first the one that is looked for first."""
        return [self.part] if isinstance(self.part, str) else self.part


class Table(Closed):
    """The columns of a table, and the study of those that name none."""

    columns: list[Column] = Field(min_length=1)
    study: str | None = None


def filled(text: str, findings: Findings, study: str | None = None) -> str:
    """Return a text with tables in place of its blocks; ``study`` is that of its page, if it is of one.

    Raises FindingsError for a block that can't be read, and for a claim that its study does not have.
    """
    place = f"the text on {study or 'all studies'}"
    return BLOCK.sub(lambda block: "\n".join(_lines(_table(block[1], place), findings, study, place)).rstrip(), text)


def _table(block: str, place: str) -> Table:
    origin = f"{place}, a block of numbers"
    try:
        return Table.model_validate(yaml.parse(block, origin))
    except yaml.YamlError as error:
        raise FindingsError(str(error)) from None
    except ValidationError as error:
        raise FindingsError(f"{origin}: {refusals.sentence(error, Table)}") from None


def _lines(table: Table, findings: Findings, study: str | None, place: str) -> Iterator[str]:
    columns = [
        (column, _claim(column, findings, column.study or table.study or study, place)) for column in table.columns
    ]
    header = [markdown.claim_link(c.title, claim.study, c.claim, on=study) for c, claim in columns]
    rows = {
        run.name.replace(" ", TOGETHER): [_cell(column, claim, claim.records[i]) for column, claim in columns]
        for i, run in enumerate(findings.ledger.runs)
    }
    measured = [[run, *cells] for run, cells in rows.items() if any(cells)]
    claimed = ["claimed", *(_claimed(column, claim) for column, claim in columns)]
    yield from markdown.table(["run", *header], [claimed, *measured]) if measured else [NONE]


def _claim(column: Column, findings: Findings, study: str | None, place: str) -> Compared:
    known = findings.ledger.studies
    if study not in known:
        raise FindingsError(f"{place}, the column {column.title!r}: study is {study!r}; {nearest(str(study), known)}")
    claims = {each.statement.claim: each for each in comparison.of_study(findings, study)}
    if column.claim not in claims:
        allowed = nearest(column.claim, claims)
        raise FindingsError(f"{place}, the column {column.title!r}: {study} has no claim {column.claim!r}; {allowed}")
    return claims[column.claim]


def _claimed(column: Column, claim: Compared) -> str:
    """Return the region in which the claim expects the number: that of its present form, if a run was judged by it."""
    by_age = sorted(claim.records, key=claim.by_former_criteria)
    part = next((part for record in by_age if (part := _part(column, record))), None)
    return "" if part is None else sentence(numbers.region(part)).replace(" ", TOGETHER)


def _cell(column: Column, claim: Compared, record: Mapping[str, Any]) -> str:
    """Return the number of a run with its interval and the mark of its verdict; nothing if the run lacks the part."""
    part = _part(column, record)
    if part is None:
        return ""
    former = "former criteria" if claim.by_former_criteria(record) else ""
    number = "" if part["estimate"] is None else markdown.number(part, between=TOGETHER)
    return TOGETHER.join(filter(None, [number, former and f"({former})", MARKS[part["verdict"]]]))


def _part(column: Column, record: Mapping[str, Any]) -> Part | None:
    """Return the part of a run that a column names, as the factor that the column shows; None if it was not run."""
    by_label = {part["label"]: part for part in reversed(record["parts"])}
    part = next((by_label[label] for label in column.labels if label in by_label), None)
    if part is None or part["verdict"] == NOT_RUN:
        return None
    return _exponential(part) if column.factor else part


def _exponential(part: Part) -> Part:
    factors = {name: math.exp(part[name]) for name in LOGARITHMS if part[name] is not None}
    return {**part, **factors}
