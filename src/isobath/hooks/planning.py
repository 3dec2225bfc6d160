"""A hook that is called once a run is planned; Snakemake 9 has none for a run in which no job is due."""

from collections.abc import Awaitable, Callable
from typing import Any

from isobath.hooks import patches

PROCESS, WHOLE = "postprocess", "check_initial"  # of Snakemake's DAG, and the option by which a run calls it first


def tell(dag: Any, planned: Callable[[Any], None]) -> bool:
    """Patch the class of a DAG so that it calls ``planned`` with itself before the first job of a run.

    Returns False if the class has no such method.
    """

    def told(process: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def processed(self: Any, *arguments: Any, **options: Any) -> None:
            await process(self, *arguments, **options)
            if options.get(WHOLE):
                planned(self)

        return processed

    return patches.wrap(dag, PROCESS, told)
