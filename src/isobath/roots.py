"""Roots: the folder of isobath, and folders of the user's own that are laid over it.

A root has the folders of the package, and ``studies``. Its modules are modules of isobath: ``own/tasks/majority.py`` is
``isobath.tasks.majority``, as it would be if it were ours, so a file can move between the two unchanged. A root that is
a package (it has ``__init__.py``) can be imported by its own name as well.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import _lru_cache_wrapper, cache
from importlib import invalidate_caches, util
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

T = TypeVar("T")
VARIABLE = "ISOBATH_OWN"  # the environment variable by which a run tells its jobs
BESIDE = ("tests", "conftest.py", "setup.py")  # no modules of a root
GROUP = "isobath"  # of the entry points of packages that bring kinds
PACKAGE = Path(__file__).parent
_CACHES: list[Any] = []
_USED: dict[Path, tuple[int, int]] = {}  # when the files of the roots in use were changed, and how long they were


class RootError(ValueError):
    """An entry point that is no package, an entry of a root that is no file, or a name that two have, in a sentence."""


def cached(function: Callable[..., T]) -> "_lru_cache_wrapper[T]":
    """Remember what a function returns for as long as the roots are the same."""
    _CACHES.append(cache(function))
    return _CACHES[-1]  # type: ignore[no-any-return]


def own() -> list[Path]:
    """Return the folders that are laid over the package, in their order."""
    return [Path(folder) for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]


def use(folders: Iterable[str | Path] | str | Path) -> None:
    """Lay folders, and those of installed packages, over the package, for this process and its jobs. RootError.

    The modules of the former folders are forgotten if any file has changed since, so that an edit counts at once.
    """
    given = [Path(folder) for folder in ([folders] if isinstance(folders, str | Path) else folders)]
    if lost := [folder for folder in given if not folder.is_dir()]:
        raise RootError(f"{lost[0]} is no folder; folders of plug-ins are laid over the package")
    places = [*dict.fromkeys(folder.resolve() for folder in (*given, *installed()))]
    if odd := [folder for folder in places if os.pathsep in str(folder)]:
        raise RootError(f"{odd[0]} has {os.pathsep!r} in its path, at which lists of folders are split; rename it")
    for i, folder in enumerate(places):
        for file in (*files(folder), *sorted((folder / "rules").glob("[!.]*.smk"))):
            _require_regular(file)
            _require_distinct(folder, file, (PACKAGE, *places[:i]))
    joined, state = os.pathsep.join(map(str, places)), _state(places)
    if joined != os.environ.get(VARIABLE, "") or state != _USED:
        _forget(own())
        os.environ[VARIABLE] = joined
        _keep_compiled("")
        _USED.clear()
        _USED.update(state)


def _state(folders: Iterable[Path]) -> dict[Path, tuple[int, int]]:
    """Return when each file of roots was changed, in ns, and its size."""
    paths = (path for folder in folders for path in (*files(folder), *data(folder)))
    return {path: (status.st_mtime_ns, status.st_size) for path in paths for status in [path.stat()]}


def _require_distinct(folder: Path, file: Path, before: Iterable[Path]) -> None:
    """Refuse a module that an earlier root has, or that is a file and a package in this one. Raises RootError."""
    name = file.relative_to(folder)
    package = name.name == "__init__.py"  # a folder may stand beside that of the package, not beside a module
    beside = [Path(f"{name.parent}.py")] if package else [name, name.with_suffix("") / "__init__.py"]
    for rival in (root / place for root in (*before, folder) for place in beside):
        if rival != file and rival.is_file():
            raise RootError(f"{file}: {rival} has the same name; rename one of them")


def _require_regular(file: Path) -> None:
    """Refuse what is no file that can be read: a folder or a dangling link would fail, and a pipe wait for ever."""
    if not file.is_file():
        from isobath.paths import obstacle  # noqa: PLC0415 (`import isobath` loads no other module of it than this)

        obstruction = obstacle(file) or "gone"
        raise RootError(f"{file} is {obstruction}; a name that ends in {file.suffix} must be that of a regular file")
    if not os.access(file, os.R_OK):
        raise RootError(f"{file} can't be read; it must be a file that you may read")


def installed() -> list[Path]:
    """Return the folders of the packages that declare an entry point of the group ``isobath``. Raises RootError."""
    from importlib import metadata  # noqa: PLC0415 (no job needs it)

    folders = []
    for entry in metadata.entry_points(group=GROUP):
        spec = util.find_spec(entry.module)
        if spec is None or not spec.submodule_search_locations:
            raise RootError(f"the entry point {entry.name} of the group {GROUP} is {entry.value}, which is no package")
        folders.append(Path(next(iter(spec.submodule_search_locations))))
    return folders


def packages() -> dict[str, Path]:
    """Return the roots that can be imported by their own name: name -> folder."""
    return {folder.name: folder for folder in own() if (folder / "__init__.py").is_file()}


def files(folder: Path) -> list[Path]:
    """Return the modules of a root, without its tests and hidden files."""
    return [path for path in _visible(folder) if path.name.endswith(".py")]


def data(folder: Path) -> list[Path]:
    """Return all other files of a root, which its modules may read, without those of tests and hidden ones."""
    paths = (path for path in _visible(folder) if path.suffix != ".py" and path.parent.name != "__pycache__")
    return [path for path in paths if path.is_file()]


def _visible(folder: Path) -> list[Path]:
    paths = _below(folder, (folder.resolve(),))
    return sorted(path for path in paths if path.relative_to(folder).parts[0] not in BESIDE)


def _below(folder: Path, around: tuple[Path, ...]) -> Iterator[Path]:
    """Yield what lies below a folder and is not hidden, through links as well, which imports follow.

    A link to one of the folders ``around`` it, which are resolved, is not entered: it leads in a circle.
    """
    for path in folder.iterdir() if os.access(folder, os.R_OK | os.X_OK) else ():
        if not path.name.startswith("."):
            yield path
            if path.is_dir() and (place := path.resolve()) not in around:
                yield from _below(path, (*around, place))


def is_own(path: str) -> bool:
    """Tell whether a file lies in a root of the user's own."""
    return any(Path(path).is_relative_to(folder) for folder in own())


