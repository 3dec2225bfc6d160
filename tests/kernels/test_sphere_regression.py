"""Regression on the sphere, its prediction and Gram spectra, against oracles, direct sums and fresh samples."""

import re

import numpy as np
import pytest
import torch
from scipy.special import ndtr

from isobath import binding
from isobath.calculations import gram_eigenvalues, label_regression, sphere_regression
from isobath.randomness import stream
from isobath.regression import ridge_lists
from isobath.regression.ridge import regress as regression
from isobath.spectra import harmonics
from isobath.spectra.eigenlearning import Spectrum, effective_ridge, predict
from isobath.spectra.harmonics import multiplicities
from isobath.spectra.kernels import families, spectra
from isobath.spectra.sphere_regression import Cap, Population, angles, draw, regress, solve

NTK, RF = {"kind": "ntk", "beta": 0.0}, {"kind": "nngp", "beta": 0.0}
RIDGES = (1e-6, 1e-4, 1e-2)


@pytest.fixture(scope="module")
def ntk():
    """Return the NTK of three layers over 3, its eigenvalues to degree 400 at d = 4, and the cap of the source."""
    found = families([("ntk", NTK, [2])])
    mu = spectra(found, [4], range(401), digits=40)[0, 0].astype(float) / 3
    return found[0], mu, Cap.of(0.7, 4, 400)


@pytest.mark.parametrize(
    ("n", "delta", "error", "kappa"),
    [(100, 1e-3, 0.02657076066, 0.001234702837), (1000, 1e-2, 0.01211041394, 6.166893977e-5)],
)
def test_the_prediction_has_the_known_values(ntk, n, delta, error, kappa):
    _, mu, target = ntk
    counts = harmonics.multiplicities(4, 400)
    powers = counts * target.coefficients**2
    found = predict(Spectrum(mu, counts, 1.0), powers, target.power - powers.sum(), n=n, ridge=delta / n)
    assert found.error == pytest.approx(error, rel=1e-8)
    assert found.effective_ridge == pytest.approx(kappa, rel=1e-8)


def test_the_tail_of_the_trace_acts_as_a_ridge():
    counts, mu = harmonics.multiplicities(4, 200), np.arange(1.0, 202) ** -4.0
    whole = Spectrum(mu, counts, float(counts @ mu))
    cut = Spectrum(mu[:60], counts[:60], whole.trace)
    assert cut.tail == pytest.approx(float(counts[60:] @ mu[60:]))
    kappas = [effective_ridge(s, 300, 1e-9) for s in (whole, cut, cut._replace(trace=float(counts[:60] @ mu[:60])))]
    assert kappas[1] == pytest.approx(kappas[0], rel=1e-2)
    assert abs(kappas[2] / kappas[0] - 1) > 0.02


def test_more_samples_than_directions_have_no_effective_ridge():
    with pytest.raises(ValueError, match="there is no effective ridge"):
        effective_ridge(Spectrum(np.ones(2), np.array([1.0, 3.0]), 4.0), 10, 0.0)


def test_the_error_over_the_sphere_is_that_of_many_samples(ntk):
    family, mu, target = ntk
    generator = stream(0, "sphere")
    axis = np.array([0.0, 0.6, 0.0, 0.8])
    train, fresh = (draw(n, axis, target, generator) for n in (80, 200_000))
    (gram,), (across,) = (list(family.matrices(s.x, train.x)) for s in (train, fresh))
    found = regress(gram, train, angles(train.x), Population.of(mu, target), [(across, fresh.y)] * 2, RIDGES)
    squares = (across @ solve(gram, train.y, RIDGES) - fresh.y[:, None]) ** 2
    deviation = np.abs(found.error - squares.mean(0)) / (squares.std(0) / np.sqrt(len(squares)))
    assert deviation.max() < 4
    np.testing.assert_allclose(found.test_error, squares.mean(0), rtol=1e-12)


def test_ridges_are_those_of_a_linear_system():
    generator = np.random.default_rng(0)
    a = generator.standard_normal((30, 30))
    gram, y = a @ a.T, generator.standard_normal(30)
    for ridge, found in zip(RIDGES, solve(gram, y, RIDGES).T, strict=True):
        np.testing.assert_allclose((gram + 30 * ridge * np.eye(30)) @ found, y, atol=1e-9)


