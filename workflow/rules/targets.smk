# TARGETS: all results of every study, so that any that is lost is made again.


def everything():
    """Return the paths of all results of a run."""
    return [path for job in plan.walk(RUN) for path in job.outputs]


def ungathered(_):
    """Return the paths of all results that do not gather others."""
    jobs = (job for job in plan.walk(RUN) if not results.option(job.rule, "OUTCOME"))
    return [path for job in jobs for path in job.outputs]


rule single_results:
    """Make all results but those that gather others: for a plan in parts (--batch)."""
    input:
        ungathered,


if str(rules.page.output[0]) != result("page"):
    raise WorkflowError(
        "the module has a prefix or replace_prefix, which jobs that gather results do not know; "
        "its results are in results/<scale>: leave it out"
    )
