"""What a run consists of: every job of the studies, with its spec, what it reads and what it writes.

The rules of the workflow take their specs from here, and what is estimated, looked after and verified
is this list. Names are those of the wildcards in the templates of layout, as text.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from isobath import fingerprints, plugins
from isobath.disk import layout
from isobath.study import grids, loading
from isobath.study.grids import ConstructionCell, KernelCell, NetworkCell
from isobath.study.schema import Config, Study

Names = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Run:
    """A config, its studies, and the folder of the results."""

    config: Config
    studies: Mapping[str, Study]
    home: Path = Path()

    @cached_property
    def asked(self) -> dict[str, dict[NetworkCell, int]]:
        """Grids share their cells: of each cell of a study, as many seeds as any grid asks for."""
        return {name: grids.network_cells(grids.all_blocks(study)) for name, study in self.studies.items()}


def load(source: Path, overrides: Mapping[str, Any]) -> Run:
    """The run that config.yaml and the studies in ``source`` ask for, with ``overrides`` on top; raises ConfigError."""
    asked = loading.load_config(source / "config.yaml", dict(overrides))
    studies = {
        name: loading.load_study(source / f"workflow/studies/{name}.yaml", asked.scale) for name in asked.studies
    }
    for name, study in studies.items():
        loading.require_files(study, asked.data, f"study {name}")
    return Run(asked, studies)


def network_cell(names: Names) -> NetworkCell:
    numbers = (int(names[axis]) for axis in ("depth", "width", "n_train", "draw"))
    return NetworkCell(names["task"], names["protocol"], *numbers)


def _kernel_cell(names: Names) -> KernelCell:
    return KernelCell(names["task"], names["kernel"], int(names["n_train"]), int(names["draw"]))


def _training_set(run: Run, study: Study, names: Names) -> dict[str, Any]:
    return grids.data_spec(study, run.config.seed, names["task"], int(names["n_train"]), int(names["draw"]))


def _test_set(run: Run, study: Study, names: Names) -> dict[str, Any]:
    size = grids.n_test(study, names["task"])
    return grids.data_spec(study, run.config.seed, names["task"], size, None)


def _split_test_set(run: Run, study: Study, names: Names) -> dict[str, Any]:
    n_train, draw = int(names["n_train"]), int(names["draw"])
    return grids.split_test_spec(study, run.config.seed, names["task"], n_train, draw)


def _learning_rate(run: Run, study: Study, names: Names) -> dict[str, Any]:
    return grids.training_spec(study, run.config.seed, network_cell(names))


def _networks(run: Run, study: Study, names: Names) -> dict[str, Any]:
    first, last = map(int, names["seeds"].split("-"))
    return grids.networks_spec(study, run.config.seed, network_cell(names), first, last)


def _ensembles(run: Run, study: Study, names: Names) -> dict[str, Any]:
    return grids.ensembles_spec(study, run.config.seed, network_cell(names), int(names["networks"]))


def _kernels(_: Run, study: Study, names: Names) -> dict[str, Any]:
    return grids.kernels_spec(study, _kernel_cell(names))


def _construction(_: Run, study: Study, names: Names) -> dict[str, Any]:
    return grids.construction_spec(study, ConstructionCell(names["task"], names["construction"]))


def _calculation(run: Run, study: Study, names: Names) -> dict[str, Any]:
    return grids.calculation_spec(study, run.config.seed, names["calculation"])


def _cube(_: Run, study: Study, names: Names) -> dict[str, Any]:
    return grids.cube_spec(study, names["grid"])


def _figure(_: Run, study: Study, names: Names) -> dict[str, Any]:
    return grids.figure_spec(study, names["figure"])


def _verdicts(run: Run, study: Study, names: Names) -> dict[str, Any]:
    return grids.verdicts_spec(study, names["study"], run.config.scale)


def _page(run: Run, _: Names) -> dict[str, Any]:
    lists = {n: {"grids": list(s.grids), "figures": list(s.figures)} for n, s in run.studies.items()}
    studies = {n: {"title": s.title, "source": s.source, **lists[n]} for n, s in run.studies.items()}
    return {"scale": run.config.scale, "seed": run.config.seed, "studies": studies}


def _of_study(asked: Callable[[Run, Study, Names], dict[str, Any]]) -> Callable[[Run, Names], dict[str, Any]]:
    return lambda run, names: asked(run, run.studies[names["study"]], names)


# rule -> its stage, and what its job is asked
RULES: dict[str, tuple[str, Callable[[Run, Names], dict[str, Any]]]] = {
    "training_set": ("data", _of_study(_training_set)),
    "test_set": ("data", _of_study(_test_set)),
    "split_test_set": ("data", _of_study(_split_test_set)),
    "learning_rate": ("learning_rates", _of_study(_learning_rate)),
    "networks": ("networks", _of_study(_networks)),
    "ensembles": ("ensembles", _of_study(_ensembles)),
    "kernels": ("kernels", _of_study(_kernels)),
    "construction": ("constructions", _of_study(_construction)),
    "calculation": ("calculations", _of_study(_calculation)),
    "cube": ("cubes", _of_study(_cube)),
    "figure": ("figures", _of_study(_figure)),
    "verdicts": ("verdicts", _of_study(_verdicts)),
    "page": ("pages", _page),
}


def spec(run: Run, rule: str, names: Names) -> dict[str, Any]:
    """The JSON of exactly what matters to the result of a rule's job."""
    return RULES[rule][1](run, names)


