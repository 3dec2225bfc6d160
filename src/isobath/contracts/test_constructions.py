"""The contract of constructions, over every kind, on tasks that it accepts."""

import contextlib

import numpy as np
import pytest
import torch

from isobath import binding, plugins
from isobath.classes import predicted
from isobath.constructions import Built, ConstructionModule
from isobath.contracts.common import check_documented, kinds, required, studies
from isobath.contracts.tiny_files import files
from isobath.randomness import stream
from isobath.results.constructions import NETWORK
from isobath.training.architecture import Architecture, outputs_in_blocks

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


def drawn_from(task):
    """Return inputs (n, d) and labels or targets of a task; None if there are no files of it to draw from."""
    kind = task["kind"]
    draw = binding.bound("task", task)
    if plugins.verb_of("task", kind) == "sample":
        return draw(500, generator=stream(0, "c"))
    content = files(kind)
    missing = {*plugins.files(kind)} - content.keys()
    return None if missing else draw(30, 15, generator=stream(0, "c"), files=content)[1]


def check_better_than_guessing(f, truth, ends):
    """Assert that outputs (n, K) have as many columns as the task asks for, and are right more often than a guess."""
    if ends.real:
        assert f.shape == truth.shape
        assert ((f - truth) ** 2).mean() < np.var(truth, axis=0).mean()
    else:
        assert f.shape[1] in ({1, 2} if ends.outputs == 2 else {ends.outputs})
        assert (predicted(f) == truth).mean() > 1 / ends.outputs


@pytest.mark.parametrize("kind", KINDS)
def test_every_construction_keeps_the_contract(kind, tasks):
    check_documented("construction", kind)
    assert isinstance(binding.load("construction", kind), ConstructionModule)
    named = binding.parts(plugins.literal("construction", kind, "NETWORK", NETWORK))
    subjects = list(accepted(kind, tasks))
    assert subjects, f"no task of a study is one that {kind} accepts: add one to a study, and name {kind} there"
    for task in subjects:
        built = binding.bound("construction", {"kind": kind, **required("construction", kind)})(task)
        assert isinstance(built, Built)
        assert binding.parts(built.network) == named, f"NETWORK = {built.network!r} must stand in {kind}.py"
        assert all(len(w) == 1 and w.dtype == torch.float64 and torch.isfinite(w).all() for w in built.weights)
        if (sample := drawn_from(task)) is not None:
            x, truth = sample
            f = outputs_in_blocks(Architecture.of(built.network), built.weights, torch.from_numpy(x).double())
            assert f.shape[:2] == (1, len(x))
            check_better_than_guessing(f[0].numpy(), truth, plugins.ends(task))
        rebuilt = binding.bound("construction", {"kind": kind, **required("construction", kind)})(task)
        assert all(map(torch.equal, built.weights, rebuilt.weights))
