"""Sources of modules, each read once per process: a job runs the code that it has fingerprinted.

Python imports a module when it is first needed, minutes after the fingerprint of the code was taken, and takes bytecode
for fresh by the second in which a file was written. A job imports from the texts that were fingerprinted instead.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from isobath import roots


@roots.cached
def text(path: Path) -> str:
    """Return the text of a file as it was when this process first read it, or first since the roots changed."""
    return path.read_text(encoding="utf-8")


def import_once_read() -> None:
    """Import the modules of isobath and of own roots, from here on, from the texts that ``text`` returns."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


class _Finder(PathFinder):
    """Finder of the modules of isobath and of own roots alone."""

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("isobath.") and fullname.partition(".")[0] not in roots.packages():
            return None
        spec = super().find_spec(fullname, path, target) or roots.Finder.find_spec(fullname)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(fullname, spec.loader.path)
        return spec


class _Loader(roots.Loader):
    """Loader that compiles the text of a module, and leaves its bytecode on disk alone."""

    def text(self, path: Path) -> bytes:
        """Return the text from which a module is imported."""
        return text(path).encode()

    def get_data(self, path: str) -> bytes:
        """Return the text of the module; other files, such as bytecode, are read from disk."""
        return self.text(Path(path)) if path == self.path else super().get_data(path)

    def get_code(self, fullname: str) -> CodeType | None:
        code: CodeType = self.source_to_code(text(Path(self.path)).encode(), self.path)
        return code
