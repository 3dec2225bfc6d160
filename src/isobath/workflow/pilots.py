"""Pilots: single networks of the protocols that cost a run most, trained before it, which correct its estimate.

A pilot says two things: how long its work took beside what was counted, its ``speed``, and after how many ``epochs``
its training ended beside what is expected. That depends on its start and its rate by a factor of SPREAD or so.
``isobath pilot`` trains them, and keeps what it measured beside the logs of the scale.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from isobath.disk import whole_files
from isobath.sizes import Work
from isobath.study.schema import ConfigError
from isobath.workflow.job_costs import Rates, seconds
from isobath.workflow.ranges import PRIOR, Range

FILE = "logs/{scale}/pilots.json"
SPREAD = 1.5
TO_THE_END = 0.99  # of the work to the last epoch: such a job is expected to end there


class Pilot(NamedTuple):
    """A network that was trained for a while: the result whose first one it is, its work, CPU seconds and epochs."""

    study: str
    protocol: str
    result: str
    work: Work
    seconds: float
    epochs: int
    expected: float  # epochs until it fits
    ended: bool  # its training: it fits, or it was the last epoch

    @property
    def size(self) -> float:
        """Return the operations of an epoch."""
        return self.work.operations / self.epochs


class Correction(NamedTuple):
    """Factors on counted seconds: of the time that an epoch takes; of epochs until networks fit, if trainings ended."""

    speed: float
    epochs: float | None = None

    def seconds(self, work: float, longest: float) -> Range:
        """Return the seconds of a job that is counted with ``work``, and with ``longest`` to the last epoch."""
        known = self.epochs if work < TO_THE_END * longest else None
        factors = PRIOR if known is None else Range(known / SPREAD, known, known * SPREAD)
        return Range(*(min(factor * work, longest) * self.speed for factor in factors))


def corrections(pilots: Iterable[Pilot], rates: Rates) -> dict[tuple[str, str], Correction]:
    """Return the correction of each study and protocol, by the largest of its networks, for a machine of some rates."""
    groups: dict[tuple[str, str], list[Pilot]] = {}
    for pilot in sorted(pilots, key=lambda pilot: pilot.size):
        groups.setdefault((pilot.study, pilot.protocol), []).append(pilot)
    return {names: _correction(group, rates) for names, group in groups.items()}


def _correction(pilots: Sequence[Pilot], rates: Rates) -> Correction:
    ended = [pilot for pilot in pilots if pilot.ended]
    epochs = ended[-1].epochs / ended[-1].expected if ended else None
    return Correction(pilots[-1].seconds / seconds(pilots[-1].work, rates), epochs)


def write(home: Path, scale: str, pilots: Sequence[Pilot]) -> Path:
    """Write the pilots of a scale in the folder of a run, and keep those of other protocols; return the file."""
    file = home / FILE.format(scale=scale)
    anew = {(pilot.study, pilot.protocol) for pilot in pilots}
    kept = [pilot for pilot in read(home, scale) if (pilot.study, pilot.protocol) not in anew]
    records = [{**pilot._asdict(), "work": pilot.work._asdict()} for pilot in [*kept, *pilots]]
    whole_files.replace(file, (json.dumps(records, indent=1) + "\n").encode())
    return file


def read(home: Path, scale: str) -> list[Pilot]:
    """Return the pilots of a scale, none if none were trained. Raises ConfigError for a file that is none of theirs."""
    file = home / FILE.format(scale=scale)
    if not file.is_file():
        return []
    try:
        return [_pilot(record) for record in json.loads(file.read_text(encoding="utf-8"))]
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError(f"{file} is no list of pilots ({error}); remove it, and run isobath pilot again") from None


def _pilot(record: dict[str, Any]) -> Pilot:
    pilot = Pilot(**{**record, "work": Work(**record["work"])})
    if not (pilot.seconds > 0 and pilot.epochs > 0 and pilot.expected > 0):
        raise ValueError(f"{pilot.result}: seconds, epochs and expected have to be above 0")
    return pilot
