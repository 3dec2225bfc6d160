"""The contract of protocols, over every kind: they train, alone as in a stack, and resume bit by bit.

Compiled code and torch train the same networks.
"""

import math
from functools import cache, partial

import numpy as np
import pytest
import torch

from isobath import binding, plugins
from isobath.contracts.common import check_documented, kinds, required
from isobath.contracts.compiled_steps import check_bounds, check_steps
from isobath.contracts.tiny_stacks import LOSS, data, stack
from isobath.protocols import ProtocolModule

KINDS = kinds("protocol")
RATES = [0.05, 0.02, 0.01]


def training(kind, made, first=0, **settings):
    inputs, labels = data()
    loss = LOSS["cross_entropy"]
    train = binding.bound("protocol", {"kind": kind, **required("protocol", kind), **settings})
    return train(made, inputs, loss.targets(labels, inputs.dtype), loss=loss, first_epoch=first)


@cache
def within_bounds(kind):
    check_bounds(partial(training, kind), outputs=2)


def epochs_of(kind, made, first, count, **settings):
    within_bounds(kind)  # before anything compiled runs: it would crash Python
    epochs = training(kind, made, first, **settings)
    return [next(epochs) for _ in range(count)]


def fresh(rates=RATES, first=0):
    return stack(rates, np.tile(np.arange(53), (len(rates), 1)), first=first)


def mean_loss(made):
    inputs, labels = data()
    f, loss = made.architecture.apply(made.weights, inputs), LOSS["cross_entropy"]
    return loss.value(f, loss.targets(labels, inputs.dtype)).mean(1)


@pytest.mark.parametrize("kind", KINDS)
def test_every_protocol_keeps_the_contract(kind):
    check_documented("protocol", kind)
    assert isinstance(binding.load("protocol", kind), ProtocolModule)
    made = fresh()
    before = mean_loss(made)
    epochs = epochs_of(kind, made, 0, 20)
    assert [epoch.number for epoch in epochs] == list(range(1, 21))
    assert epochs[-1].finite.tolist() == [True] * 3
    assert (mean_loss(made) < before).all()
    assert plugins.literal("protocol", kind, "EPOCHS", math.inf) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_training_resumes_bit_by_bit(kind):
    whole, parts = fresh(), fresh()
    epochs_of(kind, whole, 0, 9)
    epochs_of(kind, parts, 0, 4)
    epochs_of(kind, parts, 4, 5)
    for one, other in zip(whole.weights, parts.weights, strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_does_not_depend_on_its_neighbours(kind):
    together, alone = fresh(), fresh(RATES[1:2], first=1)
    for made in (together, alone):
        epochs_of(kind, made, 0, 5)
    for many, one in zip(together.weights, alone.weights, strict=True):
        torch.testing.assert_close(many[1], one[0], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_that_diverges_is_told_and_leaves_the_others_alone(kind):
    made = fresh([0.05, math.inf, 0.01])
    assert epochs_of(kind, made, 0, 3)[-1].finite.tolist() == [True, False, True]
    assert torch.isfinite(made.weights[0][[0, 2]]).all()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "batch_size" in plugins.schema("protocol", kind)])
def test_without_a_batch_size_the_order_of_samples_is_of_no_matter(kind):
    one, other = fresh(), fresh()
    other = stack(RATES, one.rows[:, ::-1].copy())
    for made in (one, other):
        epochs_of(kind, made, 0, 5, batch_size=None)
    torch.testing.assert_close(one.weights, other.weights, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_step_in_compiled_code_is_that_in_torch(kind):
    batches = {"batch_size": 8} if "batch_size" in plugins.schema("protocol", kind) else {}
    check_steps(lambda made: training(kind, made, **batches), outputs=2)
