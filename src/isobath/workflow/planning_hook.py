"""The moment at which a run is planned: Snakemake (9) calls nobody then where no job is due."""

import functools
from collections.abc import Callable
from typing import Any

PROCESS, WHOLE = "postprocess", "check_initial"  # of Snakemake's DAG, and the option by which a run calls it first


def tell(dag: Any, planned: Callable[[Any], None]) -> bool:
    """Let a DAG, a class, call ``planned`` with itself before the first job of a run; False if it is unknown."""
    process = getattr(dag, PROCESS, None)
    if process is None:
        return False

    @functools.wraps(process)
    async def processed(self: Any, *arguments: Any, **options: Any) -> None:
        await process(self, *arguments, **options)
        if options.get(WHOLE):
            planned(self)

    setattr(dag, PROCESS, processed)
    return True
