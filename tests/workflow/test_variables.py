"""Environment variables of a job: one without a meaning is refused by its name, before any compute."""

import os
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import isobath
from isobath.jobs import variables
from isobath.operations import estimate

X, Y = np.array([[0.0, 1.0], [1.0, 0.0]], np.float32), np.array([0, 1])


@pytest.fixture(autouse=True)
def _unset(monkeypatch):
    for name in variables.RULES:
        monkeypatch.setenv(name, "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("OMP_NUM_THREADS", value) for value in ("0", "abc", "-1", ",2", "1.5", "9" * 5000)),
        *(("ISOBATH_SAVE_EVERY", value) for value in ("often", "-1", "nan", "inf")),
        *(("ISOBATH_TIME_LIMIT", value) for value in ("1:00", "-5", "nan")),
        *(("ISOBATH_DEVICE", value) for value in ("gpu", "cuda:x", "CPU")),
    ],
)
def test_a_variable_that_means_nothing_is_refused_by_name(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(variables.VariableError, match=rf"^\${name} is '.*'; it must be ") as refused:
        variables.check()
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(("value", "threads"), [("4,2", "4"), ("3", "3"), (" 2 , 1", "2"), ("", None)])
def test_the_first_of_a_list_of_threads_counts(monkeypatch, value, threads):
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    for name, fine in (("ISOBATH_SAVE_EVERY", "0.5"), ("ISOBATH_TIME_LIMIT", "0"), ("ISOBATH_DEVICE", "cuda:1")):
        monkeypatch.setenv(name, fine)
    variables.check()
    assert os.environ.get("OMP_NUM_THREADS") == threads


@pytest.mark.parametrize(("name", "value"), [("OMP_NUM_THREADS", "abc"), ("ISOBATH_DEVICE", "tpu")])
def test_the_library_refuses_a_variable_that_means_nothing(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=rf"^\${name} is '{value}'; it must be "):
        isobath.regress(X, Y, test=(X, Y), kernel="ntk", depth=1)


@pytest.mark.parametrize("threads", ["4,2", "1", ""])
def test_the_library_takes_the_first_of_a_list_of_threads_and_leaves_the_list(monkeypatch, threads):
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    isobath.train(X, Y, test=(X, Y), networks=1, depth=1, width=2, max_epochs=1)
    assert os.environ["OMP_NUM_THREADS"] == threads


@pytest.mark.parametrize(("name", "value"), [("OMP_NUM_THREADS", "abc"), ("ISOBATH_DEVICE", "tpu")])
def test_a_stage_that_is_run_by_hand_refuses_in_one_sentence(name, value):
    words = ["--spec", "{}", "--code", "c", "--output", "out.zarr.zip"]
    command = [sys.executable, "-m", "isobath.stages.data", *words]
    environment = {**os.environ, name: value}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"VariableError: ${name} is {value!r}; it must be ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("name", "value"), [("OMP_NUM_THREADS", "abc"), ("ISOBATH_DEVICE", "tpu")])
def test_an_estimate_refuses_a_variable_that_means_nothing(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    done = CliRunner().invoke(estimate.command, ["--config", "scale=smoke"])
    assert done.exit_code == 1
    assert done.stderr.startswith(f"Error: ${name} is {value!r}; it must be ")
