"""Constructions as networks of any kind."""

import numpy as np
import pytest
import torch

from isobath import plugins
from isobath.constructions import Built
from isobath.contracts import test_constructions as contract
from isobath.networks import mlp
from isobath.randomness import stream
from isobath.training.architecture import Architecture


def test_a_construction_may_be_of_any_network():
    """Its scores then are those of that network: a stack of one, applied by the plug-in that it names."""
    weights = mlp.init([stream(0, "w")], n_inputs=3, n_outputs=1, depth=2, width=4, dtype=torch.float64)
    x = torch.from_numpy(stream(0, "x").standard_normal((5, 3)))
    linear, relu = (
        Architecture.of(Built(weights, network).network).apply(weights, x)
        for network in ({"kind": "mlp", "activation": "identity"}, "mlp")
    )
    z = x.T
    for w, b in mlp.layers(weights):
        z = w[0] @ z + b[0].T
    torch.testing.assert_close(linear[0], z.T)
    assert (linear != relu).any()


@pytest.mark.parametrize("task", [{"kind": "diabetes"}, {"kind": "linear_teacher", "dimension": 3}, {"kind": "digits"}])
def test_the_contract_judges_outputs_on_finite_data_sets_and_on_real_targets(task):
    x, truth = contract.drawn_from(task)
    ends = plugins.ends(task)
    right = truth if ends.real else np.eye(ends.outputs)[truth]
    contract.check_better_than_guessing(right, truth, ends)
    with pytest.raises(AssertionError):
        contract.check_better_than_guessing(-right, truth, ends)
    assert len(x) == len(truth)