def _forget(folders: Sequence[Path]) -> None:
    """Remove the modules of roots from ``sys.modules``, and clear all caches that depend on roots."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and any(Path(file).is_relative_to(folder) for folder in folders):
            del sys.modules[name]
            parent, _, last = name.rpartition(".")
            vars(sys.modules.get(parent, sys)).pop(last, None)
    for remembered in _CACHES:
        remembered.cache_clear()
    if sizes := sys.modules.get("isobath.sizes"):  # its floor imports no paths, and so not this module
        sizes._function.cache_clear()
    invalidate_caches()


class Finder(PathFinder):
    """Finder of the modules of roots, asked after Python has not found them in the package."""

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the module in the first root that has it."""
        first, *rest = fullname.split(".")
        if first == GROUP:
            places = [folder.joinpath(*rest[:-1]) for folder in own() if rest]
        else:
            places = [folder.parent.joinpath(*rest) for name, folder in packages().items() if [name] == [first, *rest]]
        spec = super().find_spec(fullname, [str(place) for place in places]) if places else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = Loader(fullname, spec.loader.path)
        return spec


class Loader(SourceFileLoader):
    """Loader that gives the code that Numba compiles of the user's own modules a folder of its own."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module."""
        super().exec_module(module)
        if hasattr(module, "Compiled") and is_own(self.path):
            _keep_compiled(_digest(self.text))

    def text(self, path: Path) -> bytes:
        """Return the text from which a module is imported, of this loader or another like it."""
        return path.read_bytes()


def _digest(text: Callable[[Path], bytes]) -> str:
    """Return a digest of the names and the texts of all own modules, and of the files whose names stand in them."""
    digest = hashlib.sha256()
    for folder in own():
        texts = {path: text(path) for path in files(folder)}
        everything = b"\0".join(texts.values())
        texts |= {path: path.read_bytes() for path in data(folder) if os.fsencode(path.name) in everything}
        for path, content in texts.items():
            digest.update(f"{path.relative_to(folder)}\0".encode() + content + b"\0")
    return digest.hexdigest()[:16]


def _keep_compiled(digest: str) -> None:
    """Keep compiled code in a folder that bears the digest of the own modules as well, or in ours without a digest.

    The folder of ``training.compiled`` is named by the texts of ours: the old code of an own loss that was edited would
    stay in it. Besides, the index of a folder holds the types of losses and protocols, so that it cannot be read once
    the root which has them is gone.
    """
    if "isobath.training.compiled" not in sys.modules:
        return
    config = sys.modules["numba"].config
    current = Path(config.CACHE_DIR)
    folder = current.with_name(current.name.partition("-own-")[0] + (f"-own-{digest}" if digest else ""))
    if folder == current:
        return
    config.CACHE_DIR = str(folder)
    for name, module in list(sys.modules.items()):
        for function in vars(module).values() if name.startswith("isobath.training.compiled.") else ():
            if hasattr(function, "enable_caching"):
                function.enable_caching()


def install() -> None:
    """Let Python find the modules of roots."""
    if Finder not in sys.meta_path:
        sys.meta_path.append(Finder)
