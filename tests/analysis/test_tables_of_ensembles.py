"""Tables of the ensembles of a cell: each variable against a loop over networks, ensembles and samples."""

import itertools
import math

import numpy as np
import pytest
import torch
from ensemble_outputs import of_all_samples, outputs
from test_tangent_kernels import SPEC as OF_KERNELS
from untrained_stores import started, stored

from isobath.analysis.ensembles import tables
from isobath.analysis.ensembles.distances import distances
from isobath.analysis.ensembles.errors import Errors, errors_by_size, excess, limit
from isobath.analysis.ensembles.subsets import subsets
from isobath.disk import store
from isobath.randomness import stream
from isobath.stages import ensembles

NETWORKS, SAMPLES = 6, 300  # of which some lie between the boundaries of any two ensembles


def wrong(f, labels):
    """Return the share of samples that a mean output (T, 1) misclassifies."""
    return ((f[:, 0] > 0) != labels).mean()


def jackknife(value_of, size):
    """Return the mean of a number over all ensembles of a size, and the pseudo-value of each network."""
    values = {c: value_of(list(c)) for c in itertools.combinations(range(NETWORKS), size)}
    mean = np.mean([*values.values()])
    without = [np.mean([v for c, v in values.items() if i not in c]) for i in range(NETWORKS)]
    return mean, NETWORKS * mean - (NETWORKS - 1) * np.array(without)


def test_errors_by_size_their_limit_and_what_lies_beyond_it():
    """The limit is that of a weighted fit of c + a / n to the sizes 1 to 3: the pseudo-values are fitted alike."""
    f, labels = outputs(NETWORKS, SAMPLES)
    found = tables.of_errors(f, labels, generator=stream(0))
    by_size = [jackknife(lambda c: wrong(f[c].mean(0), labels), size) for size in range(1, NETWORKS)]
    means = [mean for mean, _ in by_size] + [wrong(f.mean(0), labels)]
    pseudo = np.stack([values for _, values in by_size], axis=1)
    np.testing.assert_allclose(found.ensemble_error, means)
    np.testing.assert_allclose(found.ensemble_error_pseudo[:, :-1], pseudo)
    assert found.subsets.values.tolist() == [6, 15, 20, 15, 6, 1]
    sizes = np.array([1.0, 2.0, 3.0])
    slope, error = np.polyfit(1 / sizes, means[:3], 1, w=np.sqrt(sizes))
    limits = np.polyfit(1 / sizes, pseudo[:, :3].T, 1, w=np.sqrt(sizes))[1]
    assert (found.limit_slope.item(), found.limit_error.item()) == pytest.approx((slope, error))
    np.testing.assert_allclose(found.limit_error_pseudo, limits)
    assert found.limit_reason.item() == ""
    np.testing.assert_allclose(found.excess, np.array(means) - error)
    np.testing.assert_allclose(found.excess_pseudo[:, :-1], pseudo - limits[:, None])
    np.testing.assert_allclose(found.excess_error, pseudo[:, 0] - limits)  # knows that the limit is an estimate
    assert found.excess_error.std() != pytest.approx(pseudo[:, 0].std())


def test_excess_errors_know_that_the_limit_is_an_estimate():
    sizes = np.arange(1, 7)
    pseudo = 0.1 + stream(0, "excess").standard_normal((6, 1)) / 100 + 0.2 / sizes
    every = Errors(sizes, pseudo.mean(0), pseudo, sizes)
    large = limit(every)
    found = excess(every, large)
    np.testing.assert_allclose(found.mean, 0.2 / sizes)
    np.testing.assert_allclose(found.pseudo_values, np.tile(0.2 / sizes, (6, 1)))


@pytest.mark.parametrize(("errors_above", "kept"), [(1.9, True), (2.1, False)])
def test_a_limit_may_lie_above_the_whole_by_two_standard_errors(errors_above, kept):
    sizes, own = np.arange(1, 7), stream(0, "above").standard_normal((6, 1)) / 100
    pseudo = 0.1 + own + 0.2 / sizes
    error, spread = 0.1 + own.mean(), own.std(ddof=1) / math.sqrt(6)
    mean = np.where(sizes == 6, error - errors_above * spread, pseudo.mean(0))
    found = limit(Errors(sizes, mean, pseudo, sizes))
    assert math.isfinite(found.error) == kept
    assert found.reason == ("" if kept else f"{error:.3g}, above the error {mean[-1]:.3g} of all 6")


def test_an_error_by_some_ensembles_is_the_mean_of_pseudo_values():
    """The contributions of networks that were drawn more often are accounted for."""
    f, labels = outputs(12, 50)
    found = of_all_samples(errors_by_size, f, labels, count=20, generator=stream(0))
    drawn = stream(0)
    assert found.subsets.tolist() == [12, *[20] * 9, 12, 1]
    for size in range(1, 12):
        members = subsets(12, size, 20, drawn)
        values = np.array([wrong(f[row].mean(0), labels) for row in members])
        weights = np.linalg.lstsq(members.astype(float), values, rcond=None)[0]
        np.testing.assert_allclose(found.pseudo_values[:, size - 1], size * weights, atol=1e-12)
        assert found.mean[size - 1] == pytest.approx(size * weights.mean())
    assert found.mean[-1] == wrong(f.mean(0), labels)


