"""Reading of config.yaml and of studies: strict, closed, checked before any job.

Every refusal is a ConfigError, one sentence that names the file, the key, its value and what is allowed.
A study is a folder: ``study.yaml`` has the settings of the source, ``<scale>.yaml`` what a scale changes in them.
"""

import json
import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError, create_model

from isobath import binding, plugins, roots
from isobath.data import downloads
from isobath.study.checks import check_study, distinct
from isobath.study.merging import compose
from isobath.study.refusals import key_of, reach, sentence
from isobath.study.schema import Closed, Config, ConfigError, Plugin, Study, tables
from isobath.study.yaml import YamlError, load

M = TypeVar("M", bound=BaseModel)
STUDY = "study.yaml"


def require_writable(folder: Path) -> None:
    """Refuse a folder in which nothing can be written, before any compute."""
    places = [folder.absolute(), *folder.absolute().parents]
    dangling = next((place for place in places if place.is_symlink() and not place.exists()), None)
    if dangling is not None:
        raise ConfigError(f"{folder}: {dangling} is a link to {dangling.readlink()}, which does not exist; make it")
    existing = next(place for place in places if place.exists())
    if not existing.is_dir():
        raise ConfigError(f"{folder}: {existing} is not a folder; results can't be written there")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise ConfigError(f"{folder}: {existing} is not writable; results can't be written there")


def load_config(path: Path, overrides: dict[str, Any]) -> Config:
    """Return the config in ``path``, with the keys of the command line (``--config scale=paper``) on top."""
    content = _load(path)
    config = _validate(Config, {**content, **overrides}, str(path))
    if config.data is not None and not Path(config.data).is_dir():
        raise ConfigError(f"{path}: data is {config.data!r}, which is no folder; leave it out to download")
    return config


def require_files(study: Study, data: str | None, where: str) -> None:
    """Refuse tasks whose files are not in the ``data:`` folder and can't be downloaded."""
    for name, task in study.tasks.items():
        for file in plugins.files(task.kind):
            if file not in downloads.FILES and (data is None or not (Path(data) / file).is_file()):
                raise ConfigError(
                    f"{where}: task {name!r} reads {file}, which is not in data ({data or 'not set'}) and which "
                    "downloads.py does not know; put it into the folder that data names, or its mirrors there"
                )


Check = Callable[[Study, str, str], None]  # of a study, its file and its name; raises ConfigError


def load_study(folder: Path, scale: str, *, checks: Iterable[Check] = ()) -> Study:
    """Return the study in ``folder`` at a scale, with the settings of every plug-in filled in, after all ``checks``.

    Raises ConfigError.
    """
    _require_scale(folder, scale)
    written, change = _load(folder / STUDY), _load(folder / f"{scale}.yaml")
    where = f"{folder / STUDY} (scale {scale})"
    try:
        base = compose(written, {})
    except ConfigError as error:
        raise ConfigError(f"{folder / STUDY}: {error}") from None
    try:
        study = _checked(_validate(Study, compose(written, change), where), where)
        for check in checks:
            check(study, where, folder.name)
        return study
    except ConfigError as error:
        refusal = str(error).removeprefix(f"{where}: ")
        key = key_of(refusal)
        changed = reach(change, key) == len(key) or reach(change, key) > reach(base, key)
        raise ConfigError(f"{folder / f'{scale}.yaml' if changed else where}: {refusal}") from None


def _require_scale(folder: Path, scale: str) -> None:
    """Refuse a folder that is no study, and a scale for which it has no overlay."""
    single = folder.with_name(f"{folder.name}.yaml")
    if single.is_file():
        raise ConfigError(
            f"{single}: a study is a folder; put it into {folder / STUDY}, and the changes of each scale into "
            f"{folder / '<scale>.yaml'}"
        )
    if not (folder / STUDY).is_file():
        known = [path.parent.name for path in folder.parent.glob(f"*/{STUDY}")]
        raise ConfigError(f"{folder / STUDY}: there is no such file; {plugins.nearest(folder.name, known)}")
    scales = [path.stem for path in folder.glob("*.yaml") if path.name != STUDY]
    if scale not in scales:
        raise ConfigError(f"{folder}: scale is {scale!r}; {plugins.nearest(scale, scales)}")


def _load(path: Path) -> dict[str, Any]:
    try:
        return load(path)
    except YamlError as error:
        raise ConfigError(str(error)) from None


def _validate(model: type[M], content: dict[str, Any], where: str) -> M:
    try:
        return model.model_validate_json(json.dumps(content))
    except ValidationError as error:
        raise ConfigError(f"{where}: {sentence(error, model)}") from None


@roots.cached
def settings_model(family: str, kind: str) -> type[BaseModel]:
    """Return the model of a plug-in's settings, made from the signature of its verb."""
    model: type[BaseModel] = create_model(kind, __base__=Closed, **plugins.schema(family, kind))  # type: ignore[call-overload]
    return model


def _complete(family: str, plugin: Plugin, where: str, key: str) -> Any:
    """Return the plug-in with the defaults of its signature filled in; refuse settings that it does not take."""
    try:
        model = settings_model(family, plugin.kind)
        settings = model.model_validate_json(json.dumps(plugin.settings)).model_dump(mode="json")
        for name, (of_type, _) in plugins.schema(family, plugin.kind).items():
            nested = partial(_nested, where=where)
            settings[name] = binding.over_nested(of_type, settings[name], nested, f"{key}.{name}")
        plugins.check(family, plugin.kind, settings)
    except ValidationError as error:
        declared = set(type(plugin).model_fields)
        raise ConfigError(f"{where}: {sentence(error, model, prefix=f'{key}.', declared=declared)}") from None
    except plugins.PluginError as error:
        raise ConfigError(f"{where}: {key}.kind is {plugin.kind!r}; {error}") from None
    except ConfigError:  # of a plug-in within, which says its own key
        raise
    except ValueError as error:
        raise ConfigError(f"{where}: {key}: {error}") from None
    return plugin.model_copy(update=settings)


def _nested(family: str, content: Any, key: str, *, where: str) -> dict[str, Any]:
    """Return a plug-in that is a setting of another, completed as that is."""
    try:
        plugin = Plugin.model_validate_json(json.dumps(content))
    except ValidationError as error:
        raise ConfigError(f"{where}: {sentence(error, Plugin, prefix=f'{key}.')}") from None
    complete = _complete(family, plugin, where, key)
    return {"kind": complete.kind, **complete.settings}


def _checked(study: Study, where: str) -> Study:
    """Return the study with every plug-in completed; refuse names, grids and formulas that can't be."""
    for table in (*tables(), "grids"):
        distinct(getattr(study, table), where, table)
    complete: dict[str, Any] = {
        table: {n: _complete(model.family, p, where, f"{table}.{n}") for n, p in getattr(study, table).items()}
        for table, model in tables().items()
    }
    for n, protocol in complete["protocols"].items():
        parts = {
            family: _complete(family, getattr(protocol, family), where, f"protocols.{n}.{family}")
            for family in ("network", "loss")
        }
        complete["protocols"][n] = protocol.model_copy(update=parts)
    study = study.model_copy(update=complete)
    check_study(study, where)
    return study
