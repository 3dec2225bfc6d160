"""Verification of the results of a run: faults of files, and differences from the config.

Each file is read once. Its content is compared with its checksum, its arrays with those of its kind of result, and
its spec, code and inputs with the plan. A faulty result can be renamed, for instance to ``<name>.damaged``: the next
run then makes it again, and the results that depend on it, and nothing else.
"""

import contextlib
import functools
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click

from isobath import results
from isobath.disk import logs, store
from isobath.disk.attributes import read_attributes
from isobath.disk.faults import Fault
from isobath.disk.processors import processor
from isobath.disk.store import CorruptedStore
from isobath.operations import arguments, declarations
from isobath.paths import STORE
from isobath.store_metadata import spec_text
from isobath.study.run import Run
from isobath.study.schema import ConfigError
from isobath.workflow import kept_seeds, plan
from isobath.workflow.plan import Job

Attributes = dict[str, Any]
Digest = Callable[[Path], str]

REPORT = "report.html"  # that of Snakemake: make report
PARTIAL = ".partial"  # ends the name of a file that is being written


def faults(run: Run, *, whole: bool = True) -> list[Fault]:
    """Return the faults of the results of a run, in the order of the plan.

    With ``whole`` false only the attributes of stores are read: checksums, arrays and drawings are not compared. A
    result whose inputs have faults is not compared with them: the next run makes it again anyway.
    """
    digest = functools.cache(store.digest)
    all_faults: list[Fault] = []
    faulty: set[str] = set()
    for job in plan.jobs(run):
        try:
            faults_of_job = list(_faults(run, job, faulty, digest, whole=whole))
        except FileNotFoundError:  # Snakemake removes the outputs of a job that begins, perhaps at this moment
            faults_of_job = [Fault(path, "missing", "") for path in job.outputs]
        all_faults += faults_of_job
        faulty.update(fault.path for fault in faults_of_job)
    return all_faults


def faults_of(run: Run, job: Job) -> list[Fault]:
    """Return the faults of the results of one job, whose inputs are taken to be sound."""
    return list(_faults(run, job, (), store.digest, whole=True))


def _faults(run: Run, job: Job, faulty: Collection[str], digest: Digest, *, whole: bool) -> Iterator[Fault]:
    """Yield the faults of the results of one job; ``faulty`` are results of earlier jobs."""
    existing = [path for path in job.outputs if os.path.lexists(run.home / path)]
    if len(existing) < len(job.outputs):
        reason = _absence(run, job)
        yield from (Fault(path, "missing", reason) for path in job.outputs if path not in existing)
    path = job.outputs[0]
    if path not in existing:
        return
    try:
        made_by, parts = _whole(run.home / path) if whole else (read_attributes(run.home / path), {})
    except FileNotFoundError:
        raise
    except OSError as error:
        yield Fault(path, "damaged", _unreadable(error))
        return
    spec = job.spec(run)
    odd = [*declarations.oddities(job.rule, spec, parts)] if parts else []
    odd += [f"it has no {entry}" for entry in results.option(job.rule, "ENTRIES", ()) if entry not in made_by]
    stale = _differences(run, job, spec, made_by, faulty, digest)
    if odd or stale:
        yield Fault(path, "odd" if odd else "stale", "; ".join(odd or stale))
    if whole:
        digests = made_by.get("files", {})
        checked = {p: _alteration(run.home / p, digests.get(Path(p).name), digest) for p in existing if p != path}
        yield from (Fault(p, "damaged", reason) for p, reason in checked.items() if reason)


def _alteration(path: Path, recorded: str | None, digest: Digest) -> str:
    """Say how a file differs from the digest in its record, "" where it does not. Raises FileNotFoundError."""
    try:
        return "" if digest(path) == recorded else "its content does not match the checksum in its record"
    except FileNotFoundError:
        raise
    except OSError as error:
        return _unreadable(error)


def _unreadable(error: OSError) -> str:
    """Say why a result could not be read."""
    return error.reason if isinstance(error, CorruptedStore) else f"it can't be read: {error.strerror}"


def _differences(
    run: Run, job: Job, spec: dict[str, Any], made_by: Attributes, faulty: Collection[str], digest: Digest
) -> list[str]:
    """Return how a result differs from the plan: in spec, code or inputs."""
    if made_by.get("failed"):
        return [f"it lacks {made_by['failed']} results that failed"]
    planned = {"spec": spec_text(spec), "code": plan.code(job.rule, spec)}
    inputs = [run.home / path for path in job.inputs]
    if set(job.inputs).isdisjoint(faulty) and all(path.is_file() for path in inputs):
        planned["inputs"] = store.inputs(inputs, digest)
    return [f"it was made from other {key}" for key, value in planned.items() if made_by.get(key) != value]


def _whole(path: Path) -> tuple[Attributes, declarations.Metadata]:
    """Return the attributes of a result and the metadata of its arrays, after comparing it with its checksum."""
    if not path.name.endswith(STORE):
        return read_attributes(path), {}
    parts = store.metadata(path)
    return parts[""]["attributes"], parts


def _absence(run: Run, job: Job) -> str:
    """Return the reason why a result is missing, from its log; empty if unknown."""
    entry = logs.read(run.home / job.log)
    return "" if entry is None or entry.state == "finished" else f"{entry.state}: {entry.reason}".removesuffix(": ")


def unplanned(run: Run) -> list[str]:
    """Return the files in the results that no job of the plan makes, but those that a job writes at this moment."""
    planned = {path for job in plan.jobs(run) for path in job.outputs} | {f"results/{run.config.scale}/{REPORT}"}
    scale = run.home / "results" / run.config.scale
    files = [path for path in scale.iterdir() if path.is_file()]
    files += [path for study in run.studies for path in (scale / study).rglob("*") if path.is_file()]
    made = (path for path in files if path.suffix != PARTIAL or _is_left(path))
    return sorted({path.relative_to(run.home).as_posix() for path in made} - planned)


