"""Numbers at the ends of what floats hold: targets of zero, many dimensions, sums over many samples, no GPU."""

import math

import numpy as np
import pytest
import torch

import isobath
from isobath.calculations import gram_eigenvalues
from isobath.jobs.device import choose_device
from isobath.jobs.variables import VariableError
from isobath.regression.linear_systems import solve
from isobath.separation.radial import ball_radius, ball_volume, density, mass_beyond
from isobath.spectra.harmonics import multiplicities
from isobath.workflow.progress import duration


def test_targets_of_zero_have_the_solution_zero():
    """Once their Gram matrix was called singular: the residual was 0 / 0."""
    gram = torch.eye(5, dtype=torch.float64) + 0.1
    found = solve(gram, torch.zeros(5, 1, dtype=torch.float64))
    assert (found.coefficients == 0).all()
    assert (found.jitter, found.residual) == (0, 0)
    x = np.random.default_rng(0).standard_normal((20, 3))
    assert isobath.regress(x, np.zeros(20), test=(x, np.zeros(20))).test_error == 0


def test_balls_of_many_dimensions_have_a_radius():
    """Once the Gamma function overflowed beyond 340 dimensions."""
    assert ball_radius(1000) == pytest.approx(math.sqrt(1000 / (2 * math.pi * math.e)), rel=0.01)
    for d in (2, 3, 20, 128):
        assert ball_volume(d) == pytest.approx(math.pi ** (d / 2) / math.gamma(d / 2 + 1), rel=1e-12)
        assert ball_volume(d) * ball_radius(d) ** d == pytest.approx(1, rel=1e-12)
    r = np.linspace(1, 1.001, 201)
    falls = -np.diff(mass_beyond(r[[0, -1]], 400))[0]
    assert np.trapezoid(density(r, 400, radius=ball_radius(400)), r) == pytest.approx(falls, rel=1e-6)


def test_more_harmonics_than_a_float_counts_are_refused():
    with pytest.raises(ValueError, match="dimension is 5000 and degrees is 300, with more than 1e308 harmonics"):
        multiplicities(5000, 300)
    with pytest.raises(ValueError, match="more than 1e308 harmonics"):
        gram_eigenvalues.check(kernels=[], dimension=5000, degrees=300, n_train=10)


def test_recorded_errors_are_those_at_the_end():
    """Once they were sums in float32: 33 of 60 were 0.55000007."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((60, 3)), rng.integers(0, 2, 60)
    networks = isobath.train(x, y, test=(x, y), depth=1, width=3, networks=5, max_epochs=3, check_every=1, records=1)
    last = networks.recorded_train_error.isel(step=-1)
    assert (last == networks.train_error).all()
    assert np.allclose(np.rint(last * 60), last * 60, rtol=0, atol=1e-13)


def test_a_device_that_is_not_here_is_refused(monkeypatch):
    """Once torch's AssertionError, after the data had been read."""
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    monkeypatch.setenv("ISOBATH_DEVICE", "cuda")
    with pytest.raises(VariableError, match="ISOBATH_DEVICE is 'cuda', and torch has no such device here"):
        choose_device()


def test_seconds_are_no_minute():
    assert [duration(seconds) for seconds in (59.4, 59.6)] == ["59 s", "1 min"]
