"""The numbers of the theory of fractal distributions, against enumeration, grids and autograd."""

import itertools
import re

import numpy as np
import pytest
import torch

from isobath import binding
from isobath.calculations import deep_certificates, initial_gradients, least_errors, radial_widths, region_counts
from isobath.constructions import cantor_certificate
from isobath.fractals import sign_changes
from isobath.fractals.bounds import needed_levels, region_bound, unavoidable_error
from isobath.fractals.population_gradients import class_moments, start
from isobath.randomness import stream
from isobath.tasks import fractal

P = np.array([0.5, 0.6, 0.85, 1.0])
HE = {"kind": "he_normal", "bias": 0.1}


def edges_of(n):
    """Return the ends of the intervals of C_n, by the usual construction."""
    ends = np.array([[0.0, 1.0]])
    for _ in range(n):
        third = (ends[:, 1] - ends[:, 0])[:, None] / 3
        ends = np.concatenate([ends[:, :1] + third * [0, 1], ends[:, 1:] - third * [1, 0]])
    return np.sort(ends.ravel())


def test_least_errors_are_those_of_all_labellings():
    positives, negatives = class_moments(edges_of(3), 2 * np.diff(P))
    masses = (positives[0] + negatives[0]).astype(float) / 2  # intervals and gaps in turn
    labels = np.array(list(itertools.product([False, True], repeat=len(masses))))
    errors = (labels != (np.arange(len(masses)) % 2 == 0)) @ masses
    changes = (labels[:, 1:] != labels[:, :-1]).sum(1)
    found = sign_changes.least_errors(P)
    assert found[15:].max() == 0
    for most in range(15):
        assert found[most] == pytest.approx(errors[changes <= most].min(), abs=1e-9)


def test_least_errors_respect_theorem_4():
    table = least_errors.calculate(generator=np.random.default_rng(0), levels=7, curves=(1, 3, 6))
    assert (table.least_error >= table.error_bound).all()
    assert (table.least_error.diff("regions") < 0).all()
    fine = table.sel(curve=6)
    np.testing.assert_allclose(fine.least_error, 0.5 - fine.regions / 2**8)  # a change is worth half a gap
    assert float(fine.error_bound.sel(regions=8)) == unavoidable_error([0.5] * 7 + [1], depth=2, width=1, maps=2)


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
def test_regions_of_the_network_that_knows_the_set(levels):
    """On a grid that has all its kinks, |T^n| changes its slope as often as was counted."""
    z = np.arange(-(3**levels), 3**levels + 1) / 3**levels
    for _ in range(levels):
        z = 3 * np.abs(z) - 2
    f = -np.maximum(np.abs(np.stack([z[:-1], z[1:]])) - 1, 0)  # kinks of T^n and where it crosses 1 lie on the grid
    slopes = f[1] - f[0]
    counted = 1 + (np.abs(np.diff(slopes)) > 1e-9).sum()
    table = region_counts.calculate(
        generator=np.random.default_rng(0),
        depth=(1,),
        width=(3,),
        networks=1,
        initialisations=[("he", HE)],
        levels=(levels,),
    )
    assert table.known_regions.item() == counted
    assert table.needed_regions.item() == 2**levels


def test_regions_of_random_networks_keep_their_bounds():
    table = region_counts.calculate(
        generator=np.random.default_rng(1),
        depth=(1, 3),
        width=(4, 9),
        networks=20,
        initialisations=[("he", HE)],
        levels=(1,),
    )
    assert (table.regions <= table.most_regions).all()
    assert (table.regions <= table.region_bound).all()
    assert table.regions.max() > 5
    np.testing.assert_array_equal(table.most_regions.sel(depth=3), [5**3, 10**3])


