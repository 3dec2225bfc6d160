"""Arguments that the commands share: the folder of the results, and the settings that Snakemake was given."""

import io
import itertools
import math
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from isobath.claim_files import ClaimError
from isobath.jobs.variables import VariableError
from isobath.plugins import PluginError, nearest
from isobath.study import loading, places, yaml
from isobath.study.run import Run
from isobath.study.schema import ConfigError
from isobath.workflow import own, plan

ZIP = "unpack it, and check it there: python -m isobath.archive.check"


class Command(click.Command):
    """A command that accepts ``--config key=value key=value`` as Snakemake does, and reports errors in one sentence."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line, with ``--config`` repeated before each of its settings, as click expects it."""
        return super().parse_args(ctx, list(_repeated(args)))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors that a user can mend end it with exit status 1 and their message on stderr.

        Signs that the terminal lacks are printed as question marks.
        """
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # click ends the command without a message
        except (ClaimError, ConfigError, PluginError, VariableError, OSError) as error:
            raise click.ClickException(str(error)) from None


def _repeated(words: Iterable[str]) -> Iterator[str]:
    """Yield the words of a command line, with ``--config`` before every setting that follows it."""
    in_config = False
    for previous, word in itertools.pairwise(("", *words)):
        in_config = previous == "--config" or (in_config and _is_setting(word))
        if in_config and previous != "--config":
            yield "--config"
        yield word


def _is_setting(word: str) -> bool:
    """Tell whether a word is a setting as ``key=value``, and no option and no folder."""
    key, equals, _ = word.partition("=")
    return bool(equals) and not word.startswith("-") and "/" not in key


class Seconds(click.FloatRange):
    """Seconds, at most a day. NaN, which no range excludes, is refused as well."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number of seconds."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"{value} is no number; it must be more than 0 and at most {self.max:g} seconds", param, ctx)
        return seconds


class Setting(click.ParamType[tuple[str, Any]]):
    """A setting ``key=value`` of config.yaml; the value is read as one of that file."""

    name = "setting"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        """Return the key and the parsed value."""
        key, equals, text = str(value).partition("=")
        if not (key and equals):
            self.fail(f"{value!r} is not of the form key=value", param, ctx)
        try:
            return key, yaml.parse(text, repr(value))
        except yaml.YamlError as error:
            self.fail(str(error), param, ctx)


def _as_mapping(_ctx: click.Context, _param: click.Parameter, pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return dict(pairs)


def _with_config(_ctx: click.Context, _param: click.Parameter, folder: Path | None) -> Path | None:
    """Refuse a folder without config.yaml, which every command would pass over in its own way."""
    try:
        if folder is not None and not (config := loading.config_file(folder)).is_file():
            raise click.BadParameter(f"there is no {config}; it must be the folder of a config.yaml")
    except ConfigError as error:
        raise click.BadParameter(str(error)) from None
    return folder


folder = click.argument("folder", type=click.Path(path_type=Path), metavar="results/SCALE")
source = click.option(
    "--workflow",
    "source",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    callback=_with_config,
    metavar="FOLDER",
    help="The folder of config.yaml, where the results lie in another one (snakemake --directory).",
)
config = click.option(
    "--config",
    type=Setting(),
    multiple=True,
    callback=_as_mapping,
    metavar="KEY=VALUE ...",
    help="Settings of config.yaml, as Snakemake was given them.",
)


def home_of(folder: Path) -> tuple[Path, str]:
    """Return the folder of a run and its scale, of the path ``<home>/results/<scale>``. Raises ConfigError.

    Links are not followed: ``results`` may be one, to a disk with more room.
    """
    absolute = Path(os.path.abspath(folder))  # noqa: PTH100 (resolve() would follow links)
    if len(absolute.parts) < 3 or absolute.parent.name != "results":
        raise ConfigError(f"{folder}: it must be results/<scale>, in the folder of a run")
    return absolute.parent.parent, absolute.name


def lay_own(source: Path = Path()) -> Path:
    """Lay the folders of the user's own over the package, as config.yaml in ``source`` says, if there is one.

    Returns the first of them, or where it would be. Raises ConfigError.
    """
    folders = loading.load_config(source, {}).own if loading.config_file(source).is_file() else None
    own.lay(source, folders)
    return Path(own.USUAL if folders is None else folders if isinstance(folders, str) else [*folders, own.USUAL][0])


def load_run(folder: Path, config: Mapping[str, Any], source: Path | None = None) -> Run:
    """Return the run that makes ``results/<scale>``: config.yaml changed by ``config``, and the studies in the folder.

    The studies are those that ``config`` names, or else all of the workflow, which lies in ``source`` or beside
    ``results``. Raises ConfigError.
    """
    if folder.is_file():
        raise ConfigError(f"{folder} is a file; {ZIP if folder.suffix == '.zip' else 'it must be results/<scale>'}")
    home, name = home_of(folder)
    if config.get("scale", name) != name:
        raise ConfigError(f"--config scale is {config['scale']!r} and {folder} has the scale {name}; they must agree")
    scale, source = home / "results" / name, source or home
    if not loading.config_file(source).is_file():
        missing = f"there is no {loading.config_file(source)}"
        raise ConfigError(f"{folder}: {missing}; name its folder by --workflow, or the results as results/<scale>")
    settings = {"scale": name, **config}
    base = loading.load_config(source, settings)
    own.lay(source, base.own)
    names, known = base.studies, places.studies(source)
    if unknown := next((name for name in names if name not in known), None):
        place = "--config" if "studies" in config else f"{loading.config_file(source)}:"
        raise ConfigError(f"{place} studies has {unknown!r}, and there is no such study; {nearest(unknown, known)}")
    if "studies" not in config:
        names = list(dict.fromkeys([*names, *sorted(known)]))
    logs = home / "logs" / scale.name  # jobs that all failed left no results
    studies = [name for name in names if (scale / name).is_dir() or (logs / name).is_dir()]
    if not studies:
        raise ConfigError(
            f"{folder} has no results of {', '.join(names)}: nothing was run at this scale, or it lies elsewhere; "
            "it must be results/<scale>"
        )
    return _at(home, plan.load(source, {**settings, "studies": studies}))


def _at(home: Path, run: Run) -> Run:
    """Return a run whose results lie in ``home``; its folder of data files is found from there as well."""
    data = run.config.data
    if data is not None and home.resolve() != Path.cwd():
        data = os.path.abspath(data)  # noqa: PTH100 (a link is named as the run named it)
    return replace(run, home=home, config=run.config.model_copy(update={"data": data}))
