"""Layers of a study: the files that it is written in, from the one that decides least to the one that decides most.

A study at a scale is ``study.yaml`` and ``<scale>.yaml``. One that extends another has the layers of that study first,
so that its own settings hold at every scale.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from isobath import plugins
from isobath.paths import obstacle
from isobath.study.places import STUDY_FILE
from isobath.study.schema import OF_ALL_SCALES, ConfigError
from isobath.study.yaml import YamlError, load, written


class Layer(NamedTuple):
    """A file of a study, and its content."""

    file: Path
    content: dict[str, Any]


def read(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file. Raises ConfigError."""
    try:
        return load(path)
    except YamlError as error:
        raise ConfigError(str(error)) from None


class NoSuchScale(ConfigError):
    """A scale for which a study has no file, in one sentence."""


def layers(folder: Path, scale: str, studies: Mapping[str, Path] | None = None) -> list[Layer]:
    """Return the layers of the study in ``folder`` at a scale; it can extend the studies in ``studies``.

    These are name -> folder, without them those beside the study. Raises ConfigError for a folder that is no study, a
    scale for which neither it nor the study that it extends has a file, a study that is not there, and a circle.
    """
    _require_study(folder, studies)
    folders = chain(folder, studies if studies is not None else _beside(folder))
    if scale not in (available := _scales(folders)):
        raise NoSuchScale(f"{folder}: scale is {scale!r}; {plugins.nearest(scale, available)}")
    return [layer for place in reversed(folders) for layer in _of_folder(place, scale, folder)]


def scales(folder: Path, studies: Mapping[str, Path]) -> list[str]:
    """Return the scales at which a study can be run: it, or one that it extends, has a file for each. ConfigError."""
    return _scales(chain(folder, studies))


def base(folder: Path, studies: Mapping[str, Path]) -> dict[str, Any]:
    """Return the keys of a study and of those that it extends in ``study.yaml``; its own win. Raises ConfigError."""
    places = reversed(chain(folder, studies))
    return {key: value for place in places for key, value in read(place / STUDY_FILE).items() if key != "extends"}


def _scales(folders: Iterable[Path]) -> list[str]:
    files = (path for place in folders for path in place.glob("*.yaml") if path.name != STUDY_FILE)
    return sorted({file.stem for file in files if not file.name.startswith(".")})  # an editor's lock is hidden


def _of_folder(place: Path, scale: str, folder: Path) -> list[Layer]:
    """Return the layers that one folder has; claims of another study than that in ``folder`` bear its name."""
    content = {key: value for key, value in read(place / STUDY_FILE).items() if key != "extends"}
    overlay = place / f"{scale}.yaml"
    if obstruction := obstacle(overlay):
        raise ConfigError(f"{overlay} is {obstruction}; it must be a file, or not be there")
    listed = [Layer(place / STUDY_FILE, content), *([Layer(overlay, read(overlay))] if overlay.is_file() else [])]
    if misplaced := next((key for key in OF_ALL_SCALES if overlay.is_file() and key in listed[-1].content), None):
        value = written(listed[-1].content[misplaced])
        raise ConfigError(
            f"{overlay}: {misplaced} is {value}; it is of all scales and must stand in {place / STUDY_FILE}"
        )
    for layer in listed if place != folder else ():
        figures = layer.content.get("figures")
        entries = [layer.content, *(figures.values() if isinstance(figures, dict) else ())]
        for entry in (item for item in entries if isinstance(item, dict) and isinstance(item.get("claims"), list)):
            entry["claims"] = [_of_study(place.name, claim) for claim in entry["claims"]]
    return listed


def _of_study(study: str, claim: Any) -> Any:
    return f"{study}.{claim}" if isinstance(claim, str) and "." not in claim else claim


def chain(folder: Path, studies: Mapping[str, Path]) -> list[Path]:
    """Return the folder of a study, that of the study which it extends, and so on. Raises ConfigError."""
    folders = [folder]
    while (base := read(folders[-1] / STUDY_FILE).get("extends")) is not None:
        refusal = f"{folders[-1] / STUDY_FILE}: extends is {written(base)}"
        if not isinstance(base, str) or base not in studies:
            candidates = [name for name, place in studies.items() if place != folders[-1]]
            raise ConfigError(f"{refusal}; {plugins.nearest(str(base), candidates)}")
        if studies[base] in folders:
            raise ConfigError(f"{refusal}; studies must not extend each other in a circle")
        folders.append(studies[base])
    return folders


def _beside(folder: Path) -> dict[str, Path]:
    return {file.parent.name: file.parent for file in sorted(folder.parent.glob(f"*/{STUDY_FILE}"))}


def _require_study(folder: Path, studies: Mapping[str, Path] | None) -> None:
    """Refuse a folder that is no study."""
    single = folder.with_name(f"{folder.name}.yaml")
    if single.is_file():
        raise ConfigError(
            f"{single}: a study is a folder; put it into {folder / STUDY_FILE}, and the changes of each scale into "
            f"{folder / '<scale>.yaml'}"
        )
    expected = folder / STUDY_FILE
    if not expected.is_file():
        if expected.exists() or expected.is_symlink():
            nature = "a folder" if expected.is_dir() else "no regular file"
            raise ConfigError(f"{expected} is {nature}; it must be a file, with the settings of the study")
        if alike := _alike(folder):
            raise ConfigError(f"{alike}: the settings of a study must lie in {expected}; rename it")
        candidates = list(_beside(folder) if studies is None else studies)
        raise ConfigError(f"{expected}: there is no such file; {plugins.nearest(folder.name, candidates)}")


def _alike(folder: Path) -> Path | None:
    """Return a file in the folder of a study whose name is nearly the one that is read, as ``study.yml``."""
    names = (STUDY_FILE, f"{Path(STUDY_FILE).stem}.yml")
    beside = sorted(folder.iterdir()) if folder.is_dir() else ()
    return next((file for file in beside if file.name.lower() in names and file.is_file()), None)
