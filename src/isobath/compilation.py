"""The folder of compiled code, named by the texts of the modules that it was compiled from: it is never stale."""

import hashlib
import os
from importlib.util import find_spec
from typing import Any

PACKAGE = os.path.dirname(__file__)  # noqa: PTH120 (mathematics, which asks for it, knows no paths)


def cache_of(name: str, *folders: str) -> str:
    """Return the folder of the code that is compiled from the modules in ``folders`` of this package.

    It lies in the package, or among the user's caches where that can't be written. Raises FileNotFoundError for a
    folder without modules.
    """
    digest = hashlib.sha256()
    for file in sorted(file for folder in folders for file in _modules(f"{PACKAGE}/{folder}")):
        digest.update(_imported(file) + b"\0")
    user = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    place = f"{PACKAGE}/__pycache__" if os.access(PACKAGE, os.W_OK) else f"{user}/isobath"
    return f"{place}/{name}-{digest.hexdigest()[:16]}"


def _modules(folder: str) -> list[str]:
    """Return the paths of the modules in a folder, whose name is no pattern, whatever characters it has."""
    files = [f"{folder}/{entry.name}" for entry in os.scandir(folder) if entry.name.endswith(".py")]
    if not files:
        raise FileNotFoundError(f"{folder}: there is no module in it")
    return files


def _imported(file: str) -> bytes:
    """Return the text from which this process imports a module of the package; its file may have changed since."""
    module = file.removeprefix(PACKAGE).removesuffix(".py").replace(os.sep, ".")
    loader: Any = getattr(find_spec(f"isobath{module}"), "loader", None) or globals()["__loader__"]
    text: bytes = loader.get_data(file)
    return text
