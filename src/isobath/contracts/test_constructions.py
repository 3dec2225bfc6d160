"""The contract of constructions, over every kind, on tasks that it accepts."""

import contextlib

import pytest
import torch

from isobath import binding, plugins
from isobath.constructions import Built, ConstructionModule
from isobath.contracts.common import check_documented, kinds, required, studies
from isobath.jobs.specs import architecture
from isobath.randomness import stream
from isobath.training.architecture import outputs_in_blocks

KINDS = kinds("construction")


@pytest.fixture(scope="module")
def tasks():
    """Return the tasks of all studies."""
    return [{"kind": task.kind, **task.settings} for study in studies() for task in study.tasks.values()]


def accepted(kind, tasks):
    """Return the tasks that a construction accepts, with its settings at their defaults."""
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
