"""Outages of SLURM: a run goes on while SLURM does not answer.

When every query of a round fails, the executor of Snakemake for SLURM (2.8) reports none of its jobs as active, and
Snakemake forgets them: it waits for ever for jobs that have ended. Here the jobs of such a round stay active.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from types import ModuleType
from typing import Any

from isobath.hooks import patches

ASK, CHECK = "query_job_status", "check_active_jobs"  # of the module, and of its class Executor


def survive(plugin: ModuleType) -> bool:
    """Let the executor of the plug-in keep its jobs through a round without an answer; False if it is unknown."""
    executor = getattr(plugin, "Executor", None)
    if not (hasattr(plugin, ASK) and hasattr(executor, CHECK)):
        return False
    last: dict[str, Any] = {}

    def remembering(ask: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def remembered(*arguments: Any, **options: Any) -> Any:
            last["answer"] = await ask(*arguments, **options)
            return last["answer"]

        return remembered

    def keeping(check: Callable[..., AsyncIterator[Any]]) -> Callable[..., AsyncIterator[Any]]:
        async def checked(self: Any, active_jobs: Any) -> AsyncIterator[Any]:
            jobs = list(active_jobs)
            last.clear()
            async for job in check(self, jobs):
                yield job
            if last and last["answer"][0] is None:
                self.logger.warning("SLURM does not answer; its jobs go on, and it is asked again")
                for job in jobs:
                    yield job

        return checked

    return patches.wrap(plugin, ASK, remembering) and patches.wrap(executor, CHECK, keeping)
