"""Reading of config.yaml and of studies: strict, closed, checked before any job.

Every refusal is a ConfigError, one sentence that names the file, the key, its value and what is allowed.
A study is a folder: ``study.yaml`` has the settings of the source, ``<scale>.yaml`` the changes of a scale; ``layers``
reads them.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, reduce
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError, create_model

from isobath import binding, plugins, roots
from isobath.paths import obstacle
from isobath.study import layers
from isobath.study.blocks import study_model
from isobath.study.checks import check_study, distinct
from isobath.study.keys import require_free_names
from isobath.study.merging import Content, compose, families, merged, require_known, require_known_nulls, stacked
from isobath.study.places import STUDY_FILE
from isobath.study.plugin_models import tables
from isobath.study.refusals import key_of, reach, rule, sentence
from isobath.study.schema import Closed, Config, ConfigError, Plugin, Study
from isobath.syntax import plugin_errors

M = TypeVar("M", bound=BaseModel)
P = TypeVar("P", bound=Plugin)


def require_writable(folder: Path) -> None:
    """Refuse a folder in which nothing can be written, before any compute."""
    places = [folder.absolute(), *folder.absolute().parents]
    dangling = next((place for place in places if place.is_symlink() and not place.exists()), None)
    if dangling is not None:
        raise ConfigError(f"{folder}: {dangling} is a link to {dangling.readlink()}, which does not exist; make it")
    existing = next(place for place in places if place.exists())
    if not existing.is_dir():
        raise ConfigError(f"{folder}: {existing} is not a folder, and nothing can be written there; rename it")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise ConfigError(f"{folder}: {existing} is not writable; allow it, or run elsewhere")


def config_file(folder: Path) -> Path:
    """Return the path of the config of a run in its folder: config.yaml, or config/config.yaml, as snakedeploy does.

    Raises ConfigError for what is there and is no file: a link that leads nowhere is no wish for the other one.
    """
    beside, within = folder / "config.yaml", folder / "config/config.yaml"
    for path in (beside, within):
        if obstruction := obstacle(path):
            raise ConfigError(f"{path} is {obstruction}; it must be a file, or not be there")
        if path.is_file():
            return path
    return beside


def load_config(folder: Path, overrides: Mapping[str, Any]) -> Config:
    """Return the config of the run in a folder, with the keys of the command line (``--config scale=paper``) on top."""
    content = part(path := config_file(folder))
    _names(content, str(path))  # the page says which of them a run left out
    if isinstance(data := content.get("data"), str) and data and folder.resolve() != Path.cwd():
        content = {**content, "data": str(folder / _expanded(data))}  # as the file says it, from its folder
    if "limits" in overrides:  # key by key: to raise one takes no other away
        overrides = {**overrides, "limits": merged(content.get("limits"), given(overrides)["limits"])}
    content = {**content, **overrides}
    try:
        return config_of(content, str(path))
    except ConfigError as error:
        raise ConfigError(_of_command_line(str(error), str(path), overrides)) from None


def given(overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of a command line with every text in ``limits`` that is JSON parsed.

    Snakemake passes null and the numbers of ``--config limits={hours: 500}`` on as text.
    """
    return {key: _parsed(value) if key == "limits" else value for key, value in overrides.items()}


def _parsed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _parsed(inner) for key, inner in value.items()}
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def named_studies(folder: Path) -> list[str]:
    """Return the studies that the config in a folder names, none where there is no config. Raises ConfigError."""
    path = config_file(folder)
    return _names(part(path), str(path)) if path.is_file() else []


def part(path: Path) -> dict[str, Any]:
    """Return the settings in a config: its part ``isobath``, where another workflow has its own keys beside ours."""
    content = layers.read(path)
    ours = content.get("isobath")
    return ours if isinstance(ours, dict) else content


def _names(content: Mapping[str, Any], origin: str) -> list[str]:
    studies = content.get("studies")
    return [] if studies is None else config_of({"scale": "any", "studies": studies}, origin).studies


def _of_command_line(refusal: str, path: str, overrides: Mapping[str, Any]) -> str:
    """Return a refusal of a config with the command line in place of the file, where the key comes from there."""
    sentence = refusal.removeprefix(f"{path}: ")
    key = re.split(r"[.\[]", key_of(sentence))[0]
    if key not in overrides:
        return refusal
    form = f", such as {key}=[{overrides[key]}]" if sentence.endswith("allowed: a list") else ""
    return f"--config: {sentence}{form}"


