"""Gradients on Cantor distributions: enumeration, autograd on a grid, finite differences; the numbers of Theorem 5."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import torch

from isobath.fractals.bounds import start_bounds
from isobath.fractals.population_gradients import (
    _pieces,
    cantor_moments,
    class_moments,
    gradient_norm,
    population_error,
    population_gradient,
    start,
)
from isobath.geometry.linear_regions import kinks, rational
from isobath.networks import mlp

P = [0.25, 0.125, 0.625]
LAWS = [("narrow_uniform", 0.25), ("lecun_truncated", 0.1), ("variance_scaling", 0.1), ("he_normal", -0.2)]


def population_loss(network, p):
    """Return E[max(0, 1 - y f(x))], in the arithmetic of the weights."""
    edges, layers = _pieces(network)
    offset, slope, f = (part[:, 0] for part in layers[-1])
    positives, negatives = (part.astype(offset.dtype) for part in class_moments(edges, p))
    of_positives = np.where(f < 1, (1 - offset) * positives[0] - slope * positives[1], 0)
    of_negatives = np.where(f > -1, (1 + offset) * negatives[0] + slope * negatives[1], 0)
    return (of_positives + of_negatives).sum() / 2


def cantor(j):
    """Return the intervals of C_j by the maps of the source, ascending."""
    cells = [(Fraction(0), Fraction(1))]
    for _ in range(j):
        cells = [(Fraction(1, 3) - b / 3, Fraction(1, 3) - a / 3) for a, b in cells] + [
            (Fraction(2, 3) + a / 3, Fraction(2, 3) + b / 3) for a, b in cells
        ]
    return sorted(cells)


def middles(j):
    """Return the intervals of E_j = C_{j-1} without C_j."""
    return [(a + (b - a) / 3, b - (b - a) / 3) for a, b in cantor(j - 1)]


def integrals(cells, low, high):
    """Return mass and first moment between low and high of the uniform distribution on cells."""
    total = sum(b - a for a, b in cells)
    parts = [(max(a, low), min(b, high)) for a, b in cells if max(a, low) < min(b, high)]
    return [
        sum((b - a for a, b in parts), Fraction(0)) / total,
        sum(((b * b - a * a) / 2 for a, b in parts), 0) / total,
    ]


def fine(n):
    return [0.0] * (n - 1) + [1.0]


def curve(p):
    return np.concatenate([[0.5], 0.5 + np.cumsum(p) / 2])


def drawn(seed, law="he_normal", bias=0.1, depth=2, width=6):
    return start(np.random.default_rng(seed), depth=depth, width=width, initialisation={"kind": law, "bias": bias})


@pytest.mark.parametrize("x", [0, 1, Fraction(1, 3), Fraction(2, 3), Fraction(1, 4), 0.3, 0.7, Fraction(19, 81)])
def test_moments_are_those_of_the_enumerated_set(x):
    for j, pair in enumerate(cantor_moments(x, 5)):
        assert list(pair) == integrals(cantor(j), Fraction(0), Fraction(x))


def test_moments_know_digits_that_float64_does_not():
    a = cantor_moments(1 - Fraction(1, 3**60), 60)[-1]
    assert a[0] == 1 - Fraction(1, 2**60)
    assert cantor_moments(Fraction(1), 60)[-1] == (1, Fraction(1, 2))


def test_class_moments_are_those_of_the_enumerated_levels():
    edges = np.array([Fraction(n, 40) for n in (0, 3, 10, 13, 25, 29, 40)])
    positives, negatives = class_moments(edges, P)
    for i, (low, high) in enumerate(itertools.pairwise(edges)):
        assert positives[:, i].tolist() == integrals(cantor(3), low, high)
        levels = [[Fraction(p) * value for value in integrals(middles(j), low, high)] for j, p in enumerate(P, 1)]
        assert negatives[:, i].tolist() == [sum(column) for column in zip(*levels, strict=True)]


def stacked(network):
    """Return the network as a stack of one: (1, out, in) and (1, 1, out)."""
    return [torch.from_numpy(np.atleast_2d(parameter)[None]) for parameter in network]


def on_a_grid(network, points=4000):
    """Return loss, gradient and error by autograd, on midpoints of ``points`` cells in a ternary interval of level 3.

    No cell lies in two sets, and the integrand is linear except at kinks: the error is that of a cell, 1e-5.
    """
    x = (np.arange(27 * points) + 0.5) / (27 * points)
    sets = [cantor(3), *(middles(j) for j in (1, 2, 3))]
    inside = [sum((x > float(a)) & (x < float(b)) for a, b in cells) for cells in sets]
    y, shares = np.where(inside[0], 1.0, -1.0), [1, *P]
    mass = torch.from_numpy(sum(share * one / one.sum() for share, one in zip(shares, inside, strict=True)) / 2)
    stack = [parameter.requires_grad_() for parameter in stacked(network)]
    f = mlp.apply(stack, torch.from_numpy(x)[:, None])[0, :, 0]
    loss = (mass * (1 - torch.from_numpy(y) * f).relu()).sum()
    gradient = torch.autograd.grad(loss, stack)
    wrong = (f.detach().numpy() > 0) != (y > 0)
    return (
        loss.item(),
        [g[0].numpy().reshape(q.shape) for g, q in zip(gradient, network, strict=True)],
        float(mass[wrong].sum()),
    )


@pytest.mark.parametrize(("law", "bias"), LAWS)
@pytest.mark.parametrize("scale", [1, 6])
def test_loss_gradient_and_error_are_those_of_autograd_on_a_grid(law, bias, scale):
    """With the last layer scaled up, outputs pass -1 and 1, and the hinge has its kinks."""
    for seed in range(4):
        network = drawn(seed, law, bias)
        network[-2] = network[-2] * scale
        loss, gradient, error = on_a_grid(network)
        assert population_loss(network, P) == pytest.approx(loss, abs=1e-6)
        assert float(population_error(network, P)) == pytest.approx(error, abs=3e-5)
        for found, expected in zip(population_gradient(network, P), gradient, strict=True):
            assert found == pytest.approx(expected, abs=1e-4)
            assert found.shape == expected.shape


def test_the_gradient_is_the_slope_of_the_loss_in_rationals():
    h = Fraction(1, 10**7)
    network = rational(drawn(3, "he_normal", 0.1, depth=2, width=3))
    network[-2] = 3 * network[-2]
    gradient = population_gradient(network, P)
    for q, (parameter, found) in enumerate(zip(network, gradient, strict=True)):
        for at in np.ndindex(parameter.shape):
            losses = []
            for step in (h, -h):
                moved = [other.copy() for other in network]
                moved[q][at] += step
                losses.append(population_loss(moved, P))
            assert abs((losses[0] - losses[1]) / (2 * h) - found[at]) < 1e-6


@pytest.mark.parametrize(("law", "bias"), LAWS)
def test_float64_gives_what_rationals_give(law, bias):
    network = drawn(1, law, bias, depth=3, width=5)
    exact = population_gradient(rational(network), fine(9))
    for found, expected in zip(population_gradient(network, fine(9)), exact, strict=True):
        assert found == pytest.approx(expected.astype(float), abs=1e-14)


@pytest.mark.parametrize("depth", [0, 1, 3])
@pytest.mark.parametrize("p", [[1], P, fine(40), [0.1] * 10])
def test_the_printed_start_has_no_gradient_at_all(depth, p):
    for seed in range(5):
        network = drawn(seed, "narrow_uniform", 0.5, depth=depth, width=20)
        assert gradient_norm(population_gradient(network, p)) == 0
        assert population_error(network, p) == Fraction(1, 2)
        assert len(kinks(network)) == 2


@pytest.mark.parametrize("law", ["narrow_uniform", "lecun_truncated", "variance_scaling", "he_normal"])
def test_without_biases_there_is_a_gradient_only_beyond_one(law):
    for seed in range(10):
        network = drawn(seed, law, 0.0, depth=2, width=6)
        at_one = mlp.apply(stacked(network), torch.ones(1, 1, dtype=torch.float64))
        assert (gradient_norm(population_gradient(network, P)) > 0) == (abs(at_one.item()) > 1)


def in_cantor(x, j):
    """Tell whether x lies inside C_j, by ternary digits."""
    for _ in range(j):
        x *= 3
        if 1 < x < 2:
            return False
        x -= 2 * (x >= 2)
    return True


@pytest.mark.parametrize("bias", [0.05, 0.25, 0.45])
def test_the_bound_of_theorem_5_holds_where_no_kink_lies_in_the_set(bias):
    """The theorem rests on this; its probability is that of the condition."""
    p = np.array([0.02, 0.03, 0.05, 0.1, 0.1, 0.2, 0.2, 0.3])
    bounds, moving = [start_bounds(accuracy)[0] for accuracy in curve(p)], 0
    for seed in range(60):
        network = drawn(seed, "narrow_uniform", bias, depth=2, width=3)
        inner = [Fraction(x) for x in kinks(network)[1:-1]]
        free = min((j for j in range(9) if not any(in_cantor(x, j) for x in inner)), default=None)
        norm = gradient_norm(population_gradient(network, p))
        moving += norm > 0
        assert free is None or norm <= bounds[free]
        assert (norm == 0) == (not inner)
        still = [gradient_norm(population_gradient(network, fine(n))) == 0 for n in range(2, 9)]
        assert still == [not any(in_cantor(x, n - 1) for x in inner) for n in range(2, 9)]
    assert moving >= 5


def test_gradients_vanish_as_often_as_theorem_5_says():
    """Networks of 400 that feel the finest level are fewer than delta, and fewer by 2/3 for each level."""
    networks = [drawn(seed, "narrow_uniform", 0.05, depth=1, width=2) for seed in range(400)]
    shares = [np.mean([gradient_norm(population_gradient(q, fine(n))) > 0 for q in networks]) for n in (2, 5, 8, 12)]
    assert shares[0] > 0.3
    for n, share in zip((2, 5, 8, 12), shares, strict=True):
        assert share <= 4 * 2 * 2**2 * (2 / 3) ** (n - 1)  # delta = 4 t k^2 (2/3)^n'
        assert share == pytest.approx(shares[0] * (2 / 3) ** (n - 2), abs=3 * np.sqrt(shares[0] / 400))


def test_starts_have_their_laws_and_shapes():
    sizes = {"narrow_uniform": 1 / 20, "lecun_truncated": 2 / np.sqrt(10), "variance_scaling": np.sqrt(6 / 20)}
    for law, most in sizes.items():
        network = drawn(0, law, 0.3, depth=3, width=10)
        assert [q.shape for q in network] == [(10, 1), (10,), (10, 10), (10,), (10, 10), (10,), (1, 10), (1,)]
        assert 0.9 * most < np.abs(network[2]).max() <= most
        assert all((b == 0.3).all() for b in network[1::2])
    assert drawn(0, "he_normal", depth=2, width=100)[2].std() == pytest.approx(np.sqrt(2 / 100), rel=0.02)


@pytest.mark.parametrize("p", [[], [0.5, 0.4], [1.5, -0.5]])
def test_what_is_no_distribution_is_refused(p):
    with pytest.raises(ValueError, match="is no distribution over levels"):
        population_gradient(drawn(0), p)
