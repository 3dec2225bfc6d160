"""Records during a training, early stopping, and trainings that are cut off and continue."""

import functools
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch

from isobath.contracts.tiny_stacks import LOSS
from isobath.disk import store
from isobath.disk.checkpoints import Checkpoints, OutOfTime
from isobath.fingerprints import fingerprint
from isobath.networks import mlp
from isobath.protocols import adam
from isobath.randomness import stream
from isobath.statuses import DIVERGED, FITTED, UNFITTED
from isobath.study.schedules import counted, evenly_spaced, log_spaced
from isobath.training.architecture import Architecture
from isobath.training.fit import Stopping
from isobath.training.observables import early_stopping
from isobath.training.recipes import Recipe, replicas

P, T = 40, 60


def data(n, name):
    x = stream(0, name).standard_normal((n, 4))
    return torch.from_numpy(x), torch.from_numpy((x[:, 0] * x[:, 1] > 0).astype(np.int64))


TRAIN, TEST = data(P, "train"), data(T, "test")


def recipe(**changes):
    settings = {
        "architecture": Architecture(mlp, {"initialisation": "orthogonal"}),
        "protocol": functools.partial(adam.train, batch_size=None),
        "loss": LOSS["squared_hinge"],
        "shape": {"depth": 2, "width": 8},
        "stopping": Stopping(400, check_every=10, check_finite_every=10),
        "seed": 0,
        "dtype": torch.float64,
        "batch_size": None,
        "records": log_spaced(400, 3),
    }
    return Recipe(**settings | changes)


def members(rates=(0.02, 0.05, 1e-5), seeds=range(2)):
    return replicas(("t", 2, 8), list(rates), seeds, P)


def test_records_at_equal_distances_hold_both_ends():
    assert evenly_spaced(10, 5) == [0, 5, 10]
    assert evenly_spaced(11, 5) == [0, 5, 10, 11]
    assert evenly_spaced(3, 5) == [0, 3]
    assert [counted(last, every=5) for last in (10, 11, 3)] == [3, 4, 2]


@pytest.mark.parametrize(("last", "per_decade"), [(1, 4), (7, 4), (1000, 1), (20_000, 8)])
def test_records_are_log_spaced_and_hold_both_ends(last, per_decade):
    steps = log_spaced(last, per_decade)
    assert len(steps) == counted(last, per_decade=per_decade)
    assert steps[0] == 0
    assert steps[-1] == last
    assert steps == sorted(set(steps))
    assert len(steps) <= per_decade * np.log10(max(last, 2)) + 3
    if last == 1000:
        assert steps == [0, 1, 10, 100, 1000]


def test_what_is_recorded_is_what_a_shorter_training_ends_with():
    columns = recipe().train_and_test(members(), TRAIN, TEST, memory=1e9, outputs=True)
    steps = log_spaced(400, 3)
    at = steps.index(22)
    shorter = recipe(stopping=Stopping(22, check_every=22, check_finite_every=22))
    end = shorter.train_and_test(members(), TRAIN, TEST, memory=1e9, outputs=True)
    assert (columns["epochs"] > 22).all()  # all six are recorded at 22
    for name in ("loss", "train_error", "test_error", "test_norm", "train_norm", "n_unmet"):
        np.testing.assert_allclose(columns[f"recorded_{name}"][:, at], end[name], rtol=1e-12)
    f = end["outputs"][..., 0]
    np.testing.assert_allclose(end["test_norm"], np.sqrt((f**2).mean(1)), rtol=1e-12)
    np.testing.assert_allclose(end["test_error"], ((f > 0) != TEST[1].numpy().astype(bool)).mean(1))
    np.testing.assert_allclose(end["n_unmet"], P * end["unmet"])
    halves = [columns[f"recorded_{half}_half_error"] for half in ("first", "second")]
    np.testing.assert_allclose(np.mean(halves, axis=0), columns["recorded_test_error"])


def test_networks_stop_when_no_margin_is_below_one_and_unfitted_ones_at_the_end():
    columns = recipe().train_and_test(members(), TRAIN, TEST, memory=1e9, outputs=True)
    assert columns["status"].tolist() == [FITTED] * 4 + [UNFITTED] * 2
    assert (columns["unmet"][:4] == 0).all()
    assert (columns["loss"][:4] == 0).all()
    assert (columns["n_unmet"][4:] > 0).all()
    assert (columns["epochs"][4:] == 400).all()
    assert (columns["epochs"][:4] < 400).all()
    after = np.array(log_spaced(400, 3))[None, :] > columns["epochs"][:, None]
    assert (columns["recorded_loss"][after] == 0).all()  # where they stopped they stay
    assert (columns["recorded_loss"][~after] > 0).any()
    norms = np.broadcast_to(columns["test_norm"][:, None], after.shape)
    np.testing.assert_array_equal(columns["recorded_test_norm"][after], norms[after])


