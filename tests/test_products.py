"""All ways of multiplying agree with einsum in float64, at every size and layout that a network asks for."""

import itertools

import pytest
import torch

from isobath.training import matmul

R = 3


def tensors(n_in, n_out, samples, dtype, *, by_columns):
    """w, z, b, delta and something to add to; ``by_columns``: z as a minibatch of rows, transposed, has it."""
    generator = torch.Generator().manual_seed(0)
    z = torch.randn(R, samples, n_in, generator=generator).transpose(1, 2)
    shapes = {"w": (R, n_out, n_in), "b": (R, 1, n_out), "delta": (R, n_out, samples)}
    found = {name: torch.randn(shape, generator=generator).to(dtype) for name, shape in shapes.items()}
    return found | {"z": (z if by_columns else z.contiguous()).to(dtype)}


def way(monkeypatch, name):
    """Force one of the ways, whatever the sizes."""
    monkeypatch.setattr(matmul, "one_by_one", lambda _: name != "batched")
    monkeypatch.setattr(matmul, "LARGE", 0 if name == "onednn" else 10**12)
    monkeypatch.setattr(matmul, "WORTH_A_CALL", 0 if name == "gemm" else 10**12)


WAYS = ["batched", "matmul", "gemm", pytest.param("onednn", marks=pytest.mark.skipif(not matmul.ONEDNN, reason=""))]


@pytest.mark.parametrize("by_columns", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 0.3])
@pytest.mark.parametrize(("n_in", "n_out", "samples"), [(5, 4, 7), (1, 6, 3), (6, 1, 3), (4, 5, 1), (33, 40, 21)])
@pytest.mark.parametrize("name", WAYS)
def test_products_equal_einsum(monkeypatch, name, n_in, n_out, samples, alpha, by_columns):
    way(monkeypatch, name)
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.float64, 1e-13)):
        t = tensors(n_in, n_out, samples, dtype, by_columns=by_columns)
        exact = {key: value.double() for key, value in t.items()}
        up = matmul.affine(t["w"], t["z"], t["b"], torch.empty_like(t["delta"]), alpha=alpha, beta=alpha / 2)
        below = matmul.product(t["w"].transpose(1, 2), t["delta"], torch.empty(R, n_in, samples, dtype=dtype))
        written, added = t["w"].clone(), t["w"].clone()
        matmul.outer(t["delta"], t["z"], written, alpha=-alpha, accumulate=False)
        matmul.outer(t["delta"], t["z"], added, alpha=-alpha, accumulate=True)
        gradient = torch.einsum("ron,rin->roi", exact["delta"], exact["z"])
        expected = [
            alpha * torch.einsum("roi,rin->ron", exact["w"], exact["z"]) + alpha / 2 * exact["b"].transpose(1, 2),
            torch.einsum("roi,ron->rin", exact["w"], exact["delta"]),
            -alpha * gradient,
            exact["w"] - alpha * gradient,
        ]
        for found, wanted in zip((up, below, written, added), expected, strict=True):
            torch.testing.assert_close(found.double(), wanted, rtol=tolerance, atol=10 * tolerance)


@pytest.mark.parametrize("name", WAYS)
def test_a_network_does_not_depend_on_its_stack(monkeypatch, name):
    """To the bit, but for the batched products."""
    way(monkeypatch, name)
    t = tensors(33, 17, 21, torch.float32, by_columns=True)
    together, alone = t["w"].clone(), t["w"].clone()
    matmul.outer(t["delta"], t["z"], together, alpha=-1.0, accumulate=True)
    for r in range(R):
        matmul.outer(t["delta"][r : r + 1], t["z"][r : r + 1], alone[r : r + 1], alpha=-1.0, accumulate=True)
    torch.testing.assert_close(together, alone, rtol=0, atol=1e-5 if name == "batched" else 0)


def test_products_of_networks_that_diverged_are_quiet(recwarn):
    huge = torch.full((R, 4, 4), 3e38)
    found = matmul.product(huge, -huge, torch.empty(R, 4, 4))
    assert torch.isinf(found).all()
    assert not recwarn.list


def test_the_way_is_a_matter_of_the_layer_alone():
    sizes = [(50, 40), (100, 500), (500, 500), (500, 2000)]
    found = {}
    for networks, (n_in, n_out) in itertools.product((1, 20), sizes):
        w, z = torch.empty(networks, n_out, n_in), torch.empty(networks, n_in, 50)
        found.setdefault((n_in, n_out), set()).add(matmul.large(w, z))
    assert [ways.pop() for ways in found.values()] == [False, False, matmul.ONEDNN, matmul.ONEDNN]
    assert not any(found.values())
