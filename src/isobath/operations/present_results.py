"""Results that a run takes as they are: one that was made for other settings, such as another seed, is refused.

Snakemake knows the settings that it asked for when it made a file, and not those that the file says it was made from:
a file that was copied from another run, onto the path of one of this, would pass for its own.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from isobath.disk.attributes import read_attributes
from isobath.disk.store import CorruptedStore
from isobath.study.run import Run
from isobath.study.schema import ConfigError
from isobath.workflow import plan


def require_own(run: Run, present: Iterable[tuple[str, Mapping[str, str]]]) -> None:
    """Refuse a result that says it was made from other settings than the run asks for. Raises ConfigError.

    ``present`` are results that the run does not make again, kind and wildcards: those that its jobs are about to read,
    and its outcomes. A file that is damaged is left to the job that reads it, and to ``isobath verify``.
    """
    for kind, names in present:
        job = plan.job(run, kind, names)
        try:
            made = read_attributes(run.home / job.outputs[0]).get("spec")
        except (CorruptedStore, FileNotFoundError):
            continue
        asked = json.dumps(job.spec(run), sort_keys=True)
        if made != asked:
            raise ConfigError(
                f"{run.home / job.outputs[0]}: it was made from other settings{_difference(made, asked)}; it seems to "
                "have been copied there from another run: delete it, and this run makes it again (`isobath verify "
                "--set-aside` renames all such files)"
            )


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
