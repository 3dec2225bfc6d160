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
from isobath.contracts.compiled_steps import check_alone, check_bounds, check_steps
from isobath.contracts.tiny_stacks import LOSS, data, stack
from isobath.protocols import ProtocolModule

KINDS = kinds("protocol")
RATES = [0.05, 0.02, 0.01]


def training(kind, networks, first=0, **settings):
    inputs, labels = data()
    loss = LOSS["cross_entropy"]
    train = binding.bound("protocol", {"kind": kind, **required("protocol", kind), **settings})
    return train(networks, inputs, loss.targets(labels, inputs.dtype), loss=loss, first_epoch=first)


@cache
def within_bounds(kind):
    check_bounds(partial(training, kind), outputs=2)


def epochs_of(kind, networks, first, count, **settings):
    within_bounds(kind)  # before anything compiled runs: it would crash Python
    epochs = training(kind, networks, first, **settings)
    return [next(epochs) for _ in range(count)]


def fresh(rates=RATES, first=0):
    return stack(rates, np.tile(np.arange(53), (len(rates), 1)), first=first)


def mean_loss(networks):
    inputs, labels = data()
    f, loss = networks.architecture.apply(networks.weights, inputs), LOSS["cross_entropy"]
    return loss.value(f, loss.targets(labels, inputs.dtype)).mean(1)


@pytest.mark.parametrize("kind", KINDS)
def test_every_protocol_keeps_the_contract(kind):
    check_documented("protocol", kind)
    assert isinstance(binding.load("protocol", kind), ProtocolModule)
    networks = fresh()
    before = mean_loss(networks)
    epochs = epochs_of(kind, networks, 0, 20)
    assert [epoch.number for epoch in epochs] == list(range(1, 21))
    assert epochs[-1].finite.tolist() == [True] * 3
    assert (mean_loss(networks) < before).all()
    assert plugins.literal("protocol", kind, "EPOCHS", math.inf) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_training_resumes_bit_by_bit(kind):
    uninterrupted, parts = fresh(), fresh()
    epochs_of(kind, uninterrupted, 0, 9)
    epochs_of(kind, parts, 0, 4)
    epochs_of(kind, parts, 4, 5)
    for expected, resumed in zip(uninterrupted.weights, parts.weights, strict=True):
        assert torch.equal(expected, resumed)


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_does_not_depend_on_its_neighbours(kind):
    together, alone = fresh(), fresh(RATES[1:2], first=1)
    for networks in (together, alone):
        epochs_of(kind, networks, 0, 5)
    for stacked, single in zip(together.weights, alone.weights, strict=True):
        torch.testing.assert_close(stacked[1], single[0], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_that_diverges_is_told_and_leaves_the_others_alone(kind):
    networks = fresh([0.05, math.inf, 0.01])
    assert epochs_of(kind, networks, 0, 3)[-1].finite.tolist() == [True, False, True]
    assert torch.isfinite(networks.weights[0][[0, 2]]).all()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "batch_size" in plugins.schema("protocol", kind)])
def test_without_a_batch_size_the_order_of_samples_is_of_no_matter(kind):
    forwards, backwards = fresh(), fresh()
    backwards = stack(RATES, forwards.rows[:, ::-1].copy())
    for networks in (forwards, backwards):
        epochs_of(kind, networks, 0, 5, batch_size=None)
    torch.testing.assert_close(forwards.weights, backwards.weights, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_step_in_compiled_code_is_that_in_torch(kind):
    batches = {"batch_size": 8} if "batch_size" in plugins.schema("protocol", kind) else {}
    check_steps(lambda networks: training(kind, networks, **batches), outputs=2)


@pytest.mark.parametrize("kind", KINDS)
def test_an_update_that_moves_each_parameter_alone_does(kind):
    check_alone(partial(training, kind), outputs=2)
