"""Sawtooth labels, the network that folds them, crossings, and the accuracy that few oscillations allow."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from isobath import plugins
from isobath.binding import bound
from isobath.calculations import folding_basin, sawtooth_counts
from isobath.constructions import sawtooth_folding
from isobath.geometry.linear_regions import count_regions, crossings, rational
from isobath.networks import mlp
from isobath.randomness import stream
from isobath.separation import sawtooth


def folding(folds, triangles=1):
    task = {"kind": "sawtooth", "folds": folds, "triangles": triangles}
    return bound("construction", "sawtooth_folding")(task)


def one(built):
    return [w[0].numpy() for w in built.weights]


def composed(x, folds, triangles):
    """Return the wave of t triangles, iterated in rationals."""
    for _ in range(folds):
        phase = triangles * x % 1
        x = min(2 * phase, 2 - 2 * phase)
    return x


@pytest.mark.parametrize(("folds", "triangles"), [(1, 1), (2, 1), (7, 1), (1, 3), (3, 3), (2, 5)])
def test_labels_are_those_of_the_wave_in_rationals(folds, triangles):
    m = 2 * stream(0, "m").integers(0, 2**23, 300) + 1
    expected = [composed(Fraction(int(k), 2**24), folds, triangles) >= Fraction(1, 2) for k in m]
    found = sawtooth.labels(m, sawtooth.pieces(folds=folds, triangles=triangles))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("folds", [1, 4, 20])
def test_labels_of_tents_are_one_bit_xor_the_next(folds):
    x, labels = bound("task", {"kind": "sawtooth", "folds": folds})(2000, generator=stream(0, "s"))
    m = ((x[:, 0].astype(np.float64) + 1) * 2**23).astype(np.int64)
    assert (m % 2 == 1).all()
    np.testing.assert_array_equal((m >> (24 - folds) & 1) ^ (m >> (23 - folds) & 1), labels)
    assert abs(labels.mean() - 0.5) < 0.05


def test_too_many_pieces_are_refused():
    with pytest.raises(ValueError, match="folds is 21"):
        plugins.check("task", "sawtooth", {"folds": 21, "triangles": 1})
    with pytest.raises(ValueError, match="fractal; sawtooth_folding knows sawtooth"):
        bound("construction", "sawtooth_folding")({"kind": "fractal"})


@pytest.mark.parametrize(("folds", "triangles"), [(1, 1), (4, 1), (10, 1), (2, 2), (3, 3)])
def test_the_folding_network_is_exact_and_has_the_counts_of_the_theory(folds, triangles):
    built, count = folding(folds, triangles), (2 * triangles) ** folds
    found = crossings(one(built), low=-1, high=1)
    np.testing.assert_allclose((found + 1) / 2, sawtooth.changes(count), atol=1e-12)
    assert count_regions(one(built), low=-1, high=1) == count
    x, labels = bound("task", {"kind": "sawtooth", "folds": folds, "triangles": triangles})(
        5000, generator=stream(0, "s")
    )
    f = mlp.apply(built.weights, torch.from_numpy(x).double())[0, :, 0]
    np.testing.assert_array_equal((f > 0).numpy(), labels)
    if triangles == 1:
        assert sum(w.numel() for w in built.weights) == 6 * folds + 1


def test_crossings_are_exact_in_rationals_and_at_any_level():
    network = rational(one(folding(3)))
    assert crossings(network, low=-1, high=1).tolist() == [Fraction(2 * j + 1, 8) - 1 for j in range(8)]
    assert len(crossings(network, level=0.6, low=-1, high=1)) == 0
    assert len(crossings(network, level=-0.5, low=-1, high=1)) == 0  # f >= -1/2 everywhere


def test_crossings_of_random_networks_are_those_of_a_fine_grid():
    generator = stream(0, "random")
    x = np.linspace(-1, 1, 400_001)
    for _ in range(5):
        weights = mlp.init(
            [generator], n_inputs=1, n_outputs=1, depth=3, width=8, dtype=torch.float64, initialisation="torch_uniform"
        )
        f = mlp.apply(weights, torch.from_numpy(x[:, None]))[0, :, 0].numpy()
        level = float(np.median(f))
        found = crossings([w[0].numpy() for w in weights], level=level, low=-1, high=1)
        places = x[1:][np.diff((f >= level).astype(int)) != 0]
        np.testing.assert_allclose(found, places, atol=1e-5)
        assert len(found) > 0


@pytest.mark.parametrize("count", [4, 16])
def test_no_classifier_is_better_than_its_intervals_allow(count):
    """The best of each number of intervals reaches the ceiling: it follows the wave up to some point."""
    generator, truth = stream(0, "few"), sawtooth.changes(count)
    for intervals in range(1, count + 2):
        limit = float(sawtooth.ceiling(intervals, count))
        for _ in range(20):
            few = np.sort(generator.uniform(size=intervals - 1))
            found = sawtooth.agreement(few, int(generator.integers(2)), count)
            assert found.accuracy <= limit + 1e-12
            assert found.wrong >= 0.5 - intervals / (count + 1) - 1e-12
        assert sawtooth.agreement(truth[: intervals - 1], 0, count).accuracy == pytest.approx(limit)
    assert sawtooth.agreement(truth, 0, count) == (pytest.approx(1), 0)
    assert sawtooth.agreement(truth, 1, count) == (pytest.approx(0), 1)


def test_one_layer_of_as_many_parameters_as_the_folding_is_near_chance():
    """The numbers of the theory say so: width 2 k has 2 k + 2 intervals at most."""
    limits = [float(sawtooth.ceiling(sawtooth.most_intervals(depth=1, width=2 * k), 2**k)) for k in (4, 5, 6, 8)]
    np.testing.assert_allclose(limits, [0.78, 0.67, 0.60, 0.53], atol=0.006)


def test_agreement_is_the_accuracy_on_a_sample():
    x, labels = bound("task", {"kind": "sawtooth", "folds": 3})(20_000, generator=stream(0, "s"))
    at = np.array([0.1, 0.2, 0.55, 0.9])
    guess = (np.searchsorted(at, (x[:, 0] + 1) / 2) + 1) % 2
    assert sawtooth.agreement(at, 1, 8).accuracy == pytest.approx((guess == labels).mean(), abs=0.01)


def test_networks_that_are_compared_over_the_noise_train_in_the_same_order():
    settings = {"folds": (2,), "networks": 3, "steps": 40, "rate": 0.003, "n_train": 200, "batch_size": 20}
    found = folding_basin.calculate(generator=stream(0, "basin"), noise=(0.0, 1e-30), **settings)
    np.testing.assert_array_equal(found.after[0, 0], found.after[0, 1])


def test_training_from_a_noisy_exact_network_takes_the_steps_and_the_noise_that_are_asked_for(monkeypatch):
    """Noise multiplies each weight, so that those that are zero stay so; 41 steps are four epochs of ten, and more."""
    seen = {}

    class Told:
        @classmethod
        def on(cls, *_, epochs, **__):
            seen["epochs"] = epochs
            return cls()

        def run(self, _, weights, __, *, orders):
            seen["weights"] = weights
            return weights

    monkeypatch.setattr(folding_basin, "Training", Told)
    sizes = {"networks": 3, "steps": 41, "rate": 0.1, "n_train": 200, "batch_size": 20}
    folding_basin.calculate(generator=stream(0, "b"), folds=(2,), noise=(0.5,), **sizes)
    exact = sawtooth_folding.build({"kind": "sawtooth", "folds": 2}).weights
    zeros = [w[:, first[0] == 0] for w, first in zip(seen["weights"], exact, strict=True)]
    assert seen["epochs"] == 4
    assert sum(w.numel() for w in zeros) > 0
    assert all((w == 0).all() for w in zeros)


def test_counted_networks_have_six_parameters_per_fold_of_tents():
    counts = sawtooth_counts.calculate(generator=stream(0, "t"), triangles=(1, 3), folds=(1, 4))
    assert counts.n_parameters.values.tolist() == [[7, 25], [19, 145]]
