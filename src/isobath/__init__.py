"""Library of isobath, which measures what depth does to learning; ``docs/library.md`` shows each call with its output.

Each job and each parse of the Snakefile imports isobath, and few need its library: names are loaded when they are used.
They are strings here, and imports in ``__init__.pyi``: the imports of a module are part of the fingerprint of its code.
"""

import importlib

__version__ = "0.1.0"
_PLACES = {
    "train": "library.training",
    "regress": "library.regression",
    "fit_law": "library.laws",
    "jamming_threshold": "library.jamming",
    "interval": "library.intervals",
    "plot": "library",
    "open_results": "library.results",
    "contents": "library.results",
}
__all__ = [*_PLACES, "__version__"]  # noqa: PLE0604 (names are words)


def _find_own() -> None:
    # On demand: roots imports pathlib, which the mathematical modules may not import.
    from isobath import roots  # noqa: PLC0415

    roots.install()


_find_own()


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'isobath' has no attribute {name!r}")
    module = importlib.import_module(f"isobath.{_PLACES[name]}")
    return importlib.import_module("isobath.library.plot") if name == "plot" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
