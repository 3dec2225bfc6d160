"""The contract of networks, over every kind: shapes, starts, hooks, and gradients by hand against autograd."""

import pytest
import torch

from isobath import binding, plugins
from isobath.contracts.common import check_documented, kinds, required
from isobath.networks import NetworkModule
from isobath.randomness import stream
from isobath.training.architecture import Architecture, AutogradWorkspace, n_parameters, outputs_in_blocks

KINDS = kinds("network")
SHAPE = {"n_inputs": 3 * 16, "n_outputs": 3, "depth": 1, "width": 4}


def made(kind, networks=3, **settings):
    network = Architecture.of({"kind": kind, **required("network", kind), **settings})
    generators = [stream(0, "networks", i) for i in range(networks)]
    return network, network.init(generators, **SHAPE, dtype=torch.float64)


def batch(*shape):
    return torch.from_numpy(stream(0, "x").standard_normal((*shape, SHAPE["n_inputs"])))


@pytest.mark.parametrize("kind", KINDS)
def test_every_network_keeps_the_contract(kind):
    check_documented("network", kind)
    assert isinstance(binding.load("network", kind), NetworkModule)
    network, weights = made(kind)
    assert all(len(w) == 3 and w.dtype == torch.float64 for w in weights)
    x, before = batch(5), [w.clone() for w in weights]
    f = network.apply(weights, x)
    assert f.shape == (3, 5, 3)
    assert all(map(torch.equal, weights, before))
    torch.testing.assert_close(network.apply(weights, batch(3, 5))[1], network.apply(weights, batch(3, 5)[1])[1])
    torch.testing.assert_close(outputs_in_blocks(network, weights, x, floats=1), f)
    size = network.size(**SHAPE)
    assert size.parameters == n_parameters(weights) >= network.n_weights(weights) > 0
    widths, outputs = network.widths(weights), SHAPE["n_outputs"]
    assert widths[-1] == outputs, f"widths ends with {widths[-1]}, and the outputs are {outputs}: write widths(weights)"
    assert network.widest(weights, SHAPE["n_inputs"]) >= max(network.widths(weights))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_weights_and_outputs_have_the_type_that_is_asked_for(kind, dtype):
    network = Architecture.of({"kind": kind, **required("network", kind)})
    weights = network.init([stream(0, "networks")], **SHAPE, dtype=dtype)
    network.require_contract(weights, batch(2).to(dtype), networks=1, n_outputs=3)
    assert network.apply(weights, batch(2).to(dtype)).dtype == dtype


@pytest.mark.parametrize("kind", KINDS)
def test_a_start_depends_on_its_own_generator_alone(kind):
    network, many = made(kind, 4)
    alone = network.init([stream(0, "networks", 2)], **SHAPE, dtype=torch.float64)
    assert all(torch.equal(a[2:3], b) for a, b in zip(many, alone, strict=True))
    assert any((a[0] != a[1]).any() for a in many)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("initialisation", plugins.kinds("initialisation"))
def test_every_network_takes_every_initialisation(kind, initialisation):
    if "initialisation" not in plugins.schema("network", kind):
        pytest.skip("this network draws its start itself")
    start = {"kind": initialisation, **required("initialisation", initialisation)}
    _, weights = made(kind, initialisation=start)
    assert all(torch.isfinite(w).all() for w in weights)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_of_a_workspace_are_those_of_autograd(kind):
    network, weights = made(kind)
    x, delta = batch(3, 5), torch.from_numpy(stream(0, "delta").standard_normal((3, 5, 3)))
    gradients = []
    for workspace in (network.workspace(weights, x), AutogradWorkspace(network, weights, x)):
        torch.testing.assert_close(workspace.forward(), network.apply(weights, x))
        gradients.append([torch.zeros_like(w) for w in weights])
        workspace.backward(delta, gradients[-1])
    for by_hand, expected in zip(*gradients, strict=True):
        torch.testing.assert_close(by_hand, expected, rtol=1e-10, atol=1e-12)
    moved = [w.clone() for w in weights]
    workspace = network.workspace(moved, x)
    workspace.forward()
    workspace.step_(delta)
    for after, w, g in zip(moved, weights, gradients[0], strict=True):
        torch.testing.assert_close(after, w - g, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_in_inputs_are_those_of_differences(kind):
    """Boundaries between classes are found along them, away from the start."""
    network, weights = made(kind)
    moved = [w + 0.1 * torch.from_numpy(stream(0, "moved", i).standard_normal(w.shape)) for i, w in enumerate(weights)]
    x, step = batch(5).requires_grad_(), 1e-6 * torch.from_numpy(stream(0, "step").standard_normal((5, 48)))
    (gradient,) = torch.autograd.grad(network.apply(moved, x).sum(), x)
    ends = [network.apply(moved, x.detach() + side * step).sum() for side in (1, -1)]
    torch.testing.assert_close((ends[0] - ends[1]) / 2e-6, (gradient * step).sum() / 1e-6, rtol=1e-5, atol=1e-5)
