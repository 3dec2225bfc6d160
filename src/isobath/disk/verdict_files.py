"""Files of verdicts below a folder of results, their records, and whether they belong to the present cubes and code."""

import json
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any

from isobath import fingerprints, results
from isobath.disk import store
from isobath.paths import require_results
from isobath.plugins import PluginError
from isobath.results import cubes as cube_kind
from isobath.results import verdicts as kind


def find(results: Path) -> list[Path]:
    """Return the verdicts of all studies in ``results/<scale>``, sorted. Raises FileNotFoundError if there are none."""
    require_results(results)
    files = sorted(results.glob(f"*/{kind.PATH}"))
    if not files:
        problem = f"{results}: no */{kind.PATH} below it: the workflow was not run, or jobs failed"
        raise FileNotFoundError(f"{problem}, which isobath status {results} names")
    return files


def read(file: Path, *, of_claim: Set[str], of_part: Set[str], of_record: Set[str] = frozenset()) -> dict[str, Any]:
    """Return a record of verdicts that has these entries.

    Raises Misplaced where it is that of another study, CorruptedStore where it, a claim, or a part of one, lacks an
    entry.
    """
    record = store.read_record(file)
    if record.get("study") != file.parent.name:
        raise store.Misplaced(file, f"it has the verdicts of {record.get('study')}, not {file.parent.name}")
    claims = record.get("claims", [{}])
    missing = {key for claim in claims for key in of_claim - claim.keys()}
    missing |= {key for claim in claims for part in claim.get("parts", ()) for key in of_part - part.keys()}
    if missing:
        raise store.CorruptedStore(file, f"a claim of it, or a part of one, lacks {', '.join(sorted(missing))}")
    if lacking := sorted(of_record - record.keys()):
        raise store.CorruptedStore(file, f"it is no record of verdicts: it lacks {', '.join(lacking)}")
    return record


def cubes(file: Path, record: Mapping[str, Any]) -> dict[str, Path]:
    """Return the paths of the cubes that verdicts were made from, by grid."""
    grids = json.loads(record["spec"])["grids"]
    return {grid: file.parent / cube_kind.PATH.format(grid=grid) for grid in grids}


def other_cubes(file: Path, record: Mapping[str, Any]) -> str:
    """Say why verdicts were not made from the cubes beside them, by digests; "" if they were."""
    paths = cubes(file, record).values()
    missing = next((cube for cube in paths if not cube.is_file()), None)
    if missing is not None:
        return f"{missing} is missing"
    return "" if store.inputs(paths) == record["inputs"] else "these have changed since"


def stale(file: Path, record: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence per reason why verdicts are not those that the next run would make."""
    if reason := other_cubes(file, record):
        yield f"the verdicts are not those of the cubes beside them: {reason}"
    if not is_current("verdicts", record):
        yield "the code of the claims, or the code that judges them, has changed since the verdicts were made"


def is_current(rule: str, attrs: Mapping[Any, Any]) -> bool:
    """Tell whether the code that made a result is that of this package, which may have lost a claim or a plug-in."""
    try:
        return bool(fingerprints.fingerprint(results.stage(rule), json.loads(attrs["spec"])) == attrs["code"])
    except (LookupError, OSError, PluginError):
        return False
