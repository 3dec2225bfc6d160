"""Files of the user's own that a run reaches: what its fingerprints cover, and what the plan needs to be made again."""

import json
from collections.abc import Iterator
from pathlib import Path

from isobath import fingerprints, results, roots
from isobath.study.plugin_modules import plugin_modules
from isobath.study.run import Run, canonical
from isobath.workflow import plan


def files(run: Run) -> set[Path]:
    """Return the modules of the user's own that a run uses, and the files that these read."""
    if not roots.own():
        return set()
    return {path for path in fingerprints.files({*_modules(run)}) if roots.is_own(str(path))}


def _modules(run: Run) -> Iterator[str]:
    """Yield the modules of all jobs, of all plug-ins of the studies, used or not, and of all kinds of result.

    A study is refused if it names a plug-in that is not there, and every kind of result is asked for its jobs.
    """
    for job in plan.jobs(run):
        yield from fingerprints.modules(results.stage(job.rule), json.loads(canonical(job.spec(run))))
    for name, study in run.studies.items():
        yield from plugin_modules(name, study)
    yield from (f"isobath.results.{kind}" for kind in results.kinds())
