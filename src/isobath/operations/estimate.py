"""The cost of a run before it is launched: core-hours, disk, files and memory of its jobs.

Operations are counted and multiplied by the rates of this machine; the durations of past jobs correct the product.
Without past jobs or pilots the number of epochs that a network trains is a prior: see training_costs.expected_epochs.
Jobs of this machine are started by the launcher (one process that has imported what they need).
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from isobath.jobs import variables
from isobath.jobs.device import choose_device
from isobath.operations import arguments, calibration
from isobath.operations.status import conditions
from isobath.study import cautions
from isobath.workflow import plan, study_costs
from isobath.workflow.forecasts import Forecast, Past, forecasts, past, require_countable, total
from isobath.workflow.job_costs import FORK
from isobath.workflow.study_costs import short

ROW = "{:<14}{:<17}{:>7}{:>7}{:>13}{:>24}{:>9}{:>8}"


def table(jobs: Sequence[Forecast], due: Collection[str], unit: str) -> str:
    """Return a table with a row per study and rule, and a last row of all jobs.

    The cost is that of the jobs that are ``due``, given by their first results; ``unit`` is core or GPU.
    """
    groups: dict[tuple[str, str], list[Forecast]] = defaultdict(list)
    for forecast in jobs:
        groups[forecast.job.names.get("study", ""), forecast.job.rule].append(forecast)
    lines = [ROW.format("study", "rule", "jobs", "left", f"{unit}-hours", "80 % between", "GB", "files")]
    lines += [_row(*names, group, due) for names, group in groups.items()]
    return "\n".join([*lines, _row("all", "", jobs, due)])


def _row(study: str, rule: str, jobs: Sequence[Forecast], due: Collection[str]) -> str:
    left = total([forecast for forecast in jobs if forecast.job.outputs[0] in due])
    low, middle, high = map(short, left.hours)
    return ROW.format(
        study, rule, len(jobs), left.jobs, middle, f"{low} and {high}", short(left.disk / 1e9), left.files
    )


def largest(jobs: Sequence[Forecast], due: Collection[str], unit: str) -> str:
    """Name the longest of the jobs that are ``due``, and the one that takes most memory."""
    left = [forecast for forecast in jobs if forecast.job.outputs[0] in due]
    if not left:
        return "Nothing is left to run."
    longest = max(left, key=lambda forecast: forecast.seconds.middle)
    heaviest = max(left, key=lambda forecast: forecast.memory)
    return (
        f"The longest job takes {short(longest.seconds.middle / 3600)} {unit}-hours: {longest.job.outputs[0]}\n"
        f"The largest takes {short(heaviest.memory / 1e9)} GB of memory: {heaviest.job.outputs[0]}"
    )


def basis(history: Past, calibrated: calibration.Calibration) -> str:
    """Say which measurements the estimate rests on."""
    rates = f"Operations are counted; their rates were measured here in {calibrated.seconds:.0f} s"
    measured = [f"{len(history.seconds)} past jobs in logs"] if history.ratios else []
    measured += [f"pilots of {len(history.pilots)} protocols"] if history.pilots else []
    if not measured:
        prior = "the epochs until networks fit are a prior, known to a factor of 3; isobath pilot measures them"
        return f"{rates}. There are no past jobs: {prior}."
    return f"{rates} and corrected by {' and '.join(measured)}."


def report(source: Path, home: Path, overrides: Mapping[str, Any]) -> str:
    """Return the estimate of the run that the config in ``source`` describes, with results and logs in ``home``.

    ``overrides`` replace settings of the config. Raises ConfigError.
    """
    run = replace(plan.load(source, overrides), home=home)
    require_countable(run)
    calibrated = calibration.measure(choose_device())
    history = past(run, source, calibrated.rates)
    jobs = list(forecasts(run, history, calibrated.rates._replace(start=FORK)))
    due = {condition.job.outputs[0] for condition in conditions(run) if condition.state != "done"}
    lines = [f"scale {run.config.scale}", table(jobs, due, calibrated.unit), largest(jobs, due, calibrated.unit)]
    lines.append(basis(history, calibrated))
    if calibrated.unit == "core":
        lines += ["Whole studies, where every job starts Python by itself, as on a cluster:"]
        lines += [*study_costs.lines(study_costs.demands(run, history, calibrated.rates)), study_costs.ASSUMED]
    return "\n".join([*lines, *cautions.of(run)])


@click.command(cls=arguments.Command)
@arguments.config
def command(config: Mapping[str, Any]) -> None:
    """Estimate the cost of a run: core-hours, disk, memory.

    The run is that of config.yaml in this folder: `isobath estimate --config scale=paper`.
    """
    variables.check()
    print(report(Path(), Path(), config))
