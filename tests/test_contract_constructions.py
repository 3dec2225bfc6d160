"""The contract of constructions, over every kind, on tasks that it accepts."""

import contextlib

import pytest
import torch
from contracts import check_documented, required, studies

from isobath import binding, plugins
from isobath.constructions import Built, ConstructionModule
from isobath.jobs.specs import architecture
from isobath.networks import mlp
from isobath.randomness import stream
from isobath.training.architecture import outputs_in_blocks

KINDS = plugins.kinds("construction")


@pytest.fixture(scope="module")
def tasks():
    """The tasks of all studies."""
    return [{"kind": task.kind, **task.settings} for study in studies() for task in study.tasks.values()]


def accepted(kind, tasks):
    """The tasks that a construction accepts, with its settings at their defaults."""
    defaults = {name: default for name, (_, default) in plugins.schema("construction", kind).items()}
    for task in tasks:
        with contextlib.suppress(ValueError):
            plugins.accept("construction", {"kind": kind, **defaults, **required("construction", kind)}, task)
            yield task


@pytest.mark.parametrize("kind", KINDS)
def test_every_construction_keeps_the_contract(kind, tasks):
    check_documented("construction", kind)
    assert isinstance(binding.load("construction", kind), ConstructionModule)
    subjects = list(accepted(kind, tasks))
    assert subjects
    for task in subjects:
        built = binding.bound("construction", {"kind": kind, **required("construction", kind)})(task)
        assert isinstance(built, Built)
        assert all(len(w) == 1 and w.dtype == torch.float64 and torch.isfinite(w).all() for w in built.weights)
        network, settings = architecture(built.network), {k: v for k, v in task.items() if k != "kind"}
        x, labels = binding.load("task", task["kind"]).sample(500, generator=stream(0, "c"), **settings)
        f = outputs_in_blocks(network, built.weights, torch.from_numpy(x).double())
        assert f.shape == (1, 500, 1)
        assert ((f[0, :, 0] > 0).numpy() == labels).mean() > 0.5
        again = binding.bound("construction", {"kind": kind, **required("construction", kind)})(task)
        assert all(map(torch.equal, built.weights, again.weights))


def test_a_construction_may_be_of_any_network():
    """Its scores then are those of that network: a stack of one, applied by the plug-in that it names."""
    weights = mlp.init([stream(0, "w")], n_inputs=3, n_outputs=1, depth=2, width=4, dtype=torch.float64)
    x = torch.from_numpy(stream(0, "x").standard_normal((5, 3)))
    linear, relu = (
        architecture(Built(weights, network).network).apply(weights, x)
        for network in ({"kind": "mlp", "activation": "identity"}, "mlp")
    )
    z = x.T
    for w, b in mlp.layers(weights):
        z = w[0] @ z + b[0].T
    torch.testing.assert_close(linear[0], z.T)
    assert (linear != relu).any()
