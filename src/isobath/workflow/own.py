"""The folders of a user's own: found, checked and laid over the package, before anything is planned."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

from isobath import binding, plugins, roots
from isobath.study.loading import config_file
from isobath.study.schema import ConfigError
from isobath.study.yaml import written
from isobath.workflow import environment

USUAL = "own"


def lay(source: Path, names: str | list[str] | None) -> None:
    """Lay the folders that config.yaml in ``source`` names as ``own`` over the package, for this process and its jobs.

    Raises ConfigError, one sentence, for a name without a folder, a module that two folders have, and a file that can't
    be read.
    """
    folders = list(_folders(source, names))
    environment.require_plain(*folders)
    try:
        roots.use(folders)
    except roots.RootError as error:
        raise ConfigError(str(error)) from None
    for folder in roots.own():
        for file in roots.files(folder):
            _require_plural(folder, file)
            _require_covered(folder, file)


def _folders(source: Path, names: str | list[str] | None) -> Iterator[Path]:
    """Yield the folders that the config names, or the usual one if it is there."""
    if names is None:
        yield from [folder for folder in [source / USUAL] if folder.is_dir()]
        return
    listed = [names] if isinstance(names, str) else names
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise ConfigError(
            f"{config_file(source)}: own is {written(names)}; allowed: the name of a folder, or a list of them"
        )
    for name in listed:
        if not os.path.isdir(source / name):  # noqa: PTH112 (pathlib raises where it can't look)
            raise ConfigError(f"{config_file(source)}: own is {name!r}, and {source / name} is no folder; make it")
        folder = (source / name).resolve()
        if folder == Path.cwd() or source.resolve().is_relative_to(folder):
            raise ConfigError(
                f"{config_file(source)}: own is {name!r}, in which the run itself lies; it must be a folder below"
            )
        yield folder


def _require_plural(folder: Path, file: Path) -> None:
    """Refuse a folder that is named by a family in the singular."""
    family = file.relative_to(folder).parts[0]
    if family in plugins.contracts():
        raise ConfigError(f"{file}: the folder must be {binding.plural(family)}, not {family}")


def _require_covered(folder: Path, file: Path) -> None:
    """Refuse a module that is no Python, and imports that fingerprints do not cover."""
    try:
        tree = plugins.tree(file)
    except plugins.PluginError as error:
        raise ConfigError(str(error)) from None
    for name in _imported(tree):
        beside = Path(f"{name}.py").is_file() or Path(name, "__init__.py").is_file() or Path(name).resolve() == folder
        if beside and name not in ("isobath", *roots.packages()):
            raise ConfigError(
                f"{file}: it imports {name}, which lies in the folder of the run; put it into {folder} and import it "
                f"as isobath.<module>, else a change of it would run nothing again"
            )


def _imported(tree: ast.Module) -> Iterator[str]:
    """Yield the first name of each module that a module imports, except by relative imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]
