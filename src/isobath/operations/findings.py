"""Findings of runs: pages in Markdown, tables, figures and provenance, for the repository."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

import click

from isobath.archive import datapackage, privacy
from isobath.disk import store, verdict_files, whole_files
from isobath.findings import FindingsError, folder, gathering, kept_runs, number_tables, outlines
from isobath.findings.contents import Findings
from isobath.operations import arguments, staleness
from isobath.study import places


def make(results: Sequence[Path], output: Path, source: Path, *, keep: bool = False) -> folder.Files:
    """Return the files of the findings of ``results``; without any, of those whose tables are in ``output``.

    With ``keep`` they cover the studies and runs in ``output`` that the results do not have as well. Raises
    FindingsError, ConfigError, OSError.
    """
    _require_outside(output, results)
    findings: Findings = gathering.gather(results, source) if results else folder.read(output)
    if results and keep:
        findings = kept_runs.together(folder.read(output), findings)
    licence = datapackage.licence(places.workflow(source))
    files = folder.compose(findings, outlines.texts(source, findings.ledger.studies), licence)
    if leak := privacy.leak(files.items(), (*results, source)):
        raise FindingsError(f"{leak}; findings must not tell where or by whom they were made")
    return files


def refill(file: Path, output: Path) -> bytes:
    """Return a Markdown file with its tables of numbers made anew from the findings in ``output``.

    Raises FindingsError, OSError.
    """
    try:
        text = file.read_bytes().decode()
    except UnicodeDecodeError:
        raise FindingsError(f"{file} is not text in UTF-8") from None
    place = Path(os.path.relpath(output, file.parent)).as_posix()
    return number_tables.refilled(text, folder.read(output), str(file), f"{place}/").encode()


def _require_outside(output: Path, results: Sequence[Path]) -> None:
    """Refuse a folder of pages among the results of a run, all of which the workflow makes."""
    scales = [folder.absolute() for folder in results]
    among = [place for scale in scales for place in (scale, scale.parent) if place in scales or place.name == "results"]
    inside = next((place for place in among if output.resolve().is_relative_to(place.resolve())), None)
    if inside:
        raise FindingsError(f"--output is {output}, inside {inside}; it must be a folder outside of the results")


@click.command(cls=arguments.Command)
@click.argument("results", nargs=-1, type=click.Path(path_type=Path), metavar="[results/SCALE ...]")
@click.option(
    "--output", type=click.Path(path_type=Path), default=Path("docs/findings"), help="The folder of the pages."
)
@click.option("--keep", is_flag=True, help="Keep the runs that are in the folder and not among the results.")
@click.option("--check", is_flag=True, help="Write nothing; fail if files in the folder would change.")
@click.option(
    "--fill",
    "filled",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A Markdown file elsewhere, such as a README, whose tables of numbers are made anew; can be repeated.",
)
@arguments.source
def command(
    results: tuple[Path, ...], output: Path, source: Path | None, filled: tuple[Path, ...], *, keep: bool, check: bool
) -> None:
    """Write pages of the findings of one or several runs.

    Without results the pages are made from the tables in the folder: after an edit of the texts that people write.
    """
    arguments.lay_own(source or Path())
    try:
        files = make(results, output, source or Path(), keep=keep)
        if not check:
            folder.write(output, files)
        elif changed := folder.differences(output, files):
            raise FindingsError(f"{output}: {', '.join(changed)} would change; `make findings` writes them")
        elif others := folder.foreign(output, files):
            raise FindingsError(f"{output}: {', '.join(others)} is not of the findings; move it")
        for file in filled:
            _fill(file, output, check=check)
    except FindingsError as error:
        raise click.ClickException(str(error)) from None
    for run in results:
        _warn_of_stale(run, source)
    print(f"{len(files)} files, {sum(map(len, files.values())) / 1e6:.2f} MB in {output}")


def _warn_of_stale(results: Path, source: Path | None) -> None:
    """Say of which verdicts of a run the results or the settings have changed since: they are written all the same."""
    for file in verdict_files.find(results):
        for sentence in staleness.of_verdicts(file, store.read_record(file), source):
            click.echo(f"{file}: {sentence}", err=True)


def _fill(file: Path, output: Path, *, check: bool) -> None:
    content = refill(file, output)
    if content == file.read_bytes():
        return
    if check:
        raise FindingsError(f"{file}: its tables of numbers would change; `make findings` writes them")
    _replace(file.resolve(), content)


def _replace(file: Path, content: bytes) -> None:
    """Write a file of the user, which keeps its permissions."""
    mode = file.stat().st_mode
    whole_files.replace(file, content)
    file.chmod(stat.S_IMODE(mode))
