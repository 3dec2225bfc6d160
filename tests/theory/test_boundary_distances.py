"""Distances of decision boundaries, of networks and of ensembles, against loops (Jacot, Geiger et al., eq. 2)."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from ensemble_outputs import every_subset, of_all_samples, outputs

from isobath.analysis.ensembles import distances, fluctuations, subsets
from isobath.jobs import stored_networks
from isobath.randomness import stream


def gradients_of(networks=6, samples=40, d=3):
    return stream(0, "gradients").standard_normal((networks, samples, d)) + 2


def literal_distance(f, mean, gradient):
    """Return eq. 2 and its estimate for one function, sample by sample, from f, mean (T,) and gradient (T, d)."""
    ratios = [
        abs(a - b) / math.sqrt(sum(v * v for v in g))
        for a, b, g in zip(f, mean, gradient, strict=True)
        if (a > 0) != (b > 0)
    ]
    spread = sum((a - b) ** 2 for a, b in zip(f, mean, strict=True))
    slope = sum(v * v for g in gradient for v in g)
    return sum(ratios) / len(ratios), math.sqrt(spread / slope), len(ratios)


def test_distances_of_networks_are_those_of_eq_2():
    f, _ = outputs()
    gradients = gradients_of()
    found = of_all_samples(distances.distances, f, np.linalg.norm(gradients, axis=2))
    expected = [literal_distance(f[i, :, 0], f.mean(0)[:, 0], gradients[i]) for i in range(6)]
    np.testing.assert_allclose(np.stack(found[:3], 1), expected, rtol=1e-12)
    np.testing.assert_allclose(found.factor, 1 / math.sqrt(1 - 1 / 6))
    np.testing.assert_allclose(found.unbiased.measured, found.measured * math.sqrt(6 / 5))
    alone = of_all_samples(distances.distances_of_ensembles, f, gradients, np.eye(6, dtype=bool))
    np.testing.assert_allclose(np.stack(alone[:3]), np.stack(found[:3]), rtol=1e-12)


def test_distances_of_ensembles_are_those_of_their_means(monkeypatch):
    monkeypatch.setattr(subsets, "BLOCK", 100)
    f, _ = outputs()
    gradients, members = gradients_of(), every_subset(6, 2)
    found = of_all_samples(distances.distances_of_ensembles, f, gradients, members)
    expected = [literal_distance(f[m].mean(0)[:, 0], f.mean(0)[:, 0], gradients[m].mean(0)) for m in members]
    np.testing.assert_allclose(np.stack(found[:3], 1), expected, rtol=1e-12)


def test_samples_without_a_gradient_or_a_difference_have_no_distance():
    f = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, -1.0], [1.0, 2.0, -1.0]])[:, :, None]
    found = of_all_samples(distances.distances, f, np.full((3, 3), 2.0))
    np.testing.assert_allclose(found.measured, [np.nan, (1 + 1 / 3) / 2, (1 + 1 / 3) / 2])
    np.testing.assert_array_equal(found.differing, [0, 1, 1])
    flat = of_all_samples(distances.distances, f, np.zeros((3, 3)))
    assert np.isnan(flat.measured).all()
    assert np.isnan(flat.estimate).all()


def test_boundaries_of_several_outputs_are_refused():
    with pytest.raises(ValueError, match="3 outputs"):
        of_all_samples(distances.distances, outputs(k=3)[0], np.ones((6, 40)))
    with pytest.raises(ValueError, match="the ensembles have the sizes"):
        of_all_samples(
            distances.distances_of_ensembles,
            outputs()[0],
            gradients_of(),
            np.array([[1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0]]),
        )


def test_unbiased_distances_fall_like_one_over_the_root_of_n():
    """Fluctuations of size sigma on a line are independent: the estimate is sigma / sqrt(n) for every R."""
    sigma, networks, samples = 0.05, 8, 40000
    x = np.linspace(-1, 1, samples)
    draw = stream(0, "roots")
    f = (x + sigma * draw.standard_normal((networks, samples)))[:, :, None]
    gradients = np.ones_like(f)
    single = of_all_samples(distances.distances, f, gradients[:, :, 0]).unbiased
    for size in (1, 2, 4, 6):
        members = subsets.subsets(networks, size, 10, draw)
        found = of_all_samples(distances.distances_of_ensembles, f, gradients, members)
        np.testing.assert_allclose(found.estimate, sigma * math.sqrt(1 / size - 1 / networks), rtol=0.02)
        np.testing.assert_allclose(found.unbiased.estimate, sigma / math.sqrt(size), rtol=0.02)
        ratio = found.unbiased.measured.mean() / single.measured.mean()
        np.testing.assert_allclose(ratio, 1 / math.sqrt(size), rtol=0.08)
    assert math.isnan(fluctuations.finite_ensemble_factor(8, 8))


def test_an_output_that_vanishes_nowhere_counts_as_one_at_the_end_of_the_reach():
    found = SimpleNamespace(crossing=torch.tensor([1.5, np.nan]))
    assert stored_networks._linear_error(found) == pytest.approx((0.5 + 2) / 2)
    assert math.isnan(stored_networks._linear_error(SimpleNamespace(crossing=torch.tensor([]))))
