"""The stack against the plain loop that a user would write: steps, minibatches, and networks that leave or resume."""

import dataclasses

import numpy as np
import pytest
import torch

from isobath.contracts.tiny_stacks import DIMENSION, LOSS, LOSSES, data, padded, stack, start_settings
from isobath.networks import mlp
from isobath.protocols import adam, sgd
from isobath.randomness import permutation, stream
from isobath.training.architecture import Architecture, AutogradWorkspace
from isobath.training.minibatches import Schedule
from isobath.training.stacks import Stack, pack, unpack


@pytest.fixture(autouse=True, params=["compiled", "torch"])
def engine(request, monkeypatch):
    """Let stacks train in compiled code, or in torch, as a GPU takes them."""
    if request.param == "torch":
        for protocol in (sgd, adam):
            monkeypatch.setattr(protocol, "compiled_epochs", lambda *_, **__: None)
    return request.param


# What trains sees numbers, and the scales of the parametrisation ntk; the other starts are other numbers.
SLOW = ("glorot_normal", "he_normal", "orthogonal")
INITIALISATIONS = ["glorot_uniform", "ntk", *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]


def plain_loop(stack, network, inputs, labels, loss, epochs, batch_size, initialisation, adam=None):
    """Train one network by autograd and torch.optim, as a user would; ``adam`` has its settings, else SGD is plain."""
    weights = [w[network].clone().requires_grad_() for w in stack.weights]
    scales = mlp.scales(stack.weights, **start_settings(initialisation))
    rate = stack.rates[network].item()
    optimiser = torch.optim.SGD(weights, lr=rate) if adam is None else torch.optim.Adam(weights, lr=rate, **adam)
    rows = stack.rows[network][stack.rows[network] >= 0]
    for epoch in range(epochs):
        order = rows[permutation(stack.orders[network], epoch, len(rows))]
        for start in range(0, len(order), batch_size):
            batch = order[start : start + batch_size]
            z = inputs[batch]
            for layer, (alpha, beta) in enumerate(scales):
                z = torch.relu(z) if layer else z
                z = alpha * (z @ weights[2 * layer].T) + beta * weights[2 * layer + 1][0]
            if loss == "cross_entropy":
                value = torch.nn.functional.cross_entropy(z, labels[batch])
            elif loss == "mean_squared_error":
                one_hot = torch.nn.functional.one_hot(labels[batch], 2).double()
                value = (z - one_hot).square().sum(1).mean()
            else:  # one output, targets -1 and +1
                gap = torch.relu(1 - (2.0 * labels[batch] - 1) * z[:, 0])
                value = (gap**2 / 2 if loss == "squared_hinge" else gap).mean()
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
    return weights


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("initialisation", INITIALISATIONS)
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_a_stack_trains_as_plain_loops_do(loss, initialisation, depth):
    """It takes 60 steps or more in float64; networks have own rates, rows and orders, and an uneven last batch."""
    inputs, labels = data()
    lists = [list(range(53)), list(range(0, 53, 2)), list(range(10, 53))]
    rates = [0.01, 0.03, 0.05]
    targets = LOSS[loss].targets(labels, torch.float64)
    shape = {"depth": depth, "initialisation": initialisation, "outputs": targets.shape[1]}
    made = stack(rates, padded(53, lists), **shape)
    loops = [plain_loop(made, i, inputs, labels, loss, 16, 8, initialisation) for i in range(3)]
    training = sgd.train(made, inputs, targets, loss=LOSS[loss], batch_size=8)
    for _ in range(16):  # 7, 4 and 6 steps each
        next(training)
    for i, weights in enumerate(loops):
        for found, expected in zip(made.weights, weights, strict=True):
            torch.testing.assert_close(found[i], expected.detach(), rtol=1e-10, atol=1e-10)
    moved = stack(rates, padded(53, lists), **shape)
    assert all((a != b).any() for a, b in zip(moved.weights, made.weights, strict=True))


