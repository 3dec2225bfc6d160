"""Blocks of seeds: which networks of a cell are trained as one job.

Blocks on disk are kept, so that more seeds later train the new ones alone. A file counts if it holds the seeds of its
name: by its name alone, an empty file would decide what is trained.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from isobath import store_metadata

_BLOCK = re.compile(r"(.+)_seeds(\d+)-(\d+)\.zarr\.zip")


class SeedBlock(NamedTuple):
    """The first and the last seed of a block, and its file."""

    first: int
    last: int
    path: Path


def named_blocks(folder: Path) -> dict[str, list[SeedBlock]]:
    """Return the blocks that names of files promise, of every cell of a folder, by their names before ``_seeds``.

    The folder is read once for all cells.
    """
    blocks: dict[str, list[SeedBlock]] = defaultdict(list)
    for path in folder.iterdir() if folder.is_dir() else ():
        if match := _BLOCK.fullmatch(path.name):
            blocks[match[1]].append(SeedBlock(int(match[2]), int(match[3]), path))
    return dict(blocks)


def of_cell(folders: dict[str, list[SeedBlock]], path: Path) -> list[SeedBlock]:
    """Return the blocks of a cell, given as the path of one of its blocks, whatever its seeds."""
    return folders.get(path.name.partition("_seeds")[0], [])


def seed_blocks(blocks: Sequence[SeedBlock], seeds: int, per_job: int) -> Iterator[tuple[int, int]]:
    """Yield blocks (first, last) that cover the seeds 0 .. seeds - 1 of a cell.

    A block that has been trained is used as it is, so that more seeds later train the new ones alone; the others are
    cut into blocks of ``per_job`` that start at its multiples.
    """
    trained = _longest(block for block in blocks if _is_usual(block, seeds, per_job) or _holds_its_seeds(block))
    first = 0
    while first < seeds:
        if first in trained:
            last = trained[first]
        else:
            bounds = [seeds, (first // per_job + 1) * per_job, *(start for start in trained if start > first)]
            last = min(bounds) - 1
        yield first, last
        first = last + 1


def blocks_on_disk(blocks: Sequence[SeedBlock], seeds: int) -> Iterator[tuple[int, int]]:
    """Yield the blocks (first, last) on disk that cover the seeds 0 .. seeds - 1 of a cell, to be read.

    Where the next seed begins no block, the seeds up to the next one on disk are a block, which is missing; but where
    damaged files have the name of a block, the shortest of them is yielded: its reader says which file is damaged.
    """
    trained = _longest(filter(_holds_its_seeds, blocks))
    first = 0
    while first < seeds:
        damaged = (block.last for block in blocks if block.first == first)
        missing = min([seeds, *(start for start in trained if start > first)]) - 1
        last = trained[first] if first in trained else min(damaged, default=missing)
        yield first, last
        first = last + 1


def _longest(blocks: Iterable[SeedBlock]) -> dict[int, int]:
    """Return first -> last seed; of several blocks with one start, the longest."""
    return {block.first: block.last for block in sorted(blocks)}


def _is_usual(block: SeedBlock, seeds: int, per_job: int) -> bool:
    """Tell whether the seeds would be cut into this block anyway; a damaged file of it is found when it is read."""
    return block.first % per_job == 0 and block.last == min(block.first + per_job, seeds) - 1


def _holds_its_seeds(block: SeedBlock) -> bool:
    try:
        return bool(json.loads(store_metadata.attributes(block.path)["spec"])["seeds"] == [block.first, block.last])
    except (OSError, LookupError, TypeError, ValueError):
        return False
