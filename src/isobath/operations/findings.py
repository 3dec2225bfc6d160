"""Findings of runs: pages in Markdown, tables, figures and provenance, for the repository."""

from collections.abc import Sequence
from pathlib import Path

import click

from isobath.archive import datapackage, privacy
from isobath.findings import FindingsError, folder, gathering, keeping, outlines
from isobath.findings.contents import Findings
from isobath.operations import arguments
from isobath.study import places


def make(results: Sequence[Path], output: Path, source: Path, *, keep: bool = False) -> folder.Files:
    """Return the files of the findings of ``results``; without any, of those whose tables are in ``output``.

    With ``keep``, also of the studies and runs in ``output`` that the results do not have. Raises FindingsError,
    ConfigError, OSError.
    """
    found: Findings = gathering.gather(results, source) if results else folder.read(output)
    if results and keep:
        found = keeping.together(folder.read(output), found)
    licence = datapackage.licence(places.workflow(source))
    files = folder.compose(found, outlines.texts(source, found.ledger.studies), licence)
    pattern = privacy.pattern({place for path in (*results, source) for place in (path.absolute(), path.resolve())})
    for name, content in files.items():
        if match := privacy.first_match(content, pattern):
            raise FindingsError(f"{name} contains {match!r}; findings must not tell where or by whom they were made")
    return files


@click.command(cls=arguments.Command)
@click.argument("results", nargs=-1, type=click.Path(path_type=Path), metavar="[results/SCALE ...]")
@click.option(
    "--output", type=click.Path(path_type=Path), default=Path("docs/findings"), help="The folder of the pages."
)
@click.option("--keep", is_flag=True, help="Keep the runs that are in the folder and not among the results.")
@click.option("--check", is_flag=True, help="Write nothing; fail if files in the folder would change.")
@arguments.source
def command(results: tuple[Path, ...], output: Path, source: Path | None, *, keep: bool, check: bool) -> None:
    """Write pages of the findings of one or several runs.

    Without results the pages are made from the tables in the folder: after an edit of the texts that people write.
    """
    arguments.lay_own()
    files = _made(results, output, source or Path(), keep=keep)
    if not check:
        folder.write(output, files)
    elif other := folder.differences(output, files):
        raise click.ClickException(f"{output}: {', '.join(other)} would change; `make findings` writes them")
    print(f"{len(files)} files, {sum(map(len, files.values())) / 1e6:.2f} MB in {output}")


def _made(results: Sequence[Path], output: Path, source: Path, *, keep: bool) -> folder.Files:
    try:
        return make(results, output, source, keep=keep)
    except FindingsError as error:
        raise click.ClickException(str(error)) from None
