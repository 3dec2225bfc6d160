"""``python -m isobath.operations.estimate --scale paper``: what a run will cost, before it is launched.

Operations are counted, at the rates of this machine; what past jobs took refines them. A network stops when it fits,
so that what is counted without past jobs is an expectation: see estimates.epochs.
"""

import argparse
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import yaml

from isobath.jobs import command_line
from isobath.operations import calibration
from isobath.operations.status import conditions
from isobath.study.schema import ConfigError
from isobath.workflow import plan
from isobath.workflow.forecasts import Forecast, Past, forecasts, past, require_countable, total

ROW = "{:<12}{:<17}{:>7}{:>7}{:>13}{:>24}{:>9}{:>8}"


def table(found: Sequence[Forecast], due: Collection[str], unit: str) -> str:
    """Jobs of each study and rule, those ``due`` (by their first results) and what these will take; at last, of all."""
    groups: dict[tuple[str, str], list[Forecast]] = defaultdict(list)
    for forecast in found:
        groups[forecast.job.names.get("study", ""), forecast.job.rule].append(forecast)
    lines = [ROW.format("study", "rule", "jobs", "left", f"{unit}-hours", "80 % between", "GB", "files")]
    lines += [_row(*names, group, due) for names, group in groups.items()]
    return "\n".join([*lines, _row("all", "", found, due)])


def _row(study: str, rule: str, found: Sequence[Forecast], due: Collection[str]) -> str:
    left = total([f for f in found if f.job.outputs[0] in due])
    low, middle, high = map(_short, left.hours)
    return ROW.format(
        study, rule, len(found), left.jobs, middle, f"{low} and {high}", _short(left.disk / 1e9), left.files
    )


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.2f}"


def largest(found: Sequence[Forecast], due: Collection[str], unit: str) -> str:
    """The job that takes longest and the one that takes most memory, of those that are ``due``."""
    left = [f for f in found if f.job.outputs[0] in due]
    if not left:
        return "Nothing is left to run."
    longest, heaviest = max(left, key=lambda f: f.seconds.middle), max(left, key=lambda f: f.memory)
    return (
        f"The longest takes {_short(longest.seconds.middle / 3600)} {unit}-hours: {longest.job.outputs[0]}\n"
        f"The largest takes {_short(heaviest.memory / 1e9)} GB of memory: {heaviest.job.outputs[0]}"
    )


def basis(known: Past, measured: calibration.Calibration) -> str:
    """What the numbers rest on."""
    rates = f"Counted operations at rates measured here in {measured.seconds:.0f} s"
    if not known.ratios:
        return f"{rates}. No past jobs: how soon networks fit is a prior, and so is a factor of 3 either way."
    return f"{rates}, refined by {len(known.seconds)} past jobs in logs."


def main(source: Path, home: Path, overrides: dict[str, object]) -> None:
    """Print the estimate of the run that ``source`` and ``overrides`` ask for, with results and logs in ``home``."""
    run = replace(plan.load(source, overrides), home=home)
    require_countable(run)
    measured = calibration.measure(command_line.device())
    known = past(run, source, measured.rates)
    found = list(forecasts(run, known, measured.rates))
    due = {condition.job.outputs[0] for condition in conditions(run) if condition.state != "done"}
    print(f"scale {run.config.scale}", table(found, due, measured.unit), sep="\n")
    print(largest(found, due, measured.unit), basis(known, measured), sep="\n")


def _arguments() -> dict[str, object]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", help="a scale of the studies, instead of that of config.yaml")
    parser.add_argument("--config", nargs="+", default=[], metavar="key=value", help="as Snakemake takes it")
    given = parser.parse_args()
    pairs = (pair.partition("=") for pair in given.config)
    settings = {key: yaml.safe_load(value) for key, _, value in pairs}
    return settings | ({"scale": given.scale} if given.scale else {})


if __name__ == "__main__":
    try:
        main(Path(), Path(), _arguments())
    except ConfigError as error:
        raise SystemExit(str(error)) from None
