"""Demands of a study: its hours on one core, on a cluster and on a GPU, and the jobs that no time limit is enough for.

The rates of a GPU are those that ``make bench-gpu`` measured on an H100 (SXM), of stacks of perceptrons in float32:
the least time for a layer's part of a step, and the operations a second with very many networks. The share of its
bandwidth was not measured.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from isobath import results
from isobath.results import page as page_kind
from isobath.study import loading, places
from isobath.study.layers import NoSuchScale
from isobath.study.run import Run
from isobath.study.schema import ConfigError
from isobath.workflow import plan
from isobath.workflow.forecasts import Forecast, Past, forecasts, total
from isobath.workflow.job_costs import CORE, LONGEST, Rates
from isobath.workflow.ranges import Range

SCALE = page_kind.PAPERS
CORES = 100  # of the cluster
PEAK, BANDWIDTH = 67e12, 3.35e12  # operations (float32 without tensor cores) and bytes a second
SHARE = 0.14  # of the peak, with 1000 networks: d = 100, L = 7, H = 100, B = 50, SGD
PASSED = 0.2  # of the bandwidth, assumed
BYTES = 32  # that a number which passes a layer moves, there and back
LAYER = 24e-6  # seconds for a layer's part of a step, with ten such networks
GPU = Rates(start=CORE.start, launch=LAYER, activation=BYTES / (PASSED * BANDWIDTH), operations=SHARE * PEAK)
ASSUMED = (
    f"GPU: measured on an H100, {SHARE:.0%} of {PEAK / 1e12:.0f} TFLOP/s (float32) and {LAYER * 1e6:.0f} µs for a "
    f"layer's part of a step; assumed, {PASSED:.0%} of {BANDWIDTH / 1e12:.2f} TB/s"
)


class Demand(NamedTuple):
    """A study's demand: core-hours, hours on CORES of them and on one GPU; and the jobs that are too long."""

    study: str
    jobs: int
    hours: Range
    cluster: float
    gpu: float
    pausing: Sequence[Forecast]  # they need more than a time limit, and continue in the next attempt
    stuck: Sequence[Forecast]  # they need more, and can't continue


def of_papers(source: Path, names: Iterable[str]) -> list[str]:
    """Return the demands of studies at the settings of their papers, in words: of those that have such a scale.

    Studies are those of the workflow in ``source``, or of the one that came with this package, and the user's own.
    Past jobs and config.yaml are left out and the speed of the core CORE is assumed, so that the demands depend on
    the studies alone. A study with a fault at that scale has the fault in place of its demand.
    """
    studies, faults, folders = {}, [], places.studies(source)
    for name in names:
        try:
            studies[name] = plan.load_study(folders[name], SCALE, folders)
        except (NoSuchScale, KeyError):
            continue
        except ConfigError as error:
            faults.append(f"{name}: not known; {error}")
    if not studies:
        return faults
    config = loading.config_of({"scale": SCALE, "studies": list(studies)}, SCALE)
    return [*faults, *lines(demands(Run(config, studies, source=source), Past({}, {}))), ASSUMED]


def demands(run: Run, history: Past, rates: Rates = CORE) -> Iterator[Demand]:
    """Yield the demand of every study of a run, past jobs included. ``rates`` are those of a core."""
    on_core = _by_study(forecasts(run, history, rates))
    epochs = {names: pilot._replace(speed=1.0) for names, pilot in history.pilots.items()}  # the speed is a core's
    on_gpu = _by_study(forecasts(run, Past({}, history.ratios, pilots=epochs), GPU))
    for study in run.studies:
        jobs = on_core[study]
        long = [f for f in jobs if f.seconds.middle > 60 * LONGEST]
        hours = total(jobs).hours
        yield Demand(
            study,
            len(jobs),
            hours,
            max(hours.middle / CORES, longest_chain(jobs) / 3600),
            total(on_gpu[study]).hours.middle,
            [f for f in long if results.option(f.job.rule, "RESUMES")],
            [f for f in long if not results.option(f.job.rule, "RESUMES")],
        )


def longest_chain(jobs: Iterable[Forecast]) -> float:
    """Return the seconds of the longest chain of jobs that wait for each other, in the order of the plan."""
    ends: dict[str, float] = {}
    for f in jobs:
        end = max((ends.get(path, 0.0) for path in f.job.inputs), default=0.0) + f.seconds.middle
        ends |= dict.fromkeys(f.job.outputs, end)
    return max(ends.values(), default=0.0)


def lines(listed: Iterable[Demand]) -> Iterator[str]:
    """Yield a line of text per study, and one per study of jobs that need more than a time limit."""
    for demand in listed:
        yield (
            f"{demand.study}: {short(demand.hours.middle)} core-hours ({short(demand.hours.low)} to "
            f"{short(demand.hours.high)}); {short(demand.cluster)} h on {CORES} cores; {short(demand.gpu)} h on one GPU"
        )
        yield from long_jobs(demand)


def long_jobs(demand: Demand) -> Iterator[str]:
    """Yield a sentence on the jobs that continue after a time limit, and one on those that can't, if there are any."""
    limit = f"the {LONGEST // 60} h of a time limit"
    if demand.pausing:
        most = max(f.seconds.middle for f in demand.pausing) / 3600
        yield f"    {len(demand.pausing)} jobs take more than {limit} (up to {short(most)} h), and are submitted again"
    for f in demand.stuck:
        yield f"    {f.job.outputs[0]} takes {short(f.seconds.middle / 3600)} h, and cannot end within {limit}"


def short(number: float) -> str:
    """Format a positive number with two decimals, or none if it is large; one of which none would be seen as <0.01."""
    if 0 < number < 0.005:
        return "<0.01"
    return f"{number:,.0f}" if number >= 100 else f"{number:.2f}"


def _by_study(listed: Iterable[Forecast]) -> dict[str, list[Forecast]]:
    studies = defaultdict[str, list[Forecast]](list)
    for f in listed:
        studies[f.job.names.get("study", "")].append(f)
    return studies
