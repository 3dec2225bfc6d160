"""Counted costs against what torch counts and holds."""

import itertools

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from isobath import costs
from isobath.networks import mlp
from isobath.randomness import stream


@pytest.mark.parametrize(("n_inputs", "depth", "width"), [(500, 1, 2000), (500, 7, 100), (30, 3, 50), (9, 0, 0)])
def test_parameters_are_those_of_a_network(n_inputs, depth, width):
    weights = mlp.init([stream(0, "costs")], n_inputs=n_inputs, n_outputs=2, depth=depth, width=width)
    assert costs.parameters(costs.layer_sizes(n_inputs, depth, width)) == sum(w.numel() for w in weights)


@pytest.mark.parametrize("sizes", [[30, 2], [30, 40, 2], [30, 40, 40, 40, 3]])
def test_operations_are_those_that_torch_counts(sizes):
    layers = [nn.Linear(i, o) for i, o in itertools.pairwise(sizes)]
    with FlopCounterMode(display=False) as counter:
        nn.Sequential(*layers)(torch.randn(7, sizes[0])).square().sum().backward()
    assert counter.get_total_flops() == 7 * costs.sample_operations(sizes)
    assert costs.training_operations(sizes, 7, 3) == 3 * counter.get_total_flops()


def test_a_regression_of_the_papers_size_fits_in_eight_gigabytes():
    assert costs.regression_bytes(20_000) == 2 * 20_000 * 20_000 * 8
    assert costs.regression_bytes(20_000) + 1e9 < 8e9
