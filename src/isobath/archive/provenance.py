"""Provenance of all results of a run: the job that made each, with the digests of its files."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from isobath.disk import store
from isobath.disk.attributes import read_attributes
from isobath.study.run import Run
from isobath.workflow import plan


def steps(run: Run, missing: Collection[str]) -> list[dict[str, Any]]:
    """Return an entry per job, except for ``missing`` results: its spec, code and versions, its inputs and outputs.

    Files are identified by name and digest; a data file by its own name, without the folder that holds it.
    """
    entries = []
    for job in plan.jobs(run):
        if set(job.outputs).isdisjoint(missing):
            made_by = read_attributes(run.home / job.outputs[0])
            attrs = {key: made_by.get(key) for key in ("code", "versions", "device", "processor")}
            step = {"rule": job.rule, "names": job.names, "spec": json.loads(made_by["spec"]), **attrs}
            entries.append({**step, "inputs": _digests(run, job.inputs), "outputs": _digests(run, job.outputs)})
    return entries


def _digests(run: Run, paths: Collection[str]) -> dict[str, str]:
    files = {_name(path): run.home / path for path in paths}
    return {name: store.digest(file) for name, file in files.items() if file.is_file()}


def _name(path: str) -> str:
    return path if path.startswith("results/") else "/".join(Path(path).parts[-2:])
