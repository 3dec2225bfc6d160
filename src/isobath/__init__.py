"""isobath charts what depth does to learning. ``isobath.open_results("results/demo")`` opens what a run has made."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isobath.disk.store import open_results

__all__ = ["open_results"]


def _find_own() -> None:
    # On demand, so that mathematics, which knows no paths, does not import them.
    from isobath import roots  # noqa: PLC0415

    roots.install()


_find_own()


def __getattr__(name: str) -> object:
    # Lazy: each job and each parse of the Snakefile imports isobath, few need xarray.
    if name == "open_results":
        from isobath.disk.store import open_results  # noqa: PLC0415

        return open_results
    raise AttributeError(f"module 'isobath' has no attribute {name!r}")
