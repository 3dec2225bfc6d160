"""Fused operations of a step on a GPU: in Numba's simulator they are those of torch, and without a compiler torch's."""

import importlib.util
import json
import os
import subprocess
import sys
from contextlib import nullcontext
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
import torch
from house import ROOT
from numba.core.errors import TypingError

from isobath.contracts.compiled_steps import check_alone
from isobath.contracts.tiny_stacks import LOSS, data
from isobath.training import fused
from isobath.training.compiled.epochs import DESCENT
from isobath.training.compiled.train import compiled_epochs
from isobath.training.minibatches import Schedule

GPU = torch.device("cuda")


def test_kernels_train_what_torch_trains():
    """Numba reads the variable when it is imported; hence another process."""
    command = [sys.executable, "-P", "tests/training/simulated_kernels.py"]
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'tests/training'}"}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    found, replayed = json.loads(run.stdout)
    assert len(found) == 11
    assert [*replayed.values()] == [True, True]
    for name, case in found.items():
        assert case["difference"] < 1e-13 * case["largest"], name
        by_torch, by_kernels = case["finite"]
        assert by_torch == by_kernels
        assert all(map(all, by_torch))
        kernels = {"_gather", "_add_bias", "_take_derivative", "_loss_derivative", "_move"}
        assert set(case["launches"]) == kernels - ({"_move"} if "descent" in name else set())


@pytest.fixture
def compiler(monkeypatch):
    """Have Python find the package that compiles for a GPU."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == fused.PACKAGE or None)


def test_a_cpu_fuses_nothing(compiler):
    assert not fused.fuses(torch.device("cpu"))


def test_a_compiler_that_fails_is_told_and_torch_goes_on(compiler, monkeypatch):
    monkeypatch.setattr(fused, "try_kernels", fail)
    with pytest.warns(UserWarning, match="torch does all of a step.*no such library"):
        assert not fused.fuses.__wrapped__(GPU)
    monkeypatch.setattr(fused, "try_kernels", lambda *_, **__: None)
    assert fused.fuses.__wrapped__(GPU)


def test_an_update_that_does_not_compile_for_a_gpu_is_told_and_torch_takes_its_steps(monkeypatch):
    update = (DESCENT, 1, torch.device("cpu"))
    monkeypatch.setattr(fused, "kernels", lambda: SimpleNamespace(move=fail))
    with pytest.warns(UserWarning, match=r"test_fused\.fail does not compile for a GPU.*no such library"):
        assert not fused.moves(fail, *update)
    monkeypatch.setattr(fused, "kernels", lambda: SimpleNamespace(move=lambda *_: None))
    assert fused.moves.__wrapped__(fail, *update)


def fail(*_, **__):
    raise AttributeError("no such library")


def test_a_loss_that_does_not_compile_for_a_gpu_is_derived_by_torch(monkeypatch):
    calls = []

    class Kernels:
        @staticmethod
        def loss_derivative(*_):
            calls.append(1)
            raise TypingError("no such function")

    monkeypatch.setattr(fused, "fuses", lambda device: True)
    monkeypatch.setattr(fused, "kernels", lambda: Kernels)
    monkeypatch.setattr(fused, "_DERIVES", {})
    loss, (_, labels) = LOSS["cross_entropy"], data()
    targets = loss.targets(labels[:4], torch.float64)
    for i in range(2):
        outputs = torch.arange(8.0, dtype=torch.float64).view(1, 2, 4).transpose(1, 2)
        expected = torch.softmax(outputs, -1) - targets
        with nullcontext() if i else pytest.warns(UserWarning, match="cross_entropy.*does not compile for a GPU"):
            torch.testing.assert_close(loss.derivative_(outputs, targets), expected)
    assert calls == [1]


def test_an_update_that_needs_other_parameters_is_found_out():
    class Rule(NamedTuple):
        size: float

    def update(rule, parameters, gradient, moments, rate, step):
        parameters -= rate * gradient / np.linalg.norm(gradient)

    def training(networks, inputs=None):
        x, labels = data()
        loss = LOSS["cross_entropy"]
        options = {"loss": loss, "first_epoch": 0, "rule": Rule(1.0), "update": update, "each_alone": True}
        return compiled_epochs(Schedule(networks, 8), x, loss.targets(labels, x.dtype), **options)

    with pytest.raises(AssertionError, match="others than themselves"):
        check_alone(training, outputs=2)
