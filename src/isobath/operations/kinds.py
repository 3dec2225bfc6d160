"""Families of plug-ins, their kinds, and the settings of a kind, read from the plug-ins without importing them."""

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from isobath import binding, claim_files, plugins, results
from isobath.operations import arguments
from isobath.study import layers, places
from isobath.study.checks import require_name
from isobath.study.keys import require_free_names
from isobath.study.plugin_models import nested, tables
from isobath.study.yaml import written

STUDY = "study"


def listed(family: str) -> str:
    """Return a line for each kind of a family: its name and the first line of its module's docstring."""
    kinds = plugins.kinds(family)
    width = max(map(len, kinds), default=0)
    return "\n".join(f"{kind:<{width}}  {plugins.summary(family, kind)}" for kind in kinds)


def described(family: str, kind: str) -> str:
    """Return the settings of one kind, a line each with type, default and meaning, and its function's docstring.

    Raises PluginError.
    """
    require_free_names(family, kind)
    meanings = plugins.meanings(family, kind)
    settings = [_setting(name, *typed, meanings.get(name)) for name, typed in plugins.declared(family, kind).items()]
    first, text = plugins.about(family, kind)
    return "\n".join([f"{family} {kind}: {first}", *settings, *_common(family), "", textwrap.dedent(text)]).rstrip()


def _common(family: str) -> list[str]:
    """Return the line that names the keys of every entry of a family, where it has some: config/README.md has more."""
    models = [model for model in (*tables().values(), *nested()) if model.family == family]
    keys = [key for model in models for key in model.model_fields if key != "kind"]
    return [f"    and the keys of every {family} (config/README.md): {', '.join(keys)}"] if keys else []


def _setting(name: str, written: str, default: Any, meaning: str | None) -> str:
    typed = f"    {name}: {written}" + ("" if default is ... else f" = {default!r}")
    return f"{typed}  # {meaning}" if meaning else typed


def result(kind: str) -> str:
    """Return the path, the groups of cubes with their axes, and the variables of a kind of result, a line each."""
    require_name(kind, results.kinds(), "isobath kinds result", "KIND")
    groups = (
        f"    {group}: {', '.join(axes) or 'as it is'}" for group, axes in results.option(kind, "GROUPS", {}).items()
    )
    table = results.option(kind, "VARIABLES", {}).items()
    either = f"{results.CLASSES} (of real targets the {results.REAL})"
    meanings = {name: v.long_name.replace(results.CLASSES, either) for name, v in table}
    variables = (f"    {name} ({', '.join(v.dims)}) [{v.units}]: {meanings[name]}" for name, v in table)
    lines = [f"result {kind}: {plugins.summary('result', kind)}", f"    {results.kinds()[kind].PATH}"]
    return "\n".join(
        [*lines, "", "Groups of a cube and the axes of their cells:", *groups, "", "Variables:", *variables]
    )


def dimensions() -> str:
    """Return a line for each dim that a result can have, with its meaning."""
    table = results.dimensions()
    width = max(map(len, table))
    return "\n".join(["Dims of results:", *(f"{name:<{width}}  {meaning}" for name, meaning in sorted(table.items()))])


def studies(folders: Mapping[str, Path]) -> str:
    """Return a line for each study: its name, its title and the scales that it can be run at. Raises ConfigError."""
    titles = {name: str(layers.base(folder, folders).get("title", "")) for name, folder in folders.items()}
    width, wide = max(map(len, titles), default=0), max(map(len, titles.values()), default=0)
    return "\n".join(
        f"{name:<{width}}  {title:<{wide}}  {', '.join(layers.scales(folders[name], folders))}"
        for name, title in titles.items()
    )


def study(name: str, folders: Mapping[str, Path]) -> str:
    """Return the description of a study: title, source, works, scales, base study, folder, entries."""
    folder, content = folders[name], layers.base(folders[name], folders)
    fields: dict[str, Any] = {key: content[key] for key in ("title", "source", "works") if key in content}
    fields |= {
        "extends": layers.read(folder / places.STUDY_FILE).get("extends"),
        "scales": layers.scales(folder, folders),
    }
    fields |= {"folder": str(folder), **{key: content.get(key) for key in ("grids", "figures", "claims")}}
    return "\n".join([f"study {name}", *(f"    {key}: {_words(value)}" for key, value in fields.items() if value)])


def _words(value: Any) -> str:
    if isinstance(value, Mapping) and all(isinstance(item, str) for item in value.values()):
        return "; ".join(f"{key} {item}" for key, item in value.items())
    if isinstance(value, Mapping | list):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else written(value)


@click.command(cls=arguments.Command)
@click.argument("family", required=False, type=click.Choice([*plugins.contracts(), STUDY]), metavar="[FAMILY]")
@click.argument("kind", required=False)
def command(family: str | None, kind: str | None) -> None:
    """List the kinds that a study file can name.

    With FAMILY (task, protocol, figure, ...; claim, result): its contract and its kinds. With KIND: its settings; of a
    kind of result the groups of cubes and the variables; the claims of the study KIND. With study: the studies that can
    be run, with their titles and scales.
    """
    arguments.lay_own()
    if family == STUDY:
        known_studies = places.studies(Path())
        if kind:
            require_name(kind, known_studies, "isobath kinds study", "KIND")
        print(study(kind, known_studies) if kind else studies(known_studies))
    elif family == "result":
        print(result(kind) if kind else "\n\n".join([plugins.contract(family), listed(family), dimensions()]))
    elif family == "claim" and kind:
        require_name(kind, [path.name for path in claim_files.studies_with_claims()], "isobath kinds claim", "KIND")
        print(*claim_files.claims(kind), sep="\n")
    elif family and kind:
        print(described(family, kind))
    elif family:
        print(*filter(None, [plugins.contract(family), listed(family)]), sep="\n\n")
    else:
        for name in plugins.families():
            print(f"{binding.plural(name)}:", textwrap.indent(listed(name), "  "), sep="\n")
