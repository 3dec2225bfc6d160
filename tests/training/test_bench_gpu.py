"""``make bench-gpu`` without a GPU: all its checks run on the fake one, and find the faults that they look for."""

import dataclasses
import subprocess
import sys

import fake_cuda
import gpu
import gpu_speed
import pytest
import torch
from gpu_trainings import TRAININGS, without_graphs
from house import ROOT

from isobath.protocols import adadelta, adagrad, adam, momentum, sgd
from isobath.training import replay
from isobath.training.replay import Replayed

CPU = torch.device("cpu")
SMALL = gpu.Sizes(networks=(1, 2), wide=2, side=64, seconds=0.001, epochs=1)


@pytest.fixture(autouse=True)
def _gpu(monkeypatch):
    fake_cuda.install(monkeypatch)
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)
    for protocol in (sgd, adam, momentum, adagrad, adadelta):
        monkeypatch.setattr(protocol, "compiled_epochs", lambda *_, **__: None)


@pytest.fixture
def few(monkeypatch):
    """Take two of the trainings, at smaller sizes."""
    some = [dataclasses.replace(t, networks=3, samples=90, fewer=40) for t in (TRAININGS[2], TRAININGS[4])]
    monkeypatch.setattr(gpu, "TRAININGS", some)


@pytest.mark.slow
def test_all_of_it_runs_without_a_gpu(monkeypatch):
    small = [dataclasses.replace(t, networks=2, samples=90, fewer=t.fewer // 2) for t in TRAININGS]
    monkeypatch.setattr(gpu, "TRAININGS", small)
    lines = [*gpu.report(CPU, SMALL)]
    exact, fast = lines[: 4 + 3 * len(small)], lines[4 + 3 * len(small) :]
    assert [str(line) for line in exact if not line.good] == []
    assert sum("the same bytes" in line.found for line in exact) == 2 * len(small)
    names = ["batched products", "kernels between", "1 networks", "2 networks", "2 networks, d=10", "d=10", "d=40"]
    names.append("convolutions")
    assert [line.name[: len(name)] for line, name in zip(fast, names, strict=True)] == names
    assert all("times, 0 are" in line.found for line in fast[5:7])


def test_a_graph_that_is_not_the_step_is_found(few, monkeypatch):
    monkeypatch.setattr(Replayed, "_advance", lambda self: self.step(self.k))  # the number of the step stays
    lines = [*gpu.graphs(CPU, SMALL)]
    assert [line.good for line in lines] == [False, True, False, True]
    assert "weights differ" in lines[0].found


def test_trainings_that_differ_from_time_to_time_are_found(few, monkeypatch):
    shifts = iter(range(10**6))
    at = replay.at

    def shifted(table, k):
        row = at(table, k)
        return row if row.dtype == torch.bool else row * (1 + 1e-6 * next(shifts))

    monkeypatch.setattr("isobath.training.updates.at", shifted)
    assert not any(line.good for line in gpu.graphs(CPU, SMALL))
    assert not any(line.good for line in gpu.agreement(CPU, SMALL))


def test_rounded_products_are_found(monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    rounded = torch.bmm
    monkeypatch.setattr(
        torch, "bmm", lambda a, b: rounded(a.bfloat16(), b.bfloat16()) if a.dtype == torch.float32 else rounded(a, b)
    )
    assert [line.good for line in gpu.flags(CPU, SMALL)] == [True, False, False, True]


def test_the_time_between_replays_is_idle():
    class Replay:
        def __init__(self, start, end):
            self.times = start, end

    def event(seconds):
        made = fake_cuda.Event(enable_timing=True)
        made.seconds = seconds
        return made

    spans = [(0.0, 1.0), (1.5, 2.0), (2.0, 4.0)]
    assert gpu_speed.Replays([(event(a), event(b)) for a, b in spans]).idle == pytest.approx(0.125)


def test_waiting_is_counted(monkeypatch):
    """torch warns of each wait; here there is one in each epoch."""
    import warnings  # noqa: PLC0415

    class Training:
        def __next__(self):
            warnings.warn("called a synchronizing CUDA operation", UserWarning, stacklevel=1)

    monkeypatch.setattr(gpu_speed, "warm", lambda case, device: Training())
    assert gpu_speed.waits(None, CPU, 3) == 1


def test_a_check_that_fails_is_a_line(monkeypatch):
    def broken(device, sizes):
        yield gpu.Line("one", "fine", good=True)
        raise RuntimeError("CUDA error: an illegal memory access\nmore")

    monkeypatch.setattr(gpu, "CHECKS", (broken, lambda device, sizes: iter([gpu.Line("two", "fine", good=True)])))
    lines = [*gpu.report(CPU, SMALL)]
    assert [str(line) for line in lines] == [
        "good        one: fine",
        "to look at  broken: RuntimeError: CUDA error: an illegal memory access",
        "good        two: fine",
    ]
    assert gpu.verdict(lines).startswith("1 of 3 checks are to be looked at")
    assert gpu.verdict(lines[:1]) == "All 1 checks are good: this GPU can be used."


def test_without_graphs_steps_are_called():
    assert replay.replays(CPU)
    with without_graphs():
        assert not replay.replays(CPU)
    assert replay.replays(CPU)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_it_says_so():
    run = subprocess.run(
        [sys.executable, "tests/benchmarks/gpu.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout == f"There is no GPU that torch {torch.__version__} can use here: nothing was measured.\n"
