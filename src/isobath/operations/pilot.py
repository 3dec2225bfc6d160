"""Pilots: one network of each protocol that costs a run most, trained for a while, so that its estimate is measured."""

import contextlib
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import torch

from isobath.jobs import variables
from isobath.jobs.device import choose_device
from isobath.jobs.network_streams import streams
from isobath.jobs.specs import tensors
from isobath.jobs.training_specs import recipe
from isobath.operations import arguments
from isobath.results import networks, training_sets
from isobath.sizes import Size
from isobath.statuses import DIVERGED
from isobath.study import cautions
from isobath.study.network_cells import cell, learning_rate
from isobath.study.run import StudyRun, canonical, ends_of
from isobath.study.schema import ConfigError
from isobath.study.training_costs import expected_epochs, network_size, rates_tried, work_of
from isobath.training.progress import Progress
from isobath.training.recipes import replicas
from isobath.workflow import job_costs, pilots, plan
from isobath.workflow.forecasts import Past, forecasts, require_countable
from isobath.workflow.job_costs import CORE
from isobath.workflow.pilots import Pilot
from isobath.workflow.plan import Job
from isobath.workflow.ranges import PRIOR
from isobath.workflow.study_costs import short

LEAST = 0.01  # of the hours of a run: a protocol that costs less has no pilot
TURNS = 4  # epochs that a pilot has time for; it trains on fewer samples where all of them would take longer
MEMORY = 4e9  # bytes of a stack, which is of one network
ROW = "{:<13}{:<23}{:<30}{:>9}{:>10}{:>16}"


class Ended(Exception):
    """A pilot has used up its seconds."""


