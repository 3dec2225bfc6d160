"""Steps as CUDA graphs, without a GPU: recorded and replayed on the CPU, and counted."""

import functools
import itertools

import fake_cuda
import numpy as np
import pytest
import torch
from replayed_stacks import BY_STEPS, EVEN, NETWORKS, RATES, UNEVEN, assert_same_bytes, on_torch, stack_of, trained

from isobath import binding
from isobath.contracts.tiny_stacks import LOSS, data, stack
from isobath.networks import cnn
from isobath.protocols import gauss_newton, momentum, newton
from isobath.randomness import stream
from isobath.statuses import DIVERGED, FITTED, UNFITTED
from isobath.training import replay
from isobath.training.architecture import Architecture, outputs_in_blocks
from isobath.training.fit import FINITE_EVERY, Recording, Stopping, fit
from isobath.training.minibatches import SPAN
from isobath.training.progress import Progress
from isobath.training.replay import Eager, Replayed, Table, at

CPU = torch.device("cpu")


@pytest.fixture
def gpu(monkeypatch):
    fake_cuda.install(monkeypatch)
    monkeypatch.setattr(fake_cuda.CUDAGraph, "replays", 0)


# 1. The instrument: faults that a GPU would have are found.


def test_replaying_is_what_calling_is(gpu):
    table, results = torch.arange(37.0).view(37, 1), []
    for kind in (Eager, functools.partial(Replayed, device=CPU)):
        state = torch.zeros(3)

        def step(k, state=state):
            return state.add_(at(table, k)).mul(0.5)

        steps = kind(step)
        for _ in range(3):
            steps.restart()
            results.append((steps.run(37).clone(), state.clone()))
    assert_same_bytes(sum(results[:3], ()), sum(results[3:], ()))
    # One step is called; of 36, three blocks and six single ones; then 3 x (3 + 7) less the first.
    assert fake_cuda.CUDAGraph.replays == (3 + 6) + 2 * (3 + 7)


def states(fault, epochs=3):
    """Return the states of a tensor after eager steps and after replayed ones, where a step has a fault."""
    ends = []
    for kind in (Eager, functools.partial(Replayed, device=CPU)):
        state = torch.ones(2)
        steps = kind(fault(state))
        for _ in range(epochs):
            steps.restart()
            steps.run(4)
        ends.append(state.tolist())
    return ends


def test_a_value_of_the_host_that_is_baked_in_is_found(gpu):
    def fault(state):
        count = itertools.count(1)
        return lambda k: state.add_(next(count))

    eager, replayed = states(fault)
    assert eager == [1 + sum(range(1, 13))] * 2
    assert replayed != eager


def test_an_input_that_is_allocated_anew_is_found(gpu):
    def fault(state):
        return lambda k: state.add_(torch.from_numpy(np.ones(2, dtype=np.float32)))

    with pytest.raises(fake_cuda.CaptureError, match="memory that has been freed"):
        states(fault)


@pytest.mark.parametrize("look", [lambda x: x.sum().item(), lambda x: bool((x > 0).all()), lambda x: x[x > 0].sum()])
def test_a_look_at_numbers_is_found(gpu, look):
    with pytest.raises(fake_cuda.CaptureError, match="looks at numbers"):
        states(lambda state: lambda k: state.mul_(look(state)))


def test_recording_runs_nothing_and_its_memory_is_empty(gpu):
    state, graph = torch.ones(2), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        doubled = state.add_(1).mul(2)
    assert state.tolist() == [1, 1]
    assert doubled.isnan().all()
    graph.replay()
    assert (state.tolist(), doubled.tolist()) == ([2, 2], [4, 4])


# 2. Trainings by graphs are trainings without, to the byte.


