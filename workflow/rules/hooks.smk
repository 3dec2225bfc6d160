# What happens before the first job and after a run in which jobs failed; in the main process, not in each job.
from isobath.launcher import server
from snakemake.io import IOFile


onstart:
    if workflow.is_main_process:
        due = [path for job in workflow.dag.needrun_jobs() for path in job.output]
        try:
            forecasts.require_affordable(RUN, HERE, due)
        except loading.ConfigError as error:
            raise WorkflowError(str(error))
        if workflow.local_exec:
            server.begin(len(due))


onerror:
    if workflow.is_main_process:
        from isobath.operations import (
            partial,
        )  # imports more than each job on a cluster should

        for path in partial.fill(RUN):
            workflow.persistence.cleanup_metadata(IOFile(path))
