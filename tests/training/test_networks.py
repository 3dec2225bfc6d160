"""Multilayer perceptrons against the equations, and their starts."""

import hashlib
import itertools
import math

import numpy as np
import pytest
import torch
from scipy.stats import truncnorm

from isobath.contracts.tiny_stacks import start_settings
from isobath.networks import cnn, mlp
from isobath.randomness import stream

INITIALISATIONS = ["glorot_uniform", "glorot_normal", "he_normal", "lecun_truncated", "orthogonal", "ntk"]


def starts(n, *, start="glorot_uniform", **shape):
    settings = {"n_inputs": 6, "n_outputs": 2, "depth": 2, "width": 5, "dtype": torch.float64} | shape
    settings |= start_settings(start)
    return mlp.init([stream(0, "networks", i) for i in range(n)], **settings)


def literal(weights, x, network, initialisation="glorot_uniform", beta=0.1, input_variance=2):
    """Return eqs. 4 and 5 for one network and one sample, unit by unit."""
    z = [float(v) for v in x]
    layers = len(weights) // 2
    for layer in range(layers):
        w, b = weights[2 * layer][network], weights[2 * layer + 1][network, 0]
        a, c = 1.0, 1.0
        if initialisation == "ntk":
            a, c = math.sqrt((input_variance if layer == 0 else 2) / w.shape[1]), beta
        z = [a * sum(z[j] * float(w[i, j]) for j in range(w.shape[1])) + c * float(b[i]) for i in range(w.shape[0])]
        if layer < layers - 1:
            z = [max(v, 0.0) for v in z]
    return z


@pytest.mark.parametrize("depth", [0, 1, 3])
@pytest.mark.parametrize("initialisation", INITIALISATIONS)
def test_outputs_are_those_of_the_equations(depth, initialisation):
    weights = starts(3, depth=depth, start=initialisation)
    for b in weights[1::2]:
        b.add_(torch.from_numpy(stream(1, "bias").standard_normal(b.shape)))
    x = torch.from_numpy(stream(0, "x").standard_normal((4, 6)))
    f = mlp.apply(weights, x, **start_settings(initialisation))
    workspace = mlp.Workspace(weights, x.expand(3, 4, 6), **start_settings(initialisation))
    for found in (f, workspace.forward()):
        for network in range(3):
            for sample in range(4):
                expected = literal(weights, x[sample], network, initialisation)
                np.testing.assert_allclose(found[network, sample].numpy(), expected, rtol=1e-12, atol=1e-13)


def test_each_network_may_have_its_own_inputs():
    weights = starts(3)
    x = torch.from_numpy(stream(0, "x").standard_normal((3, 4, 6)))
    together = mlp.apply(weights, x)
    for i in range(3):
        torch.testing.assert_close(together[i], mlp.apply(weights, x[i])[i], rtol=1e-13, atol=1e-14)


def test_applying_changes_neither_weights_nor_inputs():
    weights, x = starts(2), torch.ones(3, 6, dtype=torch.float64)
    before = [w.clone() for w in weights]
    mlp.apply(weights, x)
    assert (x == 1).all()
    assert all(torch.equal(a, b) for a, b in zip(before, weights, strict=True))


@pytest.mark.parametrize(("depth", "width", "parameters"), [(1, 2000, 1_006_002), (7, 100, 110_902), (0, 0, 1_002)])
def test_the_sizes_of_the_paper(depth, width, parameters):
    """The sizes are of section 3.2, d = 500: L = 1, H = 2000 has 1.0e6 parameters and L = 7, H = 100 has 1.1e5."""
    weights = starts(1, n_inputs=500, depth=depth, width=width, dtype=torch.float32)
    assert sum(w.numel() for w in weights) == parameters


CUT = truncnorm(-2, 2).var()  # what cutting at two standard deviations leaves of the variance


