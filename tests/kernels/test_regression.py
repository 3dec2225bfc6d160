"""Kernel regression against closed forms, and within its memory."""

from functools import partial

import numpy as np
import pytest
import torch

from isobath.kernels import gamma_exponential, ntk
from isobath.randomness import stream
from isobath.regression import linear_systems, ridge_lists
from isobath.regression.blocks import predictions
from isobath.regression.errors import encode, sample_errors
from isobath.regression.gram import gram
from isobath.regression.linear_systems import IllConditioned, solve
from isobath.regression.ridge import Validation, regress

MEMORY = 1e9


def data(n, d, name="train"):
    x = stream(0, "regression", name).standard_normal((n, d))
    return torch.from_numpy(x), torch.from_numpy((x[:, 0] * x[:, 1] < 0).astype(np.int64))


def test_depth_zero_is_linear_regression():
    """The kernel x.x' / d + beta^2 is that of the features (x / sqrt d, beta).

    Regression without ridge is the least-squares fit of smallest norm in them.
    """
    d, beta = 20, 0.1
    (x, labels), (x_test, _) = data(15, d), data(200, d, "test")

    def features(z):
        return np.hstack([z.numpy() / np.sqrt(d), np.full((len(z), 1), beta)])

    targets = torch.nn.functional.one_hot(labels).double() - 0.5
    profile = partial(ntk.profile, beta=beta)
    matrix = next(gram(profile, x, x, depth=[0]))
    found = torch.cat(
        list(predictions(profile, x_test, x, [solve(matrix, targets).coefficients], depth=[0], memory=MEMORY)),
        dim=1,
    )[0]
    expected = features(x_test) @ np.linalg.pinv(features(x)) @ targets.numpy()
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-8, atol=1e-9)


def test_more_samples_than_a_linear_kernel_has_directions_are_refused():
    with pytest.raises(IllConditioned, match="30 samples"):
        regress(ntk.profile, data(30, 5), data(10, 5, "test"), depth=[0], memory=MEMORY)


@pytest.mark.parametrize("memory", [MEMORY, 3e5, 1.0])
def test_errors_are_those_of_the_formula_whatever_the_blocks(memory):
    (x, labels), (x_test, test_labels) = data(60, 6), data(300, 6, "test")
    found = regress(ntk.profile, (x, labels), (x_test, test_labels), depth=[1, 2, 7], memory=memory)
    sign = np.where(labels.numpy() == 0, 1.0, -1.0)  # eq. 11 with y = +-1
    for i, depth in enumerate([1, 2, 7]):
        matrix = next(gram(ntk.profile, x, x, depth=[depth])).numpy().copy()
        cross = next(gram(ntk.profile, x_test, x, depth=[depth])).numpy()
        f = cross @ np.linalg.solve(matrix, sign)
        assert found["test_error"][i] == ((f < 0) != (test_labels.numpy() == 1)).mean()
        assert found["jitter"][i] == 0
        assert found["residual"][i] < 1e-12
    assert 0.05 < found["test_error"][0] < 0.5


def test_the_training_set_is_interpolated():
    train = data(80, 5)
    assert (regress(ntk.profile, train, train, depth=[1, 5], memory=MEMORY)["test_error"] == 0).all()


def test_blocks_stay_within_the_memory():
    seen = []

    def profile(pairs, *, depth):
        seen.append(pairs.e.numel())
        return ntk.profile(pairs, depth=depth)

    memory = 2e6
    regress(profile, data(200, 5), data(5000, 5, "test"), depth=[1, 2], memory=memory)
    assert sum(seen) >= 5000 * 200
    assert max(seen) * 12 * 8 <= memory / 4


def test_a_singular_gram_matrix_climbs_the_ladder():
    features = torch.from_numpy(stream(0, "features").standard_normal((40, 20)))
    targets = features @ torch.from_numpy(stream(0, "targets").standard_normal((20, 2)))
    solution = solve(features @ features.T, targets)
    assert solution.jitter in linear_systems.JITTERS[1:]
    assert solution.residual <= linear_systems.TOLERANCE


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
    matrix = next(gram(ntk.profile, *[data(10, 4)[0]] * 2, depth=[1])).clone()
    before = matrix.clone()
    solve(matrix, torch.ones(10, 1, dtype=torch.float64))
    assert torch.equal(matrix, before)


@pytest.mark.parametrize("cholesky", [linear_systems._by_lapack, linear_systems._by_torch])
def test_either_factorisation_inverts_in_place_or_says_that_it_cannot(cholesky):
    a = torch.from_numpy(stream(0, "a").standard_normal((30, 30)))
    matrix, y = a @ a.T + torch.eye(30), torch.from_numpy(stream(0, "y").standard_normal((30, 2)))
    given = matrix.clone()
    found = cholesky(given)(y)
    torch.testing.assert_close(matrix @ found, y, rtol=0, atol=1e-10)
    torch.testing.assert_close(given.triu(), torch.linalg.cholesky(matrix).mT, rtol=0, atol=1e-10)
    assert cholesky(matrix - 100 * torch.eye(30)) is None


