"""The map of the results: every path, on one screen.

Paths carry names from the study and the axes of its grids, never hyperparameters. All are
relative to the folder of the workflow; all but PAGE are below STUDY and name one result of a study.
"""

import re
from collections.abc import Iterator
from pathlib import Path

STUDY = "results/{scale}/{study}"

TRAINING_SET = "data/{task}/n{n_train}_draw{draw}.zarr.zip"
TEST_SET = "data/{task}/test.zarr.zip"
SPLIT_TEST_SET = "data/{task}/n{n_train}_draw{draw}_test.zarr.zip"
CELL = "{task}/{protocol}/depth{depth}_width{width}_n{n_train}_draw{draw}"
LEARNING_RATE = f"learning_rates/{CELL}.zarr.zip"
NETWORKS = f"networks/{CELL}_seeds{{seeds}}.zarr.zip"
ENSEMBLES = f"ensembles/{CELL}_of{{networks}}.zarr.zip"
KERNELS = "kernels/{task}/{kernel}/n{n_train}_draw{draw}.zarr.zip"
CONSTRUCTION = "constructions/{task}/{construction}.zarr.zip"
CALCULATION = "calculations/{calculation}.zarr.zip"
CUBE = "cubes/{grid}.zarr.zip"
FIGURE = "figures/{figure}.{format}"
FIGURE_RECORD = "figures/{figure}.json"
VERDICTS = "verdicts.json"

PAGE = "results/{scale}/index.html"  # of all studies of a run

FORMATS = ("pdf", "svg", "png")


def log(template: str) -> str:
    """Where the log of a result goes: logs/{scale}/{study}/... with the same names."""
    path = template if template == PAGE else f"{STUDY}/{template}"
    stem = re.sub(r"\.(zarr\.zip|json|html)$", "", path)
    return f"{stem.replace('results/', 'logs/', 1)}.log"


def benchmark(template: str) -> str:
    """Where the time and memory that a result took go, beside its log."""
    return log(template).removesuffix(".log") + ".tsv"


def checkpoints(template: str) -> str:
    """The folder in which a training that has not ended keeps its progress; no output of any rule."""
    return log(template).removesuffix(".log").replace("logs/", "checkpoints/", 1)


def data_file(name: str, folder: str | None) -> Path:
    """Where a data file is: in the ``data:`` folder of config.yaml, or else, to be downloaded, in resources/."""
    own = Path(folder) / name if folder is not None else None
    return own if own is not None and own.is_file() else Path("resources") / name


def seed_blocks(folder: Path, cell: dict[str, object], seeds: int, per_job: int) -> Iterator[tuple[int, int]]:
    """Blocks (first, last) that cover the seeds 0 .. seeds - 1 of a cell.

    A block that has been trained is used as it is, so that more seeds later train the new ones
    alone; what remains is cut into blocks of ``per_job`` that start at its multiples.
    """
    trained = _trained(folder / NETWORKS.format(**cell, seeds="*"))
    first = 0
    while first < seeds:
        if first in trained:
            last = trained[first]
        else:
            bounds = [seeds, (first // per_job + 1) * per_job, *(start for start in trained if start > first)]
            last = min(bounds) - 1
        yield first, last
        first = last + 1


def _trained(pattern: Path) -> dict[int, int]:
    """First and last seed of the blocks on disk; of several with one start, the longest."""
    found: dict[int, int] = {}
    for path in pattern.parent.glob(pattern.name):
        match = re.search(r"_seeds(\d+)-(\d+)\.zarr\.zip$", path.name)
        if match:
            first, last = map(int, match.groups())
            found[first] = max(last, found.get(first, last))
    return found
