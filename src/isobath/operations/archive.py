"""Archives of a run: ``results/isobath-<scale>.zip`` can be checked, read, redrawn and cited without the workflow.

A second zip, ``results/isobath-<scale>-cells.zip``, holds the results of all single cells. Equal results make equal
members, and equal zips where the build of zlib is the same.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from isobath import roots
from isobath.archive import privacy, zips
from isobath.archive.contents import cell_members, main_members
from isobath.operations import arguments, verify
from isobath.study import loading
from isobath.workflow.plan import Run


class ArchiveError(ValueError):
    """Results must not be archived: they have faults, or they reveal who made them."""


def archive(run: Run, *, cells: bool, incomplete: bool) -> list[Path]:
    """Write the zips of a run into its folder ``results``, and return their paths.

    Raises ArchiveError if results have faults and the archive may not be ``incomplete``, for a member that reveals the
    user, the host or the folder, and for a file in its place that is no archive.
    """
    faults = verify.faults(run)
    if faults and not incomplete:
        first, count = faults[0], len(faults)
        raise ArchiveError(
            f"{first.path} is {first.kind} ({count} of the results have faults); isobath verify lists them; "
            "run the workflow, which makes them again, or give --incomplete, which lists them in the archive"
            f"{_others(run)}"
        )
    name = f"isobath-{run.config.scale}{'-incomplete' if faults else ''}"
    contents = {run.home / f"results/{name}.zip": main_members(run, faults)}
    if cells:
        contents[run.home / f"results/{name}-cells.zip"] = cell_members(run, faults)
    for members in contents.values():
        if leak := privacy.leak(members.items(), (run.home, run.source, *roots.own())):
            raise ArchiveError(f"{leak}; an archive must not tell where or by whom it was made")
    if other := next((path for path in contents if path.exists() and not zips.has_sums(path)), None):
        raise ArchiveError(f"{other} is there and is no archive of isobath, or a damaged one; move it")
    for path, members in contents.items():
        zips.write(members, path)
    return list(contents)


def _others(run: Run) -> str:
    """Say which studies of a run are not those of config.yaml, whose page does not show them; "" if there are none."""
    listed = loading.load_config(run.source, {}).studies
    if not (others := [name for name in run.config.studies if name not in listed]):
        return ""
    return (
        f"; if the page is at fault: it shows the studies of config.yaml, and the folder has others, "
        f"{', '.join(others)}: --config 'studies=[{', '.join(listed)}]' archives without them"
    )


@click.command(cls=arguments.Command)
@arguments.folder
@arguments.source
@arguments.config
@click.option("--cells", is_flag=True, help="Write a second zip with the results of all single cells.")
@click.option("--incomplete", is_flag=True, help="Archive in spite of faults, and list them in the archive.")
def command(folder: Path, source: Path | None, config: Mapping[str, Any], *, cells: bool, incomplete: bool) -> None:
    """Write the results into a zip for publication.

    The zip can be checked, read, redrawn and cited without the workflow. Faulty results are refused.
    """
    try:
        paths = archive(arguments.load_run(folder, config, source), cells=cells, incomplete=incomplete)
    except ArchiveError as error:
        raise click.ClickException(str(error)) from None
    for path in paths:
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path}")
