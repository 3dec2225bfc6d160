"""Determinism: results that need not agree in bytes agree in numbers, across threads and between CPU and GPU.

The bands are the README's: in float64 outputs agree to 1e-9; in float32 statuses agree and test errors to 0.005; kernel
regressions agree to one test sample. Runs on one machine are in test_workflow, test_two_runs_in_two_places.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from isobath.disk import store
from isobath.fingerprints import fingerprint

N_TEST = 2000
TASK = {"kind": "k_local", "k": 2, "dimension": 50, "offsets": None}
CELL = {"task": "t", "n_train": 400, "draw": 0}
CUDA = pytest.param(1, "cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU"))
ELSEWHERE = [pytest.param(2, "cpu"), pytest.param(4, "cpu"), CUDA]


def stage(name, spec, *, threads=1, device="cpu", **paths):
    """Run a stage by its command line; return the dataset that it writes."""
    settings = [word for key, value in paths.items() for word in (f"--{key.replace('_', '-')}", str(value))]
    command = [
        sys.executable,
        "-m",
        f"isobath.stages.{name}",
        "--spec",
        json.dumps(spec),
        "--code",
        fingerprint(name, spec),
        *settings,
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "ISOBATH_DEVICE": device}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return store.read(paths["output"])


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    for name, n, draw in (("training_set", 400, 0), ("test_set", N_TEST, None)):
        spec = {"task": TASK, "name": "t", "n": n, "draw": draw, "seed": 0}
        stage("data", spec, output=folder / f"{name}.zarr.zip")
    return {name: folder / f"{name}.zarr.zip" for name in ("training_set", "test_set")}


def networks(sets, folder, precision, threads, device):
    protocol = {
        "kind": "sgd", "loss": "cross_entropy", "precision": precision, "batch_size": 50,
        "max_epochs": 200, "check_every": 10, "network": {"kind": "mlp"},
    }  # fmt: skip
    cell = {**CELL, "protocol": "p", "depth": 3, "width": 60}
    spec = {"cell": cell, "protocol": protocol, "learning_rate": 0.1, "seed": 0}
    spec |= {"seeds": [0, 4], "records": [], "store": "outputs"}
    paths = {"checkpoints": folder / "checkpoints", "memory_mb": 1000, "output": folder / f"{threads}{device}.zarr.zip"}
    return stage("networks", spec, threads=threads, device=device, **sets, **paths)


@pytest.mark.slow
@pytest.mark.parametrize(("threads", "device"), ELSEWHERE)
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_networks_agree_within_the_band(sets, tmp_path, precision, threads, device):
    here, there = (networks(sets, tmp_path, precision, *how) for how in ((1, "cpu"), (threads, device)))
    assert (here.status == "fitted").all()
    assert here.status.equals(there.status)
    assert np.abs(here.test_error - there.test_error).max() <= 0.005
    if precision == "float64":
        np.testing.assert_allclose(there.outputs, here.outputs, rtol=0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("threads", "device"), ELSEWHERE)
def test_kernel_regressions_agree_within_the_band(sets, tmp_path, threads, device):
    spec = {"kernel": {"kind": "ntk", "beta": 0.1}, "cell": {**CELL, "kernel": "k"}, "depth": [1, 3, 7]}
    here, there = (
        stage("kernels", spec, threads=t, device=d, **sets, memory_mb=1000, output=tmp_path / f"{t}{d}.zarr.zip")
        for t, d in ((1, "cpu"), (threads, device))
    )
    assert np.abs(here.test_error - there.test_error).max() <= 1 / N_TEST
