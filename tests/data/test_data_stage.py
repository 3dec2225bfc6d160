"""The stage that draws training sets and test sets: both parts of a finite data set are of one cut."""

import types

import numpy as np
import pytest
import torch
import xarray as xr

from isobath import binding, plugins
from isobath.binding import bound
from isobath.disk import store
from isobath.ends import Ends
from isobath.jobs.specs import tensors
from isobath.randomness import stream
from isobath.stages import data, learning_rates, networks

CPU = torch.device("cpu")
SPEC = {"task": {"kind": "own"}, "name": "t", "n": 30, "draw": 0, "seed": 0, "n_test": 20}


@pytest.fixture
def task(monkeypatch):
    """Return a task whose test part is drawn before its training part; labels are tosses of a coin."""

    def split(n_train, n_test, *, generator):
        x = generator.standard_normal((n_test + n_train, 2))
        labels = generator.integers(0, 2, len(x))
        return (x[n_test:], labels[n_test:]), (x[:n_test], labels[:n_test])

    made = types.SimpleNamespace(split=split, ends=lambda: Ends(2, 2))
    monkeypatch.setattr(binding, "load", lambda family, kind: made)
    monkeypatch.setattr(plugins, "ends", lambda settings: made.ends())
    monkeypatch.setattr(plugins, "files", lambda kind: ())
    monkeypatch.setattr(plugins, "downloads", lambda kind: {})
    return made


def part(tmp_path, name):
    path = tmp_path / f"{name}.zarr.zip"
    data.main({**SPEC, "part": name}, "code", path)
    return store.read(path)


def test_no_sample_is_in_both_parts(task, tmp_path):
    """Once the training part was cut with a test part of one sample: most of its samples were in both."""
    train, test = part(tmp_path, "train"), part(tmp_path, "test")
    assert (train.sizes["sample"], test.sizes["sample"]) == (30, 20)
    assert not {*map(bytes, train.inputs.values)} & {*map(bytes, test.inputs.values)}
    whole = task.split(30, 20, generator=data.stream(0, "data", "t", "draw", 0))
    for found, expected in zip((train, test), whole, strict=True):
        np.testing.assert_array_equal(found.inputs, expected[0])
        np.testing.assert_array_equal(found.labels, expected[1])


@pytest.mark.parametrize(("change", "words"), [(lambda x: x + 1e12, "samples that differ"), (np.exp2, "the number")])
def test_inputs_that_float32_would_make_alike_or_infinite_are_not_trained_on(
    task, tmp_path, monkeypatch, change, words
):
    """Once each network then diverged, or learned from inputs that were all alike."""
    draw = task.split

    def split(n_train, n_test, *, generator):
        return tuple((change(128 * x), labels) for x, labels in draw(n_train, n_test, generator=generator))

    monkeypatch.setattr(task, "split", split)
    data.main({**SPEC, "part": "train"}, "code", tmp_path / "train.zarr.zip")
    tensors(tmp_path / "train.zarr.zip", CPU, "float64")
    with pytest.raises(ValueError, match=f"train.zarr.zip, array inputs, has {words}.*precision: float64"):
        tensors(tmp_path / "train.zarr.zip", CPU, "float32")
    spec = {"protocol": {"precision": "float32"}, "cell": {}}
    files = {"training_set": tmp_path / "train.zarr.zip", "output": tmp_path / "n", "checkpoints": tmp_path / "c"}
    with pytest.raises(ValueError, match=words):
        learning_rates.main(spec, "code", **files, memory_mb=9)
    with pytest.raises(ValueError, match=words):
        networks.main(spec, "code", **files, test_set=tmp_path / "train.zarr.zip", memory_mb=9)


def test_each_data_set_has_a_stream_of_its_own(tmp_path):
    spec = {"task": {"kind": "k_local", "k": 1, "dimension": 3}, "name": "t", "n": 9, "seed": 0}
    for draw, name in ((0, ("train", 9, 0)), (1, ("train", 9, 1)), (None, ("test",))):
        data.main({**spec, "draw": draw}, "code", tmp_path / "d.zarr.zip")
        expected = bound("task", spec["task"])(9, generator=stream(0, "data", "t", *name))[0]
        np.testing.assert_array_equal(store.read(tmp_path / "d.zarr.zip").inputs, expected)


def test_the_balance_is_the_share_of_class_zero():
    made = xr.Dataset(data.variables(np.zeros((4, 2)), np.array([0, 0, 1, 0])))
    assert made.balance == 0.75
