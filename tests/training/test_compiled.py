"""Compiled training: cases without it, losses of one's own in it, and the folder in which it is kept."""

import sys
import types

import numpy as np
import pytest
import torch

from isobath import compilation, plugins
from isobath.binding import bound
from isobath.contracts.tiny_stacks import LOSS, data, padded, stack
from isobath.jobs.specs import loss as loss_of
from isobath.protocols import sgd
from isobath.randomness import stream
from isobath.training.architecture import Architecture
from isobath.training.compiled import train
from isobath.training.compiled.epochs import derivative, register
from isobath.training.compiled.matrices import GEMM
from isobath.training.compiled.train import compiled_epochs
from isobath.training.minibatches import Schedule
from isobath.training.objective import Loss
from isobath.training.stacks import Stack, pack


def epochs_of(made, loss, batch_size=8):
    inputs, labels = data()
    targets = loss.targets(labels, torch.float64)
    return compiled_epochs(Schedule(made, batch_size), inputs, targets, loss=loss, first_epoch=0)


@pytest.mark.parametrize("kind", plugins.kinds("loss"))
def test_the_derivative_of_a_loss_is_the_same_in_compiled_code(kind):
    """Three networks learn at different rates, over several epochs."""
    settings = {"power": {"p": 4}, "squared_hinge": {"margin": 0.5}, "linear_hinge": {"margin": 2}}.get(kind, {})
    loss = loss_of({"kind": kind, **settings})
    if loss.compiled() is None:
        pytest.skip("no compiled code")
    inputs, labels = data()
    targets = loss.targets(labels, torch.float64)
    here, there = (stack([0.01, 0.05, 0.02], padded(53, [range(53)] * 3), outputs=targets.shape[1]) for _ in "ab")
    fast, slow = epochs_of(here, loss), None
    there.architecture.module.compiled, kept = (lambda *_, **__: None), there.architecture.module.compiled
    try:
        slow = sgd.train(there, inputs, targets, loss=loss, batch_size=8)
    finally:
        there.architecture.module.compiled = kept
    for _ in range(3):
        assert next(fast).finite.all()
        assert next(slow).finite.all()
    for a, b in zip(here.weights, there.weights, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


def test_there_is_none_for_a_loss_or_a_network_without_it():
    made = stack([0.1], padded(53, [range(53)]))
    assert epochs_of(made, LOSS["cross_entropy"]) is not None
    plain = types.SimpleNamespace(**{k: v for k, v in vars(LOSS["cross_entropy"].module).items() if k != "Compiled"})
    assert epochs_of(made, Loss(plain)) is None


def test_losses_are_told_apart_by_the_names_that_numba_gives_to_machine_code():
    """Otherwise two modules whose classes have one name would share compiled code."""
    losses = [plugins.load("loss", kind) for kind in plugins.kinds("loss")]
    kinds = [loss.Compiled for loss in losses if hasattr(loss, "Compiled")]
    for kind in kinds:
        register(derivative, kind, lambda loss, outputs, targets, into: None)
    assert len({kind.__name__ for kind in kinds}) == len(kinds)


def test_what_diverged_is_noticed_and_stays_where_it_is():
    made = stack([0.01, 1e200, 0.02], padded(53, [range(53)] * 3))
    alone = stack([0.01], padded(53, [range(53)]))
    training, other = epochs_of(made, LOSS["mean_squared_error"]), epochs_of(alone, LOSS["mean_squared_error"])
    for _ in range(4):
        finite = next(training).finite.tolist()
        next(other)
    assert finite == [True, False, True]
    assert all(torch.equal(a[0], b[0]) for a, b in zip(made.weights, alone.weights, strict=True))


@pytest.mark.parametrize("part", [10, 20])
@pytest.mark.parametrize("batch_size", [20, None])
@pytest.mark.parametrize("kind", ["sgd", "momentum", "adam"])
@pytest.mark.parametrize("network", ["mlp", "lazy"])
def test_a_step_is_the_same_in_parts(monkeypatch, network, kind, batch_size, part):
    """The second network has fewer samples: its last part is another."""

    def trained():
        architecture = Architecture.of(network)
        starts = [stream(0, "start", i) for i in range(2)]
        shape = {"n_inputs": inputs.shape[1], "n_outputs": 2, "depth": 2, "width": 5}
        weights, rows = architecture.init(starts, **shape, dtype=torch.float64), padded(53, [range(53), range(34)])
        shapes, rates = [w.shape[1:] for w in weights], torch.tensor([0.05, 0.02], dtype=torch.float64)
        made = Stack(architecture, pack(weights), shapes, rows, rates, [1, 2])
        training = bound("protocol", {"kind": kind, "batch_size": batch_size})(made, inputs, targets, loss=loss)
        for _ in range(3):
            assert next(training).finite.all()
        return made.parameters

    loss = LOSS["cross_entropy"]
    inputs, labels = data()
    targets = loss.targets(labels, torch.float64)
    whole = trained()
    monkeypatch.setattr(train, "PART", part)
    torch.testing.assert_close(trained(), whole, rtol=1e-11, atol=1e-13)


def test_what_diverges_in_one_part_alone_is_noticed(monkeypatch):
    monkeypatch.setattr(train, "PART", 10)
    loss, (inputs, labels) = LOSS["mean_squared_error"], data()
    inputs[0] = torch.inf
    made = stack([0.1], padded(53, [range(53)]))
    training = sgd.train(made, inputs, loss.targets(labels, torch.float64), loss=loss, batch_size=None)
    assert not next(training).finite.any()


@pytest.mark.parametrize("name", ["clone", "clone [1]*"])
def test_compiled_code_is_kept_by_the_code_that_was_compiled(tmp_path, monkeypatch, name):
    file = tmp_path / name / "losses" / "a.py"
    file.parent.mkdir(parents=True)
    file.write_text("x = 1")
    monkeypatch.setattr(compilation, "PACKAGE", str(tmp_path / name))
    before = compilation.cache_of("numba", "losses")
    assert before == compilation.cache_of("numba", "losses")
    assert before.startswith(f"{tmp_path / name}/__pycache__/numba-")
    file.write_text("x = 2")
    assert compilation.cache_of("numba", "losses") != before
    monkeypatch.setattr(compilation.os, "access", lambda *_: False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "mine"))
    assert compilation.cache_of("numba", "losses").startswith(str(tmp_path / "mine"))


def test_a_folder_without_modules_has_no_compiled_code(tmp_path, monkeypatch):
    (tmp_path / "losses").mkdir()
    monkeypatch.setattr(compilation, "PACKAGE", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="losses: there is no module in it"):
        compilation.cache_of("numba", "losses")


def test_the_blas_is_loaded_before_a_job_limits_its_threads():
    """choose_device finds it only then: SciPy's BLAS would otherwise take all cores."""
    assert "scipy.linalg.cython_blas" in sys.modules
    assert np.dtype("float32").name in GEMM
