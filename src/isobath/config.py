"""What config.yaml and a study may say: strict, closed, checked before any job.

Every refusal is a ConfigError, one sentence that names the file, the key, the value and what
is allowed. A study is written at the scale of its source; ``scales`` holds what another scale
changes: mappings are merged, anything else is replaced, and a key set to null is removed.
"""

import difflib
import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError, create_model

from isobath import plugins
from isobath.schema import Block, Closed, Config, Figure, Plugin, Protocol, Search, Study
from isobath.strict_yaml import YamlError, load

M = TypeVar("M", bound=BaseModel)


class ConfigError(ValueError):
    """One sentence: file, key, value, what is allowed."""


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
    return _validate(Config, {**content, **overrides}, str(path))


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
    return {key: value for key, value in merged.items() if value is not None}


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
        plugins.check(family, plugin.kind, settings)
    except ValidationError as error:
        declared = set(type(plugin).model_fields)
        raise ConfigError(f"{where}: {_sentence(error, model, prefix=f'{key}.', declared=declared)}") from None
    except plugins.PluginError as error:
        raise ConfigError(f"{where}: {key}.kind is {plugin.kind!r}; {error}") from None
    except ValueError as error:
        raise ConfigError(f"{where}: {key}: {error}") from None
    return plugin.model_copy(update=settings)


def _checked(study: Study, where: str, name: str) -> Study:
    """What a schema can't say: plug-ins, names that refer to each other, grids that can't be."""
    for table in ("tasks", "protocols", "kernels", "grids", "figures"):
        _distinct(getattr(study, table), where, table)
    tasks = {n: _complete("task", t, where, f"tasks.{n}") for n, t in study.tasks.items()}
    kernels = {n: _complete("kernel", k, where, f"kernels.{n}") for n, k in study.kernels.items()}
    figures = {n: _complete("figure", f, where, f"figures.{n}") for n, f in study.figures.items()}
    protocols = {}
    for n, protocol in study.protocols.items():
        network = _complete("network", protocol.network, where, f"protocols.{n}.network")
        protocols[n] = _complete("protocol", protocol, where, f"protocols.{n}").model_copy(update={"network": network})
        _check_rates(protocol, where, f"protocols.{n}.learning_rate")
    for n, blocks in study.grids.items():
        for i, block in enumerate(blocks):
            _check_block(block, study, where, f"grids.{n}[{i}]")
        _check_sweeps(blocks, study, where, f"grids.{n}")
    for n, figure in figures.items():
        _check_figure(figure, study, where, f"figures.{n}")
    for i, claim in enumerate(study.claims):
        _known(claim, plugins.claims(name), where, f"claims[{i}]")
        if claim in study.claims[:i]:
            raise ConfigError(f"{where}: claims[{i}] is {claim!r}, which stands there already")
    return study.model_copy(update={"tasks": tasks, "protocols": protocols, "kernels": kernels, "figures": figures})


def _distinct(names: Iterable[str], where: str, key: str) -> None:
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            raise ConfigError(
                f"{where}: {key} has {seen[name.lower()]!r} and {name!r}, which some file systems take for one"
            )
        seen[name.lower()] = name


def _known(name: str, names: Iterable[str], where: str, key: str) -> None:
    if name not in names:
        raise ConfigError(f"{where}: {key} is {name!r}; {plugins.nearest(name, list(names))}")


def _check_rates(protocol: Protocol, where: str, key: str) -> None:
    rate = protocol.learning_rate
    if isinstance(rate, Search) and rate.minimum >= rate.maximum:
        raise ConfigError(
            f"{where}: {key}.minimum is {rate.minimum}; it must be less than maximum, which is {rate.maximum}"
        )
    if isinstance(rate, list) and len(set(rate)) != len(rate):
        raise ConfigError(f"{where}: {key} is {rate}; a value stands twice")


def _check_block(block: Block, study: Study, where: str, key: str) -> None:
    for axis in ("tasks", "protocols", "kernels", "depth", "width", "n_train"):
        values = getattr(block, axis)
        if len(set(values)) != len(values):
            raise ConfigError(f"{where}: {key}.{axis} is {json.dumps(values)}; a value stands twice")
        if axis in ("tasks", "protocols", "kernels"):
            for name in values:
                _known(name, getattr(study, axis), where, f"{key}.{axis}")
    if not (block.protocols or block.kernels):
        raise ConfigError(f"{where}: {key} has neither protocols nor kernels; one of them is needed")
    if block.protocols and not block.width and any(block.depth):
        raise ConfigError(f"{where}: {key}.width is missing; networks of depth {max(block.depth)} need one")
    for name in block.protocols:
        rate = study.protocols[name].learning_rate
        if isinstance(rate, Search) and rate.folds > min(block.n_train):
            raise ConfigError(
                f"{where}: {key}.n_train is {min(block.n_train)}; it must be at least folds "
                f"of protocols.{name}.learning_rate, which is {rate.folds}"
            )


def _check_sweeps(blocks: list[Block], study: Study, where: str, key: str) -> None:
    names = {name for block in blocks for name in block.protocols}
    if len({isinstance(study.protocols[name].learning_rate, list) for name in names}) > 1:
        raise ConfigError(f"{where}: {key} mixes protocols with swept and with other learning rates; use two grids")


def _check_figure(figure: Figure, study: Study, where: str, key: str) -> None:
    """What a figure's settings name has to exist: else a curve would be missing without a word."""
    _known(figure.grid, study.grids, where, f"{key}.grid")
    for setting, value in figure.settings.items():
        table = getattr(study, {"groups": "tasks"}.get(setting, setting.removesuffix("s") + "s"), None)
        if not isinstance(table, dict) or value is None:
            continue
        names = [value] if isinstance(value, str) else [n for v in value for n in ([v] if isinstance(v, str) else v)]
        if not names:
            raise ConfigError(f"{where}: {key}.{setting} is empty; allowed: {', '.join(table)}")
        for name in names:
            _known(name, table, where, f"{key}.{setting}")
        if setting == "protocol" and value not in {n for block in study.grids[figure.grid] for n in block.protocols}:
            raise ConfigError(f"{where}: {key}.protocol is {value!r}, which grid {figure.grid} does not train")