def test_fluctuations_of_each_measure_are_unbiased_in_the_mean_square():
    f = {"test": outputs(NETWORKS, SAMPLES, k=3)[0], "train": outputs(NETWORKS, 15, k=3, name="other")[0]}
    found = tables.of_fluctuations(f)
    assert found.measure.values.tolist() == ["test", "train"]
    for measure, values in f.items():
        of = found.sel(measure=measure)
        mean = values.mean(0)
        squares = [np.square(g - mean).sum(-1).mean() for g in values]
        assert of.variance_biased.item() == pytest.approx(np.mean(squares))
        assert of.variance_unbiased.item() == pytest.approx(np.mean(squares) * 6 / 5)
        np.testing.assert_allclose(of.variance, np.array(squares) * 6 / 5)
        np.testing.assert_allclose(of.fluctuation, np.sqrt(np.array(squares) * 6 / 5))


def between(f, fbar, gradient):
    """Return eq. 2 for one function, its estimate, and the number of samples that it classifies differently."""
    ratios, gaps, slopes = [], 0.0, 0.0
    for value, mean, slope in zip(f, fbar, gradient, strict=True):
        gaps, slopes = gaps + (value - mean) ** 2, slopes + (slope**2).sum()
        if (value > 0) != (mean > 0):
            ratios.append(abs(value - mean) / math.sqrt((slope**2).sum()))
    return np.mean(ratios), math.sqrt(gaps / slopes), len(ratios)


def test_distances_of_networks_and_of_ensembles_are_from_the_mean_over_starts():
    """The factor that takes the bias away is sqrt(1 / (1 - n / R)) for ensembles of n of the R networks."""
    f, _ = outputs(NETWORKS, SAMPLES)
    gradients = 2 + stream(0, "gradients").standard_normal((NETWORKS, SAMPLES, 3))
    found = tables.of_distances(f, gradients, generator=stream(0))
    fbar = f.mean(0)[:, 0]
    single = np.array([between(g[:, 0], fbar, slope) for g, slope in zip(f, gradients, strict=True)])
    np.testing.assert_allclose(found.distance_biased, single[:, 0])
    np.testing.assert_allclose(found.distance, single[:, 0] * math.sqrt(6 / 5))
    np.testing.assert_allclose(found.distance_estimate, single[:, 1] * math.sqrt(6 / 5))
    np.testing.assert_array_equal(found.differing, single[:, 2])
    np.testing.assert_allclose(found.gradient_norm, np.sqrt(np.square(gradients).sum(2).mean(1)))
    for size in range(1, NETWORKS):
        factor, of = math.sqrt(1 / (1 - size / NETWORKS)), found.sel(size=size)

        def measured(members, which=0, factor=factor):
            return between(f[members].mean(0)[:, 0], fbar, gradients[members].mean(0))[which] * factor

        every = [list(c) for c in itertools.combinations(range(NETWORKS), size)]
        np.testing.assert_allclose(of.distance_pseudo, jackknife(measured, size)[1])
        np.testing.assert_allclose(of.ensemble_distance[: len(every)], [measured(c) for c in every[:20]])
        estimates = [measured(c, 1) for c in every[:20]]
        np.testing.assert_allclose(of.ensemble_distance_estimate[: len(every)], estimates)
        assert of.ensemble_distance[len(every) :].isnull().all()


def test_a_gradient_that_vanishes_has_no_distance():
    """Mean outputs are -1/4, -1/2 and 2, so that the two networks differ from their mean on one sample each."""
    f = np.array([[1.0, -2.0, 3.0], [-1.5, 1.0, 1.0]])[..., None]
    found = of_all_samples(distances, f, np.array([[0.0, 2.0, 1.0], [1.0, 2.0, 1.0]]))
    assert found.differing.tolist() == [0, 1]
    assert math.isnan(found.measured[0])
    assert found.measured[1] == pytest.approx(0.75)


def test_a_network_that_overflows_on_the_test_set_is_in_no_ensemble(tmp_path):
    """Once the ensembles of its whole cell failed."""
    f, weights = started(OF_KERNELS, 3, 7)
    paths, _ = stored(tmp_path, f, [torch.cat([1e300 * w[:1], w]) for w in weights], 3)
    ensembles.main(OF_KERNELS | {"seeds": 3}, "code", output=tmp_path / "e.zarr.zip", **paths)
    found = store.read(tmp_path / "e.zarr.zip")
    assert found.seed.values.tolist() == [1, 2]
    assert found.variance_unbiased.notnull().all()


def test_the_stage_has_fluctuations_on_the_training_set_and_on_the_test_set(tmp_path):
    f, weights = started(OF_KERNELS, 3, 7)
    paths, sets = stored(tmp_path, f, weights, 3)
    ensembles.main(OF_KERNELS, "code", output=tmp_path / "e.zarr.zip", **paths)
    found = store.read(tmp_path / "e.zarr.zip").variance_unbiased
    for measure, name in (("train", "training_set"), ("test", "test_set")):
        values = f.apply(weights, sets[name][0])[:, :, 0]
        assert found.sel(measure=measure).item() == pytest.approx(values.var(0, correction=1).mean().item())
