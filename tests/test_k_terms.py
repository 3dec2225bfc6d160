"""Labels of a sum of some cyclic products: between k-local and k-global, and after a rotation."""

import numpy as np
import pytest

from isobath.randomness import stream
from isobath.tasks import k_global, k_terms


def drawn(**settings):
    return k_terms.sample(4000, generator=stream(0, "k_terms"), **settings)


def test_all_terms_are_the_global_label_and_one_is_local():
    x, labels = drawn(k=2, terms=7, dimension=7)
    np.testing.assert_array_equal(labels, k_global.feature(x, (1, 2)) < 0)
    x, labels = drawn(k=3, terms=1, dimension=7)
    np.testing.assert_array_equal(labels, np.prod(x[:, 1:4], axis=1, dtype=float) < 0)


def test_a_rotation_changes_the_inputs_and_no_label():
    (x, plain), (rotated, labels) = (drawn(k=2, terms=4, dimension=9, rotated=r) for r in (False, True))
    np.testing.assert_array_equal(plain, labels)
    q = k_terms.rotation(9)
    np.testing.assert_allclose(q @ q.T, np.eye(9), atol=1e-13)
    np.testing.assert_allclose(rotated @ q, x, atol=1e-5)
    assert rotated.dtype == np.float32
    assert abs(rotated.mean()) < 0.02
    assert abs(rotated.std() - 1) < 0.02


def test_terms_beyond_the_dimension_are_refused():
    with pytest.raises(ValueError, match="terms is 8, and must not exceed dimension, which is 7"):
        k_terms.check(k=2, terms=8, dimension=7)
    with pytest.raises(ValueError, match="k is 8"):
        k_terms.check(k=8, terms=1, dimension=7)