@pytest.mark.parametrize("rows", [EVEN, UNEVEN], ids=["even", "uneven"])
@pytest.mark.parametrize("kind", BY_STEPS)
@pytest.mark.parametrize("batch_size", [2, 8, None])
def test_every_protocol_replays_what_it_does(monkeypatch, kind, rows, batch_size):
    """It does so when it resumes, when networks wait, and in blocks of steps as well as in single ones."""
    expected = trained(on_torch(stack(RATES, rows)), kind, batch_size=batch_size)
    fake_cuda.install(monkeypatch)
    for pauses in ((), (2,)):
        found = trained(on_torch(stack(RATES, rows)), kind, batch_size=batch_size, pauses=pauses)
        assert_same_bytes(found[0], expected[0])
        assert found[1] == expected[1]


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("protocol", ["sgd", "momentum"])
def test_every_network_is_replayed(monkeypatch, kind, protocol):
    """Networks without a workspace of their own are replayed by autograd."""
    x = torch.from_numpy(stream(0, "x").standard_normal((53, 64)))
    expected = trained(stack_of(kind), protocol, inputs=x, batch_size=8)
    fake_cuda.install(monkeypatch)
    found = trained(stack_of(kind), protocol, inputs=x, batch_size=8)
    assert_same_bytes(found[0], expected[0])


def test_adam_on_all_rows_knows_its_step_beyond_what_it_is_prepared_for(monkeypatch):
    expected = trained(on_torch(stack(RATES, EVEN)), "adam", epochs=2 * SPAN + 7, batch_size=None)
    fake_cuda.install(monkeypatch)
    monkeypatch.setattr(fake_cuda.CUDAGraph, "replays", 0)
    found = trained(on_torch(stack(RATES, EVEN)), "adam", epochs=2 * SPAN + 7, batch_size=None, pauses=(SPAN - 3,))
    assert_same_bytes(found[0], expected[0])
    assert fake_cuda.CUDAGraph.replays == 2 * SPAN + 5


@pytest.mark.parametrize("protocol", [newton, gauss_newton])
def test_steps_that_look_at_numbers_are_not_replayed(gpu, protocol):
    x, labels = data()
    made, loss = stack(RATES, EVEN), LOSS["mean_squared_error"]
    before = made.parameters.clone()
    training = protocol.train(made, x, loss.targets(labels, x.dtype), loss=loss)
    assert [next(training).number for _ in range(3)] == [1, 2, 3]
    assert (made.parameters != before).any()
    assert fake_cuda.CUDAGraph.replays == 0


# 3. Stopping on a GPU.

HARD = [0.5, np.inf, 0.3, 1e-6, 0.1, 0.2]


def fitted(made, *, batch_size=20, max_epochs=200, **how):
    x, labels = data()
    protocol = functools.partial(momentum.train, batch_size=batch_size)
    return fit(made, x, labels, protocol=protocol, loss=LOSS["cross_entropy"], stopping=Stopping(max_epochs, 10), **how)


def hard():
    return on_torch(stack(HARD, np.tile(np.arange(53), (len(HARD), 1)), width=20))


def test_networks_stop_on_a_gpu_as_they_do_elsewhere(monkeypatch):
    recording = Recording(lambda made: {"norm": made.weights[0].square().sum((1, 2))}, [0, 10, 30])
    expected = fitted(hard(), recording=recording)
    assert {*expected.status} == {FITTED, UNFITTED, DIVERGED}
    fake_cuda.install(monkeypatch)
    sizes = []
    found = fitted(hard(), recording=recording, on_epoch=lambda p: sizes.append((len(p.stack), int(p.active.sum()))))
    assert found.status.tolist() == expected.status.tolist()
    fine = expected.status != DIVERGED
    assert found.epochs[fine].tolist() == expected.epochs[fine].tolist()
    assert (found.epochs[~fine] <= FINITE_EVERY).all()
    np.testing.assert_array_equal(found.errors, expected.errors)
    np.testing.assert_allclose(found.loss, expected.loss, rtol=1e-9)
    np.testing.assert_allclose(found.records["norm"][fine], expected.records["norm"][fine], rtol=1e-9)
    for a, b in zip(found.weights, expected.weights, strict=True):
        torch.testing.assert_close(a[fine], b[fine], rtol=1e-9, atol=1e-9)
    # Networks go on unseen until half of their stack has stopped.
    assert any(active < size for size, active in sizes)
    assert all(2 * active > size for size, active in sizes if active)
    assert len({size for size, _ in sizes}) < len({active for _, active in sizes})


def test_a_training_resumes_on_a_gpu_bit_by_bit(gpu):
    """Its stack has networks that have stopped."""
    saved = {}

    def save(p):
        if p.epoch == 40:
            assert len(p.stack) > p.active.sum() > 0
            saved.update({name: np.copy(values) for name, values in p.arrays().items()})

    whole = fitted(hard(), on_epoch=save)
    resumed = fitted(hard(), resume=saved)
    assert_same_bytes(whole.weights, resumed.weights)
    assert whole.epochs.tolist() == resumed.epochs.tolist()


