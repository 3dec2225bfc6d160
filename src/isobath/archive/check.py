"""Check of an unpacked archive: every file against its checksum, and every file that has none.

A reader runs ``python -m isobath.archive.check`` in the folder of the archive. ``sha256sum --check`` compares the files
that are listed; a cube or a script that somebody added is not.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from isobath.archive import zips
from isobath.archive.zips import SUMS

MADE = (
    ".venv",
    "redrawn",
    ".snakemake",
    "logs",
    "checkpoints",
    "resources",
)  # folders that the README of an archive makes
CODE = ("src", "own")  # folders of modules
INSTALLED = ".egg-info"  # ends the name of the folder that pip makes beside the code


def findings(folder: Path) -> Iterator[str]:
    """Yield a line per file of an archive that is altered, missing or not listed. Raises FileNotFoundError."""
    lists = [folder / name for name in SUMS if (folder / name).is_file()]
    if not lists:
        raise FileNotFoundError(f"{folder}: there is no {SUMS[0]}; it must be the folder of an unpacked archive")
    sums = {name: digest for file in lists for digest, name in _listed(file)}
    for name, digest in sorted(sums.items()):
        if not (folder / name).is_file():
            yield f"missing  {name}"
        elif zips.digest(folder / name) != digest:
            yield f"altered  {name}"
    listed = {*sums, *(file.name for file in lists)}
    yield from (f"added    {name}" for name in sorted(_files(folder) - listed))


def _listed(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the digest and the name of each line. Raises ValueError for a line that has not both."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is no text: {error}") from None
    for number, line in enumerate(lines, start=1):
        digest, _, name = line.partition("  ")
        if not (digest and name):
            raise ValueError(f"{file}, line {number}: {line!r} is not a checksum, two spaces and the name of a file")
        yield digest, name


def _files(folder: Path) -> set[str]:
    """Return the names of all files but those that the README of the archive lets a reader make.

    These are the environment, the drawings that are made again, what a run of the workflow keeps beside its results,
    and what Python and pip leave beside modules.
    """
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    return {name.as_posix() for name in names if name.parts[0] not in MADE and not _is_left(name)}


def _is_left(name: Path) -> bool:
    """Tell whether a file is one that Python or pip leaves beside modules of the code."""
    left = any(part == "__pycache__" or part.endswith(INSTALLED) for part in name.parts)
    return left and name.parts[0] in CODE


def main(folder: Path) -> None:
    """Print the files that are not as archived, and exit with status 1 if there are any."""
    try:
        lines = list(findings(folder))
    except (OSError, ValueError) as error:
        raise SystemExit(str(error)) from None
    print(*lines, sep="\n", end="\n" if lines else "")
    left = f"{', '.join(MADE)}, and compiled code in {' and '.join(CODE)}"
    whole = f"The archive is whole, and nothing was added. Not compared: {left}."
    print(f"{len(lines)} files are not as archived." if lines else whole)
    raise SystemExit(bool(lines))


if __name__ == "__main__":
    main(Path((*sys.argv[1:], ".")[0]))