def quadrature(n, p, m=12):
    """Return points, weights and signs: positives lie in the middle of C_m's intervals, negatives in gaps.

    Negatives of levels beyond m lie where the positives do.
    """
    ends = edges_of(m).reshape(-1, 2)
    middles = ends.mean(1)
    x, weight, label = [middles], [np.full(len(middles), 0.5 / len(middles))], [np.ones(len(middles))]
    for j, share in enumerate(p[:m], start=1):
        inside = (np.arange(2 ** (m + 2 - j)) + 0.5) / 2 ** (m + 2 - j)  # the larger a gap, the more points
        outer = edges_of(j - 1).reshape(-1, 2)
        gaps = (outer[:, :1] + (outer[:, 1:] - outer[:, :1]) * (1 + inside) / 3).ravel()
        x, weight = [*x, gaps], [*weight, np.full(len(gaps), 0.5 * share / len(gaps))]
        label.append(-np.ones(len(gaps)))
    weight.append(np.full(len(middles), 0.5 * sum(p[m:n]) / len(middles)))
    return np.concatenate([*x, middles]), np.concatenate(weight), np.concatenate([*label, -np.ones(len(middles))])


@pytest.mark.parametrize(("law", "bias"), [("he_normal", 0.1), ("lecun_truncated", 0.1), ("narrow_uniform", 0.25)])
def test_gradients_are_those_of_autograd(law, bias):
    n = 24
    settings = {"levels": n, "growth": (0.7,), "depth": (2,), "width": 4, "networks": 3, "delta": 0.5}
    table = initial_gradients.calculate(
        generator=np.random.default_rng(3), initialisations=[("start", {"kind": law, "bias": bias})], **settings
    )
    p = 0.7 ** np.arange(n)
    x, weight, sign = (torch.from_numpy(a) for a in quadrature(n, p / p.sum()))
    generator = np.random.default_rng(3)
    for network in range(3):
        parameters = [
            torch.from_numpy(a).requires_grad_()
            for a in start(generator, depth=2, width=4, initialisation={"kind": law, "bias": bias})
        ]
        z = x[:, None]
        for layer, (w, b) in enumerate(zip(parameters[::2], parameters[1::2], strict=True)):
            z = (torch.relu(z) if layer else z) @ w.T + b
        f = z[:, 0]
        (weight * torch.relu(1 - sign * f)).sum().backward()
        norm = max(w.grad.abs().max().item() for w in parameters)
        found = table.isel(start=0, depth=0, network=network, growth=0)
        assert found.gradient_norm.item() == pytest.approx(norm, abs=5e-4)
        assert found.error.item() == pytest.approx((weight * ((f > 0) != (sign > 0))).sum().item(), abs=5e-4)
        assert found.largest_output.item() == pytest.approx(f.abs().max().item(), abs=1e-2)


def test_the_fine_distribution_is_the_limit_of_a_large_growth():
    table = initial_gradients.calculate(
        generator=np.random.default_rng(0), levels=30, growth=(1e9,), depth=(1, 3), width=10, networks=20,
        initialisations=[("he, b = 0.1", HE), ("uniform, b = 0.25", {"kind": "narrow_uniform", "bias": 0.25})],
    )  # fmt: skip
    limit = table.sel(growth=1e9)
    np.testing.assert_allclose(table.fine_gradient_norm, limit.gradient_norm, atol=1e-7)
    np.testing.assert_allclose(table.fine_error, limit.error, atol=1e-7)
    assert (table.fine_gradient_norm.sel(start="he, b = 0.1") > 0.1).any()  # |f| > 1: a class is not felt
    assert (table.fine_gradient_norm.sel(start="uniform, b = 0.25") == 0).all()


def test_the_bounds_are_those_at_the_least_level():
    n, delta = 30, 0.1
    table = initial_gradients.calculate(
        generator=np.random.default_rng(0), levels=n, growth=(2.0,), depth=(1, 3), width=10, networks=1,
        initialisations=[("uniform", "narrow_uniform")], delta=delta,
    )  # fmt: skip
    for depth in (1, 3):
        one = table.sel(depth=depth, growth=2.0)
        least = needed_levels(delta, depth=depth, width=10)
        assert one.needed_levels.item() == least
        accuracy = 0.5 + (2.0**least - 1) / (2.0**n - 1) / 2
        assert one.gradient_bound.item() == pytest.approx(5 * (accuracy - 0.5))
        assert one.error_bound.item() == pytest.approx((1.5 - accuracy) * (1 - accuracy))
    with pytest.raises(ValueError, match="levels is 20; Theorem 5 needs more than n' = 24"):
        initial_gradients.calculate(
            generator=np.random.default_rng(0),
            levels=20,
            growth=(2.0,),
            depth=(1, 3),
            width=10,
            networks=1,
            initialisations=[],
        )


