"""Compute the numbers of a theory, without training."""

from pathlib import Path
from typing import Any

from isobath.binding import bound
from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.provenance import provenance
from isobath.randomness import stream


def main(spec: dict[str, Any], code: str, output: Path) -> None:
    """Write the dataset that ``calculate`` gives."""
    calculate = bound("calculation", spec["calculation"])
    dataset = calculate(generator=stream(spec["seed"], "calculation", spec["name"]))
    store.write(dataset.assign_attrs(title=spec["name"], **provenance(spec, code)), output)
    print(dataset)


if __name__ == "__main__":
    command_line.run(main)