@pytest.mark.parametrize("lists", [[list(range(53))] * 3, [list(range(53)), list(range(0, 53, 2)), list(range(9, 53))]])
@pytest.mark.parametrize("protocol", [sgd, adam])
@pytest.mark.parametrize("depth", [0, 2])
def test_gradient_descent_on_all_rows(lists, protocol, depth):
    """Every step sees all rows if there is no batch size; rows that all networks have are not copied."""
    inputs, labels = data()
    made = stack([0.01, 0.03, 0.05], padded(53, lists), depth=depth)
    settings = {} if protocol is adam else None
    loops = [
        plain_loop(made, i, inputs, labels, "cross_entropy", 100, 53, "glorot_uniform", settings) for i in range(3)
    ]
    targets = torch.nn.functional.one_hot(labels).double()
    training = protocol.train(made, inputs, targets, loss=LOSS["cross_entropy"], batch_size=None)
    for _ in range(100):
        next(training)
    for i, weights in enumerate(loops):
        for found, expected in zip(made.weights, weights, strict=True):
            torch.testing.assert_close(found[i], expected.detach(), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("initialisation", INITIALISATIONS)
@pytest.mark.parametrize(
    "settings", [{}, pytest.param({"beta1": 0.8, "beta2": 0.99, "epsilon": 1e-4}, marks=pytest.mark.slow)]
)
def test_adam_on_a_stack_is_adam_on_each(loss, initialisation, settings):
    """Numbers of rows differ: a network without a minibatch takes no step, and its momentum waits."""
    inputs, labels = data()
    lists = [list(range(53)), list(range(0, 53, 2)), list(range(10, 53))]
    rates = [0.001, 0.003, 0.01]
    targets = LOSS[loss].targets(labels, torch.float64)
    made = stack(rates, padded(53, lists), initialisation=initialisation, outputs=targets.shape[1])
    names = {"betas": (settings.get("beta1", 0.9), settings.get("beta2", 0.999)), "eps": settings.get("epsilon", 1e-8)}
    loops = [plain_loop(made, i, inputs, labels, loss, 12, 8, initialisation, names) for i in range(3)]
    training = adam.train(made, inputs, targets, loss=LOSS[loss], batch_size=8, **settings)
    for _ in range(12):
        next(training)
    for i, weights in enumerate(loops):
        for found, expected in zip(made.weights, weights, strict=True):
            torch.testing.assert_close(found[i], expected.detach(), rtol=1e-10, atol=1e-10)


class OwnNetwork:
    """A network of a user's own, x -> tanh(x a) b from (n, d), without Workspace: gradients are autograd's."""

    @staticmethod
    def init(generators, *, n_inputs, n_outputs, depth, width, dtype):
        shapes = [(n_inputs, width), (width, n_outputs)]
        return [torch.from_numpy(np.stack([g.normal(size=s) for g in generators])).to(dtype) for s in shapes]

    @staticmethod
    def apply(weights, x):
        return torch.tanh(x @ weights[0]) @ weights[1]


def own_stack(rates, rows):
    network = Architecture(OwnNetwork)
    starts = [stream(0, "own", i) for i in range(len(rates))]
    weights = network.init(starts, n_inputs=DIMENSION, n_outputs=2, depth=1, width=9, dtype=torch.float64)
    rates = torch.tensor(rates, dtype=torch.float64)
    return Stack(network, pack(weights), [w.shape[1:] for w in weights], rows, rates, list(range(len(rates))))


@pytest.mark.parametrize("protocol", [sgd, adam])
def test_any_network_trains_by_autograd(protocol):
    inputs, labels = data()
    made = own_stack([0.1, 0.01], np.tile(np.arange(53), (2, 1)))
    expected = []
    for i in range(2):
        a, b = (w[i].clone().requires_grad_() for w in made.weights)
        kind = torch.optim.SGD if protocol is sgd else torch.optim.Adam
        optimiser = kind([a, b], lr=made.rates[i].item())
        for epoch in range(20):
            for rows in torch.from_numpy(permutation(i, epoch, 53)).split(8):
                optimiser.zero_grad()
                f = torch.tanh(inputs[rows] @ a) @ b
                torch.nn.functional.cross_entropy(f, labels[rows]).backward()
                optimiser.step()
        expected.append((a.detach(), b.detach()))
    training = protocol.train(made, inputs, torch.eye(2).double()[labels], loss=LOSS["cross_entropy"], batch_size=8)
    for _ in range(20):
        next(training)
    for i, weights in enumerate(expected):
        for found, w in zip(made.weights, weights, strict=True):
            torch.testing.assert_close(found[i], w, rtol=1e-10, atol=1e-10)


def test_by_hand_and_by_autograd_are_one_interface():
    inputs, _ = data()
    made = stack([0.1] * 3, np.tile(np.arange(53), (3, 1)), depth=3)
    delta = torch.from_numpy(stream(0, "delta").standard_normal((3, 8, 2)))
    gradients = []
    batch = inputs[:24].view(3, 8, DIMENSION)
    for workspace in (
        made.architecture.workspace(made.weights, batch),
        AutogradWorkspace(made.architecture, made.weights, batch),
    ):
        workspace.forward()
        into = [torch.full_like(w, 2.0) for w in made.weights]
        workspace.backward(delta, into, factor=0.5, accumulate=True)
        workspace.forward()
        fresh = [torch.full_like(w, torch.nan) for w in made.weights]
        workspace.backward(delta, fresh)
        gradients.append((into, fresh))
    for (a, c), (b, d) in zip(zip(*gradients[0], strict=True), zip(*gradients[1], strict=True), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-13)
        torch.testing.assert_close(c, d, rtol=1e-12, atol=1e-13)
        torch.testing.assert_close(a, 2 + 0.5 * c, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("protocol", [sgd, adam])
def test_a_training_resumes_bit_by_bit(protocol):
    inputs, labels = data()
    targets, rows = torch.eye(2).double()[labels], np.tile(np.arange(53), (3, 1))

    def pass_on(made, first, epochs):
        training = protocol.train(made, inputs, targets, loss=LOSS["cross_entropy"], batch_size=8, first_epoch=first)
        for _ in range(epochs):
            next(training)

    whole = stack([0.1, 0.03, 0.01], rows)
    pass_on(whole, 0, 12)
    part = stack([0.1, 0.03, 0.01], rows)
    pass_on(part, 0, 5)
    saved = {name: m.clone() for name, m in part.moments.items()}
    resumed = dataclasses.replace(part, parameters=part.parameters.clone(), moments=saved)
    pass_on(resumed, 5, 7)
    assert torch.equal(whole.parameters, resumed.parameters)
    subset = dataclasses.replace(part, parameters=part.parameters.clone()).select([2, 0])
    pass_on(subset, 5, 7)
    for all_three, two in zip(whole.weights, subset.weights, strict=True):
        torch.testing.assert_close(all_three[[2, 0]], two, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("width", [7, 10, 57, 100])
@pytest.mark.parametrize("members", [[0, 1, 2], [3, 4, 5], [1, 3], [2], [5]])
def test_leaving_a_stack_changes_no_bit(engine, width, members):
    """Seeds that are added later are therefore those that would have been trained at once."""
    inputs, labels = data()
    inputs, targets = inputs.float(), torch.eye(2)[labels]
    network = Architecture(mlp)
    starts = [stream(0, "start", i) for i in range(6)]
    weights = network.init(starts, n_inputs=DIMENSION, n_outputs=2, depth=2, width=width)
    shapes, rows = [w.shape[1:] for w in weights], np.tile(np.arange(53), (6, 1))
    whole = Stack(network, pack(weights), shapes, rows, torch.full((6,), 0.1), list(range(6)))
    part = whole.select(members)
    for one in (whole, part):
        training = sgd.train(one, inputs, targets, loss=LOSS["cross_entropy"], batch_size=8)
        for _ in range(15):
            next(training)
    for all_six, few in zip(whole.weights, part.weights, strict=True):
        rounding = 0 if engine == "compiled" else 1e-6  # of batched products
        torch.testing.assert_close(all_six[members], few, rtol=rounding, atol=rounding)


def test_a_stack_knows_the_network_of_each_parameter():
    made = stack([0.1] * 3, np.tile(np.arange(53), (3, 1)))
    for i, w in enumerate(made.select([0, 1, 2]).weights):
        assert w.data_ptr() != made.weights[i].data_ptr()
    for index in unpack(made.network_of_parameter, made.shapes, 3):
        assert index.flatten(1).tolist() == [[i] * index[0].numel() for i in range(3)]


def test_every_row_is_seen_once_an_epoch_and_the_weights_are_those_of_a_mean():
    lists = [list(range(53)), [3, 5, 8], list(range(40))]
    schedule = Schedule(stack([0.1] * 3, padded(53, lists)), 8)
    for epoch in (0, 7):
        index = schedule.rows(epoch).numpy()
        for i, rows in enumerate(lists):
            weights = schedule.weights.numpy()[:, i, :, 0]
            assert sorted(index[:, i][weights > 0]) == rows
            sums = weights.sum(1)
            np.testing.assert_allclose(sums[sums > 0], 1)
    assert (schedule.rows(0) != schedule.rows(1)).any()
    assert (index[:5, 0] != index[:5, 2]).any()
    assert [np.flatnonzero(idle).tolist() for idle in schedule.idle] == [[], [1], [1], [1], [1], [1, 2], [1, 2]]
    assert schedule.taken(2).tolist() == [[14 + k, 3, 10 + min(k, 5)] for k in range(1, 8)]
