"""Jobs that are killed, cut short or doubled: files on disk are whole, and the next attempt continues from them.

A job runs in a process that is forked from one which has imported everything, so that it can be killed fifty times.
"""

import contextlib
import io
import itertools
import multiprocessing
import os
import resource
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from house import ROOT
from width_cubes import cube as widths

import isobath
from isobath.disk import store
from isobath.disk.checkpoints import Checkpoints
from isobath.randomness import stream
from isobath.results import kernels as kernels_kind
from isobath.stages import cubes, data, figures, kernels, networks
from isobath.workflow import plan

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([pytest.__name__, *(stage.__name__ for stage in (networks, kernels, cubes))])


class Slow(io.FileIO):
    """A file on a disk that takes its time."""

    def write(self, content):
        """Write all of the text, in twenty pieces."""
        size = len(content) // 20 + 1
        for start in range(0, len(content), size):
            super().write(content[start : start + size])
            time.sleep(0.001)


def started(work, *arguments):
    """Start a process that does ``work`` without a word; return once it has begun."""
    begun = FORKS.Event()
    job = FORKS.Process(target=_begin, args=(begun, work, *arguments), daemon=True)
    job.start()
    assert begun.wait(60)
    return job


def _begin(begun, work, *arguments):
    with Path(os.devnull).open("w", encoding="utf-8") as sys.stdout:
        begun.set()
        work(*arguments)


def ended(work, *arguments):
    """Return the exit status of a process that has done ``work``."""
    job = started(work, *arguments)
    job.join()
    return job.exitcode


def kill(job, after):
    """Kill a process (kill -9) after some seconds."""
    time.sleep(after)
    job.kill()
    job.join()


@pytest.fixture(scope="module")
def run():
    return plan.load(ROOT, {"scale": "smoke", "studies": ["locality"]})


@pytest.fixture(scope="module")
def trained(run, tmp_path_factory):
    """Train for twelve epochs without any disturbance, and return the arguments of that training."""
    home, jobs = tmp_path_factory.mktemp("trained"), list(plan.jobs(run))
    cell = next(job for job in jobs if job.rule == "networks" and job.names["protocol"] == "sgd_sweep")
    for job in jobs:
        if job.outputs[0] in cell.inputs:
            data.main(job.spec(run), "code", home / job.outputs[0])
    spec = cell.spec(run)
    spec["protocol"] |= {"max_epochs": 12, "check_every": 1}
    sets = dict(zip(("training_set", "test_set"), (home / path for path in cell.inputs), strict=True))
    places = {"output": home / "whole.zarr.zip", "checkpoints": home / "checkpoints"}
    arguments = {"spec": spec, "code": "code", "memory_mb": 1000, **sets, **places}
    assert ended(train, arguments) == 0
    return arguments


@pytest.fixture
def job(trained, tmp_path):
    """Return the arguments of the same training, to be done elsewhere."""
    return {**trained, "output": tmp_path / "networks" / "x.zarr.zip", "checkpoints": tmp_path / "checkpoints"}


def train(arguments, save_every="60"):
    os.environ["ISOBATH_SAVE_EVERY"] = save_every
    if save_every == "0":
        os.fdopen = Slow
    networks.main(**arguments)


def same(job, trained):
    return job["output"].read_bytes() == trained["output"].read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("every", ["60", "0"], ids=["before the first checkpoint", "between checkpoints"])
def test_a_training_that_is_killed_at_random_ends_as_if_nothing_had_been(job, trained, every):
    generator = stream(0, "kills", every)
    for _ in range(5):
        kill(started(train, job, every), generator.uniform(0, 0.3))
        assert not job["output"].exists() or same(job, trained)
    assert ended(train, job, every) == 0
    assert same(job, trained)


@pytest.mark.slow
@pytest.mark.parametrize("lag", [0, 0.1])
def test_twins_give_one_good_file(job, trained, lag):
    """The same job runs twice at once, as after a requeue: both share the folder of their checkpoints."""
    first = started(train, job, "0")
    time.sleep(lag)
    second = started(train, job, "0")
    for twin in (first, second):
        twin.join()
        assert same(job, trained)
    assert (first.exitcode, second.exitcode) == (0, 0)
    assert list(job["output"].parent.iterdir()) == [job["output"]]
    assert not job["checkpoints"].exists()


def progress(epoch):
    values = np.full(2000, float(epoch))
    return SimpleNamespace(
        epoch=epoch, active=np.array([True]), arrays=lambda: {"epoch": np.array(epoch), "parameters": values}
    )


def resumed(folder):
    """Return what a training continues from, if anything, and the callback that saves its progress."""
    return Checkpoints(folder, "spec", every=0)("networks")


def test_a_twin_may_end_while_the_other_saves(tmp_path, monkeypatch):
    """The twin that ends clears the folder in which the other is writing."""
    folder = tmp_path / "checkpoints"
    _, keep = resumed(folder)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: Checkpoints(folder, "spec", every=0).clear())
        keep(progress(1))
    assert not folder.exists()
    keep(progress(2))
    assert resumed(folder)[0]["epoch"] == 2


def save_for_ever(folder, saved):
    os.fdopen = Slow
    arrays, keep = resumed(folder)
    for epoch in itertools.count(0 if arrays is None else int(arrays["epoch"]) + 1):
        keep(progress(epoch))
        saved.value = epoch


