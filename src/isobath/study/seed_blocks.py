"""Blocks of seeds: which networks of a cell are trained as one job.

Blocks on disk are kept, so that more seeds later train the new ones alone.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

_BLOCK = re.compile(r"(.+)_seeds(\d+)-(\d+)\.zarr\.zip")


def trained_blocks(folder: Path) -> dict[str, dict[int, int]]:
    """Return the blocks on disk of every cell of a folder, by the name of their files before ``_seeds``.

    A cell has first -> last seed; of several blocks with one start, the longest. The folder is read once for all cells.
    """
    blocks: dict[str, dict[int, int]] = defaultdict(dict)
    for path in folder.iterdir() if folder.is_dir() else ():
        if match := _BLOCK.fullmatch(path.name):
            first, last = int(match[2]), int(match[3])
            blocks[match[1]][first] = max(last, blocks[match[1]].get(first, last))
    return dict(blocks)


def seed_blocks(trained: Mapping[int, int], seeds: int, per_job: int) -> Iterator[tuple[int, int]]:
    """Yield blocks (first, last) that cover the seeds 0 .. seeds - 1 of a cell.

    A block that has been ``trained`` is used as it is, so that more seeds later train the new ones alone; the others
    are cut into blocks of ``per_job`` that start at its multiples.
    """
    first = 0
    while first < seeds:
        if first in trained:
            last = trained[first]
        else:
            bounds = [seeds, (first // per_job + 1) * per_job, *(start for start in trained if start > first)]
            last = min(bounds) - 1
        yield first, last
        first = last + 1