def test_early_stopping_chooses_on_one_half_and_judges_on_the_other():
    records = {
        "first_half_error": np.array([[0.5, 0.1, 0.3, np.nan, 0.2], [0.5, 0.4, np.nan, np.nan, 0.1]]),
        "second_half_error": np.array([[0.5, 0.4, 0.2, np.nan, 0.3], [0.5, 0.3, np.nan, np.nan, 0.6]]),
    }
    records["test_error"] = (records["first_half_error"] + records["second_half_error"]) / 2
    found = early_stopping(records)
    np.testing.assert_allclose(found["early_stopping_error"], [(0.4 + 0.3) / 2, (0.6 + 0.4) / 2])
    np.testing.assert_allclose(found["best_error"], [0.25, 0.35])


def test_a_diverged_network_leaves_its_neighbours_alone_and_has_no_errors():
    columns = recipe().train_and_test(
        members(rates=(0.02, 1e300, 1e-5), seeds=[0]), TRAIN, TEST, memory=1e9, outputs=True
    )
    assert columns["status"].tolist() == [FITTED, DIVERGED, UNFITTED]
    for name in ("test_error", "early_stopping_error", "best_error", "outputs", "weights"):
        assert np.isnan(columns[name][1]).all()
        assert np.isfinite(columns[name][[0, 2]]).all()
    alone = recipe().train_and_test(members(rates=(0.02,), seeds=[0]), TRAIN, TEST, memory=1e9, outputs=True)
    np.testing.assert_allclose(alone["outputs"][0], columns["outputs"][0], rtol=1e-9)


class Cut(Exception):
    """The exception by which a test ends a training."""


class Cutting:
    """Checkpoints that are saved at the first evaluation from an epoch on, and end the training there."""

    def __init__(self, folder, epoch, *belongs):
        self.checkpoints, self.epoch = Checkpoints(folder, *belongs, every=0), epoch

    def __call__(self, names):
        resumed, keep = self.checkpoints(names)

        def cut(progress):
            if progress.epoch >= self.epoch:
                keep(progress)
                raise Cut

        return resumed, cut


def cut_at(folder, epoch, *belongs, made=None, memory=1e9):
    with pytest.raises(Cut):
        (made or recipe()).train_and_test(
            members(), TRAIN, TEST, memory=memory, outputs=True, checkpoint=Cutting(folder, epoch, *belongs)
        )


def resumed_from(folder, *belongs):
    """Return the epoch that a training in ``folder`` would continue from; None for none."""
    seen = []

    def watch(names):
        arrays, _ = Checkpoints(folder, *belongs, every=1e9)(names)
        seen.append(arrays)
        raise Cut

    with pytest.raises(Cut):
        recipe().train_and_test(members(), TRAIN, TEST, memory=1e9, checkpoint=watch)
    return None if seen[0] is None else int(seen[0]["epoch"])


@pytest.mark.parametrize("epoch", [10, 33, 100, 250])
@pytest.mark.parametrize("batch_size", [None, 16])
def test_a_training_continues_bit_by_bit(tmp_path, epoch, batch_size):
    """It is cut at an evaluation or between two, before or after networks have left; starts, moments, records go on."""
    made = recipe(protocol=functools.partial(adam.train, batch_size=batch_size), batch_size=batch_size)
    whole = made.train_and_test(members(), TRAIN, TEST, memory=1e9, outputs=True)
    cut_at(tmp_path, epoch, "spec", made=made)
    checkpoint = Checkpoints(tmp_path, "spec", every=1e9)
    continued = made.train_and_test(members(), TRAIN, TEST, memory=1e9, outputs=True, checkpoint=checkpoint)
    for name, column in whole.items():
        assert column.dtype == continued[name].dtype
        np.testing.assert_array_equal(column, continued[name], err_msg=name)


def test_the_newest_of_two_generations_that_is_whole_is_used(tmp_path, capsys):
    for epoch in (10, 20, 30):
        cut_at(tmp_path, epoch, "spec")
    assert len(list(tmp_path.iterdir())) == 2
    assert resumed_from(tmp_path, "spec") == 30
    newest = max(tmp_path.iterdir(), key=lambda p: store.read(p).attrs["generation"])
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1
    newest.write_bytes(content)
    assert resumed_from(tmp_path, "spec") == 20
    assert "not used" in capsys.readouterr().out


