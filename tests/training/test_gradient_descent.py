"""Gradient descent with rates in units of 1 / lambda_max: lambda_max of a network's own rows, and the edge at 2."""

import itertools

import numpy as np
import pytest
import torch

from isobath.contracts.tiny_stacks import LOSS, data, padded, stack
from isobath.jobs.specs import loss
from isobath.networks import deep_linear
from isobath.protocols import gradient_descent, sgd
from isobath.protocols.gradient_descent import largest_curvatures
from isobath.training.architecture import Architecture
from isobath.training.stacks import Stack, pack

MEAN_SQUARED_ERROR = LOSS["mean_squared_error"]


def curvature(x):
    return float(np.linalg.svd(x, compute_uv=False)[0]) ** 2 / len(x)


def test_lambda_max_is_that_of_the_rows_that_a_network_sees():
    inputs, _ = data()
    lists = [range(53), range(20), range(10, 14)]  # the last has fewer rows than inputs have components
    expected = [curvature(inputs.numpy()[list(rows)]) for rows in lists]
    assert largest_curvatures(padded(53, lists), inputs) == pytest.approx(expected, rel=1e-12)


def test_it_is_descent_at_the_rate_over_lambda_max():
    inputs, labels = data()
    targets = MEAN_SQUARED_ERROR.targets(labels, inputs.dtype)
    rows = padded(53, [range(53), range(30)])
    scaled = stack([0.2, 0.1], rows)
    plain = stack((np.array([0.2, 0.1]) / largest_curvatures(rows, inputs)).tolist(), rows)
    for _ in itertools.islice(gradient_descent.train(scaled, inputs, targets, loss=MEAN_SQUARED_ERROR), 5):
        pass
    how = {"loss": MEAN_SQUARED_ERROR, "batch_size": None}
    for _ in itertools.islice(sgd.train(plain, inputs, targets, **how), 5):
        pass
    assert torch.equal(scaled.parameters, plain.parameters)
    assert scaled.rates.tolist() == [0.2, 0.1]  # in the units in which they were given


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_a_linear_network_is_stable_below_two_whatever_the_scale_of_its_inputs(scale):
    x = scale * data()[0]
    y = x @ torch.linspace(-1, 1, x.shape[1], dtype=x.dtype)[:, None]
    weights = deep_linear.init(
        [np.random.default_rng(0)] * 2, n_inputs=x.shape[1], n_outputs=1, depth=0, width=0, dtype=x.dtype
    )
    rows, rates = np.tile(np.arange(len(x)), (2, 1)), torch.tensor([1.9, 2.1], dtype=x.dtype)
    made = Stack(Architecture(deep_linear, {}), pack(weights), [w.shape[1:] for w in weights], rows, rates, [0, 1])
    for _ in itertools.islice(gradient_descent.train(made, x, y, loss=loss({"kind": "power", "p": 2})), 400):
        pass
    error = (made.architecture.apply(made.weights, x) - y).square().mean((1, 2)) / y.square().mean()
    assert error[0] < 1e-3
    assert error[1] > 1


def test_inputs_that_are_not_finite_have_no_lambda_max():
    assert np.isnan(largest_curvatures(padded(2, [range(2)]), torch.tensor([[1.0, torch.inf], [0.0, 1.0]]))).all()
