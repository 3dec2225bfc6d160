"""The workflow on a real SLURM cluster, in odd places: a folder with files named as libraries, and a full disk."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from slurm.runs import said, submitted
from small import small

from isobath.disk import logs, store

pytestmark = [pytest.mark.slow, pytest.mark.slurm]

SHADOW = 'raise RuntimeError("this file stands in for a library")\n'
NAMES = ("queue", "random", "types", "json", "numpy", "xarray", "yaml", "snakemake")
CELL = "kernels/local/ntk/n30_draw0"
KERNEL = f"results/smoke/small/{CELL}.zarr.zip"
DATA = [f"results/smoke/small/data/local/{name}.zarr.zip" for name in ("n30_draw0", "test")]


def run(house: Path, slurm: dict[str, str], *targets: str) -> int:
    with submitted(house, slurm, "--retries", "0", "--", *targets, study="small") as begun:
        return begun.wait(timeout=900)


def fill(file: Path) -> None:
    """Write zeros into a file until its disk is full."""
    with contextlib.suppress(OSError), file.open("wb", buffering=0) as out:
        while True:
            out.write(bytes(4096))


def test_a_job_imports_no_file_of_the_folder(slurm, tmp_path):
    house = small(tmp_path)
    for name in NAMES:
        (house / f"{name}.py").write_text(SHADOW, encoding="utf-8")
    assert run(house, slurm, KERNEL) == 0, said(house)
    store.verify(house / KERNEL)


@pytest.fixture
def house_on_a_small_disk(tmp_path: Path) -> Iterator[Path]:
    """Make a house whose results lie on a disk of 1 MB."""
    house = small(tmp_path)
    (house / "results").mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(house / "results")]
    mounted = subprocess.run(words, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"a disk of 1 MB can't be mounted here: {mounted.stderr.strip()}")
    yield house
    subprocess.run(["umount", "--lazy", str(house / "results")], check=True)


def test_a_full_disk_is_said_with_its_file_and_costs_nothing_once_there_is_room(slurm, house_on_a_small_disk):
    house = house_on_a_small_disk
    assert run(house, slurm, *DATA) == 0, said(house)
    made = {path: (house / path).stat().st_mtime_ns for path in DATA}
    fill(filling := house / "results/filling")
    assert run(house, slurm, KERNEL) == 1, said(house)
    reason = f"OSError: [Errno 28] No space left on device: '{KERNEL}'"
    assert reason in said(house)
    entry = logs.read(house / "logs/smoke/small" / f"{CELL}.log")
    assert (entry.state, entry.reason) == ("failed", reason)
    found = {path for path in (house / "results").rglob("*.zarr.zip*") if path.is_file()}
    assert found == {house / path for path in DATA}, "a part of a result was left"
    filling.unlink()
    assert run(house, slurm, KERNEL) == 0, said(house)
    store.verify(house / KERNEL)
    assert {path: (house / path).stat().st_mtime_ns for path in DATA} == made
