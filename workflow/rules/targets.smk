# TARGETS: all results of every study, so that any that is lost is made again.


def everything():
    """Return the paths of all results of a run."""
    return [path for job in plan.walk(RUN) for path in job.outputs]
