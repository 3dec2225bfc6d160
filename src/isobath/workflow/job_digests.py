"""Digests of the spec and the code of each job of a run, in a file with which the jobs on a cluster compare theirs.

There each job plans the run again, minutes or days later: from studies and code that may have been edited since. Its
result would say so, but Snakemake would take it for the one that was asked for.
"""

import atexit
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from isobath import results
from isobath.disk import whole_files
from isobath.study.run import Run, canonical
from isobath.study.schema import ConfigError
from isobath.workflow import plan

VARIABLE = "ISOBATH_ASKED"  # the path of the file
FOLDER = Path(".snakemake/isobath")


def publish(run: Run, jobs: Iterable[tuple[str, Mapping[str, str]]]) -> None:
    """Write the digests of jobs, given as rules and wildcards, and tell the jobs of this process where they are."""
    digests = {_key(rule, names): _digest(run, rule, names) for rule, names in jobs if rule in results.kinds()}
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = (FOLDER / f"{os.getpid()}.json").absolute()
    whole_files.replace(file, json.dumps(digests).encode())  # jobs on other machines read it
    atexit.register(file.unlink, missing_ok=True)  # jobs that outlive this process compare theirs if it was killed
    os.environ[VARIABLE] = str(file)


def require(run: Run, rule: str, names: Mapping[str, str]) -> None:
    """Refuse a job that the run does not ask for as it is now. Raises ConfigError."""
    try:
        expected = json.loads(Path(os.environ[VARIABLE]).read_text(encoding="utf-8"))[_key(rule, names)]
    except (KeyError, FileNotFoundError):  # no job of a run, or of one that has ended
        return
    if expected != _digest(run, rule, names):
        raise ConfigError(
            f"{_key(rule, names)}: its study, config.yaml or its code was edited while the run went on; run again"
        )


def _key(rule: str, names: Mapping[str, str]) -> str:
    return " ".join([rule, *(f"{name}={value}" for name, value in sorted(names.items()))])


def _digest(run: Run, rule: str, names: Mapping[str, Any]) -> str:
    spec = plan.spec(run, rule, names)
    return hashlib.sha256(f"{canonical(spec)} {plan.code(rule, spec)}".encode()).hexdigest()[:16]
