"""Tables of findings: all claims with their verdicts, and all parts of them, to full precision.

From the tables the claims of every run are made again as its verdicts.json has them. A cell is text as it is, and JSON
otherwise; a cell of null is empty. The entries of a published number have columns of their own.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from isobath.archive import datapackage
from isobath.findings import FindingsError
from isobath.findings.columns import COLUMNS
from isobath.findings.ledger import NOT_RUN, Key, Ledger, Statement, by_former_criteria

VERDICTS, NUMBERS = "verdicts.csv", "numbers.csv"
KEY = ("scale", "seed", "study")
CRITERIA = "criteria"
ABOUT = (*KEY, *Statement.model_fields, "verdict", "headline", CRITERIA)  # the columns of a claim
HEADERS = {  # of tables without rows; the columns of others have the order of their records, which digests need
    VERDICTS: ABOUT,
    NUMBERS: [name for name in COLUMNS if name not in ABOUT or name in (*KEY, "claim", "verdict")],
}
NESTED = "published"

Row = dict[str, Any]
Claims = Mapping[Key, Sequence[Mapping[str, Any]]]  # of a study in a run, as its verdicts.json has them


def write(claims: Claims, ledger: Ledger) -> dict[str, bytes]:
    """Return both tables. Claims of the workflow that a run did not judge have rows that say not run."""
    rows = [
        {**key._asdict(), **_without(claim, "parts"), CRITERIA: _criteria(ledger, key, claim)}
        for key, listed in claims.items()
        for claim in listed
    ]
    claim_keys = {(row["scale"], row["seed"], row["study"], row["claim"]) for row in rows}
    for run in ledger.runs:
        for study, outline in ledger.studies.items():
            key = Key(run.scale, run.seed, study)
            rows += [{**key._asdict(), **not_run(c)} for c in outline.claims if (*key, c.claim) not in claim_keys]
    parts = [
        {**key._asdict(), "claim": claim["claim"], **_flat(part)}
        for key, listed in claims.items()
        for claim in listed
        for part in claim["parts"]
    ]
    return {VERDICTS: _csv(rows, HEADERS[VERDICTS]), NUMBERS: _csv(parts, HEADERS[NUMBERS])}


def read(verdicts: bytes, numbers: bytes, ledger: Ledger) -> dict[Key, list[dict[str, Any]]]:
    """Return the claims of every study and run. Raises FindingsError for tables of another form."""
    try:
        by_key: dict[Key, dict[str, dict[str, Any]]] = {key: {} for key, _ in ledger.judged()}
        claim_names = {key: _claim_names(record.about) for key, record in ledger.judged()}
        for key, row in _rows(verdicts):
            if row["claim"] in claim_names.get(key, ()):
                by_key[key][row["claim"]] = {**_without(row, CRITERIA), "parts": []}
        for key, row in _rows(numbers):
            by_key[key][row.pop("claim")]["parts"].append(_nested(row))
    except KeyError as error:
        reason = f"{error} is missing"
        raise FindingsError(f"{VERDICTS} and {NUMBERS} do not go together with the provenance: {reason}") from None
    except (ValueError, TypeError, csv.Error) as error:
        raise FindingsError(f"{VERDICTS} and {NUMBERS} do not go together with the provenance: {error}") from None
    return {key: list(claims.values()) for key, claims in by_key.items()}


def package(files: Mapping[str, bytes], licence: str) -> bytes:
    """Return the data package of both tables. Raises KeyError for a column that has no description."""
    titles = {VERDICTS: "All claims with their verdicts", NUMBERS: "All parts of the claims, with their intervals"}
    keys = {VERDICTS: (*KEY, "claim"), NUMBERS: ()}
    resources = [
        datapackage.resource(name, files[name], _fields(files[name]), key=keys[name], title=title)
        for name, title in titles.items()
    ]
    return datapackage.package("isobath-findings", "Findings of isobath", resources, licence=licence)


def _fields(content: bytes) -> list[datapackage.Field]:
    header = content.decode().partition("\n")[0]
    return [COLUMNS[name] for name in header.split(",")]


def not_run(statement: Statement) -> Row:
    """Return a claim that was not judged."""
    return {**statement.model_dump(), "verdict": NOT_RUN, "headline": NOT_RUN}


def _criteria(ledger: Ledger, key: Key, claim: Mapping[str, Any]) -> str:
    """Return whether a verdict is by the criteria that the claim has; nothing where it was not run."""
    if claim["verdict"] == NOT_RUN:
        return ""
    return "former" if by_former_criteria(ledger.studies[key.study], claim) else "present"


def _claim_names(attrs: Mapping[str, Any]) -> set[str]:
    """Return the names of the claims that were judged; those of another study as ``locality.name``."""
    return set(json.loads(attrs["spec"])["claims"])


def _without(mapping: Mapping[str, Any], name: str) -> Row:
    return {key: value for key, value in mapping.items() if key != name}


def _flat(part: Mapping[str, Any]) -> Row:
    entries: Row = {}
    for name, value in part.items():
        fields = value or dict.fromkeys(("value", "place", "tolerance", "same_size"))
        entries |= {f"{NESTED}_{key}": v for key, v in fields.items()} if name == NESTED else {name: value}
    return entries


def _nested(row: Row) -> Row:
    part: Row = {}
    for name, value in row.items():
        if name.startswith(f"{NESTED}_"):
            part.setdefault(NESTED, {})[name.removeprefix(f"{NESTED}_")] = value
        else:
            part[name] = value
    if part[NESTED]["value"] is None:
        part[NESTED] = None
    return part


def _csv(rows: Sequence[Row], header: Sequence[str]) -> bytes:
    """Return a table; it has the columns of its rows, and those of ``header`` if there are none."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    names = list(dict.fromkeys(name for row in rows for name in row)) or header
    writer.writerows([names, *([_cell(row.get(name)) for name in names] for row in rows)])
    return file.getvalue().encode()


def _cell(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def _rows(content: bytes) -> Iterable[tuple[Key, Row]]:
    for row in csv.DictReader(io.StringIO(content.decode(), newline="")):
        scale, seed, study = (row.pop(name) for name in KEY)
        yield Key(scale, int(seed), study), {name: _value(name, text) for name, text in row.items()}


def _value(name: str, text: str) -> Any:
    if COLUMNS[name].type == "string":
        return text
    return json.loads(text) if text else None
