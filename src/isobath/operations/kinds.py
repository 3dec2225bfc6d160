"""Kinds of plug-ins that a study file may name: ``python -m isobath.operations.kinds [family [kind]]``.

With a family, its contract; with a kind, its settings and their defaults. Read from the plug-ins themselves, as the
check of a study does.
"""

import argparse
import textwrap
from typing import Any

from isobath import binding, plugins


def listed(family: str) -> str:
    """Return a line for each kind of a family, with the first sentence of its module."""
    kinds = plugins.kinds(family)
    return "\n".join(f"{kind:<{max(map(len, kinds))}}  {plugins.about(family, kind)[0]}" for kind in kinds)


def described(family: str, kind: str) -> str:
    """Return the settings of one kind, a line each, and the docstring of its verb."""
    settings = [_setting(name, *typed) for name, typed in plugins.declared(family, kind).items()]
    first, text = plugins.about(family, kind)
    return "\n".join([f"{family} {kind}: {first}", *settings, "", textwrap.dedent(text)]).rstrip()


def _setting(name: str, written: str, default: Any) -> str:
    return f"    {name}: {written}" + ("" if default is ... else f" = {default!r}")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m isobath.operations.kinds", description="What a study file may name."
    )
    parser.add_argument("family", nargs="?", choices=plugins.families())
    parser.add_argument("kind", nargs="?")
    given = parser.parse_args()
    if given.kind:
        try:
            print(described(given.family, given.kind))
        except plugins.PluginError as error:
            raise SystemExit(str(error)) from None
        return
    if given.family:
        print(plugins.contract(given.family), end="\n\n")
    for family in [given.family] if given.family else plugins.families():
        print(f"{binding.folder(family)}:", textwrap.indent(listed(family), "  "), sep="\n")


if __name__ == "__main__":
    main()
