"""Single initialisations, by their definition."""

import math

import numpy as np
import pytest
from scipy.stats import truncnorm

from isobath import binding
from isobath.binding import bound
from isobath.contracts.common import required
from isobath.randomness import stream

IN, OUT = 30, 50
CUT = truncnorm(-2, 2).var()  # what cutting at two standard deviations leaves of the variance
VARIANCES = {
    "glorot_uniform": 2 / (IN + OUT),
    "glorot_normal": 2 / (IN + OUT),
    "he_normal": 2 / IN,
    "lecun_truncated": CUT / IN,
    "narrow_uniform": 1 / (12 * IN**2),
    "orthogonal": 1 / OUT,
    "standard_normal": 1.0,
    "torch_uniform": 1 / (3 * IN),
    "variance_scaling": 2 / (IN + OUT),
}


def draw(kind, seed, shape=(IN, OUT), *, fan_in=IN, fan_out=OUT, units=OUT, **settings):
    bound = binding.bound("initialisation", {"kind": kind, **required("initialisation", kind), **settings})
    return bound(stream(seed, "start"), shape, fan_in=fan_in, fan_out=fan_out, units=units)


@pytest.mark.parametrize(("kind", "variance"), VARIANCES.items())
def test_weights_have_mean_zero_and_the_variance_of_their_definition(kind, variance):
    drawn = np.stack([draw(kind, seed)[0] for seed in range(40)])
    assert abs(drawn.mean()) < 4 * math.sqrt(variance / drawn.size)
    assert drawn.var() == pytest.approx(variance, rel=4 * math.sqrt(2 / drawn.size))


def test_uniform_starts_end_where_they_should():
    for kind, limit in (
        ("glorot_uniform", math.sqrt(6 / (IN + OUT))),
        ("variance_scaling", math.sqrt(6 / (IN + OUT))),
        ("torch_uniform", 1 / math.sqrt(IN)),
        ("narrow_uniform", 1 / (2 * IN)),
    ):
        largest = max(np.abs(draw(kind, seed)[0]).max() for seed in range(10))
        assert 0.99 * limit < largest <= limit
    he = draw("variance_scaling", 0, fan="in", scale=2.0)[0]
    assert he.var() == pytest.approx(2 / IN, rel=0.1)


def test_orthogonal_weights_are_orthogonal_as_matrices():
    for shape in ((IN, OUT), (OUT, IN), (4, 2, 3, 3)):
        matrix = draw("orthogonal", 0, shape)[0].reshape(shape[0], -1)
        gram = matrix @ matrix.T if matrix.shape[0] <= matrix.shape[1] else matrix.T @ matrix
        np.testing.assert_allclose(gram, np.eye(len(gram)), atol=1e-12)


def test_biases_of_torch_are_uniform_within_one_over_the_root_of_the_inputs():
    biases, limit = np.concatenate([draw("torch_uniform", seed)[1] for seed in range(20)]), 1 / math.sqrt(IN)
    assert 0.99 * limit < np.abs(biases).max() <= limit
    assert biases.var() == pytest.approx(limit**2 / 3, rel=0.15)


def test_biases_of_theorem_5_are_one_half():
    draw = bound("initialisation", "narrow_uniform")
    assert (draw(stream(0, "start"), (30, 50), fan_in=30, fan_out=50, units=50)[1] == 0.5).all()
