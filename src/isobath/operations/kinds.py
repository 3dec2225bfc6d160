"""``python -m isobath.operations.kinds [family [kind]]``: what a study file may name, with its settings and their defaults.

Read off the plug-ins themselves, as the check of a study does.
"""

import argparse
import textwrap
from typing import Any

from isobath import plugins


def families() -> list[str]:
    return list(plugins.VERBS)


def listed(family: str) -> str:
    """A line for each kind of a family, and what its module is about."""
    kinds = plugins.kinds(family)
    return "\n".join(f"{kind:<{max(map(len, kinds))}}  {plugins.about(family, kind)[0]}" for kind in kinds)


def described(family: str, kind: str) -> str:
    """The settings of one kind, a line each, and what its function says of them."""
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
    parser.add_argument("family", nargs="?", choices=families())
    parser.add_argument("kind", nargs="?")
    given = parser.parse_args()
    if given.kind:
        try:
            print(described(given.family, given.kind))
        except plugins.PluginError as error:
            raise SystemExit(str(error)) from None
        return
    for family in [given.family] if given.family else families():
        print(f"{family}s:", textwrap.indent(listed(family), "  "), sep="\n")


if __name__ == "__main__":
    main()
