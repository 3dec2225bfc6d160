"""The labels of Mori & Ueda, against their definition taken literally."""

import hashlib
import itertools
import math

import numpy as np
import pytest

from isobath import binding
from isobath.randomness import stream
from isobath.tasks import k_global, k_local

OFFSETS = [(1, None), (2, None), (3, None), (2, (1, 4)), (2, (2, 5)), (3, (1, 2, 5)), (3, (2, 3, 6))]


def literal_local(x, offsets):
    """Return eq. 1, component by component, counted from 1."""
    product = 1.0
    for i in offsets:
        product *= float(x[i - 1])
    return 1 if product >= 0 else 2


def literal_global(x, offsets):
    """Return eqs. 2 and 3, with x^(d + i) = x^(i)."""
    d, total = len(x), 0.0
    for j in range(1, d + 1):
        product = 1.0
        for i in offsets:
            product *= float(x[(j + i - 1) % d])
        total += product
    return 1 if total >= 0 else 2


@pytest.mark.parametrize(("k", "offsets"), OFFSETS)
@pytest.mark.parametrize(("module", "literal"), [(k_local, literal_local), (k_global, literal_global)])
def test_labels_are_those_of_the_equations(module, literal, k, offsets):
    x, labels = module.sample(300, generator=stream(1, "t"), k=k, dimension=7, offsets=offsets)
    expected = [literal(row, offsets or range(1, k + 1)) for row in x]
    assert (labels + 1).tolist() == expected
    assert set(expected) == {1, 2}


@pytest.mark.parametrize("d", [1, 2, 3, 10])
def test_at_k_equal_d_a_local_label_uses_every_component(d):
    x, labels = k_local.sample(100, generator=stream(1, "t"), k=d, dimension=d)
    np.testing.assert_array_equal(labels, (np.sign(x).prod(1) < 0).astype(int))


def test_the_sum_of_products_is_cyclic():
    x = np.array([[1.0, 2.0, 3.0]])
    assert k_global.feature(x, (1, 2)).item() == 1 * 2 + 2 * 3 + 3 * 1
    assert k_global.feature(x, (2, 3)).item() == 2 * 3 + 3 * 1 + 1 * 2  # only differences of offsets matter
    assert k_global.feature(np.roll(x, 1), (1, 2)).item() == k_global.feature(x, (1, 2)).item()
    assert k_global.feature(x, (1,)).item() == 6


@pytest.mark.parametrize(
    ("module", "k", "d", "share"),
    [
        (k_local, 1, 20, 0.5),
        (k_local, 2, 20, 0.5),
        (k_local, 3, 20, 0.5),
        (k_global, 1, 20, 0.5),
        (k_global, 3, 20, 0.5),  # M is odd in x
        # M = (3 z1^2 - |z|^2) / 2 in the frame of (1, 1, 1): P(M >= 0) = 1 - 3^-1/2 = 0.4226
        (k_global, 2, 3, 1 - 1 / math.sqrt(3)),
    ],
)
def test_balance(module, k, d, share):
    n = 200_000
    _, labels = module.sample(n, generator=stream(3, "t"), k=k, dimension=d)
    assert abs((labels == 0).mean() - share) < 4 * math.sqrt(share * (1 - share) / n)


@pytest.mark.parametrize("module", [k_local, k_global])
@pytest.mark.parametrize(
    "settings",
    [
        {"k": 4, "dimension": 3},
        {"k": 2, "dimension": 3, "offsets": (1,)},
        {"k": 2, "dimension": 3, "offsets": (2, 2)},
        {"k": 2, "dimension": 3, "offsets": (3, 1)},
        {"k": 2, "dimension": 3, "offsets": (1, 4)},
    ],
)
def test_impossible_settings_are_refused(module, settings):
    with pytest.raises(ValueError, match="must"):
        module.check(**settings)


# What every machine must draw. A change here changes every published number: bump the version.
GOLDEN = {
    ("k_local", 0): "582aa252",
    ("k_local", 1): "bfc9ced8",
    ("k_local", 2): "56151c54",
    ("k_global", 0): "ba8555a1",
    ("k_global", 1): "0651e265",
    ("k_global", 2): "5d7d8cf8",
}


@pytest.mark.parametrize(("kind", "seed"), list(itertools.product(["k_local", "k_global"], range(3))))
def test_data_are_the_same_everywhere(kind, seed):
    x, labels = binding.load("task", kind).sample(500, generator=stream(seed, "golden"), k=2, dimension=9)
    digest = hashlib.sha256(x.astype("<f4").tobytes() + labels.astype("<i8").tobytes()).hexdigest()
    assert digest[:8] == GOLDEN[kind, seed]
