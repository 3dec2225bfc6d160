"""The contract of tasks, over every kind: shapes, types, determinism, and the ends that a task declares."""

from inspect import signature
from string import Formatter

import numpy as np
import pytest

from isobath import binding, plugins
from isobath.contracts.common import check_documented, kinds, required
from isobath.contracts.tiny_files import files
from isobath.randomness import stream
from isobath.tasks import SampledTask, SplitTask

KINDS = kinds("task")
SAMPLED = [kind for kind in KINDS if plugins.verb_of("task", kind) == "sample"]
SPLIT = [kind for kind in KINDS if kind not in SAMPLED]


def check_pair(kind, settings, x, truth, n):
    complete = {name: default for name, (_, default) in plugins.schema("task", kind).items()} | settings
    ends = plugins.ends({"kind": kind, **complete})
    assert x.shape == (n, ends.features)
    assert x.dtype in (np.float32, np.float64)
    assert np.isfinite(x).all()
    if ends.real:
        assert truth.shape == (n, ends.outputs)
        assert truth.dtype.kind == "f"
        assert np.isfinite(truth).all()
    else:
        assert truth.shape == (n,)
        assert truth.dtype == np.int64
        assert 0 <= truth.min() <= truth.max() < ends.outputs


def check_order(truth):
    """Assert that samples come in an order that is independent of their truth, (n,) or (n, K)."""
    first = np.asarray(truth, dtype=float).reshape(len(truth), -1)[:, 0]
    if first.std():
        correlation = np.corrcoef(np.arange(len(first)), first)[0, 1]
        assert abs(correlation) * len(first) ** 0.5 < 5, "the samples are ordered by their labels or targets"


@pytest.mark.parametrize("kind", KINDS)
def test_a_title_is_made_of_settings(kind):
    title = plugins.literal("task", kind, "TITLE", "")
    assert {field for _, field, _, _ in Formatter().parse(title) if field} <= plugins.schema("task", kind).keys()


@pytest.mark.parametrize("kind", SAMPLED)
def test_every_sampled_task_keeps_the_contract(kind):
    check_documented("task", kind)
    module, settings = binding.load("task", kind), required("task", kind, dimension=3)
    assert isinstance(module, SampledTask)
    sample = binding.bound("task", {"kind": kind, **settings})
    x, truth = sample(40, generator=stream(0, "t"))
    check_pair(kind, settings, x, truth, 40)
    repeated = sample(40, generator=stream(0, "t"))
    np.testing.assert_array_equal(x, repeated[0])
    np.testing.assert_array_equal(truth, repeated[1])
    assert (sample(40, generator=stream(1, "t"))[0] != x).any()
    check_pair(kind, settings, *sample(1, generator=stream(0, "t")), 1)
    check_order(sample(400, generator=stream(0, "t"))[1])


@pytest.mark.parametrize("kind", SPLIT)
def test_every_split_task_keeps_the_contract(kind):
    check_documented("task", kind)
    module, settings = binding.load("task", kind), required("task", kind)
    assert isinstance(module, SplitTask)
    split, content = binding.bound("task", {"kind": kind, **settings}), files(kind)
    if missing := {*plugins.files(kind)} - content.keys():
        pytest.skip(f"nothing is known of the files {sorted(missing)}: test it on files of your own")
    given = {"files": content} if "files" in signature(module.split).parameters else {}

    def parts(n_train, seed=0):
        return split(n_train, 15, generator=stream(seed, "t"), **given)

    for n_train in (30, 60):
        train, test = parts(n_train)
        check_pair(kind, settings, *train, n_train)
        check_pair(kind, settings, *test, 15)
        check_order(train[1])
    for part, earlier in zip(parts(60), (train, test), strict=True):
        np.testing.assert_array_equal(part[0], earlier[0])
        np.testing.assert_array_equal(part[1], earlier[1])
    assert (parts(60, seed=1)[0][0] != train[0]).any()
    np.testing.assert_array_equal(parts(30)[0][1], train[1][:30])  # a smaller training set is the start of a larger
    if given:  # what is read from files has an end
        with pytest.raises(ValueError, match="n_train"):
            parts(10**6)


@pytest.mark.parametrize("kind", [kind for kind in SPLIT if plugins.files(kind)])
def test_a_missing_file_is_named(kind):
    with pytest.raises(ValueError, match=plugins.files(kind)[0].split("/")[0]):
        binding.bound("task", {"kind": kind, **required("task", kind)})(30, 15, generator=stream(0, "t"), files={})
