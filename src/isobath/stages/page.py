"""Stage of the page: show the verdicts, figures and numbers of all studies."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from isobath.disk import drawings, store
from isobath.jobs import command_line
from isobath.jobs.provenance import provenance
from isobath.page.contents import Figure, Study
from isobath.page.document import compose
from isobath.results import cubes as cube_kind
from isobath.results import figures as figure_kind
from isobath.results import verdicts as verdict_kind
from isobath.workflow import demands


def main(spec: dict[str, Any], code: str, folder: Path, output: Path) -> None:
    """Write the page of all studies in ``folder``, that of their scale; it names the results that are absent."""
    studies = [_study(folder / name, name, **about) for name, about in spec["studies"].items()]
    paths = [path for name, about in spec["studies"].items() for path in shown(folder / name, about)]
    made = provenance(spec, code, *(path for path in paths if path.exists()))
    demanded = demands.of_papers(Path(), spec["studies"])
    store.replace(output, compose(studies, scale=spec["scale"], seed=spec["seed"], made=made, demanded=demanded))


def _study(folder: Path, name: str, *, title: str, source: str, grids: list[str], figures: list[str]) -> Study:
    paths = {grid: folder / cube_kind.PATH.format(grid=grid) for grid in grids}
    cubes = {grid: store.read_cube(path) for grid, path in paths.items() if path.exists()}
    judged = folder / verdict_kind.PATH
    verdicts = store.read_record(judged) if judged.exists() else None
    return Study(name, title, source, verdicts, [_figure(folder, figure) for figure in figures], cubes)


def _figure(folder: Path, name: str) -> Figure:
    drawing = drawings.read(folder, name)
    return Figure(name) if drawing is None else Figure(name, *drawing)


def shown(folder: Path, about: dict[str, Any]) -> Iterator[Path]:
    """Yield the paths that the page shows of a study."""
    yield folder / verdict_kind.PATH
    yield from (folder / cube_kind.PATH.format(grid=grid) for grid in about["grids"])
    for figure in about["figures"]:
        yield folder / figure_kind.PATH.format(figure=figure)
        yield from (folder / figure_kind.DRAWING.format(figure=figure, format=suffix) for suffix in figure_kind.FORMATS)


if __name__ == "__main__":
    command_line.run(main)
