"""Order of the jobs: the study that is done soonest comes first, so that its verdicts stand while others run."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from isobath.workflow.forecasts import Forecast


def soonest_first(dag: Any, expected: Iterable[Forecast]) -> None:
    """Have Snakemake run the jobs of the soonest study first, unless the user has given ``--prioritize``."""
    if not (dag.priorityfiles or dag.priorityrules):
        dag.priorityfiles = soonest(expected)
        dag.update_priority()


def soonest(expected: Iterable[Forecast]) -> set[str]:
    """Return the paths of the results, still to be made, of the study whose jobs are expected to take the least time.

    The set is empty if a single study is left, or none.
    """
    seconds, outputs = defaultdict[str, float](float), defaultdict[str, set[str]](set)
    for forecast in expected:
        if study := forecast.job.names.get("study"):
            seconds[study] += forecast.seconds.middle
            outputs[study].update(forecast.job.outputs)
    return outputs[min(seconds, key=lambda study: seconds[study])] if len(seconds) > 1 else set()
