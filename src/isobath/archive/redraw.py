"""Redrawing of all figures from their cubes, and comparison with the archived files.

A reader of an archive runs ``python -m isobath.archive.redraw results/demo``: it needs neither Snakemake nor PyTorch.
"""

import json
import os
import sys
from pathlib import Path

from isobath import roots
from isobath.archive import own
from isobath.disk import store, whole_files
from isobath.plotting import saving

KEYS = {"cube", "files", "spec"}  # the entries of a figure's record that are read here


def redraw(results: Path, folder: Path) -> dict[Path, bool]:
    """Draw the figures of every study in ``results`` into ``folder``; map each drawing to whether its bytes are equal.

    Raises FileNotFoundError if there is no figure or a cube is missing, ValueError for a record that another version
    of isobath made, CorruptedStore.
    """
    home = Path(os.path.abspath(results)).parents  # noqa: PTH100 (resolve() follows links)
    if len(home) > 1:
        roots.use(own.in_archive(home[1]))
    records = sorted(results.glob("*/figures/*.json"))
    if not records:
        raise FileNotFoundError(f"{results}: no */figures/*.json below it; it must be results/<scale>")
    equal: dict[Path, bool] = {}
    for file in records:
        record, study = store.read_record(file), file.parents[1]
        unknown = KEYS - record.keys()
        if unknown:
            raise ValueError(
                f"{file} has no {sorted(unknown)[0]!r}: another version of isobath made it, which can draw it"
            )
        digests = {folder / study.name / name: digest for name, digest in record["files"].items()}
        cube = store.read_cube(file.parent / record["cube"])
        spec = json.loads(record["spec"])
        for path, content in saving.files(spec["figure"], cube, digests, notes=spec.get("notes", True)).items():
            whole_files.replace(path, content)
        equal |= {path: store.digest(path) == digest for path, digest in digests.items()}
    return equal


def main(results: Path, folder: Path) -> None:
    """Redraw all figures, print whether each drawing is the same, and exit with status 1 unless all are."""
    try:
        same = redraw(results, folder)
    except (OSError, ValueError) as error:
        raise SystemExit(str(error)) from None
    for path, equal in same.items():
        print(f"{'same' if equal else 'differs':<8} {path}")
    print(f"{sum(same.values())} of {len(same)} drawings are the same, byte by byte")
    raise SystemExit(not all(same.values()))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit("usage: python -m isobath.archive.redraw results/<scale> [folder, else redrawn]")
    main(Path(sys.argv[1]), Path((*sys.argv, "redrawn")[2]))
