"""Ensembles of networks against loops and closed forms: errors, their limit, fluctuations, distances."""

import itertools
import math

import numpy as np
import pytest
from ensemble_outputs import every_subset, of_all_samples, outputs
from scipy.stats import norm
from scipy.stats import t as student

from isobath.analysis.ensembles import errors, fluctuations, subsets
from isobath.classes import predicted
from isobath.randomness import stream


def literal_error(f, labels):
    wrong = 0
    for sample, label in zip(f, labels, strict=True):
        found = int(sample[0] > 0) if len(sample) == 1 else max(range(len(sample)), key=lambda c: sample[c])
        wrong += found != label
    return wrong / len(labels)


@pytest.mark.parametrize("k", [1, 3])
def test_errors_of_ensembles_are_those_of_their_mean_outputs(k, monkeypatch):
    monkeypatch.setattr(subsets, "BLOCK", 100)  # several blocks
    f, labels = outputs(k=k)
    members = every_subset(6, 3)
    found = of_all_samples(errors.ensemble_errors, f, labels, members)
    expected = [literal_error(f[m].mean(0), labels) for m in members]
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert len(set(expected)) > 3
    single = of_all_samples(errors.ensemble_errors, f, labels, np.eye(6, dtype=bool))
    np.testing.assert_allclose(single, [literal_error(g, labels) for g in f], rtol=1e-14)


def test_classes_of_one_output_and_of_several():
    np.testing.assert_array_equal(predicted(np.array([[-1.0], [0.0], [2.0]])), [0, 0, 1])
    np.testing.assert_array_equal(predicted(np.array([[[1.0, 3.0, 2.0], [0.0, -1.0, -2.0]]])), [[1, 0]])


def test_what_has_no_class_is_refused():
    f, labels = outputs()
    broken = f.copy()
    broken[2, 3] = np.nan
    with pytest.raises(ValueError, match="1 outputs are not finite"):
        of_all_samples(errors.errors_by_size, broken, labels, generator=stream(0))
    members = every_subset(6, 3)
    with pytest.raises(ValueError, match="labels have the shape"):
        of_all_samples(errors.ensemble_errors, f, labels[1:], members)
    with pytest.raises(ValueError, match="labels run from -1 to 1; allowed are 0 to 1"):
        of_all_samples(errors.ensemble_errors, f, 2 * labels - 1, members)
    with pytest.raises(ValueError, match="they have to be whole numbers"):
        of_all_samples(errors.ensemble_errors, f, 0.5 * labels, members)
    with pytest.raises(ValueError, match="they have to be whole numbers"):
        of_all_samples(errors.ensemble_errors, f[:, :0], labels[:0], members)


@pytest.mark.parametrize(
    ("networks", "size", "count"), [(6, 3, 100), (6, 3, 7), (20, 10, 300), (11, 5, 100), (5, 5, 9), (7, 1, 50)]
)
def test_subsets_are_different_and_as_many_as_asked_or_as_there_are(networks, size, count):
    members = subsets.subsets(networks, size, count, stream(0, networks, size))
    assert len(members) == min(count, math.comb(networks, size))
    assert len({tuple(m) for m in members.tolist()}) == len(members)
    assert (members.sum(1) == size).all()


@pytest.mark.parametrize(("networks", "size", "count"), [(9, 4, 40), (14, 4, 100)])  # of a list, and by rejection
def test_subsets_are_uniform(networks, size, count):
    draws = [subsets.subsets(networks, size, count, stream(0, "uniform", i)) for i in range(200)]
    expected = 200 * count * size / networks
    np.testing.assert_allclose(np.concatenate(draws).sum(0), expected, atol=4 * math.sqrt(expected))


def test_subsets_that_cannot_be_are_refused():
    for size, count in ((0, 3), (5, 3), (2, 0)):
        with pytest.raises(ValueError, match="allowed are sizes 1 to 4"):
            subsets.subsets(4, size, count, stream(0))


@pytest.mark.parametrize("k", [1, 3])
def test_errors_by_size_and_their_pseudo_values_are_the_jackknife_over_networks(k):
    f, labels = outputs(k=k)
    found = of_all_samples(errors.errors_by_size, f, labels, generator=stream(0))
    singles = [literal_error(g, labels) for g in f]
    np.testing.assert_allclose(found.mean[0], np.mean(singles), rtol=1e-12)
    np.testing.assert_allclose(found.mean[-1], literal_error(f.mean(0), labels), rtol=1e-12)
    np.testing.assert_allclose(found.pseudo_values[:, 0], singles, rtol=1e-12)
    assert np.isnan(found.pseudo_values[:, -1]).all()
    np.testing.assert_array_equal(found.subsets, [6, 15, 20, 15, 6, 1])
    for size in range(1, 6):
        values = {c: literal_error(f[list(c)].mean(0), labels) for c in itertools.combinations(range(6), size)}
        theta = np.mean(list(values.values()))
        np.testing.assert_allclose(found.mean[size - 1], theta, rtol=1e-12)
        for i in range(6):
            without = np.mean([value for c, value in values.items() if i not in c])
            np.testing.assert_allclose(
                found.pseudo_values[i, size - 1], 6 * theta - 5 * without, rtol=1e-10, atol=1e-12
            )