@dataclass(frozen=True)
class Candidate:
    """A network that a pilot may train, the first of a job at the middle of its rates: its spec, size and forecast."""

    run: StudyRun
    job: Job
    spec: Mapping[str, Any]
    size: Size
    epoch: float  # seconds, as counted for one core
    epochs: float  # until it fits

    @classmethod
    def of(cls, run: StudyRun, job: Job) -> "Candidate | None":
        """Return the network of a job; None where its size is not known."""
        found = networks.spec(run, job.names)
        size = network_size(run.study, found)
        if size is None:
            return None
        rates = sorted(rates_tried(learning_rate(run.study, cell(job.names)), searching=False))
        rate = rates[len(rates) // 2]
        spec = {**found, "learning_rate": rate, "records": [], "seeds": [0, 0]}
        work = work_of(run.study, spec, size, samples=found["cell"]["n_train"], epochs=1, networks=1)
        real = ends_of(run.study, found["cell"]["task"]).real
        return cls(run, job, spec, size, job_costs.seconds(work), expected_epochs(spec, size, [rate], real=real))

    @property
    def expected(self) -> float:
        """Return the counted seconds of the training, to the last epoch that is expected."""
        return self.epoch * self.epochs


def costly(run: plan.Run) -> Iterator[list[Candidate]]:
    """Yield the networks, one of each job, of every protocol that costs more than LEAST of a run, where sized."""
    groups, everything = defaultdict(list), 0.0
    for forecast in forecasts(run, Past({}, {})):
        everything += forecast.seconds.middle
        if forecast.job.rule == "networks":
            groups[forecast.job.names["study"], forecast.job.names["protocol"]].append(forecast)
    for (study, _), group in groups.items():
        if sum(forecast.seconds.middle for forecast in group) > LEAST * everything:
            found = (Candidate.of(run.parts[study], forecast.job) for forecast in group)
            if sized := [network for network in found if network]:
                yield sized


def chosen(listed: Sequence[Candidate], most: float) -> list[Candidate]:
    """Return the network whose epochs are longest, and the slowest of those that may fit in ``most`` seconds.

    The forecast is known to a factor. Where none may fit, the second is the one that is forecast to fit first.
    """
    largest = max(listed, key=lambda network: network.epoch)
    fitting = [network for network in listed if network.expected * PRIOR.low <= most]
    first = min(listed, key=lambda network: network.expected)
    second = max(fitting, key=lambda network: network.expected, default=first)
    return [largest] if second is largest else [largest, second]


class Clock:
    """A stopwatch that ends a training after ``most`` seconds: of the processor, on a GPU by the clock."""

    def __init__(self, device: torch.device, most: float) -> None:
        self.device, self.most, self.epochs, self.seconds = device, most, 0, 0.0
        self.now = time.process_time if device.type == "cpu" else time.perf_counter
        self.began = self.now()

    def __call__(self, progress: Progress) -> None:
        """Note the epoch and the time. Raises Ended."""
        progress.stack.parameters.sum().cpu()  # waits for a GPU
        self.epochs, self.seconds = progress.epoch, self.now() - self.began
        if self.seconds > self.most:
            raise Ended


def trained(network: Candidate, most: float) -> Pilot:
    """Train a network until it fits, to its last epoch, or until the epoch in which ``most`` seconds have passed.

    It has as many of its samples as leave time for TURNS epochs. Raises ValueError where its data set cannot be made,
    and where the network diverges.
    """
    spec, place, device = network.spec, network.spec["cell"], choose_device()
    n, batch = place["n_train"], spec["protocol"].get("batch_size") or 1
    samples = min(n, max(batch, int(n * most / (TURNS * network.epoch))))
    inputs, truth = _training_set(network, samples, device)
    stack = replicas(streams(place), [spec["learning_rate"]], [0], samples)

    def train(clock: Clock) -> str:
        """Return the status of the network, "" where its time was up."""
        with contextlib.suppress(Ended):
            options: dict[str, Any] = {"memory": MEMORY, "checkpoint": lambda _: (None, clock)}
            (outcome,) = recipe(dict(spec)).train(stack, inputs, truth, **options)
            return str(outcome.status[0])
        return ""

    train(Clock(device, 0.0))  # an epoch in which the step is compiled
    clock = Clock(device, most)
    if (status := train(clock)) == DIVERGED:
        raise ValueError(f"it diverges at the rate {spec['learning_rate']:g}")
    work = work_of(network.run.study, spec, network.size, samples=samples, epochs=clock.epochs, networks=1)
    names = network.run.name, spec["cell"]["protocol"], network.job.outputs[0]
    return Pilot(*names, work, clock.seconds, clock.epochs, network.epochs, bool(status) and samples == n)


def _training_set(network: Candidate, samples: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the first ``samples`` samples of a network: inputs, labels or targets.

    Raises ValueError with the last line of a stage that fails.
    """
    run, names = network.run, network.job.names
    spec = {**training_sets.spec(run, names), "n": samples}
    stage = [sys.executable, "-P", "-m", f"isobath.stages.{training_sets.STAGE}"]
    asked = ["--spec", canonical(spec), "--code", plan.code("training_sets", spec)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "training_set.zarr.zip"
        command = [*stage, *asked, "--output", str(path), "--files", *training_sets.inputs(run, names)["files"]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (a stage of ours)
        if done.returncode:
            raise ValueError((done.stderr.strip().splitlines() or ["it was killed"])[-1])
        return tensors(path, device)


def report(source: Path, home: Path, overrides: Mapping[str, Any], most: float) -> Iterator[str]:
    """Train the pilots of the run that the config in ``source`` describes and keep them in ``home``; yield a table.

    ``overrides`` replace settings of the config. Raises ConfigError.
    """
    run = replace(plan.load(source, overrides), home=home)
    require_countable(run)
    yield ROW.format("study", "protocol", "network", "speed", "epochs", "expected")
    found, costs = [], [*costly(run)]
    for network in (network for listed in costs for network in chosen(listed, most)):
        try:
            found.append(trained(network, most))
        except (ValueError, MemoryError, RuntimeError) as error:  # torch raises RuntimeError for lack of memory
            yield f"{network.job.outputs[0]}: left out: {' '.join(str(error).split()):.300}"
            continue
        yield _row(network, found[-1])
    if costs and not found:
        raise ConfigError("no network could be trained, for the reasons above")
    file = pilots.write(home, run.config.scale, found)
    corrected = Past({}, {}, pilots=pilots.corrections(pilots.read(home, run.config.scale), CORE))
    hours = [sum(f.seconds.middle for f in forecasts(run, past)) / 3600 for past in (Past({}, {}), corrected)]
    yield f"All jobs: {short(hours[1])} core-hours by these networks, {short(hours[0])} by the counts alone."
    yield f"They stand in {file}; isobath estimate reads them."
    yield from cautions.of(run)


def _row(network: Candidate, pilot: Pilot) -> str:
    place = network.spec["cell"]
    shape = f"L={place['depth']} H={place['width']} N={place['n_train']}"
    speed = f"{pilot.seconds / job_costs.seconds(pilot.work):.2f}"
    epochs = f"{pilot.epochs}" if pilot.ended else f"> {pilot.epochs}"
    return ROW.format(pilot.study, pilot.protocol, shape, speed, epochs, f"{pilot.expected:.0f}")


@click.command(cls=arguments.Command)
@arguments.config
@click.option(
    "--seconds",
    type=arguments.Seconds(min=0, max=86_400, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds for each network, at most.",
)
def command(config: Mapping[str, Any], seconds: float) -> None:
    """Measure the cost of a run by networks of it.

    One or two networks of each protocol that costs most are trained for a while. The run is that of config.yaml in this
    folder: `isobath pilot --config scale=paper`. Speed is the time of an epoch over that counted; epochs are those
    until the network fits or its training ends, or, after a >, those that the seconds were enough for.
    """
    variables.check()
    for line in report(Path(), Path(), config, seconds):
        print(line, flush=True)