RIDGES = [0.0, 1e-6, 1e-4, 1e-2, 1.0]


def real_data(n, d, name="train"):
    """Make two real targets: a smooth function of the inputs, and noise."""
    x = stream(0, "regression", name).standard_normal((n, d))
    noise = stream(0, "noise", name).standard_normal(n)
    return torch.from_numpy(x), torch.from_numpy(np.stack([np.sin(x[:, 0]) + 3, noise], 1))


@pytest.mark.parametrize("ridge", [1e-8, 1e-3, 0.5])
def test_a_ridge_solves_the_normalised_system(ridge):
    a = stream(0, "a").standard_normal((20, 25))
    k, y = a @ a.T, stream(0, "y").standard_normal((20, 2))
    unit = np.trace(k) / 20
    expected = np.linalg.solve(k / unit + 20 * ridge * np.eye(20), y)
    solution = solve(torch.from_numpy(k), torch.from_numpy(y), ridge=ridge)
    np.testing.assert_allclose(solution.coefficients.numpy() * unit, expected, rtol=1e-10)
    assert solution.jitter == 0
    assert solution.residual < 1e-13


def test_a_ridge_is_that_of_the_penalised_least_squares():
    """It minimises |y - f|^2 / n + lambda |f|^2 over linear f, in normalised features of the kernel of depth 0."""
    x, y = real_data(30, 4)
    features = np.hstack([x.numpy() / 2, np.full((30, 1), 0.3)])
    features /= np.sqrt((features**2).sum(1).mean())
    weights = np.linalg.solve(features.T @ features + 30 * 0.01 * np.eye(5), features.T @ y.numpy())
    matrix = next(gram(partial(ntk.profile, beta=0.3), x, x, depth=[0]))
    fitted = matrix @ solve(matrix, y, ridge=0.01).coefficients
    np.testing.assert_allclose(fitted.numpy(), features @ weights, rtol=1e-10, atol=1e-12)


def brute_force(profile, depth, train, test, validation):
    """Solve every ridge on the fitted samples by its own kernel matrices, then the best on all, by NumPy's solve."""
    (x, y), (x_test, y_test) = train, test

    def outputs(a, b, targets, ridge):
        k, cross = (next(gram(profile, *pair, depth=depth)).numpy().copy() for pair in ((a, a), (b, a)))
        unit = np.diagonal(k).mean()
        return torch.from_numpy(cross @ np.linalg.solve(k + len(a) * ridge * unit * np.eye(len(a)), targets))

    kept, held = np.split(validation.order, [len(x) - validation.held_out])
    targets = encode(y).numpy()
    errors = [
        sample_errors(outputs(x[kept], x[held], targets[kept], r), y[held]).mean().item() for r in validation.ridges
    ]
    best = max(r for r, e in zip(validation.ridges, errors, strict=True) if e == min(errors))
    return errors, best, sample_errors(outputs(x, x_test, targets, best), y_test).mean().item()


@pytest.mark.parametrize("make", [data, real_data])
@pytest.mark.parametrize("kernel", [ntk, gamma_exponential])
def test_the_ridge_is_chosen_as_by_brute_force_without_the_test_set(make, kernel):
    train, test = make(70, 4), make(200, 4, "test")
    depth = [1, 3] if kernel is ntk else None
    validation = Validation.drawn(RIDGES, 0.3, 70, stream(0, "validation"))
    assert validation.held_out == 21
    found = regress(kernel.profile, train, test, depth=depth, memory=MEMORY, validation=validation)
    for i, level in enumerate([[1], [3]] if depth else [None]):
        errors, best, error = brute_force(kernel.profile, level, train, test, validation)
        np.testing.assert_allclose(found["validation_error"][i], errors, rtol=1e-7)
        assert found["chosen_ridge"][i] == best
        inner = errors[np.clip(RIDGES.index(best), 1, len(RIDGES) - 2)]
        assert found["ridge_at_edge"][i] == (best in (RIDGES[0], RIDGES[-1]) and min(errors) < 0.999 * inner)
        assert found["test_error"][i] == pytest.approx(error, rel=1e-7)
    names = {"test_error", "jitter", "residual", "chosen_ridge", "ridge_at_edge", "validation_error"}
    assert {*found} == names | ({"test_error_sd"} if make is real_data else set())
    lengths = {column.shape for name, column in found.items() if name != "validation_error"}
    assert lengths == {(2 if depth else 1,)}
    other = regress(kernel.profile, train, make(50, 4, "else"), depth=depth, memory=MEMORY, validation=validation)
    assert (other["chosen_ridge"] == found["chosen_ridge"]).all()
    assert (other["validation_error"] == found["validation_error"]).all()


