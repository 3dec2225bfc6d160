"""What config.yaml and a study may say: strict, closed, checked before any job.

Every refusal is a ConfigError, one sentence that names the file, the key, the value and what
is allowed. A study is written at the scale of its source; ``scales`` holds what another scale
changes: mappings are merged, anything else is replaced, and a key set to null is removed.
"""

import difflib
import json
import os
from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError, create_model

from isobath import binding, plugins
from isobath.data import downloads
from isobath.study.checks import check_study, distinct
from isobath.study.schema import Closed, Config, ConfigError, Plugin, Study
from isobath.study.yaml import YamlError, load

M = TypeVar("M", bound=BaseModel)


def require_writable(folder: Path) -> None:
    """Refuse a folder in which nothing can be written, before any compute."""
    existing = next(parent for parent in (folder.absolute(), *folder.absolute().parents) if parent.exists())
    if not existing.is_dir():
        raise ConfigError(f"{folder}: {existing} is not a folder; results can't be written there")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise ConfigError(f"{folder}: {existing} is not writable; results can't be written there")


def load_config(path: Path, overrides: dict[str, Any]) -> Config:
    """config.yaml, with what the command line says (``--config scale=paper``) on top."""
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


def load_study(path: Path, scale: str) -> Study:
    """A study at a scale: validated, with the settings of every plug-in filled in."""
    content = _load(path)
    scales = content.pop("scales", {})
    if not isinstance(scales, dict) or scale not in scales:
        known = scales if isinstance(scales, dict) else []
        raise ConfigError(f"{path}: scale is {scale!r}; {plugins.nearest(scale, known)}")
    if not isinstance(scales[scale] or {}, dict):
        raise ConfigError(
            f"{path}: scales.{scale} is {scales[scale]!r}; it must be a mapping of what the scale changes"
        )
    study = _validate(Study, _merged(content, scales[scale] or {}), f"{path} (scale {scale})")
    return _checked(study, f"{path} (scale {scale})", path.stem)


def _load(path: Path) -> dict[str, Any]:
    try:
        return load(path)
    except YamlError as error:
        raise ConfigError(str(error)) from None


def _merged(base: Any, change: Any) -> Any:
    if not (isinstance(base, dict) and isinstance(change, dict)):
        return change
    merged = {**base, **{key: _merged(base.get(key), value) for key, value in change.items()}}
    return {key: value for key, value in merged.items() if change.get(key, ...) is not None}


def _validate(model: type[M], content: dict[str, Any], where: str) -> M:
    try:
        return model.model_validate_json(json.dumps(content))
    except ValidationError as error:
        raise ConfigError(f"{where}: {_sentence(error, model)}") from None


def _sentence(error: ValidationError, model: type[BaseModel], prefix: str = "", declared: Iterable[str] = ()) -> str:
    first = min(error.errors(), key=lambda e: e["type"] != "extra_forbidden")  # a misspelt key is missing as well
    place = [part for part in first["loc"] if part not in ("[key]", "Search")]
    key = prefix + _dotted(place)
    if first["type"] == "extra_forbidden":
        owner = (prefix + _dotted(place[:-1])).removesuffix(".")
        suggestion = plugins.nearest(str(place[-1]), {*_keys(model, first["loc"][:-1]), *declared})
        return f"unknown key {str(place[-1])!r}{f' in {owner}' if owner else ''}; {suggestion}"
    if first["type"] == "missing":
        given = first["input"] if isinstance(first["input"], dict) else {}
        near = difflib.get_close_matches(str(place[-1]), given, n=1)
        return f"{key} is missing" + (f"; is {near[0]!r} meant to be it?" if near else "")
    message = (first["msg"][0].lower() + first["msg"][1:]).replace("valid array", "list")
    if place[-1:] == ["learning_rate"]:
        message = "it must be a positive number, a list of them, or a search with minimum and maximum"
    if first["type"] == "string_pattern_mismatch":
        message = "a name is letters, digits and _ . = - (64 at most, not starting with _ . = -)"
    return f"{key} is {json.dumps(first['input'])[:80]}; {message}"


def _dotted(place: Iterable[Any]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def _keys(model: Any, place: Iterable[Any]) -> list[str]:
    """The keys allowed where the path ``place`` leads to in a model."""
    for part in place:
        candidates = _models(model)
        model = next((m.model_fields[part].annotation for m in candidates if part in m.model_fields), model)
    return sorted({key for m in _models(model) for key in m.model_fields})


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for argument in getattr(annotation, "__args__", ()) for m in _models(argument)]


@cache
def _settings_model(family: str, kind: str) -> type[BaseModel]:
    model: type[BaseModel] = create_model(kind, __base__=Closed, **plugins.schema(family, kind))  # type: ignore[call-overload]
    return model


def _complete(family: str, plugin: Plugin, where: str, key: str) -> Any:
    """The plug-in with the defaults of its signature filled in; refuses what it does not take."""
    try:
        model = _settings_model(family, plugin.kind)
        settings = model.model_validate_json(json.dumps(plugin.settings)).model_dump(mode="json")
        for name, (of_type, _) in plugins.schema(family, plugin.kind).items():
            nested = partial(_nested, where=where)
            settings[name] = binding.over_nested(of_type, settings[name], nested, f"{key}.{name}")
        plugins.check(family, plugin.kind, settings)
    except ValidationError as error:
        declared = set(type(plugin).model_fields)
        raise ConfigError(f"{where}: {_sentence(error, model, prefix=f'{key}.', declared=declared)}") from None
    except plugins.PluginError as error:
        raise ConfigError(f"{where}: {key}.kind is {plugin.kind!r}; {error}") from None
    except ConfigError:  # of a plug-in within, which says its own key
        raise
    except ValueError as error:
        raise ConfigError(f"{where}: {key}: {error}") from None
    return plugin.model_copy(update=settings)


def _nested(family: str, content: Any, key: str, *, where: str) -> dict[str, Any]:
    """Return a plug-in that is a setting of another, completed as it is."""
    try:
        plugin = Plugin.model_validate_json(json.dumps(content))
    except ValidationError as error:
        raise ConfigError(f"{where}: {_sentence(error, Plugin, prefix=f'{key}.')}") from None
    complete = _complete(family, plugin, where, key)
    return {"kind": complete.kind, **complete.settings}


def _checked(study: Study, where: str, name: str) -> Study:
    """What a schema can't say: plug-ins and their settings, names that refer to each other, grids that can't be."""
    families = {"tasks": "task", "kernels": "kernel", "laws": "form", "figures": "figure"}
    families |= {"constructions": "construction", "calculations": "calculation"}
    for table in (*families, "protocols", "grids"):
        distinct(getattr(study, table), where, table)
    complete: dict[str, Any] = {
        table: {n: _complete(family, p, where, f"{table}.{n}") for n, p in getattr(study, table).items()}
        for table, family in families.items()
    }
    protocols = {}
    for n, protocol in study.protocols.items():
        parts = {
            "network": _complete("network", protocol.network, where, f"protocols.{n}.network"),
            "loss": _complete("loss", protocol.loss, where, f"protocols.{n}.loss"),
        }
        protocols[n] = _complete("protocol", protocol, where, f"protocols.{n}").model_copy(update=parts)
    study = study.model_copy(update={**complete, "protocols": protocols})
    check_study(study, where, plugins.claims(name))
    return study
