"""Paths of files, relative to the folder of the workflow.

Results lie in results/{scale}/{study}; the path of each kind of result is in its file in ``results``. Logs and
checkpoints have the names of the results that they belong to. Paths carry names from the study and the axes of its
grids, never hyperparameters.
"""

import re
from collections.abc import Callable
from pathlib import Path

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.=-]{0,63}$"  # of a study, a scale or an entry of a study: a part of a path
STUDY_FOLDER = "results/{scale}/{study}"
STORE = ".zarr.zip"  # the end of the name of a store
PAGE = "index.html"  # of all studies, beside their folders
ODD: dict[str, Callable[[Path], bool]] = {  # what may stand in the place of a file, in the order of the questions
    "a folder": Path.is_dir,
    "a pipe": Path.is_fifo,
    "no regular file": Path.exists,
    "a link to nothing": Path.is_symlink,
}
SHOWN = 5  # folders that a message lists
SUFFIX = re.compile(r"\.(zarr\.zip|json|html)$")


def obstacle(path: Path) -> str:
    """Name what stands in the place of a file, which can't be read, or waits for ever; "" for a file or nothing."""
    return "" if path.is_file() else next((name for name, holds in ODD.items() if holds(path)), "")


def require_results(results: Path) -> None:
    """Raise FileNotFoundError, one sentence, for a path of results where there is no folder."""
    if not results.is_dir():
        problem = "it is a file" if results.exists() else "there is no such folder"
        beside = sorted(path.name for path in results.parent.glob("*/") if not path.name.startswith("."))
        there = f"; {results.parent} has {', '.join(beside[:SHOWN])}" if beside else ""
        raise FileNotFoundError(f"{results}: {problem}; results of a run are a folder results/<scale>{there}")


def log(result: str) -> str:
    """Return the path of the log of a result: logs/{scale}/{study}/... with the same names."""
    return f"{SUFFIX.sub('', result).replace('results/', 'logs/', 1)}.log"


def checkpoints(result: str) -> str:
    """Return the folder in which an unfinished training keeps its progress; it is no output of any rule."""
    return log(result).removesuffix(".log").replace("logs/", "checkpoints/", 1)


def data_file(name: str, folder: str | None) -> Path:
    """Return the path of a data file: in the ``data:`` folder of config.yaml, or in resources/, for downloads."""
    own_file = Path(folder) / name if folder is not None else None
    return own_file if own_file is not None and own_file.is_file() else Path("resources") / name