def test_deep_certificates_are_exact_in_rationals():
    table = deep_certificates.calculate(generator=np.random.default_rng(0), levels=(3, 7, 50), shortcut=3, samples=20)
    assert not table[["wrong_positives", "wrong_negatives"]].to_array().any()
    assert table.depth.values.tolist() == [3, 5, 19]
    assert (table.largest_width == 8).all()


def test_certificates_of_fewer_levels_are_wrong():
    """The points tell them apart: what is a negative of the last level is a positive of the level before."""
    rng = np.random.default_rng(0)
    points = deep_certificates._points(6, 30, rng, inside=False)
    known = deep_certificates._network(5, 3)
    assert (deep_certificates._outputs(known, points) > 0).all()


def test_least_errors_on_fine_distributions_have_a_closed_form():
    exact = sign_changes.least_errors(np.array([0.5] * 6 + [1.0]))
    np.testing.assert_allclose(exact, [deep_certificates.fine_error(6, c) for c in range(len(exact))], atol=1 / 2**7)
    assert all(e >= deep_certificates.fine_error(6, c) - 1e-12 for c, e in enumerate(exact))
    assert exact[32] == pytest.approx(deep_certificates.fine_error(6, 32))


def test_the_imbalance_of_regions_is_that_of_their_classes():
    """One region holds all of both classes; cells of the last level, cut apart from gaps, hold one class each."""
    p = [np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])]
    whole, cut = (initial_gradients._imbalances(np.array(edges), p) for edges in ([0.0, 1.0], edges_of(3)))
    assert whole == [0, 0]
    assert cut == pytest.approx([1, 1])
    third = initial_gradients._imbalances(np.array([0.0, 1 / 3, 2 / 3, 1.0]), p)
    assert third == pytest.approx([0, 1], abs=1e-9)


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        ("least_errors", {"levels": 15}, "levels is 15; it must be 14 or less"),
        ("deep_certificates", {"levels": (50,), "shortcut": 17}, "shortcut is 17; it must be 16 or less"),
        (
            "initial_gradients",
            {"levels": 40, "growth": (1.0, 1e9), "depth": (1,), "width": 1, "delta": 0.1},
            "growth has 1e+09, whose power 40 is too large a number",
        ),
        ("overparametrised_step", {"powers": (2,), "samples": 1}, "samples is 1; it must be 2 or more"),
        ("piecewise_polynomials", {"degrees": (3, 15)}, "degrees has 15; it must be 14 or less"),
    ],
)
def test_settings_that_have_no_end_or_no_number_are_refused(kind, settings, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        binding.load("calculation", kind).check(**settings)


@pytest.mark.parametrize(("most", "found"), [(280, 280), (327, 280), (1000, 280), (279, None), (256, None)])
def test_the_least_width_is_looked_for_up_to_the_most(most, found):
    """Once widths between the last power of two and the most were not tried."""
    assert radial_widths._least(lambda n: n >= 280, most=most) == found


def test_volumes_of_large_ratios_are_no_whole_numbers_of_eight_bytes():
    """Once they overflowed, to boxes with wrong or negative probabilities."""
    settings = {"system": "given", "levels": 1, "ratio": 200_000, "offsets": ((0, 0, 0, 0), (9, 9, 9, 9))}
    x, labels = fractal.sample(400, generator=stream(0, "x"), **settings)
    assert np.isfinite(x).all()
    assert 100 < labels.sum() < 300


def test_the_bound_on_regions_is_that_of_the_network_which_is_known():
    weights = cantor_certificate.build({"kind": "fractal", "system": "cantor_1d", "levels": 3}).weights
    depth, width = len(weights) // 2 - 1, max(w.shape[1] for w in weights[::2])
    known = region_counts._of_levels((1, 3))["known_bound"][1][1]
    assert known == region_bound(depth=depth, width=width, n_inputs=1)


def test_the_least_error_of_a_shallow_network_falls_with_the_depth_of_the_deep_one():
    table = deep_certificates.calculate(generator=np.random.default_rng(0), levels=(3,), shortcut=3, samples=1)
    assert (table.depth.item(), table.shallow_error.item()) == (3, 0.25)
