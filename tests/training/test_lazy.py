"""Lazy and linearised networks: their kernel, their gradients, compiled training, and the limits of alpha."""

import numpy as np
import pytest
import torch

from isobath.contracts.tiny_stacks import DIMENSION, LOSS, data
from isobath.kernels import ntk as ntk_profile
from isobath.protocols import gauss_newton, momentum, sgd
from isobath.randomness import entropy, stream
from isobath.regression.gram import gram
from isobath.regression.tangent_kernel import jacobian, tangent_kernel
from isobath.training.architecture import Architecture, AutogradWorkspace
from isobath.training.stacks import Stack, pack

SQUARES = LOSS["mean_squared_error"]
PERCEPTRON = {"kind": "mlp", "initialisation": "standard_normal", "parametrisation": "ntk", "beta": 0.3}
LAZY = {"kind": "lazy", "network": PERCEPTRON, "alpha": 3.0}
LINEAR = {"kind": "linearised", "network": PERCEPTRON}


def start(network, *, networks=1, depth=2, width=9):
    shape = {"n_inputs": DIMENSION, "n_outputs": 2, "depth": depth, "width": width}
    generators = [stream(0, "start", i) for i in range(networks)]
    return Architecture.of(network).init(generators, **shape, dtype=torch.float64)


def moved(network, **shape):
    """Return weights some way from the start, where the trained part is not 0."""
    weights = start(network, **shape)
    for i, w in enumerate(weights[: len(weights) // 2]):
        w.add_(torch.from_numpy(stream(0, "moved", i).standard_normal(w.shape)))
    return weights


def stack(network, rates, n=53, **shape):
    weights = start(network, networks=len(rates), **shape)
    orders = [entropy(0, "order", i) for i in range(len(rates))]
    rows = np.tile(np.arange(n), (len(rates), 1))
    return Stack(
        Architecture.of(network),
        pack(weights),
        [w.shape[1:] for w in weights],
        rows,
        torch.tensor(rates, dtype=torch.float64),
        orders,
    )


def trained(network, rate, epochs, protocol=sgd.train, **settings):
    inputs, labels = data()
    made = stack(network, [rate] * 2)
    training = protocol(made, inputs, SQUARES.targets(labels, torch.float64), loss=SQUARES, **settings)
    for _ in range(epochs):
        assert next(training).finite.all()
    return made


def outputs(made):
    return made.architecture.apply(made.weights, data()[0])


@pytest.mark.parametrize(
    "network",
    [
        PERCEPTRON,
        LAZY,
        LINEAR,
        {"kind": "mlp", "activation": "identity"},
        {"kind": "maximal_update", "base_width": 4},
        {"kind": "residual"},
    ],
    ids=lambda network: network.get("activation", network["kind"]),
)
def test_the_tangent_kernel_is_that_of_the_jacobian(network):
    """A sum over layers is compared with autograd; where there is none, autograd is compared with differences."""
    f, weights = Architecture.of(network), moved(network)
    x, y = data()[0][:7], data()[0][7:12]
    kernel = tangent_kernel(f, weights, x, y)
    left, right = jacobian(f, weights, x), jacobian(f, weights, y)
    torch.testing.assert_close(kernel, torch.einsum("nkp,mjp->nkmj", left, right), rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(tangent_kernel(f, weights, x), tangent_kernel(f, weights, x, x))
    direction = [torch.from_numpy(stream(0, "direction", i).standard_normal(w.shape)) for i, w in enumerate(weights)]
    if network["kind"] in ("lazy", "linearised"):
        direction = [w * (i < len(weights) // 2) for i, w in enumerate(direction)]
    ends = [f.apply([w + step * d for w, d in zip(weights, direction, strict=True)], x)[0] for step in (1e-6, -1e-6)]
    along = left @ torch.cat([d.flatten() for d in direction])
    torch.testing.assert_close((ends[0] - ends[1]) / 2e-6, along, rtol=1e-5, atol=1e-5)


def test_the_tangent_kernel_of_a_wide_perceptron_is_the_ntk():
    x = data()[0][:10]
    f, weights = Architecture.of(PERCEPTRON), start(PERCEPTRON, width=4000)
    kernel = tangent_kernel(f, weights, x)
    (limit,) = gram(
        lambda pairs, depth: ntk_profile.profile(pairs, depth=depth, beta=0.3, input_variance=2), x, x, depth=[2]
    )
    for output in range(2):
        gap = (kernel[:, output, :, output] - limit).norm() / limit.norm()
        assert 0 < gap < 0.05
    assert kernel[:, 0, :, 1].norm() / limit.norm() < 0.05


@pytest.mark.parametrize("network", [LAZY, LINEAR], ids=lambda network: network["kind"])
def test_gradients_are_those_of_autograd_away_from_the_start(network):
    f, weights = Architecture.of(network), moved(network, networks=2)
    x = data()[0][:10].view(2, 5, DIMENSION)
    delta, gradients = torch.from_numpy(stream(0, "delta").standard_normal((2, 5, 2))), []
    for workspace in (f.workspace(weights, x), AutogradWorkspace(f, weights, x)):
        torch.testing.assert_close(workspace.forward(), f.apply(weights, x))
        gradients.append([torch.ones_like(w) for w in weights])
        workspace.backward(delta, gradients[-1])
    for by_hand, expected in zip(*gradients, strict=True):
        torch.testing.assert_close(by_hand, expected, rtol=1e-10, atol=1e-12)
    assert all(not g.any() for g in gradients[0][len(weights) // 2 :])


def test_a_lazy_network_is_alpha_times_what_its_network_has_changed():
    plain, weights = Architecture.of(PERCEPTRON), moved(LAZY)
    half, x = len(weights) // 2, data()[0]
    v, w0 = weights[:half], weights[half:]
    now = plain.apply([w + u / 3 for w, u in zip(w0, v, strict=True)], x)
    torch.testing.assert_close(Architecture.of(LAZY).apply(weights, x), 3 * (now - plain.apply(w0, x)))
    for one, other in zip(w0, start(PERCEPTRON), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize(
    ("protocol", "settings"), [(sgd.train, {"batch_size": 8}), (momentum.train, {"batch_size": 8})]
)
@pytest.mark.parametrize("alpha", [0.5, 20.0])
def test_compiled_training_is_that_of_the_workspace(protocol, settings, alpha, monkeypatch):
    """Two networks train over several epochs, and their start stays as it is."""
    network = {**LAZY, "alpha": alpha}
    fast = trained(network, 0.05, 4, protocol, **settings)
    monkeypatch.setattr(Architecture, "compiled", lambda *_: None)
    slow = trained(network, 0.05, 4, protocol, **settings)
    half = len(fast.weights) // 2
    for i, (a, b, first) in enumerate(zip(fast.weights, slow.weights, stack(network, [1.0] * 2).weights, strict=True)):
        torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-11)
        assert torch.equal(a, first) == (i >= half)


def test_alpha_one_is_plain_training_with_the_start_added_to_the_targets():
    """f - f0 learns y as f learns y + f0, by full gradients of squared errors."""
    inputs, labels = data()
    lazy, plain = trained({**LAZY, "alpha": 1.0}, 0.05, 6, batch_size=None), stack(PERCEPTRON, [0.05])
    before = outputs(plain)
    shifted = SQUARES.targets(labels, torch.float64) + before[0]
    training = sgd.train(plain, inputs, shifted, loss=SQUARES, batch_size=None)
    for _ in range(6):
        next(training)
    torch.testing.assert_close(outputs(lazy)[:1], outputs(plain) - before, rtol=1e-9, atol=1e-10)


def test_the_loss_is_divided_by_the_square_of_alpha():
    """A step in v at the rate eta is one in w at the rate eta of the loss of f_alpha over alpha^2."""
    inputs, labels = data()
    targets, made = SQUARES.targets(labels, torch.float64), trained(LAZY, 0.05, 1, batch_size=None)
    leaves = [w.requires_grad_() for w in start(PERCEPTRON)]
    f = Architecture.of(PERCEPTRON).apply(leaves, inputs)
    loss = SQUARES.value(3.0 * (f - f.detach()), targets).mean() / 3.0**2
    loss.backward()
    half = len(made.weights) // 2
    for v, w in zip(made.weights[:half], leaves, strict=True):
        torch.testing.assert_close(v[:1] / 3.0, -0.05 * w.grad, rtol=1e-9, atol=1e-12)


def test_a_large_alpha_is_kernel_gradient_descent():
    """The gap to the linearised network falls as 1 / alpha; that network follows f <- f - (2 eta / n) Theta (f - y)."""
    linear = trained(LINEAR, 0.05, 30, batch_size=None)
    gaps = [
        (outputs(trained({**LAZY, "alpha": a}, 0.05, 30, batch_size=None)) - outputs(linear)).norm() for a in (1e3, 1e4)
    ]
    assert 0 < gaps[1] < 1e-3 * outputs(linear).norm()
    assert gaps[0] / gaps[1] == pytest.approx(10, rel=0.1)
    inputs, labels = data()
    theta = tangent_kernel(Architecture.of(PERCEPTRON), start(PERCEPTRON), inputs).flatten(2).flatten(0, 1)
    y = SQUARES.targets(labels, torch.float64).flatten()
    f = torch.zeros_like(y)
    for _ in range(30):
        f = f - 2 * 0.05 / len(inputs) * theta @ (f - y)
    torch.testing.assert_close(outputs(linear)[0].flatten(), f, rtol=1e-8, atol=1e-9)


def test_one_step_of_gauss_newton_is_regression_with_the_tangent_kernel():
    inputs, labels = data()
    made = stack(LINEAR, [1e10], width=60)
    next(gauss_newton.train(made, inputs, SQUARES.targets(labels, torch.float64), loss=SQUARES))
    f, weights = Architecture.of(PERCEPTRON), start(PERCEPTRON, width=60)
    y = SQUARES.targets(labels, torch.float64).flatten()
    theta = tangent_kernel(f, weights, inputs).flatten(2).flatten(0, 1)
    torch.testing.assert_close(outputs(made)[0].flatten(), y, rtol=1e-5, atol=1e-5)
    fresh = torch.from_numpy(stream(0, "fresh").standard_normal((9, DIMENSION)))
    across = tangent_kernel(f, weights, fresh, inputs).flatten(2).flatten(0, 1)
    expected = (across @ torch.linalg.solve(theta, y)).view(9, 2)
    torch.testing.assert_close(made.architecture.apply(made.weights, fresh)[0], expected, rtol=1e-4, atol=1e-4)


def test_small_rates_of_gauss_newton_descend_along_the_gradient():
    step = trained(PERCEPTRON, 1e-6, 1, gauss_newton.train)
    plain = trained(PERCEPTRON, 0.5e-6, 1, batch_size=None)
    first = stack(PERCEPTRON, [1.0] * 2)
    for a, b, c in zip(step.weights, plain.weights, first.weights, strict=True):
        torch.testing.assert_close((a - c) / 1e-6, (b - c) / 1e-6, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("network", [LAZY, LINEAR])
def test_of_a_network_that_keeps_its_start_what_is_trained_counts(network):
    kept, plain = (Architecture.of(kind) for kind in (network, PERCEPTRON))
    weights, inner = start(network), start(PERCEPTRON)
    for count in (Architecture.n_parameters, Architecture.n_weights, Architecture.widths):
        assert count(kept, weights) == count(plain, inner)
    assert kept.widest(weights, 5) == plain.widest(inner, 5) > 0


@pytest.mark.parametrize("kind", ["lazy", "linearised"])
def test_blocks_of_convolutions_that_keep_their_start_are_as_long_as_those_of_others(kind):
    shape = {"n_inputs": 3 * 16, "n_outputs": 1, "depth": 1, "width": 4}
    kept, plain = (Architecture.of(network) for network in ({"kind": kind, "network": {"kind": "cnn"}}, "cnn"))
    generators = [stream(0, "start")]
    assert (
        kept.widest(kept.init(generators, **shape), 48) == plain.widest(plain.init(generators, **shape), 48) == 4 * 16
    )
    flat = plain.init(generators, **{**shape, "depth": 0})
    assert plain.widest(flat, 48) == 1


def test_layers_without_biases_are_refused_inside():
    for inside, why in (("deep_linear", "its layers have no biases"), (LAZY, "it keeps a start itself")):
        with pytest.raises(ValueError, match=why):
            start({**LAZY, "network": inside})
