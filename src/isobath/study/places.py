"""Places of studies: folders of the workflow, and of the roots of the user's own."""

from collections.abc import Mapping
from pathlib import Path

from isobath import paths, plugins, roots
from isobath.study.schema import ConfigError

STUDIES, STUDY_FILE = "workflow/studies", "study.yaml"


def workflow(source: Path) -> Path:
    """Return the folder of the workflow: ``source`` where it has studies, else the one that came with this package.

    That is the clone in which the package lies, or a folder in the package where it was installed.
    """
    places = (source, plugins.PACKAGE.parents[1], plugins.PACKAGE / "home")
    return next(place for place in places if (place / STUDIES).is_dir() or place == places[-1])


def studies(source: Path) -> dict[str, Path]:
    """Return the folder of every study, by name.

    Raises ConfigError for a study that two folders have, whether or not in upper and lower case alike, and for one that
    is called as the page of all studies.
    """
    folders: dict[str, Path] = {}
    for place in _places(source):
        for file in sorted(place.glob(f"*/{STUDY_FILE}")):
            name = file.parent.name
            if is_page(name):
                raise ConfigError(f"{file}: a study can't be called {name}, as the page of a run is; rename its folder")
            for rival in (rival for rival in folders if rival.lower() == name.lower()):
                alike = "" if rival == name else ", which some file systems take for the same"
                raise ConfigError(
                    f"{file}: there is a study {rival} in {folders[rival] / STUDY_FILE} as well{alike}; rename one"
                )
            folders[name] = file.parent
    return folders


def is_page(name: str) -> bool:
    """Tell whether a name is that of the page beside the results of studies, for some file systems at least."""
    return name.lower() == paths.PAGE


def folder(name: str, folders: Mapping[str, Path], source: Path) -> Path:
    """Return the folder of a study; where there is none, the one in which it was begun or would be."""
    places = _places(source)
    begun = (place / name for place in places if (place / name).exists() or (place / f"{name}.yaml").is_file())
    return folders.get(name) or next(begun, places[-1] / name)


def rules() -> list[Path]:
    """Return the files of rules that are the user's own."""
    return [file for root in roots.own() for file in sorted((root / "rules").glob("[!.]*.smk"))]


def _places(source: Path) -> list[Path]:
    return [workflow(source) / STUDIES, *(root / "studies" for root in roots.own())]
