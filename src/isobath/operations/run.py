"""Runs: Snakemake on the workflow that came with this package, with config.yaml and results in this folder."""

import contextlib
import os
import sys
from pathlib import Path

import click

from isobath.operations import arguments
from isobath.study import loading, places
from isobath.study.schema import ConfigError


class Passing(arguments.Command):
    """A command that passes ``--config`` on as it was written."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line."""
        return click.Command.parse_args(self, ctx, args)


@click.command(cls=Passing, context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[OPTION OF SNAKEMAKE ...]")
def command(words: tuple[str, ...]) -> None:
    """Start Snakemake on this folder.

    Config.yaml, the folder of one's own and the results lie here; the workflow is that of this package. Options are
    those of Snakemake: isobath run --cores 2 --config scale=smoke
    """
    if elsewhere := next((word for word in words if _is_directory(word)), None):
        raise ConfigError(
            f"{elsewhere}: isobath run has its results beside config.yaml; write one in that folder, with the path of "
            "your own folder as `own`, and run there"
        )
    workflow = places.workflow(Path())
    profile = [] if "--profile" in words else ["--profile", str(workflow / "workflow/profiles/laptop")]
    if not loading.config_file(Path()).is_file():
        raise ConfigError(
            "config.yaml: there is no such file; `isobath new study NAME` writes one, or copy that of isobath"
        )
    # Without -P, a file in this folder could stand in for a module of a library: queue.py, numpy.py.
    _find_cache()
    command = [sys.executable, "-P", "-m", "snakemake", "--snakefile", str(workflow / "Snakefile"), *profile, *words]
    sys.stdout.flush()
    os.execv(sys.executable, command)  # noqa: S606


def _is_directory(word: str) -> bool:
    """Tell whether a word is Snakemake's option --directory, or -d, whole or as far as Snakemake needs it."""
    name = word.partition("=")[0]
    return (len(name) > len("--d") and "--directory".startswith(name)) or (word[:2] == "-d" and name[2:3] != "-")


def _find_cache() -> None:
    """Let Snakemake keep its cache in this folder where the usual place, in the home of the user, can't be written."""
    home = os.path.expanduser("~")  # noqa: PTH111 (pathlib raises where there is none)
    usual = Path(os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache", "snakemake")
    with contextlib.suppress(OSError):
        usual.mkdir(parents=True, exist_ok=True)
    if not os.access(usual, os.W_OK | os.X_OK):
        os.environ["XDG_CACHE_HOME"] = str(Path(".snakemake/cache").absolute())
