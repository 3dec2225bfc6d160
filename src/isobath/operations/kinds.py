"""Families of plug-ins, their kinds, and the settings of a kind, read from the plug-ins without importing them."""

import textwrap
from typing import Any

import click

from isobath import binding, plugins
from isobath.operations import arguments


def listed(family: str) -> str:
    """Return a line for each kind of a family: its name and the first line of its module's docstring."""
    kinds = plugins.kinds(family)
    width = max(map(len, kinds))
    return "\n".join(f"{kind:<{width}}  {plugins.about(family, kind)[0]}" for kind in kinds)


def described(family: str, kind: str) -> str:
    """Return the settings of one kind, a line each with type and default, and its function's docstring.

    Raises PluginError.
    """
    settings = [_setting(name, *typed) for name, typed in plugins.declared(family, kind).items()]
    first, text = plugins.about(family, kind)
    return "\n".join([f"{family} {kind}: {first}", *settings, "", textwrap.dedent(text)]).rstrip()


def _setting(name: str, written: str, default: Any) -> str:
    return f"    {name}: {written}" + ("" if default is ... else f" = {default!r}")


@click.command(cls=arguments.Command)
@click.argument("family", required=False, type=click.Choice(plugins.families()), metavar="[FAMILY]")
@click.argument("kind", required=False)
def command(family: str | None, kind: str | None) -> None:
    """List the kinds that a study file can name.

    With FAMILY (task, protocol, figure, ...): the contract of that family and its kinds. With KIND: its settings.
    """
    if family and kind:
        print(described(family, kind))
    elif family:
        print(*filter(None, [plugins.contract(family), listed(family)]), sep="\n\n")
    else:
        for name in plugins.families():
            print(f"{binding.folder(name)}:", textwrap.indent(listed(name), "  "), sep="\n")