SMALL = {"n_train": (40, 80), "ridges": RIDGES, "n_validation": 300, "n_test": 300, "degrees": 120}


@pytest.fixture(scope="module")
def table():
    kernels = [("rf", RF, [2]), ("ntk", NTK, [1, 2]), ("ntk_bias", {**NTK, "first_bias": True}, [1])]
    return sphere_regression.calculate(generator=stream(0, "r"), kernels=kernels, draws=6, **SMALL)


@pytest.mark.parametrize("dimension", [4, 20])
def test_eigenvalues_that_vanish_are_told_from_small_ones(dimension):
    """Even those of degree 300 are below 1e-33 in 20 dimensions; the odd ones of one layer without a bias vanish."""
    found = families([("ntk", NTK, [1, 2])])
    mu = spectra(found, [dimension], range(301), digits=40)[:, 0].astype(float)
    shallow, deep = sphere_regression.without_noise(mu)
    assert (shallow[3::2] == 0).all()
    np.testing.assert_array_equal(shallow[::2], mu[0, ::2])
    np.testing.assert_array_equal(deep, mu[1])


def test_theory_and_measurement_agree(table):
    ratio = (table.error / table.predicted_error).mean("draw").sel(n_train=80, ridge=1e-2)
    np.testing.assert_allclose(ratio, 1, atol=0.2)
    assert (table.predicted_error.diff("n_train") < 0).all()


def test_validation_chooses_the_ridge_and_not_the_error_that_is_reported(table):
    best = table.validation_error.argmin("ridge")
    np.testing.assert_array_equal(table.chosen_ridge, np.array(RIDGES)[best])
    np.testing.assert_array_equal(table.chosen_error, table.error.isel(ridge=best))
    beside = table.validation_error.isel(ridge=1)
    falls = table.validation_error.isel(ridge=best) < (1 - ridge_lists.FLAT) * beside
    assert ((table.ridge_at_edge == 1) == ((best != 1) & falls)).all()
    assert (table.ridge_at_edge == 1).any()


def test_two_layers_without_a_bias_keep_the_power_of_the_odd_degrees(table):
    unseen = table.unseen_power
    assert (unseen.sel(kernel=["rf L=3", "ntk L=3", "ntk_bias L=2"]) == 0).all()
    powers = harmonics.multiplicities(4, 120) * harmonics.cap(0.7, 120, 4) ** 2
    assert float(unseen.sel(kernel="ntk L=2")) == pytest.approx(powers[3::2].sum(), rel=1e-12)
    assert (table.error.sel(kernel="ntk L=2") > float(unseen.sel(kernel="ntk L=2"))).all()


def test_kernels_of_a_draw_see_the_same_points(table):
    alone = sphere_regression.calculate(generator=stream(0, "r"), kernels=[("ntk", NTK, [2])], draws=6, **SMALL)
    np.testing.assert_allclose(alone.error.sel(kernel="ntk L=3"), table.error.sel(kernel="ntk L=3"), rtol=1e-10)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dimension": 2}, "dimension is 2; "),
        ({"degrees": 99}, "degrees is 99; it must be at least 100"),
        ({"n_train": (9,)}, "n_train has 9; it must be at least 10"),
        ({"n_train": (80, 40)}, "n_train is [80, 40]; it must increase"),
        ({"ridges": (1e-2, 1e-4)}, "ridges is [0.01, 0.0001]; it must increase"),
    ],
)
def test_regressions_without_a_prediction_are_refused(change, words):
    settings = {"kernels": [("ntk", NTK, [1])], "dimension": 4, **SMALL} | change
    with pytest.raises(ValueError, match=re.escape(words)):
        sphere_regression.check(**settings)


