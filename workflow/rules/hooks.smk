# Handlers before the first job and after a run in which jobs failed; in the main process, not in each job.
import time

from isobath.launcher import server
from isobath.study import cautions
from isobath.workflow import (
    attempts,
    dates,
    job_costs,
    orphans,
    outages,
    pace,
    planning_hook,
    progress,
)
from snakemake.dag import DAG
from snakemake.io import IOFile
from snakemake.logging import logger
from snakemake.scheduling.job_scheduler import JobScheduler

BEGAN = time.time() - 5  # seconds by which the clock of a node may be behind

if workflow.is_main_process:
    # Once: it may import more than each job should.
    from isobath.operations import own_code

    try:
        own_code.require(RUN)
    except loading.ConfigError as error:
        raise WorkflowError(str(error))
    for caution in cautions.of(RUN):
        logger.warning(caution)

if (
    workflow.is_main_process
    and not workflow.dryrun
    and any(Path(".snakemake/incomplete").rglob("*"))
):
    from isobath.operations import adoption  # imports more than each job should

    for path in adoption.adopt(RUN):
        logger.info(f"{path} was finished after its run was killed, and is kept")


def targets(jobs):
    """Return the targets of jobs, as Snakemake names them to a job on a cluster."""
    return [
        orphans.Target(job.rule.name, tuple(job.wildcards_dict.items())) for job in jobs
    ]


def planned(jobs):
    """Yield the kind and the wildcards of the jobs of this workflow, whose rules another one may have renamed."""
    there = [kind for kind in results.kinds() if rules.has(kind)]
    kinds = {getattr(rules, kind).rule.name: kind for kind in there}
    for job in jobs:
        if job.rule.name in kinds:
            yield kinds[job.rule.name], job.wildcards_dict


def taken_as_they_are(dag):
    """Return jobs that do not run: of outcomes, of what others read, of data files."""
    outcomes = {
        getattr(rules, kind).rule.name
        for kind in results.having("OUTCOME")
        if rules.has(kind)
    }
    jobs = set(dag.needrun_jobs())
    read = {d for job in jobs for d in dag.dependencies[job]}
    read |= {job for job in dag.jobs if job.input and not dag.dependencies[job]}
    taken = (read | {job for job in dag.jobs if job.rule.name in outcomes}) - jobs
    return sorted(taken, key=studies_first)


def studies_first(job):
    """Return the place of a job in a list: those of studies come before those for all studies."""
    return "study" not in job.wildcards_dict, str(job.output)


def require_own(dag):
    """Refuse results of other settings or code that a run takes as they are; a dry run takes none."""
    # Without this trigger a run may keep them.
    triggers = map(str, workflow.rerun_triggers)
    if dag.workflow is not workflow or workflow.dryrun or "params" not in triggers:
        return
    if taken := [*planned(taken_as_they_are(dag))]:
        # It imports more than each job should.
        from isobath.operations import present_results

        try:
            present_results.require_own(RUN, taken)
        except loading.ConfigError as error:
            raise WorkflowError(str(error))


TOLD = workflow.is_main_process and planning_hook.tell(DAG, require_own)


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
            begun = sum(bool(job.log) for job in jobs)  # the target has none
            forked = workflow.local_exec and server.is_worth_it(begun)
            rates = job_costs.FORKED if forked else job_costs.CORE
            expected = forecasts.require_affordable(RUN, RUN.source, due, rates)
            late = dates.bring_to_now(
                {str(path) for job in jobs for path in job.input}
            )
        except loading.ConfigError as error:
            raise WorkflowError(str(error))
        for path in late:
            logger.warning(f"{path} was dated in the future, and is dated to now")
        end_orphans(jobs)
        pace.rest(workflow.scheduler)
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
        from isobath.operations import partial

        for path in partial.fill(RUN, BEGAN):
            workflow.persistence.cleanup_metadata(IOFile(path))