@pytest.mark.parametrize("belongs", [("other", "code", "data"), ("spec", "other", "data"), ("spec", "code", "other")])
def test_a_checkpoint_of_another_spec_code_or_data_is_refused(tmp_path, capsys, belongs):
    cut_at(tmp_path, 10, "spec", "code", "data")
    assert resumed_from(tmp_path, *belongs) is None
    assert "another spec, code or data" in capsys.readouterr().out
    assert resumed_from(tmp_path, "spec", "code", "data") == 10


def test_another_cut_of_the_stack_starts_its_parts_anew_and_ends_alike(tmp_path):
    """A second attempt with more memory cuts it like this: no part is taken for another."""
    whole = recipe().train_and_test(members(), TRAIN, TEST, memory=1e9, outputs=True)
    cut_at(tmp_path, 50, "spec", memory=1.0)  # one network at a time
    again = recipe().train_and_test(
        members(), TRAIN, TEST, memory=1e9, outputs=True, checkpoint=Checkpoints(tmp_path, "spec", every=1e9)
    )
    for name, column in whole.items():
        np.testing.assert_array_equal(column, again[name], err_msg=name)


def test_time_that_is_up_saves_and_stops_at_once(tmp_path):
    checkpoints = Checkpoints(tmp_path, "spec", every=1e9, deadline=time.monotonic())
    with pytest.raises(OutOfTime, match="at epoch 1, "):
        recipe().train_and_test(members(), TRAIN, TEST, memory=1e9, checkpoint=checkpoints)
    assert resumed_from(tmp_path, "spec") == 1


@pytest.mark.runs
def test_a_job_that_is_killed_continues_to_the_same_bytes(tmp_path):
    """It is killed (kill -9) twice in mid-training; the command line is that of the stage."""
    spec = {
        "cell": {"task": "t", "protocol": "p", "depth": 3, "width": 30, "n_train": 200, "draw": 0},
        "protocol": {
            "kind": "adam", "batch_size": None, "loss": "squared_hinge", "precision": "float64",
            "max_epochs": 800, "check_every": 10, "network": {"kind": "mlp", "initialisation": "orthogonal"},
        },
        "learning_rate": 1e-5, "seed": 0, "seeds": [0, 3], "records": log_spaced(800, 4), "store": "outputs",
    }  # fmt: skip
    paths = {name: tmp_path / f"{name}.zarr.zip" for name in ("train", "test", "whole", "killed")}
    for name in ("train", "test"):
        data_spec = {
            "task": {"kind": "k_local", "k": 2, "dimension": 6},
            "name": "t",
            "n": 200,
            "draw": None,
            "seed": 0,
        }
        run("data", data_spec, output=paths[name])
    places = {"training_set": paths["train"], "test_set": paths["test"], "memory_mb": 1000}
    run("networks", spec, **places, checkpoints=tmp_path / "c1", output=paths["whole"])
    kept = tmp_path / "c2"
    seen = -1
    for _ in range(2):
        job = start("networks", spec, **places, checkpoints=kept, output=paths["killed"], every=0.02)
        while (saved := newest_generation(kept)) <= seen + 1:
            assert job.poll() is None
            time.sleep(0.03)
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        seen = saved
        assert not paths["killed"].exists()
    assert list(kept.iterdir())
    run("networks", spec, **places, checkpoints=kept, output=paths["killed"])
    assert paths["whole"].read_bytes() == paths["killed"].read_bytes()
    assert not kept.exists()
    assert not (tmp_path / "c1").exists()


def newest_generation(folder):
    return max((int(store.read(p).attrs["generation"]) for p in folder.glob("*.zarr.zip")), default=-1)


def start(stage, spec, *, every=None, **arguments):
    words = [w for k, v in arguments.items() for w in (f"--{k.replace('_', '-')}", str(v))]
    command = [
        sys.executable,
        "-m",
        f"isobath.stages.{stage}",
        "--spec",
        json.dumps(spec),
        "--code",
        fingerprint(stage, spec),
        *words,
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"} | ({"ISOBATH_SAVE_EVERY": str(every)} if every else {})
    return subprocess.Popen(command, env=environment, start_new_session=True, stdout=subprocess.DEVNULL)


def run(stage, spec, **arguments):
    assert start(stage, spec, **arguments).wait() == 0


def test_early_stopping_stops_at_the_first_of_equal_errors():
    first, second = np.array([[0.3, 0.1, 0.1]]), np.array([[0.3, 0.2, 0.4]])
    found = early_stopping({"first_half_error": first, "second_half_error": second, "test_error": (first + second) / 2})
    np.testing.assert_allclose(found["early_stopping_error"], [(0.2 + 0.1) / 2])