def test_too_few_subsets_for_the_networks_are_refused():
    with pytest.raises(ValueError, match="count is 5; 6 networks"):
        of_all_samples(errors.errors_by_size, *outputs(), count=5, generator=stream(0))


def test_pseudo_values_from_some_subsets_come_near_those_from_all():
    f, labels = outputs(networks=12, samples=300)
    every = every_subset(12, 5)
    values = of_all_samples(errors.ensemble_errors, f, labels, every)
    exact = subsets.pseudo_values(values, every)
    np.testing.assert_allclose(exact.mean(), values.mean(), rtol=1e-12)
    draw, squares = stream(0, "some"), []
    for _ in range(20):
        members = every[draw.choice(len(every), 300, replace=False)]
        values = of_all_samples(errors.ensemble_errors, f, labels, members)
        without = np.array([values[~members[:, i]].mean() for i in range(12)])
        plain = values.mean() + 11 * (without.mean() - without)
        found = subsets.pseudo_values(values, members)
        squares.append([np.square(found - exact).mean(), np.square(plain - exact).mean()])
    regression, leaving_out = np.mean(squares, 0)
    assert regression < 0.05 * exact.var()
    assert regression < 0.8 * leaving_out


def test_pseudo_values_leave_out_what_is_missing_and_say_when_they_cannot_be():
    members = every_subset(5, 2)
    values = members @ np.arange(5.0)  # linear in membership: any subsets that tell networks apart will do
    values[3] = np.nan
    np.testing.assert_allclose(subsets.pseudo_values(values, members), 2 * np.arange(5.0), atol=1e-12)
    several = np.stack([values, 1 + values**2], 1)
    several[5, 1] = np.nan  # which leaves this ensemble out for both
    kept = np.arange(len(members)) != 5
    of_each = np.stack([subsets.pseudo_values(column[kept], members[kept]) for column in several.T], 1)
    np.testing.assert_allclose(subsets.pseudo_values(several, members), of_each, atol=1e-12)
    assert np.isnan(subsets.pseudo_values(np.full(10, np.nan), members)).all()
    assert np.isnan(subsets.pseudo_values(values[4:8], members[4:8])).all()
    with pytest.raises(ValueError, match=r"the sizes \[1, 2\]"):
        subsets.pseudo_values(np.zeros(15), np.concatenate([members, np.eye(5, dtype=bool)]))


def test_the_limit_of_a_law_in_one_over_n_is_exact_for_every_network():
    sizes = np.arange(1, 11)
    own = stream(0, "limit").standard_normal((2, 10, 1))
    pseudo = own[0] + own[1] / sizes
    found = errors.limit(errors.Errors(sizes, pseudo.mean(0), pseudo, sizes))
    np.testing.assert_allclose(found.pseudo_values, own[0, :, 0], atol=1e-12)
    np.testing.assert_allclose([found.error, found.slope], own.mean((1, 2)), atol=1e-12)


def test_the_limit_is_the_weighted_fit_of_the_first_half():
    sizes = np.arange(1, 13)
    mean = 1 / sizes + np.where(sizes > 6, 5.0, 0.02 * (-1.0) ** sizes)  # what lies beyond the half must not matter
    found = errors.limit(errors.Errors(sizes, mean, np.tile(mean, (12, 1)), sizes))
    half = sizes[:6]
    *_, slope, error = np.polyfit(1 / half, mean[:6], 3, w=np.sqrt(half))
    np.testing.assert_allclose([found.error, found.slope], [error, slope], rtol=1e-8)


@pytest.mark.parametrize("networks", [1, 2, 3])
def test_few_networks_have_no_limit(networks):
    by_size = of_all_samples(errors.errors_by_size, *outputs(networks=networks), generator=stream(0))
    limit = errors.limit(by_size)
    assert np.isfinite(by_size.mean).all()
    assert math.isnan(limit.error)
    assert limit.pseudo_values.shape == (networks,)
    assert np.isnan(errors.excess(by_size, limit).pseudo_values).all()


