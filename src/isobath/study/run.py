"""A run: a config and its studies, and the folder that holds the results."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from isobath import plugins
from isobath.ends import Ends
from isobath.paths import STUDY_FOLDER, data_file
from isobath.study.grids import Grid, of_study
from isobath.study.schema import Block, Config, Plugin, Study


@dataclass(frozen=True, eq=False)
class StudyRun:
    """One study of a run, at the scale of the run."""

    config: Config
    name: str
    study: Study
    home: Path = Path()

    @property
    def folder(self) -> str:
        """Return the folder of the study's results, relative to the folder of the run."""
        return STUDY_FOLDER.format(scale=self.config.scale, study=self.name)

    @cached_property
    def blocks(self) -> list[Block]:
        """Return the blocks of every grid, whose cells grids share."""
        return [block for blocks in self.study.grids.values() for block in blocks]

    @cached_property
    def grids(self) -> dict[str, Grid]:
        """Return the grids of the study by name, with the settings of all that they name."""
        return {name: of_study(self.study, name) for name in self.study.grids}

    def path(self, template: str, /, **names: Any) -> str:
        """Return the path of a result of the study, relative to the folder of the run."""
        return f"{self.folder}/{template.format(**names)}"


@dataclass(frozen=True, eq=False)
class Run:
    """A config, its studies by name, the folder of the run, and the ``source`` of both: that of config.yaml.

    ``named`` are the studies that config.yaml names, whatever was asked for.
    """

    config: Config
    studies: Mapping[str, Study]
    home: Path = Path()
    source: Path = Path()
    named: Sequence[str] = ()

    @cached_property
    def parts(self) -> dict[str, StudyRun]:
        """Return each study, by name, together with the config and the home that all of them share."""
        return {name: StudyRun(self.config, name, study, self.home) for name, study in self.studies.items()}


def canonical(spec: Mapping[str, Any]) -> str:
    """Return one JSON text per meaning: sorted keys, no spaces."""
    return json.dumps(spec, sort_keys=True, separators=(",", ":"), allow_nan=False)


def is_split(study: Study, task: str) -> bool:
    """Return whether a task is a finite data set, whose test part depends on the training part."""
    return plugins.verb_of("task", study.tasks[task].kind) == "split"


def n_test(study: Study, task: str) -> int:
    """Return the number of test samples of a task: its own, or that of the study."""
    return study.tasks[task].n_test or study.n_test


def data_files(run: StudyRun, task: str) -> list[str]:
    """Return the paths of the files that a task reads."""
    return [str(data_file(name, run.config.data)) for name in plugins.files(run.study.tasks[task].kind)]


_ENDS: dict[int, tuple[Plugin, Ends]] = {}  # by the identity of a task, which is kept with it


def ends_of(study: Study, task: str) -> Ends:
    """Return the two ends of a network for a task; kept, since every job asks for them."""
    settings = study.tasks[task]
    if id(settings) not in _ENDS:
        _ENDS[id(settings)] = settings, plugins.ends(settings.model_dump())
    return _ENDS[id(settings)][1]


def ends(study: Study, task: str) -> tuple[int, int]:
    """Return the number of inputs and of outputs of a network for a task."""
    return ends_of(study, task)[:2]
