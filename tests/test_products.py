"""The two ways of multiplying agree with each other and with float64, and with autograd behind them."""

import pytest
import torch

from isobath import products
from isobath.networks import mlp
from isobath.randomness import stream

R, N, IN, OUT = 3, 7, 5, 4


def tensors(dtype):
    generator = torch.Generator().manual_seed(0)
    shapes = {"z": (R, N, IN), "w": (R, OUT, IN), "b": (R, 1, OUT), "delta": (R, N, OUT)}
    return {name: torch.randn(shape, generator=generator).to(dtype) for name, shape in shapes.items()}


def results(dtype, alpha, keep):
    t = tensors(dtype)
    up, down, outer = t["delta"].clone(), t["z"].clone(), t["w"].clone()
    products.affine_relu(t["z"], t["w"], t["b"], up, alpha=alpha, beta=alpha / 2 if alpha != 1 else 1.0)
    products.lower(t["delta"], t["w"], down, alpha=alpha)
    products.outer(t["delta"], t["z"], outer, alpha=-alpha, keep=keep)
    return up, down, outer


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_one_by_one_equals_batched_and_einsum(monkeypatch, alpha, keep):
    t, beta = tensors(torch.float64), alpha / 2 if alpha != 1 else 1.0
    expected = (
        torch.relu(alpha * torch.einsum("rni,roi->rno", t["z"], t["w"]) + beta * t["b"]),
        alpha * torch.einsum("rno,roi->rni", t["delta"], t["w"]),
        keep * t["w"] - alpha * torch.einsum("rno,rni->roi", t["delta"], t["z"]),
    )
    assert not products.one_by_one(IN, OUT, N, tensors(torch.float32)["z"])
    batched = results(torch.float32, alpha, keep)
    monkeypatch.setattr(products, "LARGE", 0)
    assert products.one_by_one(IN, OUT, N, tensors(torch.float32)["z"]) is torch.backends.mkldnn.is_available()
    assert not products.one_by_one(IN, OUT, N, tensors(torch.float64)["z"])
    for found in (batched, results(torch.float32, alpha, keep)):
        for a, b in zip(found, expected, strict=True):
            torch.testing.assert_close(a.double(), b, rtol=2e-6, atol=2e-6)


def test_a_network_with_large_layers_has_the_same_outputs_and_gradients(monkeypatch):
    starts = [stream(0, "products", i) for i in range(R)]
    weights = mlp.init(starts, n_inputs=IN, n_outputs=2, depth=3, width=6)
    x, delta = torch.randn(R, N, IN), torch.randn(R, N, 2)

    def computed():
        workspace = mlp.Workspace(weights, x)
        outputs, gradients = workspace.forward().clone(), [torch.zeros_like(w) for w in weights]
        workspace.backward(delta.clone(), gradients)
        return [outputs, mlp.apply(weights, x), *gradients]

    batched = computed()
    monkeypatch.setattr(products, "LARGE", 0)
    for a, b in zip(computed(), batched, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)
