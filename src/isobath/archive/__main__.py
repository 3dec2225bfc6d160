"""``python -m isobath.archive results/demo``: one zip that others can check, read, draw from and cite.

It is ``results/isobath-demo.zip``; with ``--cells``, ``results/isobath-demo-cells.zip`` has the results of all single
cells as well. Equal results make equal zips.
"""

import argparse
import re
from pathlib import Path

from isobath.archive import privacy, zips
from isobath.archive.contents import Members, cell_members, main_members
from isobath.operations import arguments, verify
from isobath.study.run import Run


def archive(run: Run, *, cells: bool, incomplete: bool) -> list[Path]:
    """Write the zips of a run into its ``results``, and say which.

    Raises ValueError where results are missing, failed, damaged or stale, unless the archive may be ``incomplete``,
    and where a member would tell where or by whom it was made.
    """
    faults = verify.faults(run)
    if faults and not incomplete:
        first, count = faults[0], len(faults)
        raise ValueError(
            f"{first.path} is {first.kind} ({count} of the results have faults); isobath verify lists them, "
            "and with --incomplete the archive does"
        )
    name = f"isobath-{run.config.scale}{'-incomplete' if faults else ''}"
    contents = {run.home / f"results/{name}.zip": main_members(run, faults)}
    if cells:
        contents[run.home / f"results/{name}-cells.zip"] = cell_members(run, faults)
    for members in contents.values():
        _refuse_betrayal(members, privacy.pattern([run.home]))
    for path, members in contents.items():
        zips.write(members, path)
    return list(contents)


def _refuse_betrayal(members: Members, what: re.Pattern[bytes]) -> None:
    for name, content in members.items():
        found = privacy.betrayal(content if isinstance(content, bytes) else content.read_bytes(), what)
        if found:
            raise ValueError(f"{name} contains {found!r}; an archive must not tell where or by whom it was made")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m isobath.archive", description="Archive the results of a run.")
    arguments.arguments(parser)
    parser.add_argument("--cells", action="store_true", help="a second zip with the results of all single cells")
    parser.add_argument("--incomplete", action="store_true", help="archive what there is, and list what there is not")
    given = parser.parse_args()
    try:
        paths = archive(arguments.asked(given), cells=given.cells, incomplete=given.incomplete)
    except (ValueError, OSError) as error:
        raise SystemExit(str(error)) from None
    for path in paths:
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path}")


if __name__ == "__main__":
    main()