def test_a_ridge_too_small_for_its_matrix_is_not_chosen():
    """At depth 0 the NTK is linear: its matrix of 70 samples has rank 5."""
    train, test = data(70, 4), data(50, 4, "test")
    validation = Validation.drawn([0.0, 1e-3, 0.1], 0.3, 70, stream(0, "validation"))
    found = regress(ntk.profile, train, test, depth=[0], memory=MEMORY, validation=validation)
    assert found["validation_error"][0, 0] == np.inf
    assert np.isfinite(found["validation_error"][0, 1:]).all()
    assert found["chosen_ridge"][0] > 0
    assert np.isfinite(found["test_error"]).all()


def test_of_equal_ridges_the_largest_is_chosen_and_no_longer_list_is_asked_for():
    x = torch.cat([torch.ones(20, 1), -torch.ones(20, 1)]).double()
    train = x, (x[:, 0] > 0).long()
    validation = Validation.drawn([1e-3, 1e-2, 1e-1], 0.25, 40, stream(0, "validation"))
    found = regress(ntk.profile, train, train, depth=[1], memory=MEMORY, validation=validation)
    assert (found["validation_error"] == 0).all()
    assert found["chosen_ridge"] == [0.1]
    assert found["ridge_at_edge"] == [0]


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ([0.1, 0.2, 0.3], 1),
        ([0.3, 0.2, 0.1], 1),
        ([0.2, 0.1, 0.2], 0),
        ([0.1, 0.1 + 1e-9, 0.3], 0),
        ([0.3, 0.1 + 1e-9, 0.1], 0),
        ([0.1, 0.1002, 0.3], 1),
        ([0.1, 0.2], 1),
        ([0.2, 0.2], 0),
        ([0.2], 1),
    ],
)
def test_a_list_of_ridges_is_too_short_where_errors_still_fall_to_its_end(errors, expected):
    errors = np.array([errors, errors[::-1]])
    np.testing.assert_array_equal(ridge_lists.at_edge(errors, errors.argmin(1)), expected)


@pytest.mark.parametrize("share", [1e-9, 0.2, 0.999999])
def test_some_samples_are_held_out_and_some_are_not(share):
    validation = Validation.drawn(RIDGES, share, 10, stream(0, "validation"))
    assert 1 <= validation.held_out < 10
    assert sorted(validation.order) == list(range(10))


def test_real_targets_are_interpolated_as_they_are_and_judged_by_their_squares():
    train, (x_test, y_test) = real_data(60, 4), real_data(100, 4, "test")
    found = regress(ntk.profile, train, (x_test, y_test), depth=[2], memory=MEMORY)
    k, cross = (next(gram(ntk.profile, a, train[0], depth=[2])).numpy().copy() for a in (train[0], x_test))
    f = cross @ np.linalg.solve(k, train[1].numpy())
    assert found["test_error"][0] == pytest.approx(((f - y_test.numpy()) ** 2).mean(), rel=1e-9)
    assert regress(ntk.profile, train, train, depth=[2], memory=MEMORY)["test_error"][0] < 1e-20


def test_float32_targets_are_regressed_in_float64():
    x, y = real_data(30, 4)
    assert encode(y.float()).dtype == torch.float64
    assert regress(ntk.profile, (x, y.float()), (x, y.float()), depth=[1], memory=MEMORY)["test_error"][0] < 1e-20


@pytest.mark.parametrize("memory", [MEMORY, 3e5])
def test_a_kernel_without_depth_has_one_error(memory):
    train, test = data(60, 6), data(300, 6, "test")
    found = regress(gamma_exponential.profile, train, test, depth=None, memory=memory)
    k, cross = (next(gram(gamma_exponential.profile, a, train[0])).numpy().copy() for a in (train[0], test[0]))
    f = cross @ np.linalg.solve(k, np.where(train[1].numpy() == 0, 1.0, -1.0))
    assert found["test_error"] == [((f < 0) != (test[1].numpy() == 1)).mean()]


def test_outputs_that_are_no_numbers_have_no_error():
    x, y = torch.from_numpy(stream(0, "x").standard_normal((20, 3))), torch.arange(20) % 2
    far = x.clone()
    far[3, 0] = torch.nan
    assert np.isnan(regress(ntk.profile, (x, y), (far, y), depth=[1], memory=1e9)["test_error"]).all()


@pytest.mark.parametrize("power", [8, 9, 10, 11])
def test_no_solution_misses_by_more_than_a_hundred_millionth(power):
    """A literal number: ``linear_systems.TOLERANCE`` would be compared with itself."""
    u = torch.linalg.qr(torch.from_numpy(stream(0, "q").standard_normal((40, 40))))[0]
    matrix = u @ torch.diag(torch.logspace(0, -power, 40, dtype=torch.float64)) @ u.T
    matrix = (matrix + matrix.T) / 2
    try:
        found = solve(matrix, u[:, -1:].contiguous())
    except IllConditioned:
        return
    assert found.residual <= 1e-8
