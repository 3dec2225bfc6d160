"""Families of plug-ins, their kinds, and the settings of a kind, read from the plug-ins without importing them."""

import textwrap
from typing import Any

import click

from isobath import binding, plugins, results
from isobath.operations import arguments
from isobath.study.checks import known


def listed(family: str) -> str:
    """Return a line for each kind of a family: its name and the first line of its module's docstring."""
    kinds = plugins.kinds(family)
    width = max(map(len, kinds), default=0)
    return "\n".join(f"{kind:<{width}}  {plugins.summary(family, kind)}" for kind in kinds)


def described(family: str, kind: str) -> str:
    """Return the settings of one kind, a line each with type and default, and its function's docstring.

    Raises PluginError.
    """
    settings = [_setting(name, *typed) for name, typed in plugins.declared(family, kind).items()]
    first, text = plugins.about(family, kind)
    return "\n".join([f"{family} {kind}: {first}", *settings, "", textwrap.dedent(text)]).rstrip()


def _setting(name: str, written: str, default: Any) -> str:
    return f"    {name}: {written}" + ("" if default is ... else f" = {default!r}")


def result(kind: str) -> str:
    """Return the path, the groups of cubes with their axes, and the variables of a kind of result, a line each."""
    known(kind, results.kinds(), "isobath kinds result", "KIND")
    groups = (
        f"    {group}: {', '.join(axes) or 'as it is'}" for group, axes in results.option(kind, "GROUPS", {}).items()
    )
    table = results.option(kind, "VARIABLES", {}).items()
    variables = (f"    {name} ({', '.join(v.dims)}) [{v.units}]: {v.long_name}" for name, v in table)
    lines = [f"result {kind}: {plugins.summary('result', kind)}", f"    {results.kinds()[kind].PATH}"]
    return "\n".join(
        [*lines, "", "Groups of a cube and the axes of their cells:", *groups, "", "Variables:", *variables]
    )


def dimensions() -> str:
    """Return a line for each dim that a result can have, with its meaning."""
    table = results.dimensions()
    width = max(map(len, table))
    return "\n".join(["Dims of results:", *(f"{name:<{width}}  {meaning}" for name, meaning in sorted(table.items()))])


@click.command(cls=arguments.Command)
@click.argument("family", required=False, type=click.Choice(plugins.contracts()), metavar="[FAMILY]")
@click.argument("kind", required=False)
def command(family: str | None, kind: str | None) -> None:
    """List the kinds that a study file can name.

    With FAMILY (task, protocol, figure, ...; claim, result): its contract and its kinds. With KIND: its settings; of a
    kind of result the groups of cubes and the variables; the claims of the study KIND.
    """
    arguments.lay_own()
    if family == "result":
        print(result(kind) if kind else "\n\n".join([plugins.contract(family), listed(family), dimensions()]))
    elif family == "claim" and kind:
        known(kind, [path.name for path in plugins.studies_with_claims()], "isobath kinds claim", "KIND")
        print(*plugins.claims(kind), sep="\n")
    elif family and kind:
        print(described(family, kind))
    elif family:
        print(*filter(None, [plugins.contract(family), listed(family)]), sep="\n\n")
    else:
        for name in plugins.families():
            print(f"{binding.folder(name)}:", textwrap.indent(listed(name), "  "), sep="\n")
