"""Results that a run takes as they are: one of other settings, such as another seed, or of other code is refused.

Snakemake knows what it asked for when it made a file, and not what the file says it was made from: a file that was
copied from another run, onto the path of one of this, would pass for its own. Nor does it look at the content of a file
whose date is older than that of its results, such as one that was restored: a cube could have cells of both contents.
"""

import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from isobath.disk import store
from isobath.disk.attributes import read_attributes
from isobath.store_metadata import spec_text
from isobath.study.run import Run
from isobath.study.schema import ConfigError
from isobath.workflow import plan


def require_own(run: Run, outcomes: Iterable[tuple[str, Mapping[str, str]]]) -> None:
    """Refuse a result that says it was made from other settings or code than the run asks for. Raises ConfigError.

    ``outcomes`` are results that the run does not make again, kind and wildcards: those that its jobs are about to
    read, those that it was started for, and data sets: the content of what they were made from is compared as well.
    Damaged results, and paths that are no file, are left to the job that reads them, and to ``isobath verify``.
    """
    digest = functools.cache(store.digest)
    for kind, names in outcomes:
        job = plan.job(run, kind, names)
        try:
            attrs = read_attributes(run.home / job.outputs[0])
        except OSError:
            continue
        difference = _otherwise(attrs, job.spec(run), kind)
        if difference:
            raise ConfigError(
                f"{run.home / job.outputs[0]}: it was made {difference}; it seems to have been copied there from "
                "another run, or the run that made it was interrupted before an edit: delete it, and this run makes it "
                "again (`isobath verify --set-aside` renames all such files)"
            )
        files = [run.home / path for path in job.inputs]
        if files and all(path.is_file() for path in files) and attrs.get("inputs") != store.inputs(files, digest):
            raise ConfigError(
                f"{run.home / job.outputs[0]}: it was made from other content of {_few(files)}, of which the date is "
                "older, or it was copied there from another run: delete it, and this run makes it again"
            )


def _few(files: Sequence[Path]) -> str:
    """Name the first of some files, and how many others there are."""
    return f"{files[0]}{f' or of {len(files) - 1} others' if len(files) > 1 else ''}"


def _otherwise(attrs: Mapping[str, Any], spec: dict[str, Any], kind: str) -> str:
    """Return how a result was made otherwise than the run asks for, by its attributes; empty if it was made so."""
    planned, code = spec_text(spec), plan.code(kind, spec)
    if attrs.get("spec") != planned:
        return f"from other settings{_difference(attrs.get('spec'), planned)}"
    return "" if attrs.get("code") == code else f"by other code: {attrs.get('code')}, and {code} is asked for"


def _difference(stored: Any, planned: str) -> str:
    """Return the first setting that differs, in words; empty where the settings cannot be compared."""
    try:
        stored_settings, planned_settings = json.loads(stored), json.loads(planned)
    except (TypeError, ValueError):
        return ""
    if not isinstance(stored_settings, dict):
        return ""
    keys = [
        key
        for key in sorted(stored_settings.keys() | planned_settings.keys())
        if stored_settings.get(key) != planned_settings.get(key)
    ]
    return "".join(
        f": {key} is {stored_settings.get(key)!r:.60}, and {planned_settings.get(key)!r:.60} is asked for"
        for key in keys[:1]
    )
