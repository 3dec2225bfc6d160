"""Counted costs against what torch counts and holds."""

import itertools
import math

import memory
import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from isobath import costs, estimates
from isobath.networks import cnn, mlp
from isobath.randomness import stream


@pytest.mark.parametrize(("n_inputs", "depth", "width"), [(500, 1, 2000), (500, 7, 100), (30, 3, 50), (9, 0, 0)])
def test_parameters_are_those_of_a_network(n_inputs, depth, width):
    shape = {"n_inputs": n_inputs, "n_outputs": 2, "depth": depth, "width": width}
    weights = mlp.init([stream(0, "costs")], **shape)
    assert costs.perceptron(**shape).parameters == sum(w.numel() for w in weights)


@pytest.mark.parametrize(("depth", "width", "n_outputs"), [(0, 0, 2), (1, 40, 2), (3, 40, 3)])
def test_operations_are_those_that_torch_counts(depth, width, n_outputs):
    sizes = [30, *[width] * depth, n_outputs]
    layers = [nn.Linear(i, o) for i, o in itertools.pairwise(sizes)]
    with FlopCounterMode(display=False) as counter:
        nn.Sequential(*layers)(torch.randn(7, sizes[0])).square().sum().backward()
    size = costs.perceptron(n_inputs=30, n_outputs=n_outputs, depth=depth, width=width)
    assert counter.get_total_flops() == 7 * size.operations
    assert costs.training_operations(size, 7, 3) == 3 * counter.get_total_flops()
    assert size.activations == sum(sizes)


@pytest.mark.parametrize(
    ("channels", "side", "depth", "width", "settings"),
    [(3, 32, 3, 6, {}), (1, 8, 2, 5, {}), (3, 32, 3, 4, {"stride": 1, "pools": 2})],
)
def test_the_size_of_a_convolutional_network_is_what_torch_counts(channels, side, depth, width, settings):
    shape = {"n_inputs": channels * side**2, "n_outputs": 10, "depth": depth, "width": width}
    weights = cnn.init([stream(0, "costs")], **shape, image_channels=channels, **settings)
    leaves = [w.requires_grad_() for w in weights]
    with FlopCounterMode(display=False) as counter:
        cnn.apply(
            leaves, torch.randn(7, shape["n_inputs"]), image_channels=channels, **settings
        ).square().sum().backward()
    size = costs.size(cnn.SIZE, shape, {"image_channels": channels, **settings, "initialisation": "none"})
    assert size.parameters == sum(w.numel() for w in weights)
    assert counter.get_total_flops() == 7 * size.operations


def test_a_regression_of_the_papers_size_fits_in_eight_gigabytes():
    assert costs.regression_bytes(20_000) == 2 * 20_000 * 20_000 * 8
    assert costs.regression_bytes(20_000) + 1e9 < 8e9


def training_spec(**changes):
    spec = {
        "cell": {"depth": 1, "width": 2000, "n_train": 10_000},
        "protocol": {"network": {"kind": "mlp"}, "batch_size": 50, "max_epochs": 1000, "precision": "float32"},
        "learning_rate": 0.1,
        "seeds": [0, 9],
    }
    return spec | changes


def test_time_limits_follow_what_is_counted():
    task = {"dimension": 500}
    size = estimates.network_size(training_spec(), task)
    assert size == costs.perceptron(n_inputs=500, n_outputs=2, depth=1, width=2000)
    one = costs.training_seconds(size, 1, 10_000, 1000, 1)
    assert 1000 * 10_000 * size.operations / costs.RATE < one
    spec = training_spec(seeds=[3, 3])
    assert estimates.training_minutes(spec, task) == math.ceil(5 + 2 * one / 60)
    sweep = estimates.training_minutes(training_spec(seeds=[3, 3], learning_rate=[0.1, 0.2]), task)
    assert sweep > estimates.training_minutes(spec, task)
    search = {"folds": 2, "initial": 3, "rounds": 1, "suggestions": 1}
    del spec["seeds"]
    assert estimates.training_minutes(spec | {"learning_rate": search}, task) > sweep
    assert estimates.training_minutes(training_spec(cell={"depth": 7, "width": 2000, "n_train": 10**6}), task) == 1440


@pytest.mark.parametrize(("n", "d", "depth", "width"), [(500, 100, 3, 200), (10_000, 20, 1, 20)])
def test_the_model_of_memory_covers_what_a_process_takes(n, d, depth, width):
    case = {"n": n, "d": d, "depth": depth, "width": width, "optimiser": "adam"}
    found = memory.per_network(case, 20, 120)
    assert found["measured"] < 1.1 * found["model"]
    if n == 500:  # the weights are what counts, and the model is no more than it has to be
        assert found["model"] < 2 * found["measured"]


@pytest.mark.slow
def test_a_stack_stays_within_the_memory_it_is_given():
    """A process that trains more networks than its memory holds at a time, under that limit."""
    case = {"n": 500, "d": 100, "depth": 3, "width": 200, "optimiser": "adam"}
    limit, nothing = 200e6, memory.peak(case, 1)
    assert memory.peak(case, 120) - nothing > 2 * limit
    assert memory.peak(case, 120, limit=limit) - nothing < limit
