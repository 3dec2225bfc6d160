"""The numbers of a theory, computed without training."""

from typing import Any

from isobath import cli, store
from isobath.cli import Path
from isobath.randomness import stream
from isobath.specs import bound


def main(spec: dict[str, Any], code: str, output: Path) -> None:
    """Write the dataset that ``calculate`` gives."""
    calculate = bound("calculation", spec["calculation"])
    dataset = calculate(generator=stream(spec["seed"], "calculation", spec["name"]))
    store.write(dataset.assign_attrs(title=spec["name"], **cli.provenance(spec, code)), output)
    print(dataset)


if __name__ == "__main__":
    cli.run(main)
