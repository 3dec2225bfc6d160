"""The merging of a study with the overlay of a scale, and of entries with those that they are ``like``.

Mappings are merged, anything else is replaced, and a key that is set to null is removed. A setting of a plug-in that
can be null is set to it: where a protocol has a default ``batch_size``, null still means all rows.
"""

import difflib
import re
from collections.abc import Mapping
from functools import partial, reduce
from itertools import product
from math import prod
from typing import Any, get_args

from isobath import plugins
from isobath.study.plugin_models import is_plugin, tables
from isobath.study.schema import NAME, ConfigError, Plugin, Study
from isobath.study.yaml import written

Content = dict[str, Any]
Layers = dict[str, list[Any]]  # of each entry of a table: as the study has it, then as the overlay changes it
NOT_INHERITED = ("like", "each", "name")
MOST_MEMBERS = 1000  # of a family


def merged(base: Any, change: Any) -> Any:
    """Return ``base`` with ``change`` merged into it."""
    if not (isinstance(base, dict) and isinstance(change, dict)):
        return change
    union = {**base, **{key: merged(base.get(key), value) for key, value in change.items()}}
    return {key: value for key, value in union.items() if change.get(key, ...) is not None}


def stacked(base: Any, change: Any) -> Any:
    """Return two changes as one: ``change`` merged into ``base``, where null goes on to remove a key."""
    if not (isinstance(base, dict) and isinstance(change, dict)):
        return change
    return {**base, **{key: stacked(base.get(key), value) for key, value in change.items()}}


def compose(study: Content, overlay: Content) -> Content:
    """Return the mapping of a study at the scale of ``overlay``. Raises ConfigError, without the file."""
    content: Content = merged(study, overlay)
    for table in tables():
        base, change = study.get(table, {}), overlay.get(table, {})
        if isinstance(base, dict) and isinstance(change, dict) and table in content:
            content[table] = _entries(base, change, table)
    return content


def require_known(study: Content, composed: Content, overlay: Content) -> None:
    """Refuse names of the file of a scale that are misspelt: a new grid near one of the study, an entry without kind.

    ``composed`` is the study with the files below that of the scale, and with the members of all families. Raises
    ConfigError, without the file.
    """
    for table in ("grids", *tables()):
        parts = (study.get(table) or {}, composed.get(table) or {}, overlay.get(table) or {})
        if not all(isinstance(part, dict) and all(re.match(NAME, str(name)) for name in part) for part in parts):
            continue  # refused by itself
        change = parts[2]
        whole = {
            n: entry for n, entry in change.items() if isinstance(entry, dict) and {"each", "name"} <= entry.keys()
        }
        members = {member for n, entry in whole.items() for member in _members([entry], f"{table}.{n}")}
        names = {*parts[0], *parts[1], *members}
        for name in sorted(change.keys() - names):
            near, new = difflib.get_close_matches(name, names, n=1, cutoff=0.8), change[name]
            if table == "grids" and near:
                raise ConfigError(
                    f"grids.{name} is no grid of the study; did you mean {near[0]!r}? a new one needs another name"
                )
            if table != "grids" and isinstance(new, dict) and not new.keys() & {"kind", "like", "each"}:
                meant = f"did you mean {near[0]!r}?" if near else f"{plugins.nearest(name, names)};"
                raise ConfigError(f"{table}.{name} is no entry of the study; {meant} a new one has a kind")


def require_known_nulls(before: Content, change: Content, after: Content, members: Mapping[str, str]) -> None:
    """Refuse keys that a change sets to null, and that are in nothing: a misspelt one would be passed over.

    These are keys of the study, and of entries of plug-ins; a grid that this scale lacks may be null.
    ``before`` and ``after`` are the study without the change and with it, composed, and ``members`` are what
    ``families`` returns: one member stands for all of its family. Raises ConfigError, without the file.
    """
    _require_nulls(before, change, [*Study.model_fields], "")
    for table, model in tables().items():
        old, new, changed = (part.get(table) for part in (before, after, change))
        if isinstance(new, dict) and isinstance(changed, dict):
            member_of = {members[key]: name for name in new if (key := f"{table}.{name}") in members}
            for name, entry in changed.items():
                key = f"{table}.{name}"
                full = name if name in new else member_of.get(key)
                if full is not None:
                    _require_settings(_before(full, old, entry, new), entry, new[full], model, key)


