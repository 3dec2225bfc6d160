"""Results state which kernels their processor was given, and a training that moved states its earlier processors."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import xarray as xr
from click.testing import CliRunner

from isobath.disk import processors, store
from isobath.disk.checkpoints import Checkpoints
from isobath.jobs.provenance import provenance
from isobath.operations import verify
from isobath.stages import cubes
from isobath.training import fused

LABEL = "import sys, numpy; from isobath.disk.processors import processor; print(processor()['blas'])"
HERE, THERE = {"blas": "openblas SkylakeX"}, {"blas": "openblas Haswell"}


def label(**environment: str) -> str:
    variables = {**os.environ, **environment}
    said = subprocess.run([sys.executable, "-c", LABEL], env=variables, capture_output=True, text=True, check=True)
    return said.stdout.strip()


def test_another_kernel_of_the_blas_is_another_label():
    kernels = {name: label(OPENBLAS_CORETYPE=name) for name in ("Haswell", "Sandybridge")}
    if not all(text.startswith("openblas") for text in kernels.values()):
        pytest.skip(f"the BLAS of NumPy is {label()}, whose kernel no variable sets")
    assert kernels == {name: f"openblas {name}" for name in kernels}


def test_a_mode_of_mkl_is_part_of_the_label(monkeypatch):
    """torch has an MKL inside, which sums otherwise by this variable and tells nobody."""
    monkeypatch.delenv("MKL_CBWR", raising=False)
    assert "mkl" not in processors.processor()
    monkeypatch.setenv("MKL_CBWR", "COMPATIBLE")
    assert processors.processor()["mkl"] == "COMPATIBLE"


def test_instructions_are_those_that_torch_finds():
    found, theirs = processors.processor()["instructions"], torch.backends.cpu.get_cpu_capability()
    assert found == theirs or theirs not in processors.WIDEST


@pytest.mark.parametrize("compiles", [False, True])
def test_a_gpu_is_named_with_what_compiles_for_it_only_where_it_does(compiles, monkeypatch):
    monkeypatch.setattr(processors, "_device", ["cuda"])
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "a GPU")
    monkeypatch.setattr(processors, "version", lambda package: {"numba-cuda": "0.30.4"}[package])
    monkeypatch.setattr(fused, "fuses", lambda device: compiles and device.type == "cuda")
    found = processors.processor()
    assert found["gpu"] == "a GPU"
    assert found.get("kernels") == ("numba-cuda 0.30.4" if compiles else None)


def test_a_processor_has_one_name_whatever_a_process_has_imported():
    words = [
        f"import numpy, {name}; from isobath.disk import processors; print(processors.processor())"
        for name in ("json", "torch")
    ]
    said = {subprocess.run([sys.executable, "-c", w], capture_output=True, text=True, check=True).stdout for w in words}
    assert len(said) == 1


def progress(epoch):
    return SimpleNamespace(epoch=epoch, active=np.array([True]), arrays=lambda: {"epoch": np.array(epoch)})


def made_on(monkeypatch, where):
    monkeypatch.setattr(processors, "processor", lambda: where)


def test_a_training_that_moves_names_where_it_was(tmp_path, monkeypatch):
    made_on(monkeypatch, THERE)
    _, keep = Checkpoints(tmp_path, "spec", every=0)("networks")
    keep(progress(1))
    assert "continued_from" not in provenance({}, "code")
    made_on(monkeypatch, HERE)
    arrays, keep = Checkpoints(tmp_path, "spec", every=0)("networks")
    assert arrays["epoch"] == 1
    made = provenance({}, "code")
    assert json.loads(made["processor"]) == HERE
    assert (json.loads(made["continued_from"]), made["bitwise"]) == ([THERE], "false")
    keep(progress(2))
    made_on(monkeypatch, THERE)  # back again: still not bit by bit
    Checkpoints(tmp_path, "spec", every=0)("networks")
    assert json.loads(provenance({}, "code")["continued_from"]) == [HERE]
    Checkpoints(tmp_path, "another", every=0)("networks")  # whose checkpoints are not used
    assert "continued_from" not in provenance({}, "code")


def test_a_checkpoint_that_does_not_say_where_it_was_made_counts_as_elsewhere(tmp_path):
    _, keep = Checkpoints(tmp_path, "spec", every=0)("networks")
    keep(progress(1))
    (path,) = tmp_path.iterdir()
    saved = store.read(path)
    del saved.attrs["processors"]
    store.write(saved, path)
    Checkpoints(tmp_path, "spec", every=0)("networks")
    assert json.loads(provenance({}, "code")["continued_from"]) == [{"blas": "unknown"}]


def test_verify_says_on_what_results_were_made(small_house, monkeypatch):
    words = [str(small_house / "results/smoke"), "--config", "studies=[small]"]
    assert "made on" not in CliRunner().invoke(verify.command, words).stdout
    monkeypatch.setattr(verify, "processor", lambda _: {**processors.processor(), "blas": "openblas Katmai"})
    done = CliRunner().invoke(verify.command, words)
    was = processors.processor()["blas"]
    assert f"results were made on blas {was} (here openblas Katmai)" in done.stdout
    assert done.exit_code == 0


def test_verify_knows_the_gpu_of_this_machine_again(monkeypatch):
    """Verify computes nothing on the GPU, and names it nevertheless, as the job did that made the result."""
    label = {**processors.processor(), "gpu": "a GPU"}
    monkeypatch.setattr(verify, "read_attributes", lambda path: {"processor": json.dumps(label)})
    monkeypatch.setattr(verify.plan, "jobs", lambda run: [SimpleNamespace(outputs=["result"])])
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "a GPU")
    monkeypatch.setattr(fused, "fuses", lambda device: False)
    assert [*verify.other_processors(SimpleNamespace(home=Path()))] == []
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "another GPU")
    (line,) = verify.other_processors(SimpleNamespace(home=Path()))
    assert "1 results were made on gpu a GPU (here another GPU)" in line


def test_a_cube_names_the_devices_that_made_its_networks(small_house):
    for cube in (small_house / "results/smoke/small/cubes").glob("*.zarr.zip"):
        assert store.attributes(cube)["device"] in ("cpu", "cuda")


def test_a_cube_of_results_of_two_devices_names_both(tmp_path):
    for name, about in (("a", {"device": "cuda"}), ("b", {"device": "cpu"}), ("c", {})):
        store.write(xr.Dataset(attrs=about), tmp_path / f"{name}.zarr.zip")
    assert cubes.devices([tmp_path / f"{name}.zarr.zip" for name in "aabc"]) == {"device": "cpu, cuda"}
    assert cubes.devices([tmp_path / "c.zarr.zip"]) == {}
