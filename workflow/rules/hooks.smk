# Handlers before the first job and after a run in which jobs failed; in the main process, not in each job.
import time

from isobath.hooks import attempts, dates, order, orphans, outages, pace
from isobath.launcher import server
from isobath.study import cautions
from isobath.workflow import command_lengths, job_costs, kept_seeds, progress
from snakemake.io import IOFile
from snakemake.logging import logger
from snakemake.scheduling.job_scheduler import JobScheduler

BEGAN = time.time() - progress.SLACK

if workflow.is_main_process:
    # Once: it may import more than each job should.
    from isobath.hooks import own_code

    try:
        own_code.require(RUN)
    except loading.ConfigError as error:
        raise WorkflowError(str(error))
    for caution in cautions.of(RUN):
        logger.warning(caution)


def targets(jobs):
    """Return the targets of jobs, as Snakemake names them to a job on a cluster."""
    return [
        orphans.Target(job.rule.name, tuple(job.wildcards_dict.items())) for job in jobs
    ]


def end_orphans(jobs):
    """Cancel the jobs that a killed run has left on SLURM; a run without SLURM does not need its answer."""
    try:
        for number in orphans.cancel(targets(jobs), Path.cwd()):
            logger.warning(f"SLURM job {number} of an earlier run was cancelled")
    except orphans.SlurmError as error:
        if workflow.executor_plugin.name == "slurm":
            raise WorkflowError(str(error))


onstart:
    if workflow.is_main_process:
        jobs = list(workflow.dag.needrun_jobs())
        if not TOLD:
            require_own(workflow.dag)
        try:
            due = [path for job in jobs for path in job.output]
            kept_seeds.require_kept(RUN, due)
            begun = sum(bool(job.log) for job in jobs)  # the target has none
            forked = workflow.local_exec and server.is_worth_it(begun)
            rates = job_costs.FORKED if forked else job_costs.CORE
            expected = forecasts.require_affordable(RUN, RUN.source, due, rates)
            command_lengths.require_short(RUN, (f.job for f in expected))
            late = dates.bring_to_now(
                {str(path) for job in jobs for path in job.input}
            )
        except loading.ConfigError as error:
            raise WorkflowError(str(error))
        for path in late:
            logger.warning(f"{path} was dated in the future, and is dated to now")
        end_orphans(jobs)
        pace.rest(workflow.scheduler)
        order.soonest_first(workflow.dag, expected)
        job_digests.publish(RUN, planned(jobs))
        progress.current = progress.Progress(
            {f.job.log: (f.job.rule, f.seconds.middle) for f in expected},
            total=begun,
            slots=workflow.cores if workflow.local_exec else None,
            pages=plan.pages(RUN),
            needs=forecasts.needs(expected),
        )
        if not workflow.local_exec:
            attempts.forgive(JobScheduler, attempts.Pauses(BEGAN).paused)
        if plugin := sys.modules.get("snakemake_executor_plugin_slurm"):
            outages.survive(plugin)
        if workflow.local_exec:  # last: it takes jobs of its own environment alone
            server.begin(begun)


onerror:
    if workflow.is_main_process:
        from isobath.hooks import partial

        for path in partial.fill(RUN, BEGAN):
            workflow.persistence.cleanup_metadata(IOFile(path))
