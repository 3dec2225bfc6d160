# TARGETS: all results of every study, so that any that is lost is made again.


def everything():
    """Return the paths of all results of a run."""
    return [path for job in plan.walk(RUN) for path in job.outputs]


if str(rules.page.output[0]) != result("page"):
    raise WorkflowError(
        "the module has a prefix or replace_prefix, which jobs that gather results do not know; "
        "its results are in results/<scale>: leave it out"
    )