@pytest.mark.slow
def test_what_has_been_saved_is_there_after_fifty_kills(tmp_path):
    saved, generator = FORKS.Value("q", -1, lock=False), stream(0, "kills")
    for kills in range(1, 501):  # on a busy machine few writers get as far as a checkpoint
        kill(started(save_for_ever, tmp_path, saved), generator.uniform(0, 0.15))
        arrays, _ = resumed(tmp_path)
        epoch = -1 if arrays is None else int(arrays["epoch"])
        assert epoch in (saved.value, saved.value + 1)  # killed after the rename, before it could say so
        assert arrays is None or (arrays["parameters"] == epoch).all()
        saved.value = epoch
        if kills >= 50 and epoch > 10:
            break
    assert epoch > 10
    assert list(tmp_path.glob("*.partial")), "no kill has hit a writer"


@contextlib.contextmanager
def files_of_at_most(size):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_checkpoint_that_does_not_fit_leaves_those_before_it(tmp_path):
    _, keep = resumed(tmp_path)
    keep(progress(1))
    keep(progress(2))
    with files_of_at_most(1000), pytest.raises(OSError, match=r"File too large: .*\.zarr\.zip"):
        keep(progress(3))
    assert len(list(tmp_path.iterdir())) == 2
    arrays, keep = resumed(tmp_path)
    assert arrays["epoch"] == 2
    keep(progress(3))
    assert resumed(tmp_path)[0]["epoch"] == 3


def test_a_figure_that_does_not_fit_leaves_the_one_before_it(tmp_path):
    cube = tmp_path / "results/demo/s/cubes/g.zarr.zip"
    tree = widths()
    tree.attrs |= {"scale": "demo", "study": "s", "grid": "g"}
    store.write(tree, cube)
    drawings = [tmp_path / "f.svg", tmp_path / "f.png"]
    drawings[0].write_bytes(b"before")
    spec = {"name": "f", "grid": "g", "caption": "c"}
    spec |= {"figure": {"kind": "norms", "task": "digits", "protocol": "adam"}}
    with files_of_at_most(1000), pytest.raises(OSError, match=r"File too large: .*f\.svg"):
        figures.main(spec, "c", cube, tmp_path / "f.json", drawings)
    assert drawings[0].read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.svg", "results"]


@pytest.mark.parametrize("kind", ["empty", "zeros", "pickle", "folder"])
def test_what_is_no_checkpoint_is_set_aside(tmp_path, capsys, kind):
    folder = tmp_path / "checkpoints"
    resumed(folder)[1](progress(1))
    (path,) = folder.iterdir()
    path.unlink()
    if kind == "folder":
        path.mkdir()
    else:
        pickle = f"cos\nsystem\n(S'touch {tmp_path}/unpickled'\ntR.".encode()  # what reads it runs the command
        path.write_bytes({"empty": b"", "zeros": bytes(5000), "pickle": pickle}[kind])
    arrays, keep = resumed(folder)
    assert arrays is None
    assert "a checkpoint is not used" in capsys.readouterr().out
    assert [p.name for p in folder.iterdir()] == [f"{path.name}.damaged"]
    keep(progress(1))
    assert resumed(folder)[0]["epoch"] == 1
    assert not (tmp_path / "unpickled").exists()


def replace_often(path, times):
    for i in range(times):
        values = xr.Dataset({"x": ("i", np.full(3000, i)), "y": ("i", np.full(3000, i))})
        tree = xr.DataTree.from_dict({"networks": values, "kernels": values})
        tree.attrs = {"scale": path.parts[-4], "study": path.parts[-3], "grid": "x", "seed": 0}
        store.write(tree, path)


@pytest.mark.slow
def test_a_reader_sees_the_old_or_the_new(tmp_path):
    path = tmp_path / "study" / "cubes" / "x.zarr.zip"
    replace_often(path, 1)
    writer, seen = started(replace_often, path, 200), set()
    while writer.is_alive():
        tree = isobath.open_results(tmp_path)["study/x"]
        found = {int(v) for group in ("networks", "kernels") for n in "xy" for v in np.unique(tree[group][n])}
        assert len(found) == 1
        seen |= found
    assert writer.exitcode == 0
    assert len(seen) > 10


def gather_for_ever(arguments):
    os.fdopen = Slow
    while True:
        cubes.main(**arguments)


@pytest.mark.slow
def test_a_cube_is_complete_or_absent_after_forty_kills(run, tmp_path):
    """The cube is of kernels alone, whose cells are made up."""
    job = next(job for job in plan.jobs(run) if job.rule == "cubes" and job.names["grid"] == "bias")
    for cell, depth in kernels_kind.cells(run.studies["locality"].grids["bias"]).items():
        columns = {name: ("depth", np.full(len(depth), 0.25)) for name in ("test_error", "jitter", "residual")}
        part = xr.Dataset(columns, coords={"depth": list(depth), **cell._asdict()})
        store.write(part, tmp_path / run.parts["locality"].path(kernels_kind.PATH, **cell._asdict()))
    path, generator, found = tmp_path / job.outputs[0], stream(0, "kills"), []
    arguments = {"spec": job.spec(run), "code": "code", "folder": path.parent.parent, "output": path}
    cubes.main(**arguments)
    whole = path.read_bytes()
    for _ in range(40):
        path.unlink(missing_ok=True)
        kill(started(gather_for_ever, arguments), generator.uniform(0, 0.2))
        found.append(path.exists())
        assert not path.exists() or path.read_bytes() == whole
    assert 0 < sum(found) < 40, "all kills came too late or too soon"
    assert list(path.parent.glob("*.partial")), "no kill has hit a writer"
    path.unlink(missing_ok=True)
    with pytest.raises(FileNotFoundError):  # what killed jobs leave is no result
        isobath.open_results(tmp_path)
