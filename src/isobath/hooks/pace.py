"""The pace of Snakemake's scheduler, which should rest while jobs run.

With a limit of jobs per timespan, which is 100 per second unless one is given, each round of the scheduler (Snakemake
9.10 to 9.27) starts a thread that asks for another round after the timespan, and each job that ends asks for one more.
So there are as many threads as jobs have ended, each with a round per second: after a thousand jobs the scheduler never
rests, and takes a good part of a core from the jobs.
"""

from typing import Any

DEFAULT = (100, 1)  # jobs, seconds


def rest(scheduler: Any) -> None:
    """Take the limit of jobs per timespan from Snakemake's scheduler, unless the user has given one."""
    limit = getattr(scheduler, "job_rate_limiter", None)
    if limit is not None and (limit.max_jobs, limit.timespan) == DEFAULT:
        scheduler.job_rate_limiter = None