def _before(name: str, old: Any, change: Any, new: Content) -> Content:
    """Return the settings that an entry has before a change: its own, and those of the entry that it is made like."""
    like = change.get("like") if isinstance(change, dict) else None
    parts = (new.get(str(like)), old.get(name) if isinstance(old, dict) else None)
    return {key: value for part in parts if isinstance(part, dict) for key, value in part.items()}


def _require_settings(before: Any, change: Any, after: Any, model: type[Plugin], key: str) -> None:
    """Refuse null for what is no setting of a plug-in, or of one that it holds."""
    kind = after.get("kind") if isinstance(after, dict) else after
    if not isinstance(change, dict) or kind not in plugins.kinds(model.family):
        return
    before, after = (part if isinstance(part, dict) else {} for part in (before, after))
    settings = plugins.schema(model.family, str(kind))
    of_entry = NOT_INHERITED if model in tables().values() else ()
    _require_nulls(before, change, [*model.model_fields, *settings, *of_entry], f"{key}.")
    for name, field in model.model_fields.items():
        if name in change and is_plugin(field.annotation):
            _require_settings(before.get(name), change[name], after.get(name), field.annotation, f"{key}.{name}")


def _require_nulls(before: Content, change: Content, known: list[str], owner: str) -> None:
    """Refuse null for a key that is neither in a mapping nor known; ``owner`` is the dotted key of the mapping."""
    for name in sorted(name for name, value in change.items() if value is None):
        if name not in before and name not in known:
            raise ConfigError(f"{owner}{name} is null, but there is no such key; {plugins.nearest(name, known)}")


def _entries(base: Content, change: Content, table: str) -> Content:
    """Return the entries of a table; one that the overlay removes can still be named by the ``like`` of another."""
    removed = {name for name, entry in change.items() if entry is None}
    layers: Layers = {name: [base[name]] if name in base else [] for name in {**base, **change}}
    for name in change.keys() - removed:
        layers[name].append(change[name])
    family_of: dict[str, str] = {}
    for family in list(layers):
        for member, values in _members(layers[family], f"{table}.{family}").items():
            if member in base or member in family_of:
                raise ConfigError(f"{table}.{family} has a member {member!r}, which is the name of another entry")
            layers[member] = [{"like": family, **values}, *layers.get(member, [])]
            family_of[member] = family
    for name in sorted(removed - base.keys() - family_of.keys()):
        raise ConfigError(f"{table}.{name} is null, but there is no such entry; {plugins.nearest(name, list(base))}")
    excluded = removed.union(family_of.values(), (m for m, family in family_of.items() if family in removed))
    return {name: _written_out(name, layers, table) for name in layers if name not in excluded}


def families(study: Content, overlay: Content) -> dict[str, str]:
    """Return where the keys of members are written, both dotted: ``kernels.ntk-0`` -> ``kernels.ntk``.

    The values of a member are written in ``each``: ``kernels.ntk-0.beta`` -> ``kernels.ntk.each.beta``.
    """
    composed, written = merged(study, overlay), {}
    for table in (table for table in tables() if isinstance(composed.get(table), dict)):
        for family, entry in composed[table].items():
            for member, values in _members([entry], f"{table}.{family}").items():
                written[f"{table}.{member}"] = f"{table}.{family}"
                written |= {f"{table}.{member}.{axis}": f"{table}.{family}.each.{axis}" for axis in values}
    return written