@pytest.mark.parametrize(
    ("initialisation", "variances"),
    [
        ("glorot_uniform", [2 / 500, 2 / 600, 2 / 402]),
        ("glorot_normal", [2 / 500, 2 / 600, 2 / 402]),
        ("he_normal", [2 / 200, 2 / 300, 2 / 400]),
        ("lecun_truncated", [CUT / 200, CUT / 300, CUT / 400]),
    ],
)
def test_the_variance_of_the_starts(initialisation, variances):
    shape = {"n_inputs": 200, "n_outputs": 2, "dtype": torch.float64, "initialisation": initialisation}
    generators = [stream(0, "variance", i) for i in range(40)]
    layers = [(200, 300), (300, 300), (400, 2)]
    for (fan_in, fan_out), variance in zip(layers, variances, strict=True):
        if fan_out == 2:
            w = mlp.init(generators, **shape | {"n_inputs": 9}, depth=1, width=400)[2]
        else:
            w = mlp.init(generators, **shape, depth=2, width=300)[0 if fan_in == 200 else 2]
        tolerance = 4 * variance * math.sqrt(2 / w.numel())  # four standard errors, of normal weights
        assert abs(w.var().item() - variance) < tolerance
        assert abs(w.mean().item()) < 4 * math.sqrt(variance / w.numel())
        if initialisation == "lecun_truncated":
            assert w.abs().max().item() <= 2 / math.sqrt(fan_in)
        if initialisation == "glorot_uniform":
            assert w.abs().max().item() <= math.sqrt(6 / (fan_in + fan_out))


def test_orthogonal_starts_are_orthogonal_and_uniform():
    shape = {"n_inputs": 4, "n_outputs": 1, "depth": 2, "width": 7, "initialisation": "orthogonal"}
    weights = mlp.init([stream(0, "orthogonal", i) for i in range(2000)], **shape, dtype=torch.float64)
    for w in weights[::2]:
        out, fan_in = w.shape[1:]
        gram = w.mT @ w if out >= fan_in else w @ w.mT
        torch.testing.assert_close(gram, torch.eye(min(out, fan_in), dtype=w.dtype).expand_as(gram))
        # Haar: mean 0, and E w^2 = 1 / (the longer side), for every entry
        assert w.mean(0).abs().max().item() < 5 / math.sqrt(2000 * max(out, fan_in))
        torch.testing.assert_close(
            w.square().mean(0), torch.full((out, fan_in), 1 / max(out, fan_in), dtype=w.dtype), rtol=0.2, atol=0
        )


@pytest.mark.parametrize(("stride", "pools", "features"), [(2, 0, 20), (1, 0, 320), (1, 1, 80), (1, 2, 20)])
@pytest.mark.parametrize("shared", [True, False])
def test_a_stack_of_convolutional_networks_is_each_of_them(shared, stride, pools, features):
    generators, settings = [stream(0, "cnn", i) for i in range(3)], {"stride": stride, "pools": pools}
    weights = cnn.init(generators, n_inputs=3 * 64, n_outputs=10, depth=2, width=5, dtype=torch.float64, **settings)
    assert [tuple(w.shape[1:]) for w in weights] == [(5, 3, 5, 5), (5,), (5, 5, 5, 5), (5,), (10, features), (1, 10)]
    weights = [w + 0.01 for w in weights]  # biases that are not zero
    x = torch.from_numpy(stream(0, "x").standard_normal((3, 4, 192)))
    outputs = cnn.apply(weights, x[0] if shared else x, **settings)
    for i in range(3):
        z = x[0 if shared else i].reshape(4, 3, 8, 8)
        for layer in (0, 1):
            padded = torch.nn.functional.pad(z, (2, 2, 2, 2))
            patches = padded.unfold(2, 5, stride).unfold(3, 5, stride)  # (n, c, y, x, 5, 5)
            z = torch.einsum("ncyxkl,ockl->noyx", patches, weights[2 * layer][i])
            z = torch.relu(z + weights[2 * layer + 1][i][:, None, None])
            if layer < pools:
                z = z.unfold(2, 2, 2).unfold(3, 2, 2).amax((-1, -2))
        expected = z.flatten(1) @ weights[4][i].T + weights[5][i]
        torch.testing.assert_close(outputs[i], expected, rtol=1e-12, atol=1e-13)


def test_without_convolutions_outputs_are_linear_in_the_image():
    shape = {"n_inputs": 3 * 64, "n_outputs": 10, "depth": 0, "width": 5}
    weights = cnn.init([stream(0, "cnn", i) for i in range(3)], **shape, dtype=torch.float64)
    x = torch.from_numpy(stream(0, "x").standard_normal((4, 192)))
    torch.testing.assert_close(cnn.apply(weights, x), x @ weights[0].mT + weights[1])


