"""Labels of a sum of some cyclic products: between k-local and k-global, and after a rotation."""

import numpy as np
import pytest

from isobath.randomness import stream
from isobath.tasks import k_global, k_local, k_terms


def drawn(**settings):
    return k_terms.sample(4000, generator=stream(0, "k_terms"), **settings)


def test_all_terms_are_the_global_label_and_one_is_local():
    x, labels = drawn(k=2, terms=7, dimension=7)
    np.testing.assert_array_equal(labels, k_global.feature(x, (1, 2)) < 0)
    x, labels = drawn(k=3, terms=1, dimension=7)
    np.testing.assert_array_equal(labels, np.prod(x[:, 1:4], axis=1, dtype=float) < 0)


@pytest.mark.parametrize(("k", "terms"), [(2, 3), (3, 5), (2, 6)])
def test_a_label_of_some_terms_is_that_of_the_first_cyclic_products(k, terms):
    """The last of five terms of three components in six takes two of them from the start of the input."""
    x, labels = drawn(k=k, terms=terms, dimension=6)
    rows = x.astype(float)
    products = [np.prod([rows[:, (j + i) % 6] for i in range(1, k + 1)], axis=0) for j in range(terms)]
    np.testing.assert_array_equal(labels, sum(products) < 0)


def test_terms_are_summed_in_blocks_of_samples(monkeypatch):
    """Once they took twice the memory that a job is given."""
    x, labels = drawn(k=2, terms=4, dimension=6)
    whole = k_global.products(x, (1, 2)).sum(axis=1)
    seen, products = [], k_global.products
    monkeypatch.setattr(k_global, "ROWS", 700)
    monkeypatch.setattr(k_global, "products", lambda rows, offsets: seen.append(len(rows)) or products(rows, offsets))
    np.testing.assert_array_equal(k_global.feature(x, (1, 2)), whole)
    np.testing.assert_array_equal(drawn(k=2, terms=4, dimension=6)[1], labels)
    assert seen == 2 * [700, 700, 700, 700, 700, 500]


def test_a_rotation_changes_the_inputs_and_no_label():
    (x, plain), (rotated, labels) = (drawn(k=2, terms=4, dimension=9, rotated=r) for r in (False, True))
    np.testing.assert_array_equal(plain, labels)
    q = k_terms.rotation(9)
    np.testing.assert_allclose(q @ q.T, np.eye(9), atol=1e-13)
    np.testing.assert_allclose(rotated @ q, x, atol=1e-5)
    assert rotated.dtype == np.float32
    assert abs(rotated.mean()) < 0.02
    assert abs(rotated.std() - 1) < 0.02


@pytest.mark.parametrize("d", [2, 5, 30])
def test_a_fourier_rotation_maps_the_global_label_of_one_component_to_the_local_one(d):
    """The discrete Hartley transform, real and orthogonal: its first component is the sum of all over sqrt(d)."""
    angles = 2 * np.pi / d * np.outer(np.arange(d), np.arange(d))
    hartley = (np.cos(angles) + np.sin(angles)) / np.sqrt(d)
    np.testing.assert_allclose(hartley @ hartley.T, np.eye(d), atol=1e-12)  # Gaussian inputs stay Gaussian
    x, of_the_sum = k_global.sample(4000, generator=stream(0, "hartley"), k=1, dimension=d)
    turned = x.astype(float) @ hartley.T
    np.testing.assert_allclose(turned[:, 0], k_global.feature(x, (1,)) / np.sqrt(d), atol=1e-12)
    np.testing.assert_array_equal(of_the_sum, turned[:, 0] < 0)
    y, of_the_first = k_local.sample(4000, generator=stream(0, "hartley"), k=1, dimension=d)
    np.testing.assert_array_equal(of_the_first, k_global.feature(y @ hartley.T, (1,)) < 0)  # it is its own inverse


def test_a_sum_of_zero_is_of_the_first_class():
    """Class 1 has the sums of at least 0 (eqs. 1 and 2); samples from a normal distribution do not show 0 itself."""

    class Zeros:
        def standard_normal(self, shape, dtype):
            return np.zeros(shape, dtype)

    for task, settings in ((k_terms, {"terms": 2}), (k_local, {}), (k_global, {})):
        _, labels = task.sample(3, generator=Zeros(), k=2, dimension=4, **settings)
        assert labels.tolist() == [0, 0, 0]  # of the paper's class 1


def test_rotations_prefer_no_direction():
    """Traces of uniform orthogonal matrices have mean 0 and variance 1; those of a QR decomposition are below 0."""
    traces = [np.trace(k_terms.rotation(d)) for d in range(5, 45)]
    assert abs(np.mean(traces)) < 3 / len(traces) ** 0.5
    assert np.var(traces) == pytest.approx(1, abs=0.7)


def test_terms_beyond_the_dimension_are_refused():
    k_terms.check(k=2, terms=7, dimension=7)
    with pytest.raises(ValueError, match="terms is 8, and must not exceed dimension, which is 7"):
        k_terms.check(k=2, terms=8, dimension=7)
    with pytest.raises(ValueError, match="k is 8"):
        k_terms.check(k=8, terms=1, dimension=7)
