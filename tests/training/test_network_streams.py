"""Random streams of networks: which networks start from the same initial weights."""

import numpy as np
import pytest
import torch

import isobath
from isobath.jobs.network_streams import streams
from isobath.jobs.stored_networks import started, trained

CELL = {"task": "a", "depth": 2, "width": 4}
SAMPLES = np.random.default_rng(0).standard_normal((30, 3)), np.arange(30) % 2


def untrained(**options):
    """Return the weights (seed, parameters) of networks that a single step at a rate of nearly 0 has left alone."""
    how = {"depth": 2, "width": 4, "rate": 1e-12, "max_epochs": 1, "name": "a", "store": "weights"}
    return isobath.train(*SAMPLES, test=SAMPLES, networks=2, **how, **options).weights.values


def test_networks_of_each_data_set_start_from_weights_of_their_own():
    """Once those of all data sets were the same, and yet data sets counted as independent units."""
    weights = np.concatenate([untrained(draw=draw) for draw in (0, 1, 7)])
    distances = np.abs(weights[:, None] - weights[None]).max(-1)
    assert (distances + np.eye(6) > 0.1).all()
    np.testing.assert_array_equal(untrained(draw=1), weights[2:4])


def test_the_first_data_set_has_the_name_without_a_number():
    assert streams({**CELL, "draw": 0}) == ("a", 2, 4)
    assert streams({**CELL, "draw": 3}) == ("a", 2, 4, "draw", 3)


@pytest.mark.parametrize("draw", [0, 1])
def test_a_start_that_is_drawn_again_is_that_of_the_training(draw):
    protocol = {"network": {"kind": "mlp", "initialisation": {"kind": "he_normal"}}, "precision": "float64"}
    spec = {"cell": {**CELL, "draw": draw}, "seed": 5, "protocol": protocol}
    how = {"network": protocol["network"], "precision": "float64"}
    flat = untrained(draw=draw, seed=5, **how)
    end = trained(protocol, spec["cell"], flat, inputs=3, outputs=2, device=torch.device("cpu"))
    again = started(spec, end, [0, 1], inputs=3, outputs=2)
    for one, other in zip(end.weights, again.weights, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
