"""Blocks of seeds: which networks of a cell are trained as one job.

Blocks on disk are kept, so that more seeds later train the new ones alone.
"""

import re
from collections.abc import Iterator
from pathlib import Path


def seed_blocks(pattern: Path, seeds: int, per_job: int) -> Iterator[tuple[int, int]]:
    """Yield blocks (first, last) that cover the seeds 0 .. seeds - 1 of a cell.

    ``pattern`` is the path of its results with * for the seeds. A block that has been trained is used as it is, so
    that more seeds later train the new ones alone; the others are cut into blocks of ``per_job`` that start at its
    multiples.
    """
    trained = _trained(pattern)
    first = 0
    while first < seeds:
        if first in trained:
            last = trained[first]
        else:
            bounds = [seeds, (first // per_job + 1) * per_job, *(start for start in trained if start > first)]
            last = min(bounds) - 1
        yield first, last
        first = last + 1


def _trained(pattern: Path) -> dict[int, int]:
    """Return first -> last seed of the blocks on disk; of several with one start, the longest."""
    blocks: dict[int, int] = {}
    for path in pattern.parent.glob(pattern.name):
        match = re.search(r"_seeds(\d+)-(\d+)\.zarr\.zip$", path.name)
        if match:
            first, last = map(int, match.groups())
            blocks[first] = max(last, blocks.get(first, last))
    return blocks