def test_gram_matrices_have_the_spectrum_of_the_kernel():
    found = gram_eigenvalues.calculate(
        generator=stream(0, "g"), kernels=[("ntk", NTK, [1, 2]), ("rf", RF, [2])], n_train=600, draws=3, degrees=12
    )
    assert (abs(found.gram_eigenvalue.sum("rank") - 1) < 1e-9).all()
    for kernel in found.kernel.values:
        row = found.sel(kernel=kernel)
        assert (np.diff(row.eigenvalue) <= 0).all()
        few = row.isel(rank=row.cumulated.values <= 600 / 40)
        for degree in np.unique(few.degree):
            at = few.isel(rank=few.degree.values == degree)
            assert at.sizes["rank"] == (degree + 1) ** 2
            assert float((at.gram_eigenvalue / at.eigenvalue).mean()) == pytest.approx(1, abs=0.05)
    assert found.degree.sel(kernel="ntk L=2").values[14] == 4  # degree 3 has the eigenvalue 0
    with pytest.raises(ValueError, match=r"degrees is 3, with 30 harmonics; n_train, 31, must not exceed them"):
        gram_eigenvalues.check(kernels=[("ntk", NTK, [1])], dimension=4, degrees=3, n_train=31)


def test_harmonics_beyond_the_points_take_no_memory():
    found = gram_eigenvalues.calculate(
        generator=stream(0, "g"), kernels=[("ntk", NTK, [1])], n_train=20, draws=1, dimension=10, degrees=60
    )
    assert found.degree.values.tolist() == [[0, *[1] * 10, *[2] * 9]]
    assert found.cumulated.values[0, [0, 1, 11]].tolist() == [1, 11, 65]


@pytest.mark.parametrize(("rule", "kind"), [("local", "k_local"), ("global", "k_global")])
def test_errors_on_labels_are_predicted_without_a_regression(rule, kind):
    kernel, n, d = {"kind": "ntk", "beta": 0.1}, 1500, 30
    found = label_regression.calculate(
        generator=stream(0, "l"), kernels=[("ntk", kernel, [1])], labels=[("task", rule, 2, d)], n_train=(n,)
    )
    sample = binding.bound("task", {"kind": kind, "k": 2, "dimension": d})
    train, test = (tuple(map(torch.from_numpy, sample(m, generator=stream(0, "data", m)))) for m in (n, 4000))
    measured = regression(binding.bound("kernel", kernel), train, test, depth=[1], memory=1e9)["test_error"]
    assert measured[0] == pytest.approx(found.predicted_error.item(), abs=0.03)
    assert found.predicted_error.item() < 0.4


def test_the_power_of_local_labels_is_known():
    for k in (1, 2, 3):
        g = np.abs(label_regression.polynomial("local", k, 9, stream(0, "p", k)))
        assert g.mean() ** 2 / (g**2).mean() == pytest.approx((2 / np.pi) ** k, rel=0.03)
    g = label_regression.polynomial("global", 1, 9, stream(0, "p"))
    assert g.std() == pytest.approx(3, rel=0.02)
    assert np.mean(g < 1.5) == pytest.approx(ndtr(0.5), abs=0.01)


def test_labels_of_more_components_than_there_are_are_refused():
    with pytest.raises(ValueError, match="label 'a' has k 4 and the dimension 3; k must not exceed it"):
        label_regression.check(kernels=[("ntk", NTK, [1])], labels=[("a", "local", 4, 3)], n_train=(10,))


def test_the_error_of_a_label_is_that_of_what_is_learned_of_its_degree():
    spectrum = Spectrum(np.array([0.3, 0.1, 0.02]), np.array([1.0, 5.0, 14.0]), 1.2)
    g = np.abs(np.random.default_rng(0).standard_normal(1000))
    error, square, learned = label_regression._numbers(spectrum, 2, 0.4, g, 12)
    found = predict(spectrum, np.array([0, 0, 0.4]), 0.6, n=12, ridge=0.0)
    signal = found.learnability[2] * g.mean() / (g**2).mean() * g
    assert (square, learned) == (found.error, found.learnability[2])
    assert error == pytest.approx(ndtr(-signal / np.sqrt(found.variance)).mean())


def test_power_of_a_target_beyond_the_degrees_is_part_of_its_predicted_error():
    target, counts = Cap.of(0.7, 4, 100), multiplicities(4, 100)
    spectrum, powers = Spectrum(np.arange(1.0, 102) ** -4, counts, 2.0), counts * target.coefficients**2
    (_, found), _ = sphere_regression._predictions([spectrum], target, (40,), (1e-2,)).values()
    rest = target.coefficients[0] - powers.sum()
    assert rest > 1e-4
    assert found.item() == pytest.approx(predict(spectrum, powers, rest, n=40, ridge=1e-2).error, rel=1e-9)