def _is_left(partial: Path) -> bool:
    """Tell whether a file in the making has been left: no job has written to it for long, or renamed it by now."""
    try:
        return time.time() - partial.stat().st_mtime > logs.SILENCE
    except FileNotFoundError:
        return False


def set_aside(run: Run, faulty: Iterable[Fault]) -> list[str]:
    """Rename faulty results to ``<name>.<kind>``, or ``<name>.<kind>.2`` if that exists; return the new names.

    A result that has no fault any more stays: a run that goes on may have made it since the faults were found.
    """
    aside, makers = [], {path: job for job in plan.jobs(run) for path in job.outputs}
    for fault in faulty:
        path = run.home / fault.path
        if os.path.lexists(path) and _is_faulty_still(run, makers[fault.path], fault):
            names = (f"{path.name}.{fault.kind}{'' if n == 1 else f'.{n}'}" for n in range(1, 1000))
            free = next(path.with_name(name) for name in names if not os.path.lexists(path.with_name(name)))
            aside.append(path.rename(free).relative_to(run.home).as_posix())
    return aside


def _is_faulty_still(run: Run, job: Job, fault: Fault) -> bool:
    try:
        return any(now.path == fault.path for now in faults_of(run, job)) or not (run.home / fault.path).exists()
    except FileNotFoundError:
        return (run.home / fault.path).is_symlink()


def other_versions(run: Run) -> Iterator[str]:
    """Yield a sentence for each set of package versions that made results and differs from those installed here.

    Results of other versions are no faults.
    """
    counts: Counter[str] = Counter()
    for job in plan.jobs(run):
        with contextlib.suppress(OSError):
            counts[read_attributes(run.home / job.outputs[0]).get("versions", "{}")] += 1
    for versions, count in counts.items():
        here = {name: _installed(name) for name in json.loads(versions)}
        changed = {name: was for name, was in json.loads(versions).items() if was != here[name]}
        if changed:
            with_these = ", ".join(f"{name} {was} (here {here[name]})" for name, was in changed.items())
            yield f"{count} results were made by {with_these}."


def _installed(package: str) -> str:
    """Return the version of a package, "none" if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def other_processors(run: Run) -> Iterator[str]:
    """Yield a sentence for each processor other than this one that made results, or began them.

    Results of other processors agree with those made here to rounding; they are no faults.
    """
    counts: Counter[str] = Counter()
    moved = 0
    for job in plan.jobs(run):
        with contextlib.suppress(OSError):
            attributes = read_attributes(run.home / job.outputs[0])
            counts[attributes.get("processor", "{}")] += 1
            moved += "continued_from" in attributes
    current = processor("cuda" if any("gpu" in json.loads(label) for label in counts) and _has_gpu() else "cpu")
    for label, count in counts.items():
        changed = [
            f"{name} {was} (here {current.get(name)})"
            for name, was in json.loads(label).items()
            if was != current.get(name)
        ]
        if changed:
            yield f"{count} results were made on {', '.join(changed)}: they agree with those made here to rounding."
    if moved:
        yield f"{moved} results were begun on one processor and finished on another: see continued_from of each."


def _has_gpu() -> bool:
    """Tell whether torch has a GPU here, as the jobs had that made some results."""
    import torch  # noqa: PLC0415 (it takes seconds, and few runs need it)

    import isobath.training.fused  # noqa: F401, PLC0415 (it tells whether kernels are compiled for the GPU)

    return torch.cuda.is_available()


def report(run: Run, faulty: Collection[Fault]) -> Iterator[str]:
    """Yield a line per fault, per unplanned file and per set of other versions, and a count of all results."""
    for fault in faulty:
        yield f"{fault.kind:<8} {fault.path}{': ' if fault.reason else ''}{fault.reason}"
    yield from (f"{'extra':<8} {path if path.isprintable() else repr(path)}" for path in unplanned(run))
    yield from other_versions(run)
    yield from other_processors(run)
    counts = Counter(fault.kind for fault in faulty)
    jobs = list(plan.jobs(run))
    results = sum(len(job.outputs) for job in jobs)
    sound = f"{results - len(faulty)} of {results} results of {len(jobs)} jobs are as they should be"
    unsound = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    yield f"{sound}; {unsound}." if unsound else f"{sound}."


@click.command(cls=arguments.Command)
@arguments.folder
@arguments.source
@arguments.config
@click.option("--set-aside", "rename", is_flag=True, help="Rename faulty results, so that the next run makes them.")
def command(folder: Path, source: Path | None, config: Mapping[str, Any], *, rename: bool) -> None:
    """Compare every result with its checksum and with the config.

    The exit status is 1 if any result is missing, damaged, odd (of unexpected content) or stale (made from other
    settings, code or inputs).
    """
    run = arguments.load_run(folder, config, source)
    other = kept_seeds.of_another_seed(run, (path for job in plan.jobs(run) for path in job.outputs))
    if rename and other:
        raise ConfigError(
            f"{other.path} has seed {other.seed}, and seed is {run.config.seed}: nothing is renamed; give --config "
            f"seed={other.seed}"
        )
    all_faults = faults(run)
    print(*report(run, all_faults), sep="\n")
    if other:
        print(f"{other.path} has seed {other.seed}, and seed is {run.config.seed}; give --config seed={other.seed}")
    for path in set_aside(run, all_faults) if rename else ():
        print(f"set aside as {path}")
    raise SystemExit(bool(all_faults))