def config_of(content: Mapping[str, Any], origin: str) -> Config:
    """Return the config in ``content``. Raises ConfigError, which names ``origin`` it comes from."""
    config = _validate(Config, dict(content), origin)
    if config.data == "":
        raise ConfigError(f'{origin}: data is ""; name a folder, . for this one, or leave it out to download')
    if config.data is not None:
        config = config.model_copy(update={"data": _expanded(config.data)})
    if config.data is not None and not os.path.isdir(config.data):  # noqa: PTH112 (pathlib raises where it can't look)
        raise ConfigError(f"{origin}: data is {config.data!r}, which is no folder; leave it out to download")
    if config.data is not None and any(letter in config.data for letter in "{}"):
        raise ConfigError(
            f"{origin}: data is {config.data!r}, with a brace, which Snakemake takes for a placeholder; "
            "rename the folder"
        )
    return config


def _expanded(folder: str) -> str:
    """Return the path of a folder with ~ or ~user replaced; as it is where there is no such user."""
    return os.path.expanduser(folder)  # noqa: PTH111 (pathlib raises where there is none)


def require_files(study: Study, data: str | None, origin: str) -> None:
    """Refuse tasks whose ``FILES`` can't be read, or are not in the ``data:`` folder and can't be downloaded."""
    for name, task in study.tasks.items():
        try:
            files, downloads = plugins.files(task.kind), plugins.downloads(task.kind)
        except plugins.PluginError as error:
            raise ConfigError(f"{origin}: tasks.{name}.kind is {task.kind!r}; {error}") from None
        for file in files:
            if file not in downloads and (data is None or not (Path(data) / file).is_file()):
                raise ConfigError(
                    f"{origin}: task {name!r} reads {file}, which is not in data ({data or 'not set'}) and which "
                    f"is no download; put it into the folder that data names, or its mirrors into a module that the "
                    f"task {task.kind} names as DOWNLOADS"
                )


Check = Callable[[Study, str, str], None]  # of a study, its file and its name; raises ConfigError


def load_study(
    folder: Path, scale: str, studies: Mapping[str, Path] | None = None, *, checks: Iterable[Check] = ()
) -> Study:
    """Return the study in ``folder`` at a scale, with the settings of every plug-in filled in, after all ``checks``.

    It can extend the studies in ``studies``, name -> folder; those beside it unless they are given. Raises ConfigError.
    """
    first, *changes = layers.layers(folder, scale, studies)
    origin = f"{folder / STUDY_FILE} (scale {scale})"
    try:
        base = compose(first.content, {})
    except ConfigError as error:
        raise ConfigError(f"{first.file}: {error}") from None
    try:
        change, composed = Content(), base
        for layer in changes:
            if layer.file.name != STUDY_FILE:
                require_known(first.content, composed, layer.content)
            change = stacked(change, layer.content)
            before, composed = composed, compose(first.content, change)
            require_known_nulls(before, layer.content, composed, families(first.content, change))
        study = _checked(_validate(study_model(), composed, origin), origin)
        for check in checks:
            check(study, origin, folder.name)
        return study
    except ConfigError as error:
        refusal = _as_written(str(error).removeprefix(f"{origin}: "), [first, *changes])
        key = key_of(refusal)
        to_base = max(reach(base, key), reach(first.content, key))
        files = (layer.file for layer in reversed(changes) if _decides(reach(layer.content, key), len(key), to_base))
        raise ConfigError(f"{next(files, f'{first.file} (scale {scale})')}: {refusal}") from None


def _as_written(refusal: str, written: Sequence[layers.Layer]) -> str:
    """Return a refusal with the key of a member of a family as it is written: that of the family, where it has it."""
    key = key_of(refusal)
    if any(reach(layer.content, key) == len(key) for layer in written):
        return refusal
    try:
        found = families(written[0].content, reduce(stacked, (layer.content for layer in written[1:]), {}))
    except ConfigError:  # the refusal is on a family itself
        return refusal
    members = [member for member in found if f"{key}.".startswith(f"{member}.")]
    member = max(members, key=len, default="")  # f-2.5, and not f-2
    return refusal.replace(member, found[member], 1) if member else refusal


def _decides(reached: int, length: int, to_base: int) -> bool:
    """Tell whether a layer has a key, or a longer part of its path than the first layer has."""
    return reached == length or reached > to_base


