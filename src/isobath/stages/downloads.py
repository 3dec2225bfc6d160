"""Fetch one file of a data set, as it is published, and verify it."""

from pathlib import Path

from isobath import plugins
from isobath.data.downloads import fetch
from isobath.jobs import command_line


def main(file: str, output: Path) -> None:
    """Download the file that a task publishes under this name to ``output``. Raises DownloadError, ValueError."""
    published = {name: entry for kind in plugins.kinds("task") for name, entry in plugins.downloads(kind).items()}
    if file not in published:
        raise ValueError(f"there is no download {file!r}; {plugins.nearest(file, published)}")
    fetch(published[file], output)


if __name__ == "__main__":
    command_line.run(main)
