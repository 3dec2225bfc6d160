"""Residual networks and the maximal update parametrisation: equal networks, and how far a step moves features."""

import numpy as np
import pytest
import torch

from isobath.networks import mlp
from isobath.randomness import stream
from isobath.training.architecture import Architecture

SHAPE = {"n_inputs": 6, "n_outputs": 1}


def made(network, depth, width, networks=1):
    generators = [stream(0, "p", i) for i in range(networks)]
    return Architecture.of(network), Architecture.of(network).init(
        generators, **SHAPE, depth=depth, width=width, dtype=torch.float64
    )


def batch():
    return torch.from_numpy(stream(0, "x").standard_normal((40, 6)))


@pytest.mark.parametrize("depth", [0, 1])
def test_a_residual_network_without_branches_is_the_plain_one(depth):
    network, weights = made("residual", depth, 9)
    torch.testing.assert_close(network.apply(weights, batch()), mlp.apply(weights, batch()))


def test_branches_add_to_what_they_are_given():
    network, weights = made("residual", 3, 9)
    z = batch() @ weights[0][0].T + weights[1][0]
    for w, b in ((weights[2][0], weights[3][0]), (weights[4][0], weights[5][0])):
        z = z + (z.relu() @ w.T + b) / 2**0.5
    torch.testing.assert_close(network.apply(weights, batch())[0], z.relu() @ weights[6][0].T + weights[7][0])


def test_normalised_layers_do_not_feel_the_scale_of_their_inputs():
    network, weights = made({"kind": "residual", "normalisation": "layer"}, 4, 9)
    for b in weights[1::2]:
        b.zero_()
    without_branches = [w if i in (0, 1, 8, 9) else torch.zeros_like(w) for i, w in enumerate(weights)]
    f, scaled = (network.apply(without_branches, s * batch()) for s in (10, 1000))
    torch.testing.assert_close(f, scaled, rtol=1e-3, atol=1e-5)


def test_at_the_base_width_mup_is_the_plain_network_with_its_start():
    network, weights = made({"kind": "maximal_update", "base_width": 9}, 3, 9)
    _, plain = made({"kind": "mlp", "initialisation": "he_normal"}, 3, 9)
    assert all(map(torch.equal, weights, plain))
    torch.testing.assert_close(network.apply(weights, batch()), mlp.apply(weights, batch()))


def moved(kind, width, networks=30):
    """Return the mean change of the last features in a step of gradient descent on the mean output."""
    network, weights = made(kind, 2, width, networks)
    leaves = [w.requires_grad_() for w in weights]
    gradients = torch.autograd.grad(network.apply(leaves, batch()).mean((1, 2)).sum(), leaves)
    after = [(w - 0.01 * g).detach() for w, g in zip(leaves, gradients, strict=True)]
    identity = torch.eye(width, dtype=torch.float64).expand(networks, -1, -1)
    none = torch.zeros(networks, 1, width, dtype=torch.float64)

    def features(values):
        last = np.sqrt(width / 10) if kind != "mlp" else 1.0  # undoes the factor of the last layer
        return network.apply([*values[:-2], last * identity, none], batch()).relu()

    with torch.no_grad():
        return float((features(after) - features(weights)).abs().mean())


def test_a_step_moves_features_by_as_much_at_any_width():
    """The features of the plain network move less, the wider it is: by 1 / sqrt(H)."""
    mup = {"kind": "maximal_update", "base_width": 10}
    assert moved(mup, 160) / moved(mup, 40) == pytest.approx(1, abs=0.25)
    assert moved("mlp", 160) / moved("mlp", 40) == pytest.approx(0.5, abs=0.2)


def test_a_normalised_layer_has_no_mean_and_a_variance_of_one():
    network, w = made({"kind": "residual", "normalisation": "layer"}, 2, 9)

    def normalised(z):
        return (z - z.mean(1, keepdim=True)) / (z.var(1, keepdim=True, correction=0) + 1e-5).sqrt()

    z = batch() @ w[0][0].T + w[1][0]
    z = z + normalised(z).relu() @ w[2][0].T + w[3][0]
    torch.testing.assert_close(network.apply(w, batch())[0], normalised(z).relu() @ w[4][0].T + w[5][0])
