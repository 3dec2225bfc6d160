"""Work of the user's own in an archive: what a run used of the roots that were laid over the package.

An archive takes modules, the files that they read, rules and studies. It leaves out drafts and notes, which no job
needs.
"""

import glob
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from isobath import plugins, roots

FOLDER = "own"
PATTERNS = ("studies/*.json", "studies/{study}/*.yaml", "rules/*.smk", "README*", "LICENSE*")


def names(members: Collection[str]) -> list[str]:
    """Return the folders in an archive of those roots of which it has ``members``."""
    return [name for name in _names() if any(member.startswith(f"{name}/") for member in members)]


def _names() -> dict[str, Path]:
    """Return the roots by their folder in an archive: ``own``, or folders in it if they are several or packages."""
    folders = roots.own()
    alone = len(folders) == 1 and not roots.packages()
    return {FOLDER if alone else f"{FOLDER}/{folder.name}": folder for folder in folders}


def files(studies: Iterable[str], used: Collection[Path]) -> Iterator[tuple[str, Path, Path]]:
    """Yield the name of each file in the archive, its path, and the root that it lies in.

    ``used`` are the modules of the run and the files that these read.
    """
    for name, folder in _names().items():
        patterns = dict.fromkeys(pattern.format(study=glob.escape(study)) for pattern in PATTERNS for study in studies)
        paths = [path for pattern in patterns for path in sorted(folder.glob(pattern)) if path.is_file()]
        paths += sorted(path for path in used if path.is_relative_to(folder))
        yield from ((f"{name}/{path.relative_to(folder).as_posix()}", path, folder) for path in paths)


def in_archive(home: Path) -> list[Path]:
    """Return the roots in the folder of an unpacked archive."""
    folder = home / FOLDER
    kinds = [*(f"{family}*" for family in plugins.contracts()), "studies"]
    if any(place.is_dir() for pattern in kinds for place in folder.glob(pattern)):
        return [folder]
    return [place for place in sorted(folder.glob("*")) if place.is_dir()]
