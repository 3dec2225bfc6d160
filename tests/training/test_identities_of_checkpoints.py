"""Checkpoints of the stages that train: all that they belong to, and the order of a result and their removal."""

import itertools

import numpy as np
import pytest
import torch
import xarray as xr

from isobath.disk import store
from isobath.disk.checkpoints import Checkpoints
from isobath.stages import learning_rates, networks
from isobath.statuses import FITTED
from isobath.training.trials import Trial

CELL = {"task": "t", "protocol": "p", "depth": 1, "width": 4, "n_train": 24, "draw": 0}
PROTOCOL = {
    "kind": "sgd", "batch_size": 8, "precision": "float64", "max_epochs": 2, "check_every": 1,
    "network": {"kind": "mlp"}, "loss": {"kind": "cross_entropy"},
}  # fmt: skip
SEARCH = {
    "minimum": 0.01, "maximum": 1.0, "folds": 2, "initial": 2, "rounds": 0, "suggestions": 1, "noise": 0.01,
    "ties": "smaller", "patience": 4, "widenings": 0,
}  # fmt: skip
SPEC = {"cell": CELL, "protocol": PROTOCOL, "seed": 0, "seeds": [0, 1], "records": [], "store": "errors"}


def data_set(path, seed):
    rng = np.random.default_rng(seed)
    inputs, labels = rng.standard_normal((24, 3)), rng.permutation(np.arange(24) % 2)
    store.write(xr.Dataset({"inputs": (("sample", "feature"), inputs), "labels": ("sample", labels)}), path)
    return path


@pytest.fixture
def files(tmp_path):
    """Write two training sets, two test sets, and the results of two searches for a rate."""
    paths = {name: data_set(tmp_path / f"{name}.zarr.zip", seed) for seed, name in enumerate(("a", "b", "c", "d"))}
    for name, rate in (("slow", 0.1), ("fast", 0.2)):
        paths[name] = tmp_path / f"{name}.zarr.zip"
        store.write(xr.Dataset({"learning_rate": ((), rate)}), paths[name])
    return paths


@pytest.fixture
def order(monkeypatch):
    """Note the identity of each job's checkpoints, and which results are on disk when these are removed."""
    noted = {"identities": [], "results": []}
    made, clear = Checkpoints.__init__, Checkpoints.clear

    def note_identity(self, folder, *belongs, **how):
        made(self, folder, *belongs, **how)
        noted["identities"].append(self.identity)
        folder.mkdir()
        (folder / "kept").touch()

    def note_results(self):
        results = [path for path in self.folder.parent.glob("result*.zarr.zip") if store.read(path).sizes]
        noted["results"].append([path.name for path in results])
        clear(self)

    monkeypatch.setattr(Checkpoints, "__init__", note_identity)
    monkeypatch.setattr(Checkpoints, "clear", note_results)
    return noted


@pytest.fixture
def untrained(monkeypatch):
    """Let jobs return results without training."""
    trial = Trial(0.1, np.array([0.2, 0.3]), np.array([FITTED] * 2, dtype=object), np.array([2, 2]))
    monkeypatch.setattr(networks.trainings, "networks", lambda *_, **__: xr.Dataset({"epochs": ("seed", [2, 2])}))
    monkeypatch.setattr(learning_rates.searches, "trials", lambda *_, **__: [trial])


def train(folder, files, *, spec=SPEC, code="code", train="a", test="c", rate="slow"):
    """Train the networks of a block, at the rate that a search found, or at that of the spec for none."""
    spec = spec if rate else {**spec, "learning_rate": 0.1}
    networks.main(
        spec, code, files[train], files[test], 1000, folder / "result.zarr.zip", folder / "checkpoints",
        files[rate] if rate else None,
    )  # fmt: skip


def search(folder, files, *, spec=SPEC, code="code", train="a"):
    """Search for the learning rate of a cell."""
    spec = {**spec, "learning_rate": SEARCH}
    learning_rates.main(spec, code, files[train], 1000, folder / "result.zarr.zip", folder / "checkpoints")


OTHER_SPEC = {**SPEC, "seed": 1}
OF_NETWORKS = [{}, {"spec": OTHER_SPEC}, {"code": "other"}, {"train": "b"}, {"test": "d"}, {"rate": "fast"}]
OF_SEARCHES = [{}, {"spec": OTHER_SPEC}, {"code": "other"}, {"train": "b"}]


@pytest.mark.parametrize(("job", "changes"), [(train, OF_NETWORKS), (search, OF_SEARCHES)], ids=["networks", "search"])
@pytest.mark.usefixtures("untrained")
def test_a_checkpoint_belongs_to_spec_code_data_and_rate(tmp_path, files, order, job, changes):
    """A checkpoint of another training set, test set or rate would be continued as if it were of this one."""
    for i, change in enumerate([*changes, {}]):
        (tmp_path / str(i)).mkdir()
        job(tmp_path / str(i), files, **change)
    *different, again = order["identities"]
    assert all(one != other for one, other in itertools.combinations(different, 2))
    assert again == different[0]


@pytest.mark.usefixtures("untrained")
def test_a_checkpoint_is_used_on_another_kind_of_device(tmp_path, files, order, monkeypatch):
    """A GPU that is missing when a job starts again must not cost the epochs that one has trained."""
    for i, device in enumerate(("cpu", "meta")):
        (tmp_path / str(i)).mkdir()
        monkeypatch.setattr(networks, "choose_device", lambda device=device: torch.device(device))
        monkeypatch.setattr(networks, "tensors", lambda *_: None)
        train(tmp_path / str(i), files)
    assert len({*order["identities"]}) == 1


@pytest.mark.parametrize("job", [train, search])
@pytest.mark.usefixtures("untrained")
def test_a_result_is_whole_on_disk_before_its_checkpoints_are_removed(tmp_path, files, order, job):
    """A job that is killed between the two would else begin anew."""
    (tmp_path / "job").mkdir()
    job(tmp_path / "job", files)
    assert order["results"] == [["result.zarr.zip"]]
    assert not (tmp_path / "job/checkpoints").exists()


@pytest.mark.parametrize("job", [train, search])
@pytest.mark.usefixtures("untrained")
def test_a_result_that_cannot_be_written_leaves_its_checkpoints(tmp_path, files, order, job, monkeypatch):
    def full(*_):
        raise OSError("no space left on device")

    (tmp_path / "job").mkdir()
    monkeypatch.setattr(store, "write", full)
    with pytest.raises(OSError, match="no space left"):
        job(tmp_path / "job", files)
    assert (tmp_path / "job/checkpoints/kept").exists()


def test_networks_train_at_the_rate_of_their_search_or_of_their_spec(tmp_path, files):
    found = {}
    for rate in ("slow", "fast", None):
        (tmp_path / str(rate)).mkdir()
        train(tmp_path / str(rate), files, rate=rate)
        found[rate] = store.read(tmp_path / str(rate) / "result.zarr.zip")
    assert [float(each.learning_rate[0]) for each in found.values()] == [0.1, 0.2, 0.1]
    np.testing.assert_array_equal(found[None].loss, found["slow"].loss)
    assert (found["fast"].loss != found["slow"].loss).all()
    assert found[None].seed.values.tolist() == [0, 1]
