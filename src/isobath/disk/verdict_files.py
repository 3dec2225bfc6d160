"""Files of verdicts below a folder of results, and their records."""

from pathlib import Path
from typing import Any

from isobath.disk import store
from isobath.results import verdicts as kind


def find(results: Path) -> list[Path]:
    """Return the verdicts of all studies in ``results/<scale>``, sorted. Raises FileNotFoundError if there are none."""
    files = sorted(results.glob(f"*/{kind.PATH}"))
    if not files:
        raise FileNotFoundError(f"{results}: no */{kind.PATH} below it. Has the workflow been run?")
    return files


def records(results: Path) -> dict[str, dict[str, Any]]:
    """Return the verdicts of ``results/<scale>`` by study. Raises FileNotFoundError, CorruptedStore."""
    return {file.parent.name: store.read_record(file) for file in find(results)}