def _validate(model: type[M], content: dict[str, Any], origin: str) -> M:
    try:
        return model.model_validate_json(json.dumps(content))
    except ValidationError as error:
        raise ConfigError(f"{origin}: {sentence(error, model)}") from None


@roots.cached
def settings_model(family: str, kind: str) -> type[BaseModel]:
    """Return the model of a plug-in's settings, made from the signature of its verb. Raises PluginError."""
    require_free_names(family, kind)
    schema, file = plugins.schema(family, kind), plugins.path(family, kind)
    with plugin_errors(f"{file}: its settings can't be checked"):
        model: type[BaseModel] = create_model(kind, __base__=Closed, **schema)  # type: ignore[call-overload]
        _require_defaults(model, {n: default for n, (_, default) in schema.items() if default is not ...}, file)
    return model


def _require_defaults(model: type[BaseModel], defaults: Mapping[str, Any], file: Path) -> None:
    """Raise PluginError for a default that is not of the declared type: a study without the setting would get it."""
    try:
        model.model_validate_json(json.dumps(defaults))
    except ValidationError as error:
        wrong = next((e for e in error.errors() if e["loc"][0] in defaults), None)  # others have none, and are missing
        if wrong is not None:
            name = str(wrong["loc"][0])
            said = f"the default of {name} is {defaults[name]!r:.80}; {rule(wrong)}"
            raise plugins.PluginError(f"{file}: {said}") from None


def _complete(family: str, plugin: Plugin, origin: str, key: str) -> Any:
    """Return the plug-in with the defaults of its signature filled in; refuse settings that it does not take."""
    try:
        model = settings_model(family, plugin.kind)
        settings = model.model_validate_json(json.dumps(plugin.settings)).model_dump(mode="json")
        for name, (of_type, _) in plugins.schema(family, plugin.kind).items():
            nested = partial(_nested, origin=origin)
            settings[name] = binding.over_nested(of_type, settings[name], nested, f"{key}.{name}")
        plugins.check(family, plugin.kind, settings)
    except ValidationError as error:
        declared = set(type(plugin).model_fields)
        raise ConfigError(f"{origin}: {sentence(error, model, prefix=f'{key}.', declared=declared)}") from None
    except plugins.PluginError as error:
        raise ConfigError(f"{origin}: {key}.kind is {plugin.kind!r}; {error}") from None
    except ConfigError:  # of a plug-in within, which says its own key
        raise
    except ValueError as error:
        raise ConfigError(f"{origin}: {key}: {error}") from None
    return plugin.model_copy(update=settings)


def completed(family: str, content: Any, origin: str, key: str, *, model: type[P]) -> P:
    """Return a plug-in that is given by its kind and settings, checked, with all defaults. Raises ConfigError."""
    try:
        plugin = model.model_validate_json(json.dumps(content))
    except ValidationError as error:
        raise ConfigError(f"{origin}: {sentence(error, model, prefix=f'{key}.')}") from None
    return cast(P, _with_parts(_complete(family, plugin, origin, key), origin, key))


def _with_parts(plugin: Plugin, origin: str, key: str) -> Plugin:
    """Return a plug-in with those completed that its table declares, as the network and the loss of a protocol."""
    parts = {name: part for name in type(plugin).model_fields if isinstance(part := getattr(plugin, name), Plugin)}
    complete = {name: _complete(part.family, part, origin, f"{key}.{name}") for name, part in parts.items()}
    return plugin.model_copy(update=complete)


def _nested(family: str, content: Any, key: str, *, origin: str) -> dict[str, Any]:
    """Return a plug-in that is a setting of another, completed as that is."""
    complete = completed(family, content, origin, key, model=Plugin)
    return {"kind": complete.kind, **complete.settings}


def _checked(study: Study, origin: str) -> Study:
    """Return the study with every plug-in completed; refuse names, grids and formulas that can't be."""
    for table in (*tables(), "grids"):
        distinct(getattr(study, table), origin, table)
    complete: dict[str, Any] = {
        table: {n: _complete(model.family, p, origin, f"{table}.{n}") for n, p in getattr(study, table).items()}
        for table, model in tables().items()
    }
    for table, plugins_ in complete.items():
        complete[table] = {n: _with_parts(plugin, origin, f"{table}.{n}") for n, plugin in plugins_.items()}
    study = study.model_copy(update=complete)
    check_study(study, origin)
    return study
