"""Stage of downloads: fetch one file of a data set, as it is published, and verify it."""

from pathlib import Path

from isobath import plugins
from isobath.data import downloads
from isobath.jobs import command_line


def main(file: str, output: Path) -> None:
    """Download the file of that name (``downloads.FILES``) to ``output``. Raises DownloadError, ValueError."""
    if file not in downloads.FILES:
        raise ValueError(f"there is no download {file!r}; {plugins.nearest(file, downloads.FILES)}")
    downloads.fetch(downloads.FILES[file], output)


if __name__ == "__main__":
    command_line.run(main)
