"""Draw a figure of a cube in every format."""

import os
from pathlib import Path
from typing import Any

from isobath.disk import store, whole_files
from isobath.jobs import command_line
from isobath.jobs.provenance import provenance
from isobath.plotting import saving


def main(spec: dict[str, Any], code: str, cube: Path, record: Path, outputs: list[Path]) -> None:
    """Draw the cube and save the figure under each of ``outputs``, by its suffix; ``record`` has their checksums."""
    drawn = saving.files(spec["figure"], store.read_cube(cube), outputs, notes=spec.get("notes", True))
    for path, content in drawn.items():
        whole_files.replace(path, content)
    files = {path.name: store.digest(path) for path in outputs}
    attrs = {key: spec[key] for key in ("name", "grid", "caption")}
    source = os.path.relpath(cube, record.parent)  # so that an archive finds the cube wherever it lies
    store.write_record({**attrs, "cube": source, "files": files, **provenance(spec, code, cube)}, record)


if __name__ == "__main__":
    command_line.run(main)
