"""Kernel regression against closed forms, and within its memory."""

import numpy as np
import pytest
import torch
from isobath.regression.ridgeless import IllConditioned, predictions, solve
from isobath.regression.ridgeless import test_errors as errors_of  # pytest would collect it

from isobath.kernels import ntk
from isobath.randomness import stream
from isobath.regression import ridgeless

MEMORY = 1e9


def data(n, d, name="train"):
    x = stream(0, "regression", name).standard_normal((n, d))
    return torch.from_numpy(x), torch.from_numpy((x[:, 0] * x[:, 1] < 0).astype(np.int64))


def test_depth_zero_is_linear_regression():
    """The kernel x.x' / d + beta^2 is that of the features (x / sqrt d, beta): regression without ridge
    is the least-squares fit of smallest norm in them."""
    d, beta = 20, 0.1
    (x, labels), (x_test, _) = data(15, d), data(200, d, "test")

    def features(z):
        return np.hstack([z.numpy() / np.sqrt(d), np.full((len(z), 1), beta)])

    targets = torch.nn.functional.one_hot(labels).double() - 0.5
    gram = next(ntk.gram(x, x, depth=[0], diagonal=0, beta=beta))
    found = torch.cat(
        list(
            predictions(
                lambda a, b, depth: ntk.gram(a, b, depth=depth, beta=beta),
                x_test,
                x,
                [solve(gram, targets).coefficients],
                depth=[0],
                memory=MEMORY,
            )
        ),
        dim=1,
    )[0]
    expected = features(x_test) @ np.linalg.pinv(features(x)) @ targets.numpy()
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-8, atol=1e-9)


def test_more_samples_than_a_linear_kernel_has_directions_are_refused():
    with pytest.raises(IllConditioned, match="30 samples"):
        errors_of(ntk.gram, data(30, 5), data(10, 5, "test"), depth=[0], memory=MEMORY)


@pytest.mark.parametrize("memory", [MEMORY, 3e5, 1.0])
def test_errors_are_those_of_the_formula_whatever_the_blocks(memory):
    (x, labels), (x_test, test_labels) = data(60, 6), data(300, 6, "test")
    found = errors_of(ntk.gram, (x, labels), (x_test, test_labels), depth=[1, 2, 7], memory=memory)
    sign = np.where(labels.numpy() == 0, 1.0, -1.0)  # eq. 11 with y = +-1
    for i, depth in enumerate([1, 2, 7]):
        gram = next(ntk.gram(x, x, depth=[depth], diagonal=0)).numpy().copy()
        cross = next(ntk.gram(x_test, x, depth=[depth])).numpy()
        f = cross @ np.linalg.solve(gram, sign)
        assert found["test_error"][i] == ((f < 0) != (test_labels.numpy() == 1)).mean()
        assert found["jitter"][i] == 0
        assert found["residual"][i] < 1e-12
    assert 0.05 < found["test_error"][0] < 0.5


def test_the_training_set_is_interpolated():
    train = data(80, 5)
    assert (errors_of(ntk.gram, train, train, depth=[1, 5], memory=MEMORY)["test_error"] == 0).all()


def test_blocks_stay_within_the_memory():
    seen = []

    def gram(x, y, *, depth, diagonal=None):
        seen.append(len(x) * len(y))
        return ntk.gram(x, y, depth=depth, diagonal=diagonal)

    memory = 2e6
    errors_of(gram, data(200, 5), data(5000, 5, "test"), depth=[1, 2], memory=memory)
    assert sum(seen) >= 5000 * 200
    assert max(seen) * 8 * 8 <= memory / 4


def test_a_singular_gram_matrix_climbs_the_ladder():
    features = torch.from_numpy(stream(0, "features").standard_normal((40, 20)))
    targets = features @ torch.from_numpy(stream(0, "targets").standard_normal((20, 2)))
    solution = solve(features @ features.T, targets)
    assert solution.jitter in ridgeless.JITTERS[1:]
    assert solution.residual <= ridgeless.TOLERANCE


def test_the_smallest_jitter_that_works_is_taken():
    u = torch.linalg.qr(torch.from_numpy(stream(0, "q").standard_normal((30, 30))))[0]
    spectrum = torch.ones(30, dtype=torch.float64)
    spectrum[0] = -3e-12 * 29 / 30
    gram = u @ torch.diag(spectrum) @ u.T
    solution = solve((gram + gram.T) / 2, u[:, 1:3].contiguous())
    assert solution.jitter == 1e-11


@pytest.mark.parametrize("bad", ["indefinite", "nan"])
def test_what_is_no_gram_matrix_is_refused(bad):
    gram = torch.eye(5, dtype=torch.float64)
    gram[2, 2] = -1.0 if bad == "indefinite" else torch.nan
    with pytest.raises(IllConditioned):
        solve(gram, torch.eye(5, dtype=torch.float64)[:, :2])


def test_the_gram_matrix_is_kept():
    gram = next(ntk.gram(*[data(10, 4)[0]] * 2, depth=[1], diagonal=0)).clone()
    before = gram.clone()
    solve(gram, torch.ones(10, 1, dtype=torch.float64))
    assert torch.equal(gram, before)


@pytest.mark.parametrize("cholesky", [ridgeless._by_lapack, ridgeless._by_torch])
def test_either_factorisation_inverts_in_place_or_says_that_it_cannot(cholesky):
    a = torch.from_numpy(stream(0, "a").standard_normal((30, 30)))
    matrix, y = a @ a.T + torch.eye(30), torch.from_numpy(stream(0, "y").standard_normal((30, 2)))
    given = matrix.clone()
    found = cholesky(given)(y)
    torch.testing.assert_close(matrix @ found, y, rtol=0, atol=1e-10)
    torch.testing.assert_close(given.triu(), torch.linalg.cholesky(matrix).mT, rtol=0, atol=1e-10)
    assert cholesky(matrix - 100 * torch.eye(30)) is None
