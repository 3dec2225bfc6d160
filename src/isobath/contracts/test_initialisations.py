"""The contract of initialisations, over every kind: shapes, moments, and determinism."""

import numpy as np
import pytest

from isobath import binding, plugins
from isobath.contracts.common import check_documented, kinds, required
from isobath.initialisations import InitialisationModule
from isobath.randomness import stream

KINDS = kinds("initialisation")
IN, OUT = 30, 50


def draw(kind, seed, shape=(IN, OUT), *, fan_in=IN, fan_out=OUT, units=OUT, **settings):
    bound = binding.bound("initialisation", {"kind": kind, **required("initialisation", kind), **settings})
    return bound(stream(seed, "start"), shape, fan_in=fan_in, fan_out=fan_out, units=units)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(IN, OUT), (OUT, IN), (OUT, IN, 3, 3), (OUT, 1)])
def test_every_initialisation_keeps_the_contract(kind, shape):
    check_documented("initialisation", kind)
    assert isinstance(binding.load("initialisation", kind), InitialisationModule)
    weights, biases = draw(kind, 0, shape)
    assert weights.shape == shape
    assert biases.shape == (OUT,)
    assert weights.dtype == biases.dtype == np.float64
    assert np.isfinite(weights).all()
    repeated, _ = draw(kind, 0, shape)
    np.testing.assert_array_equal(weights, repeated)
    assert (draw(kind, 1, shape)[0] != weights).any()


@pytest.mark.parametrize("kind", KINDS)
def test_biases_are_drawn_after_weights_or_are_the_setting(kind):
    """A setting of the bias therefore changes no weight."""
    if "bias" not in plugins.schema("initialisation", kind):
        return  # its biases are its own affair, drawn or constant
    weights, biases = draw(kind, 0, bias=0.3)
    np.testing.assert_array_equal(biases, np.full(OUT, 0.3))
    np.testing.assert_array_equal(weights, draw(kind, 0)[0])