def code(rule: str, spec: dict[str, Any]) -> str:
    """What the code of a rule's job means: see fingerprints.fingerprint."""
    return fingerprints.fingerprint(RULES[rule][0], spec)


class Job(NamedTuple):
    """A rule, the names of its wildcards, and the files that it reads and writes, relative to the folder of the run."""

    rule: str
    names: dict[str, str]
    template: str  # of its first output: PAGE, or below STUDY
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def spec(self, run: Run) -> dict[str, Any]:
        return spec(run, self.rule, self.names)

    @property
    def log(self) -> str:
        return layout.log(self.template).format(**self.names)

    @property
    def benchmark(self) -> str:
        return layout.benchmark(self.template).format(**self.names)

    @property
    def checkpoints(self) -> str:
        return layout.checkpoints(self.template).format(**self.names)


def jobs(run: Run) -> Iterator[Job]:
    """Every job of every study, once each, and the page of them all, in the order in which data flow."""
    for name, study in run.studies.items():
        asked = run.asked[name]
        regressions = grids.kernel_cells(grids.all_blocks(study))
        constructed = grids.construction_cells(grids.all_blocks(study))
        cells: list[NetworkCell | KernelCell] = [*asked, *regressions]
        data = [job for cell in cells for job in _data(run, name, cell)]
        data += [_job(run, name, "test_set", layout.TEST_SET, {"task": cell.task}, []) for cell in constructed]
        yield from {job.outputs: job for job in data}.values()
        for cell in asked:
            yield from _trainings(run, name, cell)
        yield from (_regression(run, name, cell) for cell in regressions)
        yield from (_scoring(run, name, cell) for cell in constructed)
        named = ({"calculation": calculation} for calculation in study.calculations)
        yield from (_job(run, name, "calculation", layout.CALCULATION, names, []) for names in named)
        averages = (grids.ensemble_cells(study, blocks).items() for blocks in study.grids.values())
        found = {job.outputs: job for cells in averages for job in (_ensemble(run, name, *cell) for cell in cells)}
        yield from found.values()
        yield from (_gathering(run, name, grid) for grid in study.grids)
        yield from (_drawing(run, name, figure) for figure in study.figures)
        cubes = [path(run, name, layout.CUBE, grid=grid) for grid in study.grids]
        yield _job(run, name, "verdicts", layout.VERDICTS, {}, cubes)
    names = {"scale": run.config.scale}
    yield Job("page", names, layout.PAGE, tuple(shown(run)), (layout.PAGE.format(**names),))


def path(run: Run, study: str, template: str, /, **names: Any) -> str:
    """Where a result of a study is."""
    return f"{layout.STUDY}/{template}".format(**{**names, "scale": run.config.scale, "study": study})


def blocks_of(run: Run, name: str, cell: NetworkCell, seeds: int) -> list[str]:
    """The paths of a cell's first networks; blocks that are on disk are kept as they are."""
    blocks = _blocks(run, name, cell, seeds)
    return [path(run, name, layout.NETWORKS, **cell._asdict(), seeds=block) for block in blocks]


def cells_of(run: Run, name: str, grid: str) -> list[str]:
    """The paths of all that goes into the cube of a grid."""
    study = run.studies[name]
    blocks = study.grids[grid]
    found = [p for cell, n in grids.network_cells(blocks).items() for p in blocks_of(run, name, cell, n)]
    found += [path(run, name, layout.KERNELS, **cell._asdict()) for cell in grids.kernel_cells(blocks)]
    averages = grids.ensemble_cells(study, blocks).items()
    found += [path(run, name, layout.ENSEMBLES, **cell._asdict(), networks=n) for cell, n in averages]
    found += [path(run, name, layout.CONSTRUCTION, **cell._asdict()) for cell in grids.construction_cells(blocks)]
    return found + [path(run, name, layout.CALCULATION, calculation=n) for n in grids.calculations(study, grid)]


