"""Work of the user's own in an archive: modules, rules and studies of the roots that were laid over the package."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from isobath import plugins, roots

FOLDER = "own"
PATTERNS = ("studies/*.json", "studies/{study}/*.yaml", "rules/*.smk", "README*", "LICENSE*")


def names() -> dict[str, Path]:
    """Return the roots by their folder in an archive: ``own``, or folders in it if they are several or packages."""
    folders = roots.own()
    alone = len(folders) == 1 and not roots.packages()
    return {FOLDER if alone else f"{FOLDER}/{folder.name}": folder for folder in folders}


def files(studies: Iterable[str]) -> Iterator[tuple[str, Path, Path]]:
    """Yield the name of each file in the archive, its path, and the root that it lies in."""
    for name, folder in names().items():
        patterns = dict.fromkeys(pattern.format(study=study) for pattern in PATTERNS for study in studies)
        found = [*roots.files(folder), *(path for pattern in patterns for path in sorted(folder.glob(pattern)))]
        yield from ((f"{name}/{path.relative_to(folder).as_posix()}", path, folder) for path in found)


def in_archive(home: Path) -> list[Path]:
    """Return the roots in the folder of an unpacked archive."""
    folder = home / FOLDER
    kinds = [*(f"{family}*" for family in plugins.contracts()), "studies"]
    if any(place.is_dir() for pattern in kinds for place in folder.glob(pattern)):
        return [folder]
    return [place for place in sorted(folder.glob("*")) if place.is_dir()]
