"""Checkpoints of trainings: progress on disk, in two generations, until the result is written.

A checkpoint is a store like any other (atomic, with a checksum), and names the spec, code and data that it belongs to,
and its networks: a checkpoint of others is not used, and overwritten. It names the processors that its training ran on
so far, with threads and versions: a training may continue on another, and is marked then. It lies outside the outputs
of the workflow, which Snakemake removes when a job fails.
"""

import contextlib
import hashlib
import json
import shutil
import time
from pathlib import Path

import xarray as xr

from isobath.disk import processors, store
from isobath.disk.logs import OutOfTime
from isobath.training.progress import Arrays, Progress

UNKNOWN = '[{"blas": "unknown"}]'  # of checkpoints that do not say


class Checkpoints:
    """The progress of the parts of a job in ``folder``, saved every ``every`` seconds of training.

    ``belongs`` is everything that determines the result of the training: spec, code, data. A part is identified by its
    networks: a job with more memory, which trains more networks at a time, starts its parts anew. ``deadline`` (on
    time.monotonic) is the time to save and stop, well before the job's time limit.
    """

    def __init__(self, folder: Path, *belongs: str, every: float, deadline: float | None = None) -> None:
        self.folder, self.every, self.deadline = folder, every, deadline
        self.identity = hashlib.sha256("\0".join(belongs).encode()).hexdigest()
        self._saved = self._called = time.monotonic()
        self._generation, self._pause = 0, 0.0
        processors.begin()

    def __call__(self, names: str) -> "tuple[Arrays | None, _Keep]":
        """Return the saved arrays of the networks ``names``, if there are any, and a callback that saves progress."""
        arrays, part = None, hashlib.sha256(names.encode()).hexdigest()[:16]
        self._generation, self._called = 0, time.monotonic()
        self._began = self._called
        saved = [c for c in (self._read(part, g) for g in (0, 1)) if c is not None]
        if saved:
            newest = max(saved, key=lambda c: int(c.attrs["generation"]))
            self._generation = int(newest.attrs["generation"]) + 1
            arrays = {str(name): variable.values for name, variable in newest.items()}
            environment = json.loads(newest.attrs.get("environment", "{}"))
            processors.continue_from(json.loads(newest.attrs.get("processors", UNKNOWN)), environment)
            print(f"{names} continue at epoch {arrays['epoch']} from {self.folder}")
        return arrays, _Keep(self, part)

    def save(self, part: str, progress: Progress) -> None:
        """Write the progress in place of the older of the two generations."""
        arrays = progress.arrays()
        data = {n: ([f"{n}_{i}" for i in range(a.ndim)], a) for n, a in arrays.items()}
        origin = {"processors": processors.history(), "environment": processors.environment()}
        attrs = {"identity": self.identity, "part": part, "generation": self._generation}
        attrs |= {name: json.dumps(value) for name, value in origin.items()}
        with contextlib.suppress(FileNotFoundError):  # another process of this job has ended and cleared the folder
            store.write(xr.Dataset(data, attrs=attrs), self._path(part, self._generation % 2))
        self._generation += 1
        self._saved = time.monotonic()

    def due(self) -> bool:
        """Tell whether ``every`` seconds have passed since the last save."""
        return time.monotonic() - self._saved >= self.every

    def worth_keeping(self) -> bool:
        """Tell whether a part that has ended took long enough to be kept for a job that has other parts to train."""
        return time.monotonic() - self._began >= self.every / 10

    def expired(self) -> bool:
        """Tell whether the deadline may pass before the next call: within twice the longest time between two calls."""
        now = time.monotonic()
        self._pause, self._called = max(self._pause, now - self._called), now
        return self.deadline is not None and now + 2 * self._pause >= self.deadline

    def clear(self) -> None:
        """Remove all checkpoints, once the result is on disk."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, part: str, generation: int) -> Path:
        return self.folder / f"{part}_{generation}.zarr.zip"

    def _read(self, part: str, generation: int) -> xr.Dataset | None:
        path = self._path(part, generation)
        try:
            dataset = store.read(path)
        except FileNotFoundError:
            return None
        except store.CorruptedStore as error:
            print(f"a checkpoint is not used: {error}")
            error.set_aside()
            return None
        if (dataset.attrs.get("identity"), dataset.attrs.get("part")) != (self.identity, part):
            print(f"a checkpoint is not used: {path} was written for another spec, code or data, or for other networks")
            return None
        return dataset


class _Keep:
    """Callback that saves the progress of one part when it is due or the deadline is near."""

    def __init__(self, checkpoints: Checkpoints, part: str) -> None:
        self.checkpoints, self.part = checkpoints, part

    def __call__(self, progress: Progress) -> None:
        expired = self.checkpoints.expired()
        ended = not progress.active.any()
        if self.checkpoints.due() or (self.checkpoints.worth_keeping() if ended else expired):
            self.checkpoints.save(self.part, progress)
        if expired and not ended:
            raise OutOfTime(f"stopped at epoch {progress.epoch}, before the time limit; the next attempt continues")
