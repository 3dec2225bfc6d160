"""Arrays of plug-ins that are not those of their contract are refused in one sentence that names file and function."""

import numpy as np
import pytest
import torch

from isobath import binding
from isobath.initialisations import drawn
from isobath.jobs.samples import checked
from isobath.regression.gram import gram
from isobath.tasks import Ends, k_local
from isobath.training.objective import Loss

FLOATS = "labels of the type float32; allowed: int64, and of real targets, where ends says real=True, floats"
X, LABELS, TARGETS = np.zeros((6, 3), dtype=np.float32), np.array([0, 1, 0, 1, 1, 0]), np.zeros((6, 2))


@pytest.mark.parametrize(("truth", "ends"), [(LABELS, Ends(3, 2)), (TARGETS, Ends(3, 2, real=True))])
def test_samples_that_keep_the_contract_are_returned_as_they_are(truth, ends):
    inputs, found = checked(k_local.sample, (X, truth), 6, ends)
    assert inputs is X
    assert found is truth


@pytest.mark.parametrize(
    ("inputs", "truth", "ends", "found"),
    [
        (X[:5], LABELS, Ends(3, 2), r"inputs of the shape \(5, 3\); allowed: \(6, 3\)"),
        (X, LABELS, Ends(4, 2), r"inputs of the shape \(6, 3\); allowed: \(6, 4\)"),
        (X.astype(int), LABELS, Ends(3, 2), "inputs of the type int64; allowed: float32 or float64"),
        (X, LABELS[:, None], Ends(3, 2), r"labels of the shape \(6, 1\); allowed: \(6,\)"),
        (X, LABELS.astype(np.float32), Ends(3, 2), FLOATS),
        (X, LABELS + 1, Ends(3, 2), "labels from 1 to 2; allowed: 0 to 1"),
        (X, LABELS - 1, Ends(3, 2), "labels from -1 to 0; allowed: 0 to 1"),
        (X, TARGETS, Ends(3, 1, real=True), r"targets of the shape \(6, 2\); allowed: \(6, 1\)"),
        (X, TARGETS.astype(int), Ends(3, 2, real=True), "targets of the type int64; allowed: a float type"),
        (X, TARGETS * np.nan, Ends(3, 2, real=True), "inputs or targets that are not finite; allowed: finite numbers"),
        (X + np.inf, LABELS, Ends(3, 2), "inputs or targets that are not finite; allowed: finite numbers"),
    ],
)
def test_other_samples_are_refused(inputs, truth, ends, found):
    with (
        np.errstate(invalid="ignore"),
        pytest.raises(ValueError, match=rf"^tasks/k_local\.py: sample returned {found}$"),
    ):
        checked(k_local.sample, (inputs, truth), 6, ends)


def test_a_kernel_of_another_shape_is_refused():
    def profile(pairs):
        return pairs.e[:, 0]

    x = torch.eye(3, dtype=torch.float64)
    with pytest.raises(ValueError, match=r"profile returned a matrix of the shape \(3,\); allowed: \(3, 2\)"):
        next(gram(profile, x, x[:2]))


@pytest.mark.parametrize(
    ("returned", "found"),
    [
        (None, "a NoneType; allowed: a pair, of inputs and labels or targets"),
        ((X, LABELS, LABELS), "a tuple of 3; allowed: a pair, of inputs and labels or targets"),
        ((np.ma.masked_greater(X + 1, 0), LABELS), "a masked array; allowed: arrays of numbers, without a mask"),
    ],
)
def test_what_is_no_pair_of_plain_arrays_is_refused(returned, found):
    """Once it was a TypeError without a file, and what lay under a mask was trained on as NaN."""
    with pytest.raises(ValueError, match=rf"^tasks/k_local\.py: sample returned {found}$"):
        checked(k_local.sample, returned, 6, Ends(3, 2))


@pytest.mark.parametrize("of_type", [torch.float32, torch.int64, "numpy"])
def test_a_kernel_of_another_type_is_refused(of_type):
    def profile(pairs):
        return pairs.e.numpy() if of_type == "numpy" else pairs.e.to(of_type)

    x = torch.eye(3, dtype=torch.float64)
    with pytest.raises(ValueError, match=r"profile returned a matrix of the type .*; allowed: torch.float64"):
        next(gram(profile, x, x[:2]))


def test_a_start_of_another_shape_is_refused():
    def draw(generator, shape, *, fan_in, fan_out, units):
        return generator.standard_normal(shape), np.zeros((units, 1))

    counts = {"fan_in": 4, "fan_out": 2, "units": 2}
    with pytest.raises(ValueError, match=r"draw returned biases of the shape \(2, 1\); allowed: \(2,\)"):
        drawn(draw, np.random.default_rng(0), (4, 2), **counts)
    weights, biases = drawn(binding.bound("initialisation", "he_normal"), np.random.default_rng(0), (4, 2), **counts)
    assert weights.shape == (4, 2)
    assert biases.shape == (2,)


def test_a_loss_of_another_shape_is_refused():
    class Module:
        @staticmethod
        def value(outputs, targets):
            return (outputs - targets).square().mean((1, 2))

    with pytest.raises(ValueError, match=r"value returned losses of the shape \(3,\); allowed: \(3, 5\)"):
        Loss(Module).value(torch.zeros(3, 5, 2), torch.zeros(5, 2))
