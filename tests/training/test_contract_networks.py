"""Single networks, by hand."""

import numpy as np
import pytest
import torch

from isobath.randomness import stream
from isobath.training.architecture import Architecture, AutogradWorkspace

SHAPE = {"n_inputs": 3 * 16, "n_outputs": 3, "depth": 1, "width": 4}


def batch(*shape):
    return torch.from_numpy(stream(0, "x").standard_normal((*shape, SHAPE["n_inputs"])))


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_a_perceptron_without_activation_is_a_product_of_matrices(depth):
    """It is a deep linear network: its values are compared, and its gradients with autograd."""
    network = Architecture.of(
        {"kind": "mlp", "activation": "identity", "initialisation": {"kind": "he_normal", "bias": 0.1}}
    )
    weights = network.init([stream(0, "deep")], **SHAPE | {"depth": depth}, dtype=torch.float64)
    x = batch(1, 6)
    z = x[0].T
    for w, b in zip(weights[::2], weights[1::2], strict=True):
        z = w[0] @ z + b[0].T
    torch.testing.assert_close(network.apply(weights, x[0])[0], z.T)
    gradients, delta = [], torch.ones(1, 6, 3, dtype=torch.float64)
    for workspace in (network.workspace(weights, x), AutogradWorkspace(network, weights, x)):
        workspace.forward()
        gradients.append([torch.zeros_like(w) for w in weights])
        workspace.backward(delta, gradients[-1])
    for by_hand, expected in zip(*gradients, strict=True):
        torch.testing.assert_close(by_hand, expected, rtol=1e-12, atol=1e-12)


def test_a_standard_start_in_the_ntk_parametrisation_is_that_of_he():
    """Weights N(0, 1) times sqrt(2 / in) are He's, number by number; biases are scaled by beta."""
    ntk, plain = (
        {"kind": "mlp", "initialisation": k, **s}
        for k, s in (("standard_normal", {"parametrisation": "ntk", "beta": 0.0}), ("he_normal", {}))
    )
    shape = SHAPE | {"depth": 0}
    weights = [Architecture.of(n).init([np.random.default_rng(0)], **shape, dtype=torch.float64) for n in (ntk, plain)]
    x = batch(5)
    torch.testing.assert_close(Architecture.of(ntk).apply(weights[0], x), Architecture.of(plain).apply(weights[1], x))
