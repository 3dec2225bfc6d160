"""Trainings that outlive their job: progress on disk, in two generations, until the result is written.

A checkpoint is a store like any other (atomic, with a checksum), and says which spec, code and data
it belongs to: what was written for another is refused and overwritten. It lies outside the outputs of the
workflow, which Snakemake removes when a job fails.
"""

import contextlib
import hashlib
import shutil
import time
from pathlib import Path

import xarray as xr

from isobath.disk import store
from isobath.disk.logs import OutOfTime
from isobath.training.progress import Arrays, Progress


class Checkpoints:
    """The progress of the parts of a job, in ``folder``; saved every ``every`` seconds of training.

    ``belongs`` is all that decides what the training becomes: spec, code, data. A part is known by its networks,
    so that a job that is given more memory, and trains more of them at a time, starts these anew.
    ``deadline`` (time.monotonic) is when to stop, after saving: well before the job's time limit.
    """

    def __init__(self, folder: Path, *belongs: str, every: float, deadline: float | None = None) -> None:
        self.folder, self.every, self.deadline = folder, every, deadline
        self.identity = hashlib.sha256("\0".join(belongs).encode()).hexdigest()
        self._saved = self._called = time.monotonic()
        self._generation, self._pause = 0, 0.0

    def __call__(self, names: str) -> "tuple[Arrays | None, _Keep]":
        """What the part of the networks ``names`` resumes from, if anything, and what keeps its progress."""
        arrays, part = None, hashlib.sha256(names.encode()).hexdigest()[:16]
        self._generation, self._called = 0, time.monotonic()
        found = [c for c in (self._read(self._path(part, g)) for g in (0, 1)) if c is not None]
        if found:
            newest = max(found, key=lambda c: int(c.attrs["generation"]))
            self._generation = int(newest.attrs["generation"]) + 1
            arrays = {str(name): variable.values for name, variable in newest.items()}
            print(f"{names} continue at epoch {arrays['epoch']} from {self.folder}")
        return arrays, _Keep(self, part)

    def save(self, part: str, progress: Progress) -> None:
        """Write the progress over the older of the two generations."""
        arrays = progress.arrays()
        data = {n: ([f"{n}_{i}" for i in range(a.ndim)], a) for n, a in arrays.items()}
        attrs = {"identity": self.identity, "generation": self._generation}
        with contextlib.suppress(FileNotFoundError):  # a twin of this job has ended, and cleared the folder
            store.write(xr.Dataset(data, attrs=attrs), self._path(part, self._generation % 2))
        self._generation += 1
        self._saved = time.monotonic()

    def due(self) -> bool:
        return time.monotonic() - self._saved >= self.every

    def expired(self) -> bool:
        """Whether the deadline might pass before the next call: within twice the longest time between two calls."""
        now = time.monotonic()
        self._pause, self._called = max(self._pause, now - self._called), now
        return self.deadline is not None and now + 2 * self._pause >= self.deadline

    def clear(self) -> None:
        """Remove all of it: the result is on disk."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, part: str, generation: int) -> Path:
        return self.folder / f"{part}_{generation}.zarr.zip"

    def _read(self, path: Path) -> xr.Dataset | None:
        try:
            dataset = store.read(path)
        except FileNotFoundError:
            return None
        except store.CorruptedStore as error:
            print(f"a checkpoint is not used: {error}")
            error.set_aside()
            return None
        if dataset.attrs["identity"] != self.identity:
            print(f"a checkpoint is not used: {path} was written for another spec, code or data")
            return None
        return dataset


class _Keep:
    """Saves the progress of one part when it is due, or when time is up."""

    def __init__(self, checkpoints: Checkpoints, part: str) -> None:
        self.checkpoints, self.part = checkpoints, part

    def __call__(self, progress: Progress) -> None:
        expired = self.checkpoints.expired()
        ended = not len(progress.active)
        if self.checkpoints.due() or (expired and not ended):
            self.checkpoints.save(self.part, progress)
        if expired and not ended:
            raise OutOfTime(f"stopped at epoch {progress.epoch}, before the time limit; the next attempt continues")
