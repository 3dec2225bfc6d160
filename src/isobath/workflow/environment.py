"""Environment variables that a workflow hands on to its jobs, and the paths that they can carry."""

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import yaml

from isobath.study import layers, loading
from isobath.study.schema import ConfigError
from isobath.study.yaml import written

SPLITTING = {  # characters -> what takes them for more than a part of a name
    os.pathsep: "at which $PATH and $PYTHONPATH are split, so that other programs could run",
    "{": "which Snakemake takes for a placeholder",
    "}": "which Snakemake takes for a placeholder",
}
WRITTEN = ("results", "logs", "checkpoints", "resources")  # folders


def inherit(source: Path) -> None:
    """Let the jobs of this process run ``source`` with this Python, whatever is activated or installed.

    The shell lines of the rules call the client of the launcher, which is $ISOBATH_CLIENT.
    """
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    os.environ["PYTHONPATH"] = str(source)
    os.environ["ISOBATH_CLIENT"] = str(source / "isobath/launcher/client.py")
    os.environ.pop("PYTHONOPTIMIZE", None)  # with it zarr fails to read stores


def place_of_config(clone: Path, started: Path) -> Path:
    """Return the folder whose config is that of a run in the working directory: this one, or else the clone.

    Raises ConfigError where a run that was ``started`` in a third folder would pass over the config there.
    """
    home = Path.cwd()
    if loading.config_file(home).is_file():
        return home
    if started.resolve() not in (home.resolve(), clone.resolve()) and loading.config_file(started).is_file():
        raise ConfigError(
            f"{home} has no config.yaml, and this run would have that of {clone}, not that of {started}; "
            "write one there, with the path of your own folder as `own`"
        )
    return clone


def require_runnable(*folders: Path) -> None:
    """Refuse folders as ``require_plain``, a Python without ``python``, which jobs run, and a folder not to write in.

    That is the working directory, in which a run writes. Raises ConfigError.
    """
    programs = Path(sys.executable).parent
    require_plain(*folders, programs)
    if not (programs / "python").is_file():
        raise ConfigError(f"{programs} has no program python, which jobs run; run isobath in a virtual environment")
    for name in WRITTEN:
        loading.require_writable(Path(name))


def require_strict(files: Iterable[str | Path]) -> None:
    """Refuse files of ``--configfile`` that Snakemake reads otherwise than config.yaml is read.

    For Snakemake 010 is 8 and 1:30 is 90, and of a key that stands twice the last counts. A file in JSON is read by
    both alike. Raises ConfigError.
    """
    for file in (file for file in map(Path, files) if file.is_file() and not _is_json(file)):
        content, theirs = layers.read(file), yaml.safe_load(file.read_text(encoding="utf-8")) or {}
        if odd := next((key for key in content if key not in theirs or content[key] != theirs[key]), None):
            raise ConfigError(
                f"{file}: {odd} is {written(content[odd])}, which Snakemake takes for {theirs.get(odd)!r}; write it so "
                "that both read the same"
            )


def _is_json(file: Path) -> bool:
    try:
        json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return True


def require_plain(*folders: Path) -> None:
    """Refuse folders whose path could be taken for something else on the way to a job. Raises ConfigError."""
    for folder in folders:
        for letter in str(folder):
            reason = SPLITTING.get(letter, "" if letter.isprintable() else "which can't be printed")
            if reason:
                raise ConfigError(f"{str(folder)!r}: the path has {letter!r}, {reason}; move or rename the folder")
