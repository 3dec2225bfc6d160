# Results that are there before the first job: which a run keeps, and which it refuses to take as they are.
from isobath.hooks import dates, planning
from snakemake.dag import DAG
from snakemake.logging import logger

dates.keep_order(DAG)

if (
    workflow.is_main_process
    and not workflow.dryrun
    and any(Path(".snakemake/incomplete").rglob("*"))
):
    from isobath.hooks import adoption  # imports more than each job should

    for path in adoption.adopt(RUN):
        logger.info(f"{path} was finished after its run was killed, and is kept")


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
    if dag.workflow is not workflow:
        return
    if workflow.dryrun:
        return warn_of_other_seeds(dag)
    # Without this trigger a run may keep them.
    if "params" not in map(str, workflow.rerun_triggers):
        return
    if taken := [*planned(taken_as_they_are(dag))]:
        # It imports more than each job should.
        from isobath.hooks import present_results

        try:
            present_results.require_own(RUN, taken)
        except loading.ConfigError as error:
            raise WorkflowError(str(error))


def warn_of_other_seeds(dag):
    """Say of a dry run that the run would be refused, since it would replace results of another seed."""
    from isobath.workflow import kept_seeds  # imports more than each job should

    try:
        due = [path for job in dag.needrun_jobs() for path in job.output]
        kept_seeds.require_kept(RUN, due)
    except loading.ConfigError as error:
        logger.warning(f"the run would be refused: {error}")


TOLD = workflow.is_main_process and planning.tell(DAG, require_own)
