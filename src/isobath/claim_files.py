"""Files of claims: the claims of a study, in ``claims/<study>.py`` or in the files of ``claims/<study>/``.

A claim is a function that is decorated with ``@claim``. Files are read, and imported only to judge a claim.
"""

import ast
import importlib
import re
from collections import Counter
from pathlib import Path
from typing import Any

from isobath import roots as overlays
from isobath.paths import NAME
from isobath.plugins import as_it_lies, roots
from isobath.syntax import PluginError, functions, plugin_errors, tree


class ClaimError(RuntimeError):
    """Names a claim that failed when it was judged, by a slip in its code, with the reason."""


def claims(study: str) -> dict[str, str]:
    """Return the claims, function -> module, of ``claims/<study>.py`` or of the files in ``claims/<study>/``."""
    return {name: _module(root, file) for name, (root, file) in _files_of_claims(study).items()}


def claim_module(study: str, name: str) -> str:
    """Return the module of a claim of a study; ``locality.name`` is a claim of the study ``locality``."""
    named_study, _, function = name.rpartition(".")
    return _module(*_files_of_claims(named_study or study)[function])


def claim_file(study: str, name: str) -> str:
    """Return the file of a claim as it lies in a clone, src/isobath/..., or in the user's own folder, own/..."""
    named_study, _, function = name.rpartition(".")
    return as_it_lies(*_files_of_claims(named_study or study)[function])


def claims_beside(study: str, name: str) -> list[str]:
    """Return the claims of a study; for a ``name`` such as ``locality.x`` also those of that other study."""
    other_study = name.rpartition(".")[0]
    others = _files_of_claims(other_study) if other_study else ()
    return [*_files_of_claims(study), *(f"{other_study}.{claim}" for claim in others)]


def lacking(study: str, name: str) -> str:
    """Say why a study has no claim of a name: its function is not decorated, or no file is there; "" otherwise."""
    named_study, _, function = name.rpartition(".")
    if not re.fullmatch(NAME, named_study or study):
        return ""
    places = [(root, root / "claims" / (named_study or study)) for root in roots()]
    files = [(root, file) for root, place in places for file in _python_files(place)]
    if undecorated := next((at for at in files if function in functions(at[1])), None):
        return f"{as_it_lies(*undecorated)} has the function {function}, but not decorated with @claim"
    if not files:
        listed = " or ".join(as_it_lies(root, place.with_name(f"{place.name}.py")) for root, place in places)
        return f"there is no {listed}"
    return ""


def _python_files(place: Path) -> list[Path]:
    """Return the files with the claims of a study, of the folder or of the file of its name; none if there is none."""
    files = sorted(place.glob("[!.]*.py")) if place.is_dir() else [place.with_name(f"{place.name}.py")]
    return [file for file in files if file.is_file()]


def _files_of_claims(study: str) -> dict[str, tuple[Path, Path]]:
    """Return the root and the file of each claim of a study; none for what can't be the name of a study.

    Raises PluginError for a claim that two files have.
    """
    files: dict[str, tuple[Path, Path]] = {}
    for root in roots() if re.fullmatch(NAME, study) else ():
        place = root / "claims" / study
        if place.is_dir() and place.with_name(f"{study}.py").is_file():
            raise PluginError(f"{place.with_name(f'{study}.py')}: the claims of {study} are in {place}; move it there")
        for file in _python_files(place):
            for name in _of_file(file):
                if "." in study:
                    raise PluginError(f"{file}: a module can't have a dot in its name; rename the study {study} and it")
                if name in files:
                    raise PluginError(f"{file}: the study {study} has a claim {name} in {files[name][1]}; rename one")
                files[name] = root, file
    return files


def studies_with_claims() -> list[Path]:
    """Return the files and folders with claims, each named as its study."""
    paths = (path for root in roots() for path in (root / "claims").glob("[!_.]*"))
    entries = (path.with_name(path.name.removesuffix(".py")) for path in paths)
    return sorted({path.name: path for path in entries}.values(), key=lambda path: path.name)


def load_claim(study: str, name: str) -> Any:
    """Import a claim (see ``analysis.verdicts``). Raises PluginError where its file can't be imported."""
    with plugin_errors(f"{claim_file(study, name)}: the claim {name} can't be imported"):
        return getattr(importlib.import_module(claim_module(study, name)), name.rpartition(".")[2])


@overlays.cached
def _of_file(file: Path) -> list[str]:
    """Return the functions that are decorated with ``@claim``. Raises PluginError for a name that stands twice."""
    names = [f.name for f in tree(file).body if isinstance(f, ast.FunctionDef) and "claim" in _decorators(f)]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise PluginError(f"{file}: the claim {twice[0]} stands there twice; rename one of the two")
    return names


def _decorators(function: ast.FunctionDef) -> list[str]:
    return [getattr(getattr(decorator, "func", None), "id", "") for decorator in function.decorator_list]


def _module(root: Path, file: Path) -> str:
    return ".".join(("isobath", *file.relative_to(root).with_suffix("").parts))
