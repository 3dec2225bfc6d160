"""``python -m isobath.operations.verify results/demo``: is every result whole, and the one that the config now asks for?

Each file is read once: against its checksum, against what its kind consists of, and its spec, code and inputs against
the plan. With ``--set-aside`` what is wrong is renamed, to ``<name>.damaged`` for instance, and the next run makes it
and what depends on it again, nothing else.
"""

import argparse
import contextlib
import functools
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, NamedTuple

from isobath import results
from isobath.disk import logs, store
from isobath.disk.store import CorruptedStore
from isobath.operations import arguments, contents
from isobath.page import seals
from isobath.study.run import Run
from isobath.workflow import plan
from isobath.workflow.plan import Job

Attributes = dict[str, Any]
Digest = Callable[[Path], str]


class Fault(NamedTuple):
    """A result that is not as it should be; relative to the folder of the run."""

    path: str
    kind: Literal["missing", "damaged", "odd", "stale"]
    why: str


def faults(run: Run, *, whole: bool = True) -> list[Fault]:
    """What is wrong with the results of a run, in the order of the plan.

    Unless they are to be ``whole``, stores are believed what they say of themselves: no checksums, no drawings. A
    result is not blamed for inputs that are at fault themselves: the next run makes it again with them.
    """
    digest = functools.cache(store.digest)
    found: list[Fault] = []
    wrong: set[str] = set()
    for job in plan.jobs(run):
        try:
            here = list(_faults(run, job, wrong, digest, whole=whole))
        except FileNotFoundError:  # just now: a job begins, and Snakemake has removed what it will make
            here = [Fault(path, "missing", "") for path in job.outputs]
        found += here
        wrong.update(fault.path for fault in here)
    return found


def _faults(run: Run, job: Job, wrong: Collection[str], digest: Digest, *, whole: bool) -> Iterator[Fault]:
    """Of the results of one job; ``wrong`` are those of other jobs."""
    there = [path for path in job.outputs if (run.home / path).is_file()]
    if len(there) < len(job.outputs):
        why = _absence(run, job)
        yield from (Fault(path, "missing", why) for path in job.outputs if path not in there)
    path = job.outputs[0]
    if path not in there:
        return
    try:
        made_by, parts = _whole(run.home / path) if whole else (attributes(run.home / path), {})
    except CorruptedStore as error:
        yield Fault(path, "damaged", error.why)
        return
    spec = job.spec(run)
    odd = [*contents.oddities(job.rule, spec, parts)] if parts else []
    odd += [f"it has no {entry}" for entry in results.option(job.rule, "ENTRIES", ()) if entry not in made_by]
    stale = _differences(run, job, spec, made_by, wrong, digest)
    if odd or stale:
        yield Fault(path, "odd" if odd else "stale", "; ".join(odd or stale))
    if whole:
        digests = made_by.get("files", {})
        drawn = [p for p in there if p != path and digest(run.home / p) != digests.get(Path(p).name)]
        yield from (Fault(p, "damaged", "its content does not match the checksum in its record") for p in drawn)


def _differences(
    run: Run, job: Job, spec: dict[str, Any], made_by: Attributes, wrong: Collection[str], digest: Digest
) -> list[str]:
    """In what a result is not the one that is asked for."""
    if made_by.get("failed"):
        return [f"it is without {made_by['failed']} results that failed"]
    asked = {"spec": json.dumps(spec, sort_keys=True), "code": plan.code(job.rule, spec)}
    inputs = [run.home / path for path in job.inputs]
    if set(job.inputs).isdisjoint(wrong) and all(path.is_file() for path in inputs):
        asked["inputs"] = store.inputs(inputs, digest)
    return [f"it was made from another {key}" for key, value in asked.items() if made_by.get(key) != value]


def attributes(path: Path) -> Attributes:
    """What a result says of itself; of a store without its arrays. Raises CorruptedStore, FileNotFoundError."""
    return store.attributes(path) if path.name.endswith(".zarr.zip") else _record(path)


def _whole(path: Path) -> tuple[Attributes, contents.Metadata]:
    """What a result says of itself and of its parts, to the bit as it was written."""
    if not path.name.endswith(".zarr.zip"):
        return _record(path), {}
    parts = store.metadata(path)
    return parts[""]["attributes"], parts


def _record(path: Path) -> Attributes:
    if path.suffix != ".html":
        return store.read_record(path)
    try:
        return seals.unseal(path.read_bytes())
    except ValueError as error:
        raise CorruptedStore(path, str(error)) from None


def _absence(run: Run, job: Job) -> str:
    """Why a result is not there, as far as its log knows."""
    entry = logs.read(run.home / job.log)
    return "" if entry is None or entry.state == "finished" else f"{entry.state}: {entry.reason}".removesuffix(": ")


def not_asked_for(run: Run) -> list[str]:
    """The files among the results that no job of the plan makes."""
    asked = {path for job in plan.jobs(run) for path in job.outputs}
    scale = run.home / "results" / run.config.scale
    files = [path for path in scale.iterdir() if path.is_file()]
    files += [path for study in run.studies for path in (scale / study).rglob("*") if path.is_file()]
    return sorted({path.relative_to(run.home).as_posix() for path in files} - asked)


def set_aside(run: Run, found: Iterable[Fault]) -> list[str]:
    """Rename what is there and wrong to ``<name>.<kind>``, or ``<name>.<kind>.2`` where one lies there already."""
    aside = []
    for fault in found:
        path = run.home / fault.path
        if path.is_file():
            names = (f"{path.name}.{fault.kind}{'' if n == 1 else f'.{n}'}" for n in range(1, 1000))
            free = next(path.with_name(name) for name in names if not path.with_name(name).exists())
            aside.append(path.rename(free).relative_to(run.home).as_posix())
    return aside


def other_versions(run: Run) -> Iterator[str]:
    """Where results were made by other versions than those here, which is no fault, a sentence for each set of them."""
    found: Counter[str] = Counter()
    for job in plan.jobs(run):
        with contextlib.suppress(CorruptedStore, FileNotFoundError):
            found[attributes(run.home / job.outputs[0])["versions"]] += 1
    for versions, count in found.items():
        others = {name: was for name, was in json.loads(versions).items() if was != version(name)}
        if others:
            with_these = ", ".join(f"{name} {was} (here {version(name)})" for name, was in others.items())
            yield f"{count} results were made by {with_these}."


def main() -> None:
    """The command line; the exit status is 1 if anything is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m isobath.operations.verify", description="Verify the results of a run."
    )
    arguments.arguments(parser)
    parser.add_argument("--set-aside", action="store_true", help="rename what is wrong, so that it is made again")
    given = parser.parse_args()
    run = arguments.asked(given)
    found = faults(run)
    for fault in found:
        print(f"{fault.kind:<8} {fault.path}{': ' if fault.why else ''}{fault.why}")
    for line in (*(f"{'unasked':<8} {path}" for path in not_asked_for(run)), *other_versions(run)):
        print(line)
    counts = Counter(fault.kind for fault in found)
    results = sum(len(job.outputs) for job in plan.jobs(run))
    wrong = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    print(f"{results - len(found)} of {results} results are as they should be{'; ' if wrong else ''}{wrong}.")
    if given.set_aside:
        for path in set_aside(run, found):
            print(f"set aside as {path}")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