@pytest.mark.parametrize("features", [0, 20])  # fluctuations that are independent, or smooth, over samples
def test_the_limit_and_the_excess_have_honest_errors(features):
    """f_i(x) = m(x) + sigma z_i(x) with label 1 gives eps_n = <Phi(-m sqrt(n) / sigma)>, whose limit is <m < 0>."""
    networks, samples, sigma, repeats = 10, 1000, 0.5, 200
    m = 0.9 + norm.ppf((np.arange(samples) + 0.5) / samples)
    draw = stream(1, "coverage", features)
    mixing = draw.standard_normal((features, samples))
    mixing /= np.maximum(np.linalg.norm(mixing, axis=0), 1e-9)  # unit variance at every sample
    truth = np.array([(m < 0).mean(), norm.cdf(-m / sigma).mean() - (m < 0).mean()])
    found, spreads = np.zeros((2, repeats, 2))
    for i in range(repeats):
        z = (
            draw.standard_normal((networks, features)) @ mixing
            if features
            else draw.standard_normal((networks, samples))
        )
        sizes = of_all_samples(
            errors.errors_by_size, (m + sigma * z)[:, :, None], np.ones(samples, int), count=120, generator=draw
        )
        limit = errors.limit(sizes)
        excess = errors.excess(sizes, limit)
        found[i] = limit.error, excess.mean[0]
        np.testing.assert_allclose(limit.pseudo_values.mean(), limit.error, rtol=1e-9)
        pseudo = np.stack([limit.pseudo_values, excess.pseudo_values[:, 0]])
        spreads[i] = pseudo.std(1, ddof=1) / math.sqrt(networks)
    covered = (np.abs(found - truth) < student.ppf(0.975, networks - 1) * spreads).mean(0)
    assert (covered >= 0.90).all(), covered
    assert (covered <= 0.995).all(), covered
    whole = sigma**2 / networks  # the naive limit, the error of all networks, is too large by a tenth of the excess
    naive = norm.cdf(-m / math.sqrt(whole)).mean() - truth[0]
    assert np.abs(found[:, 0].mean() - truth[0]) < 0.5 * naive


def test_the_fluctuation_is_a_variance_over_networks():
    f, _ = outputs(k=3)
    found = of_all_samples(fluctuations.fluctuations, f)
    literal = sum(np.var([g[x, c] for g in f]) for x in range(40) for c in range(3)) / 40
    np.testing.assert_allclose(found.biased, literal, rtol=1e-12)
    np.testing.assert_allclose(found.unbiased, literal * 6 / 5, rtol=1e-12)
    np.testing.assert_allclose(found.networks.mean(), found.unbiased, rtol=1e-12)
    assert math.isnan(of_all_samples(fluctuations.fluctuations, f[:1]).unbiased)


def test_the_unbiased_fluctuation_does_not_depend_on_the_number_of_networks():
    draw = stream(0, "fluctuation")
    for networks in (2, 3, 8):
        found = of_all_samples(fluctuations.fluctuations, 1.0 + 0.3 * draw.standard_normal((networks, 20000, 1)))
        np.testing.assert_allclose(found.unbiased, 0.09, rtol=0.04)  # 4 standard errors at two networks
        np.testing.assert_allclose(found.biased, 0.09 * (1 - 1 / networks), rtol=0.04)


def gaussian_errors(fluctuation, networks, *, softness=0.3):
    """Return the exact eps_n of sign(fbar + sigma z / sqrt(n)).

    fbar is normal, and labels are the sign of fbar + softness xi.
    """
    sizes = np.arange(1, networks + 1)
    share = np.sqrt((1 + fluctuation**2 / np.append(sizes, np.inf)) * (1 + softness**2))
    mean = np.arccos(1 / share) / math.pi
    every = errors.Errors(sizes, mean[:-1], np.tile(mean[:-1], (networks, 1)), sizes)
    return every, mean[-1]


@pytest.mark.parametrize(
    ("fluctuation", "least"), [(0.1, 0.99), (0.3, 0.99), (0.5, 0.98), (1.0, 0.95), (2.0, 0.82), (4.0, 0.57)]
)
def test_the_excess_is_recovered_where_fluctuations_are_as_large_as_the_mean(fluctuation, least):
    every, truth = gaussian_errors(fluctuation, 20)
    found = errors.limit(every)
    assert least <= (every.mean[0] - found.error) / (every.mean[0] - truth) <= 1.001
    assert found.error <= every.mean[-1]


@pytest.mark.parametrize("fluctuation", np.geomspace(0.1, 30, 12))
@pytest.mark.parametrize("networks", [4, 6, 10, 20, 40])
def test_a_limit_above_the_error_of_the_whole_is_refused(fluctuation, networks):
    every, _ = gaussian_errors(fluctuation, networks)
    found = errors.limit(every)
    assert (found.error <= every.mean[-1]) == (found.reason == "")
    assert math.isnan(found.error) == np.isnan(found.pseudo_values).all() == bool(found.reason)


def test_a_limit_that_noise_alone_puts_above_the_whole_is_kept():
    every, _ = gaussian_errors(0.5, 20)
    noise = 0.02 * stream(0, "above").standard_normal((20, 1))
    raised = every._replace(mean=every.mean - 0.007 * (every.size == 20), pseudo_values=every.pseudo_values + noise)
    assert errors.limit(raised).error > raised.mean[-1]
    assert errors.limit(raised._replace(pseudo_values=every.pseudo_values)).reason.endswith("of all 20")
