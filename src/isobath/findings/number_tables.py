"""Tables of numbers in the texts that people write: what parts of claims expect, and what each run measured.

A block of code of the language ``numbers`` in a text, in YAML, names the parts; a table takes its place:

    ```numbers
    study: locality
    columns:
      - {title: product of two, claim: deep_better_for_local, part: 2-local}
      - {title: factor of steps, study: expressivity, claim: depth_accelerates_quartic, part: [a, b], factor: true}
    ```

With ``rows`` in place of ``columns`` the parts are rows and the runs columns; ``scale`` leaves out the runs of others.
A text outside of the findings keeps its block, as a comment, and has the table below it:

    <!-- numbers
    scale: laptop
    rows: ...
    -->
    | number | claimed | seed 0 | ...
    <!-- /numbers -->
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field, ValidationError

from isobath.findings import FindingsError, comparison, markdown
from isobath.findings.comparison import Compared
from isobath.findings.contents import Findings
from isobath.findings.ledger import NOT_RUN, Run
from isobath.findings.markdown import sentence
from isobath.page import numbers
from isobath.page.findings import MARKS
from isobath.plugins import nearest
from isobath.study import refusals, yaml
from isobath.study.schema import Closed

BLOCK = re.compile(r"^```numbers\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^(<!-- numbers\n(.*?)^-->\n).*?^<!-- /numbers -->$", re.MULTILINE | re.DOTALL)
OPENING = re.compile(r"^<!-- numbers\b", re.MULTILINE)
NONE = "None of the runs has these numbers."
TOGETHER = "\N{NO-BREAK SPACE}"  # between the ends of an interval and before a mark, which a narrow cell must not part
LOGARITHMS = ("estimate", "low", "high", "above", "below")  # the numbers of a part that a factor is the exponential of
Part = Mapping[str, Any]


class Number(Closed):
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
    """The numbers of a table, as columns or as rows, the study of those that name none, and the scale of its runs."""

    columns: list[Number] = Field(default=[], min_length=1)
    rows: list[Number] = Field(default=[], min_length=1)
    study: str | None = None
    scale: str | None = None


def filled(text: str, findings: Findings, study: str | None = None) -> str:
    """Return a text with tables in place of its blocks; ``study`` is that of its page, if it is of one.

    Raises FindingsError for a block that can't be read, and for a claim that its study does not have.
    """
    place = f"the text on {study or 'all studies'}"
    return BLOCK.sub(lambda block: "\n".join(_lines(_table(block[1], place), findings, study, place)).rstrip(), text)


def refilled(text: str, findings: Findings, place: str, folder: str) -> str:
    """Return a text outside of the findings with the table of each of its blocks, which are comments, made anew.

    ``folder`` is that of the findings as links of the text have it. Raises FindingsError as ``filled`` does, and for a
    text without a block or with one that does not end.
    """
    opened, whole = len(OPENING.findall(text)), len(COMMENT.findall(text))
    if not opened:
        raise FindingsError(f"{place} has no block of numbers, YAML between a line '<!-- numbers' and a line '-->'")
    if opened != whole:
        raise FindingsError(f"{place} has a block of numbers that does not end by lines '-->' and '<!-- /numbers -->'")

    def with_table(block: re.Match[str]) -> str:
        lines = _lines(_table(block[2], place), findings, None, place, folder)
        return "\n".join([block[1], *lines, "<!-- /numbers -->"])

    return COMMENT.sub(with_table, text)


def _table(block: str, place: str) -> Table:
    origin = f"{place}, a block of numbers"
    try:
        table = Table.model_validate(yaml.parse(block, origin))
    except yaml.YamlError as error:
        raise FindingsError(str(error)) from None
    except ValidationError as error:
        raise FindingsError(f"{origin}: {refusals.sentence(error, Table)}") from None
    if bool(table.columns) == bool(table.rows):
        raise FindingsError(f"{origin}: the numbers must be listed as columns or as rows, and not as both")
    return table


def _lines(table: Table, findings: Findings, study: str | None, place: str, folder: str = "") -> Iterator[str]:
    """Yield the lines of a table: runs without any of its numbers are left out."""
    runs = _runs(table, findings, place)
    claims = [_claim(each, findings, each.study or table.study or study, place) for each in table.columns or table.rows]
    listed = list(zip(table.columns or table.rows, claims, strict=True))
    cells = {i: [_cell(number, claim, claim.records[i]) for number, claim in listed] for i in runs}
    measured = {runs[i]: of_run for i, of_run in cells.items() if any(of_run)}
    titles = [markdown.claim_link(n.title, claim.study, n.claim, on=study, folder=folder) for n, claim in listed]
    claimed = [_claimed(number, claim) for number, claim in listed]
    header = ["run" if table.columns else "number", *titles]
    lines = [header, ["claimed", *claimed], *([run, *of_run] for run, of_run in measured.items())]
    if table.rows:
        lines = [list(line) for line in zip(*lines, strict=True)]
    yield from markdown.table(lines[0], lines[1:]) if measured else [NONE, ""]


def _runs(table: Table, findings: Findings, place: str) -> dict[int, str]:
    """Return the names of the runs of a table by their places in the ledger; of one scale their seeds alone."""
    runs: Sequence[Run] = findings.ledger.runs
    scales = {run.scale for run in runs}
    if table.scale is not None and table.scale not in scales:
        raise FindingsError(f"{place}, a block of numbers: scale is {table.scale!r}; {nearest(table.scale, scales)}")
    names = [run.name if table.scale is None else f"seed {run.seed}" for run in runs]
    kept = [i for i, run in enumerate(runs) if table.scale in {None, run.scale}]
    return {i: names[i].replace(" ", TOGETHER) for i in kept}


def _claim(number: Number, findings: Findings, study: str | None, place: str) -> Compared:
    known = findings.ledger.studies
    if study not in known:
        raise FindingsError(f"{place}, the number {number.title!r}: study is {study!r}; {nearest(str(study), known)}")
    claims = {each.statement.claim: each for each in comparison.of_study(findings, study)}
    if number.claim not in claims:
        allowed = nearest(number.claim, claims)
        raise FindingsError(f"{place}, the number {number.title!r}: {study} has no claim {number.claim!r}; {allowed}")
    return claims[number.claim]


def _claimed(number: Number, claim: Compared) -> str:
    """Return the region in which the claim expects the number: that of its present form, if a run was judged by it.

    A claim that no source makes is said to be ours.
    """
    by_age = sorted(claim.records, key=claim.by_former_criteria)
    part = next((part for record in by_age if (part := _part(number, record))), None)
    if part is None:
        return ""
    region = sentence(numbers.region(part)).replace(" ", TOGETHER)
    return f"{region} (ours)" if claim.statement.own else region


def _cell(number: Number, claim: Compared, record: Mapping[str, Any]) -> str:
    """Return the number of a run with its interval and the mark of its verdict; nothing if the run lacks the part."""
    part = _part(number, record)
    if part is None:
        return ""
    former = "former criteria" if claim.by_former_criteria(record) else ""
    words = "" if part["estimate"] is None else markdown.number(part, between=TOGETHER)
    return TOGETHER.join(filter(None, [words, former and f"({former})", MARKS[part["verdict"]]]))


def _part(number: Number, record: Mapping[str, Any]) -> Part | None:
    """Return the part of a run that a number names, as the factor that it is shown as; None if it was not run."""
    by_label = {part["label"]: part for part in reversed(record["parts"])}
    part = next((by_label[label] for label in number.labels if label in by_label), None)
    if part is None or part["verdict"] == NOT_RUN:
        return None
    return _exponential(part) if number.factor else part


def _exponential(part: Part) -> Part:
    factors = {name: math.exp(part[name]) for name in LOGARITHMS if part[name] is not None}
    return {**part, **factors}