def shown(run: Run) -> list[str]:
    """The paths of all that the page shows: the verdicts, cubes and figures of every study."""
    found = []
    for name, study in run.studies.items():
        found += [path(run, name, layout.VERDICTS), *(path(run, name, layout.CUBE, grid=grid) for grid in study.grids)]
        found += [output for figure in study.figures for output in _drawing(run, name, figure).outputs]
    return found


def test_set(run: Run, name: str, names: Names) -> str:
    """The test set of a task, or of a training set where the data set is finite."""
    split = grids.is_split(run.studies[name], names["task"])
    return path(run, name, layout.SPLIT_TEST_SET if split else layout.TEST_SET, **names)


def data_files(run: Run, name: str, task: str) -> list[str]:
    """The files that a task reads."""
    names = plugins.files(run.studies[name].tasks[task].kind)
    return [str(layout.data_file(file, run.config.data)) for file in names]


def _blocks(run: Run, name: str, cell: NetworkCell, seeds: int) -> Iterator[str]:
    folder, asked = run.home / layout.STUDY.format(scale=run.config.scale, study=name), run.asked[name][cell]
    for first, last in layout.seed_blocks(folder, cell._asdict(), asked, run.config.seeds_per_job):
        if first < seeds:
            yield f"{first}-{last}"


def _job(run: Run, name: str, rule: str, template: str, names: Names, inputs: list[str], *more: str) -> Job:
    words = {"scale": run.config.scale, "study": name, **{key: str(value) for key, value in names.items()}}
    outputs = [f"{layout.STUDY}/{t}".format(**words) for t in (template, *more)]
    return Job(rule, words, template, tuple(inputs), tuple(outputs))


def _data(run: Run, name: str, cell: NetworkCell | KernelCell) -> Iterator[Job]:
    names = {key: getattr(cell, key) for key in ("task", "n_train", "draw")}
    files = data_files(run, name, cell.task)
    yield _job(run, name, "training_set", layout.TRAINING_SET, names, files)
    if grids.is_split(run.studies[name], cell.task):
        yield _job(run, name, "split_test_set", layout.SPLIT_TEST_SET, names, files)
    else:
        yield _job(run, name, "test_set", layout.TEST_SET, {"task": cell.task}, [])


def _sets(run: Run, name: str, names: Names) -> list[str]:
    return [path(run, name, layout.TRAINING_SET, **names), test_set(run, name, names)]


def _trainings(run: Run, name: str, cell: NetworkCell) -> Iterator[Job]:
    names = cell._asdict()
    training_set, tested = _sets(run, name, names)
    rate = path(run, name, layout.LEARNING_RATE, **names)
    searched = [rate] if grids.searched(run.studies[name], cell.protocol) else []
    if searched:
        yield _job(run, name, "learning_rate", layout.LEARNING_RATE, names, [training_set])
    for block in _blocks(run, name, cell, run.asked[name][cell]):
        inputs = [training_set, tested, *searched]
        yield _job(run, name, "networks", layout.NETWORKS, {**names, "seeds": block}, inputs)


def _regression(run: Run, name: str, cell: KernelCell) -> Job:
    names = cell._asdict()
    return _job(run, name, "kernels", layout.KERNELS, names, _sets(run, name, names))


def _scoring(run: Run, name: str, cell: ConstructionCell) -> Job:
    tested = path(run, name, layout.TEST_SET, task=cell.task)
    return _job(run, name, "construction", layout.CONSTRUCTION, cell._asdict(), [tested])


def _ensemble(run: Run, name: str, cell: NetworkCell, networks: int) -> Job:
    names = {**cell._asdict(), "networks": networks}
    inputs = [*_sets(run, name, names), *blocks_of(run, name, cell, networks)]
    return _job(run, name, "ensembles", layout.ENSEMBLES, names, inputs)


def _gathering(run: Run, name: str, grid: str) -> Job:
    return _job(run, name, "cube", layout.CUBE, {"grid": grid}, cells_of(run, name, grid))


def _drawing(run: Run, name: str, figure: str) -> Job:
    cube = path(run, name, layout.CUBE, grid=run.studies[name].figures[figure].grid)
    formats = [layout.FIGURE.replace("{format}", suffix) for suffix in layout.FORMATS]
    return _job(run, name, "figure", layout.FIGURE_RECORD, {"figure": figure}, [cube], *formats)