def test_the_convolutional_network_of_the_paper_is_as_large_as_the_data_at_jamming():
    """Jamming is at f = 24..28 with 50,000 images (section 8); the filter is our assumption."""
    for width, weights in ((24, 34_440), (28, 45_780)):
        made = cnn.init([stream(0, "f")], n_inputs=3072, n_outputs=10, depth=3, width=width)
        assert cnn.n_weights(made) == weights
    with pytest.raises(ValueError, match="no square image"):
        cnn.init([stream(0, "f")], n_inputs=3071, n_outputs=10, depth=3, width=2)


def test_weights_are_counted_without_biases():
    """N = n_in h + (L - 1) h^2 + h: 938, 13623 and 6414815 are h = 14, 57 and 1265."""
    for width, weights in ((14, 938), (57, 13_623)):
        assert mlp.n_weights(starts(1, n_inputs=10, n_outputs=1, depth=5, width=width)) == weights


def test_biases_start_at_zero_but_for_the_ntk():
    for initialisation in INITIALISATIONS:
        biases = starts(2, start=initialisation)[1::2]
        assert all((b == 0).all() for b in biases) == (initialisation != "ntk")


def test_biases_start_at_what_is_asked():
    weights = starts(2, start={"kind": "lecun_truncated", "bias": 0.1})
    assert all((b == 0.1).all() for b in weights[1::2])
    assert torch.equal(weights[0], starts(2, start="lecun_truncated")[0])


@pytest.mark.parametrize("initialisation", INITIALISATIONS)
def test_a_start_depends_on_its_own_generator_alone(initialisation):
    many = starts(5, start=initialisation)
    alone = mlp.init(
        [stream(0, "networks", 3)],
        n_inputs=6, n_outputs=2, depth=2, width=5, dtype=torch.float64, **start_settings(initialisation),
    )  # fmt: skip
    assert all(torch.equal(a[3:4], b) for a, b in zip(many, alone, strict=True))


GOLDEN = {
    "glorot_uniform": "395fe3ed",
    "glorot_normal": "c275bdf4",
    "he_normal": "453f9f6a",
    "lecun_truncated": "824ee7be",
    "orthogonal": "11ef09ea",
    "ntk": "6ee7634c",
}


@pytest.mark.parametrize("initialisation", INITIALISATIONS)
def test_starts_are_the_same_everywhere(initialisation):
    """A change here changes every published number: bump the version."""
    weights = mlp.init(
        [stream(s, "golden") for s in range(3)],
        n_inputs=6, n_outputs=2, depth=2, width=5, dtype=torch.float64, **start_settings(initialisation),
    )  # fmt: skip
    # As (in, out), which is how they are drawn; float32 forgives the last bit of a square root.
    digest = hashlib.sha256(b"".join(w.mT.numpy().astype("<f4").tobytes() for w in weights)).hexdigest()
    assert digest[:8] == GOLDEN[initialisation]


def test_filters_have_the_fans_of_their_pixels():
    """Glorot's limits for 5 x 5 filters of 3 and 5 channels, and for 4 x 5 inputs and ten outputs of the last layer."""
    weights = cnn.init([stream(0, "fans", i) for i in range(20)], n_inputs=192, n_outputs=10, depth=2, width=5)
    for filters, fans in zip(weights[::2], (75 + 125, 125 + 125, 20 + 10), strict=True):
        limit = math.sqrt(6 / fans)
        assert 0.99 * limit < filters.abs().max() <= limit


def test_the_variance_of_the_first_layer_is_the_one_that_is_asked_for():
    how = {"parametrisation": "ntk", "beta": 0.3, "input_variance": 1}
    weights, x = starts(2, start="ntk"), torch.from_numpy(stream(0, "x").standard_normal((3, 6)))
    f = mlp.apply(weights, x, **how)
    for network, sample in itertools.product(range(2), range(3)):
        expected = literal(weights, x[sample], network, "ntk", beta=0.3, input_variance=1)
        np.testing.assert_allclose(f[network, sample].numpy(), expected, rtol=1e-12)