def test_a_stack_shrinks_at_once_elsewhere():
    _, labels = data()
    p = Progress.start(hard(), labels)
    p.retire(np.array([True] + [False] * 5))
    assert (len(p.stack), p.members.tolist(), p.active.tolist()) == (5, [1, 2, 3, 4, 5], [True] * 5)


# 4. What waits for the device.


@pytest.mark.parametrize(("kind", "batch_size"), [("sgd", 8), ("adam", 8), ("momentum", 8), ("adam", None)])
def test_an_epoch_waits_for_nothing(gpu, kind, batch_size):
    x, labels = data()
    loss, train = LOSS["cross_entropy"], binding.bound("protocol", {"kind": kind, "batch_size": batch_size})
    training = train(on_torch(stack(RATES, UNEVEN)), x, loss.targets(labels, x.dtype), loss=loss)
    for _ in range(2):
        next(training)
    with fake_cuda.Waits() as waits:
        for _ in range(2 if batch_size else SPAN):  # with rows, or steps, that are prepared in between
            next(training)
    assert waits.seen == {}


def test_a_look_waits_a_known_number_of_times(gpu):
    """An evaluation reads six numbers of each network and which are finite; errors only of networks that stop."""
    made = on_torch(stack([1e-6] * 3, EVEN))
    with fake_cuda.Waits() as waits:
        fitted(made, batch_size=27, max_epochs=20)
    looks = 2
    assert waits.seen["cpu"] == looks * (5 + 1) + 1


def test_counting_finds_what_waits():
    x = torch.ones(3)
    with fake_cuda.Waits() as waits:
        x.sum().item()
        x.cpu()
        x.nonzero()
        x.double()
        bool(x[0] > 0)
        x[x > 0]
    assert waits.seen["item"] == waits.seen["cpu"] == waits.seen["nonzero"] == waits.seen["_to_copy"] == 1
    assert waits.seen["_local_scalar_dense"] == 2
    assert waits.seen["index"] == 1


# 5. Parts.


def test_tables_are_filled_through_memory_of_their_own(gpu):
    table = Table(2, 3, dtype=torch.int32, device=CPU)
    values = torch.arange(6).view(2, 3)
    table.fill(values)
    values.zero_()
    assert table.values.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert at(table.values, 1).tolist() == at(table.values, torch.tensor([1])).tolist() == [3, 4, 5]
    assert at(table.values[:1], torch.tensor([7])).tolist() == at(table.values[:1], 7).tolist() == [0, 1, 2]


@pytest.mark.parametrize("pools", [0, 1])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_convolutions_by_products_are_convolutions(k, stride, pools):
    """Features and gradients agree, of shape (R, n, channels, side, side), over two layers."""
    images = torch.from_numpy(stream(0, "images").standard_normal((3, 4, 2, 9, 9)))
    found = []
    for convolved in (cnn.by_networks, cnn.by_products):
        g = stream(0, "filters")
        layers = [
            tuple(torch.from_numpy(g.standard_normal(shape)).requires_grad_() for shape in ((3, 6, c, k, k), (3, 6)))
            for c in (2, 6)
        ]
        features = convolved(images, layers, stride=stride, pools=pools)
        features.square().sum().backward()
        found.append([features, *(x.grad for layer in layers for x in layer)])
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-11, atol=1e-11)


def test_blocks_of_outputs_are_larger_on_a_gpu(monkeypatch):
    calls = []

    class Watched(Architecture):
        def apply(self, weights, x):
            calls.append(len(x))
            return super().apply(weights, x)

    made = stack(RATES, EVEN, width=2000)
    x = torch.ones(400, 6, dtype=torch.float64)
    network = Watched(made.architecture.module, made.architecture.settings)
    here = outputs_in_blocks(network, made.weights, x)
    assert len(calls) > 1
    calls.clear()
    monkeypatch.setattr(replay, "DEVICES", ("cpu",))
    torch.testing.assert_close(outputs_in_blocks(network, made.weights, x), here)
    assert calls == [400]
