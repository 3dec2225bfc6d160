"""Results that a run takes as they are: one of other settings, such as another seed, or of other code is refused.

Snakemake knows what it asked for when it made a file, and not what the file says it was made from: a file that was
copied from another run, onto the path of one of this, would pass for its own.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from isobath.disk.attributes import read_attributes
from isobath.study.run import Run
from isobath.study.schema import ConfigError
from isobath.workflow import plan


def require_own(run: Run, present: Iterable[tuple[str, Mapping[str, str]]]) -> None:
    """Refuse a result that says it was made from other settings or code than the run asks for. Raises ConfigError.

    ``present`` are results that the run does not make again, kind and wildcards: those that its jobs are about to read,
    and its outcomes. What is damaged, or is no file, is left to the job that reads it, and to ``isobath verify``.
    """
    for kind, names in present:
        job = plan.job(run, kind, names)
        try:
            made = read_attributes(run.home / job.outputs[0])
        except OSError:
            continue
        how = _otherwise(made, job.spec(run), kind)
        if how:
            raise ConfigError(
                f"{run.home / job.outputs[0]}: it was made {how}; it seems to have been copied there from another run: "
                "delete it, and this run makes it again (`isobath verify --set-aside` renames all such files)"
            )


def _otherwise(made: Mapping[str, Any], spec: dict[str, Any], kind: str) -> str:
    """Return how else than it is asked for a result was made, as its attributes say; empty for the same way."""
    asked, code = json.dumps(spec, sort_keys=True), plan.code(kind, spec)
    if made.get("spec") != asked:
        return f"from other settings{_difference(made.get('spec'), asked)}"
    return "" if made.get("code") == code else f"by other code: {made.get('code')}, and {code} is asked for"


def _difference(made: Any, asked: str) -> str:
    """Return the first setting that differs, in words; empty where the settings cannot be compared."""
    try:
        found, wanted = json.loads(made), json.loads(asked)
    except (TypeError, ValueError):
        return ""
    if not isinstance(found, dict):
        return ""
    keys = [key for key in sorted(found.keys() | wanted.keys()) if found.get(key) != wanted.get(key)]
    return "".join(f": {key} is {found.get(key)!r:.60}, and {wanted.get(key)!r:.60} is asked for" for key in keys[:1])
