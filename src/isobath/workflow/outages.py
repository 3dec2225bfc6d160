"""Outages of SLURM: a run goes on while SLURM does not answer.

When every query of a round fails, the executor of Snakemake for SLURM (2.8) reports none of its jobs as active, and
Snakemake forgets them: it waits for ever for jobs that have ended. Here the jobs of such a round stay active.
"""

import functools
from collections.abc import AsyncIterator
from types import ModuleType
from typing import Any

ASK, CHECK = "query_job_status", "check_active_jobs"  # of the module, and of its class Executor


def survive(plugin: ModuleType) -> bool:
    """Let the executor of the plug-in keep its jobs through a round without an answer; False if it is unknown."""
    executor = getattr(plugin, "Executor", None)
    ask, check = getattr(plugin, ASK, None), getattr(executor, CHECK, None)
    if ask is None or check is None:
        return False
    last: dict[str, Any] = {}

    @functools.wraps(ask)
    async def remembered(*arguments: Any, **options: Any) -> Any:
        last["answer"] = await ask(*arguments, **options)
        return last["answer"]

    @functools.wraps(check)
    async def checked(self: Any, active_jobs: Any) -> AsyncIterator[Any]:
        jobs = list(active_jobs)
        last.clear()
        async for job in check(self, jobs):
            yield job
        if last and last["answer"][0] is None:
            self.logger.warning("SLURM does not answer; its jobs go on, and it is asked again")
            for job in jobs:
                yield job

    setattr(plugin, ASK, remembered)
    setattr(executor, CHECK, checked)
    return True
