"""The command line for people: ``isobath <command>``, or ``python -m isobath <command>``.

A command is a module of ``operations/`` with a click command named ``command``. Commands are listed by reading these
modules, and a module is imported when its command is called: ``isobath --help`` loads neither torch nor xarray.
"""

import ast
import importlib
from functools import cache
from pathlib import Path

import click

OPERATIONS = Path(__file__).parent / "operations"


class Commands(click.Group):
    """The commands of ``operations/``, found by file name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is no such command."""
        if cmd_name not in commands():
            return None
        return importlib.import_module(f"isobath.operations.{cmd_name}").command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each command with the first line of its docstring."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, first_line(commands()[name])) for name in self.list_commands(ctx)])


@cache
def commands() -> dict[str, ast.FunctionDef]:
    """Return the function named ``command`` of every module of ``operations/`` that has one, unimported."""
    functions = {path.stem: _command(path) for path in sorted(OPERATIONS.glob("[!.]*.py"))}
    return {name: function for name, function in functions.items() if function is not None}


def first_line(command: ast.FunctionDef) -> str:
    """Return the first line of a command's docstring, without its full stop."""
    return (ast.get_docstring(command) or "").partition("\n")[0].removesuffix(".")


def _command(path: Path) -> ast.FunctionDef | None:
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return next((function for function in functions if function.name == "command"), None)


main = Commands("isobath", help="Inspect, verify and archive the results of the isobath workflow.")


if __name__ == "__main__":
    main(prog_name="isobath")
