"""The plan of a run: every job of its studies, with its spec, the files that it reads and those that it writes.

The kinds of result (``results``) say which jobs a study asks for; the plan walks them. Snakemake runs this list, and it
is estimated, watched and verified.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple

from isobath import fingerprints, paths, results
from isobath.plugins import PluginError
from isobath.results import Wildcards
from isobath.study import checks, loading, places
from isobath.study.run import Run, StudyRun
from isobath.study.schema import Config, ConfigError, Study
from isobath.workflow import own

__all__ = ["Run"]


def load(source: Path, overrides: Mapping[str, Any]) -> Run:
    """Return the run that config.yaml in ``source`` asks for, with ``overrides`` on top. Raises ConfigError."""
    origin = "--config" if "studies" in overrides else str(loading.config_file(source))
    run = of(loading.load_config(source, overrides), source, origin)
    return replace(run, named=loading.named_studies(source))


def of(config: Config, source: Path, origin: str) -> Run:
    """Return the run that a config of an ``origin`` asks for, whose relative paths start in ``source``.

    Studies are those of the workflow and of the user's own. Raises ConfigError.
    """
    own.lay(source, config.own)
    all_studies = places.studies(source)
    folders = {name: places.folder(name, all_studies, source) for name in config.studies}
    for i, (name, folder) in enumerate(folders.items()):
        if not (folder.exists() or folder.with_name(f"{name}.yaml").exists()):
            checks.require_name(name, all_studies, origin, f"studies[{i}]")
    studies = {name: load_study(folder, config.scale, all_studies) for name, folder in folders.items()}
    for name, study in studies.items():
        loading.require_files(study, config.data, f"study {name}")
    return Run(config, studies, source=source)


def load_study(folder: Path, scale: str, studies: Mapping[str, Path] | None = None) -> Study:
    """Return a study at a scale, checked by every kind of result. Raises ConfigError.

    ``studies`` are the studies that it can extend, name -> folder; those beside it unless they are given.
    """
    try:
        return loading.load_study(folder, scale, studies, checks=results.having("check").values())
    except PluginError as error:
        raise ConfigError(str(error)) from None


class Job(NamedTuple):
    """A rule, the values of its wildcards, and the files that it reads and writes, relative to the run's folder."""

    rule: str
    names: dict[str, str]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def spec(self, run: Run) -> dict[str, Any]:
        """Return the spec of the job in its run."""
        return spec(run, self.rule, self.names)

    @property
    def folder(self) -> str:
        """Return the folder of the job's study, or of the scale where the job serves all studies."""
        return "/".join(["results", *(self.names[key] for key in ("scale", "study") if key in self.names)])

    @property
    def log(self) -> str:
        """Return the path of the job's log."""
        return paths.log(self.outputs[0])

    @property
    def checkpoints(self) -> str:
        """Return the folder of the job's checkpoints."""
        return paths.checkpoints(self.outputs[0])


def part(run: Run, rule: str, names: Wildcards) -> Run | StudyRun:
    """Return the part of the run that a kind's functions take: the study of the job, or the run for all studies."""
    return run if results.option(rule, "SCOPE") == "run" else run.parts[names["study"]]


def spec(run: Run, rule: str, names: Wildcards) -> dict[str, Any]:
    """Return the spec of a rule's job: the settings on which its result depends, as plain data."""
    return results.kinds()[rule].spec(part(run, rule, names), names)


def code(rule: str, spec: dict[str, Any]) -> str:
    """Return the fingerprint of the code of a rule's job: see fingerprints.fingerprint."""
    return fingerprints.fingerprint(results.stage(rule), spec)


def inputs(run: Run, rule: str, names: Wildcards) -> results.Inputs:
    """Return the named inputs of a rule's job."""
    return results.kinds()[rule].inputs(part(run, rule, names), names)


def read(run: Run, rule: str, names: Wildcards) -> tuple[str, ...]:
    """Return the paths that a rule's job reads, in the order of its named inputs."""
    values = inputs(run, rule, names).values()
    return tuple(path for value in values for path in ([value] if isinstance(value, str) else value))


def job(run: Run, rule: str, names: Wildcards) -> Job:
    """Return the job of a rule with these values of its wildcards."""
    wildcards = {"scale": run.config.scale, **{name: str(value) for name, value in names.items()}}
    return Job(rule, wildcards, read(run, rule, names), outputs(rule, wildcards))


def outputs(rule: str, wildcards: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths of the results of a rule's job."""
    of_run = results.option(rule, "SCOPE") == "run"
    templates = (results.kinds()[rule].PATH, *results.option(rule, "ALSO", ()))
    return tuple(
        (template if of_run else f"{paths.STUDY_FOLDER}/{template}").format(**wildcards) for template in templates
    )


@lru_cache(maxsize=2)
def jobs(run: Run) -> Sequence[Job]:
    """Return every job of every study once, and those for all studies last, in the order in which data flow.

    They are remembered: status and verify walk them several times.
    """
    return tuple(walk(run))


def walk(run: Run) -> Iterator[Job]:
    """Yield the jobs of a run without remembering them."""
    everyone: list[Run | StudyRun] = [*run.parts.values(), run]
    for asking in everyone:
        yield from _ordered([*_jobs(run, asking)])


def pages(run: Run) -> list[str]:
    """Return the paths of the results that a run makes for all its studies, such as the page."""
    return [path for planned in jobs(run) if results.option(planned.rule, "SCOPE") == "run" for path in planned.outputs]


def _jobs(run: Run, asking: Run | StudyRun) -> Iterator[Job]:
    """Yield the jobs that one study asks for, or those that the run asks for all of them."""
    study = {"study": asking.name} if isinstance(asking, StudyRun) else {}
    for rule in results.kinds():
        if (results.option(rule, "SCOPE") == "run") == (asking is run):
            yield from (job(run, rule, {**study, **names}) for names in results.names(rule, asking))


def _ordered(listed: Iterable[Job]) -> list[Job]:
    """Return jobs so that those of a kind follow those of the kinds that they read."""
    makers = {path: job.rule for job in listed for path in job.outputs}
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for entry in listed:
        sorter.add(entry.rule, *(makers[path] for path in entry.inputs if path in makers))
    rank = {rule: place for place, rule in enumerate(sorter.static_order())}
    return sorted(listed, key=lambda entry: rank[entry.rule])
