"""Write the page: the verdicts, figures and numbers of all studies."""

import json
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

import isobath
from isobath import plugins
from isobath.disk import commits, drawings, store, verdict_files, whole_files
from isobath.jobs import command_line
from isobath.jobs.provenance import provenance
from isobath.page.contents import Build, Code, Figure, Study
from isobath.page.document import compose
from isobath.results import cubes as cube_kind
from isobath.results import page as kind
from isobath.results import verdicts as verdict_kind
from isobath.workflow import study_costs


def main(spec: dict[str, Any], code: str, folder: Path, output: Path) -> None:
    """Write the page of all studies in ``folder``, that of their scale; it names the results that are absent.

    Its provenance has the digest of each study's contents on it, so that a study that changed later is found.
    """
    studies = [_study(folder / name, name, **settings) for name, settings in spec["studies"].items()]
    paths = {name: kind.existing_paths(folder / name, settings) for name, settings in spec["studies"].items()}
    origin = provenance(spec, code, *(path for files in paths.values() for path in files))
    origin["studies"] = json.dumps({name: store.inputs(files) for name, files in paths.items()}, sort_keys=True)
    settings = {"scale": spec["scale"], "seed": spec["seed"], "lacks": spec["lacks"]}
    demanded = study_costs.of_papers(Path(), spec["studies"])
    whole_files.replace(output, compose(studies, **settings, origin=origin, build=_build(), demanded=demanded))


def _build() -> Build:
    """Return the version of isobath, the commit of its clone and the repository that its metadata names."""
    return Build(isobath.__version__, *commits.of(plugins.PACKAGE.parents[1]), _repository())


def _repository() -> str:
    """Return the address of the repository; empty in a clone that is on the path and was not installed."""
    try:
        urls = metadata("isobath").get_all("Project-URL", [])
    except PackageNotFoundError:
        return ""
    addresses: dict[str, str] = dict(url.split(", ", 1) for url in urls)
    return addresses.get("Repository", "")


def _study(folder: Path, name: str, *, grids: list[str], figures: list[str], judged: list[Any], **fields: Any) -> Study:
    paths = {grid: folder / cube_kind.PATH.format(grid=grid) for grid in grids}
    cubes = {grid: store.read_cube(path) for grid, path in paths.items() if path.exists()}
    file = folder / verdict_kind.PATH
    verdicts = store.read_record(file) if file.exists() else None
    figure_drawings = [_figure(folder, figure) for figure in figures]
    code = {claim: Code(file, bearing) for claim, file, bearing in judged}
    stale = [*verdict_files.stale(file, verdicts)] if verdicts else []
    return Study(name, verdicts=verdicts, figures=figure_drawings, cubes=cubes, code=code, stale=stale, **fields)


def _figure(folder: Path, name: str) -> Figure:
    drawing = drawings.read(folder, name)
    return Figure(name) if drawing is None else Figure(name, *drawing)


if __name__ == "__main__":
    command_line.run(main)