def _members(entries: list[Any], key: str) -> dict[str, Content]:
    """Return the members of a family, name -> values; none for an entry without ``each``."""
    family = reduce(merged, entries) if entries else None
    if not isinstance(family, dict) or family.get("each") is None:
        return {}
    axes, name = family["each"], family.get("name")
    if not (isinstance(axes, dict) and axes and all(isinstance(values, list) and values for values in axes.values())):
        raise ConfigError(f"{key}.each is {written(axes)}; it must be a mapping of settings to lists of values")
    for axis, values in axes.items():
        if any(value is None or isinstance(value, list | dict) for value in values):
            raise ConfigError(
                f"{key}.each.{axis} is {written(values)}; its values must be words, numbers, true or false"
            )
        if len({*values}) < len(values):
            raise ConfigError(f"{key}.each is {written(axes)}; a value stands twice")
    if beside := sorted(axes.keys() & family.keys()):
        raise ConfigError(
            f"{key}.{beside[0]} is {written(family[beside[0]])}, and {key}.each has it too; one of them is allowed"
        )
    if not isinstance(name, str) or sorted(re.findall(r"{(\w+)}", name)) != sorted(axes):
        raise ConfigError(
            f"{key}.name is {written(name)}; it must hold each of {', '.join(f'{{{a}}}' for a in axes)} once"
        )
    if (count := prod(map(len, axes.values()))) > MOST_MEMBERS:
        raise ConfigError(f"{key}.each has {count} combinations; allowed are {MOST_MEMBERS} at most")
    combinations = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    members = {_filled_in(name, values): values for values in combinations}
    if len(members) != len(combinations):
        raise ConfigError(f"{key}.each is {written(axes)}; a value stands twice")
    return members


def _filled_in(template: str, values: Content) -> str:
    for axis, value in values.items():
        template = template.replace(f"{{{axis}}}", str(value))
    return template


def _written_out(name: str, layers: Mapping[str, list[Any]], table: str, path: tuple[str, ...] = ()) -> Any:
    """Return an entry in full: the one that it is like, merged with its own layers."""
    onto = partial(_merged_entry, model=tables()[table])
    entry = reduce(onto, layers[name])
    if not isinstance(entry, dict):
        return entry
    entry = {key: value for key, value in entry.items() if key not in NOT_INHERITED or value is not None}
    if "like" not in entry:
        return entry
    key, like = f"{table}.{name}.like", str(entry["like"])
    if like not in layers:
        raise ConfigError(
            f"{key} is {written(entry['like'])}; {plugins.nearest(like, [other for other in layers if other != name])}"
        )
    if like in (*path, name):
        raise ConfigError(f"{key} is {like!r}; entries must not be like each other in a circle")
    pattern = _written_out(like, layers, table, (*path, name))
    inherited = {k: v for k, v in pattern.items() if k not in NOT_INHERITED} if isinstance(pattern, dict) else pattern
    return {k: v for k, v in reduce(onto, layers[name], inherited).items() if k != "like"}


def _merged_entry(base: Any, change: Any, *, model: Any) -> Any:
    """Return the entry of a plug-in with a change merged into it, and those of the plug-ins that it holds.

    A word is short for a kind.
    """
    if isinstance(base, str) and isinstance(change, dict):
        base = {"kind": base}
    combined = merged(base, change)
    if not (isinstance(base, dict) and isinstance(change, dict)):
        return combined
    nulls = {key: None for key, value in change.items() if value is None and key in _nullable(model.family, combined)}
    plugin_types = {key: field.annotation for key, field in model.model_fields.items() if is_plugin(field.annotation)}
    inner = {
        key: _merged_entry(base[key], change[key], model=plugin_types[key])
        for key in plugin_types.keys() & base.keys() & change.keys() & combined.keys()
    }
    return {**combined, **nulls, **inner}


def _nullable(family: str, entry: Content) -> set[str]:
    """Return the settings of an entry's plug-in that can be null; none for a kind that there is not."""
    kind = entry.get("kind")
    if kind not in plugins.kinds(family):
        return set()
    return {
        name for name, (annotation, _) in plugins.schema(family, kind).items() if type(None) in get_args(annotation)
    }
