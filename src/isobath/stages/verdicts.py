"""Judge every claim of a study."""

from pathlib import Path
from typing import Any

import xarray as xr

from isobath.analysis.judging import judged
from isobath.claim_files import load_claim
from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.provenance import provenance
from isobath.results import cubes as kind


def main(spec: dict[str, Any], code: str, folder: Path, output: Path) -> None:
    """Write a JSON with statement, source, statistic, parts and verdict of every claim; ``folder`` is the study's."""
    paths = {grid: folder / kind.PATH.format(grid=grid) for grid in spec["grids"]}
    tree = xr.DataTree.from_dict({grid: store.read_cube(path) for grid, path in paths.items()})
    verdicts = [judged(load_claim(spec["study"], name), tree, name) for name in spec["claims"]]
    attrs = {key: spec[key] for key in ("study", "scale", "source")}
    store.write_record({**attrs, "claims": verdicts, **provenance(spec, code, *paths.values())}, output)


if __name__ == "__main__":
    command_line.run(main)
