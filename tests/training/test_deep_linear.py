"""Deep linear networks: balanced starts, the end-to-end rule, the step of w = w_1 w_2, and the chain of scalars."""

import functools
import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from isobath.binding import bound
from isobath.calculations import end_to_end_rule, overparametrised_step
from isobath.contracts.compiled_steps import OnTorch
from isobath.contracts.tiny_stacks import LOSS, data, stack
from isobath.jobs.specs import loss
from isobath.protocols import adadelta, adagrad, adam, newton, sgd
from isobath.randomness import stream
from isobath.separation import deep_linear
from isobath.training.architecture import Architecture
from isobath.training.fit import Stopping
from isobath.training.recipes import Recipe, replicas

NETWORK = Architecture.of({"kind": "deep_linear", "scale": 0.3})


def start(depth, width, outputs=2):
    shape = {"n_inputs": 5, "n_outputs": outputs, "depth": depth, "width": width}
    return NETWORK.init([stream(0, "deep", i) for i in range(3)], **shape, dtype=torch.float64)


@pytest.mark.parametrize(("depth", "width"), [(0, 4), (1, 1), (3, 4)])
def test_starts_are_balanced_and_of_one_norm(depth, width):
    weights = start(depth, width)
    for below, above in itertools.pairwise(weights):
        torch.testing.assert_close(above.transpose(1, 2) @ above, below @ below.transpose(1, 2))
    whole = NETWORK.apply(weights, torch.eye(5, dtype=torch.float64))
    torch.testing.assert_close(torch.linalg.matrix_norm(whole), torch.full((3,), 0.3, dtype=torch.float64))


def trained(width, kind="sgd", steps=40, depth=2, **settings):
    x = torch.from_numpy(stream(0, "x").standard_normal((30, 5)))
    y = (x @ torch.arange(1.0, 6.0, dtype=torch.float64) / 5)[:, None]
    recipe = Recipe(
        architecture=Architecture.of({"kind": "deep_linear", "scale": 0.01}),
        protocol=bound("protocol", {"kind": kind, **({} if kind == "newton" else {"batch_size": None}), **settings}),
        loss=loss({"kind": "power", "p": 4}),
        shape={"depth": depth, "width": width},
        stopping=Stopping(steps, steps),
        seed=0,
        dtype=torch.float64,
        records=range(steps + 1),
    )
    found = recipe.train_and_test(replicas(("a",), [0.02, 0.05], [0], 30), (x, y), (x, y), memory=1e9)
    return found["recorded_loss"]


def chain(rate, depth, steps):
    """Return losses of gradient descent on w_1 s_2 .. s_N, written out, from the start of the network."""
    x = stream(0, "x").standard_normal((30, 5))
    y = x @ np.arange(1.0, 6.0) / 5
    shape = {"n_inputs": 5, "n_outputs": 1, "depth": depth, "width": 1}
    init = Architecture.of({"kind": "deep_linear", "scale": 0.01}).init
    w, *scalars = (p[0].numpy() for p in init([stream(0, "initialisation", "a", 0)], **shape, dtype=torch.float64))
    w, s, losses = w[0], np.array([float(p.item()) for p in scalars]), []
    for _ in range(steps + 1):
        residual = x @ (w * s.prod()) - y
        losses.append((residual**4).mean() / 4)
        g = x.T @ residual**3 / 30
        others = np.array([np.prod(np.delete(s, j)) for j in range(len(s))])
        w, s = w - rate * s.prod() * g, s - rate * others * (w @ g)
    return losses


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_the_engine_trains_the_chain_of_scalars(depth):
    np.testing.assert_allclose(trained(1, depth=depth)[1], chain(0.05, depth, 40), rtol=1e-9)


def test_the_width_of_balanced_layers_is_of_no_matter():
    """They are of rank one: units that are added at zero change no step."""
    layers = deep_linear.balanced(stream(0, "w").standard_normal((1, 5)), 3)
    wide = [np.pad(w, [(0, 3 * (i < 2)), (0, 3 * (i > 0))]) for i, w in enumerate(layers)]
    gradient = stream(0, "g").standard_normal((1, 5))
    narrow = deep_linear.descended(layers, gradient, 0.1)
    np.testing.assert_allclose(deep_linear.descended(wide, gradient, 0.1), narrow, atol=1e-14)


def test_newton_finds_the_optimum_that_least_squares_and_its_gradient_say():
    loss_ = trained(1, "newton", depth=0, steps=60)
    assert loss_[0, 0] > 0.1
    x = stream(0, "x").standard_normal((30, 5))
    y = (x @ np.arange(1.0, 6.0) / 5)[:, None]
    noisy = y + stream(0, "n").standard_normal(y.shape)
    for p in (2, 4):
        recipe = Recipe(
            architecture=Architecture.of("deep_linear"), protocol=bound("protocol", "newton"),
            loss=loss({"kind": "power", "p": p}), shape={"depth": 0, "width": 1}, stopping=Stopping(60, 60), seed=0,
            dtype=torch.float64,
        )  # fmt: skip
        (outcome,) = recipe.train(
            replicas(("a",), [1e8], [0], 30), torch.from_numpy(x), torch.from_numpy(noisy), memory=1e9
        )
        w = outcome.weights[0][0, 0].numpy()
        assert np.abs(x.T @ (x @ w - noisy[:, 0]) ** (p - 1)).max() < 1e-7
        if p == 2:
            np.testing.assert_allclose(w, np.linalg.lstsq(x, noisy[:, 0], rcond=None)[0], rtol=1e-6)


def by_hand(kind, gradient, rate, steps):
    """Yield a single weight after each step of a rule, written out from the papers."""
    w, v, s, u = 0.0, 0.0, 0.0, 0.0
    for _ in range(steps):
        g = gradient(w)
        if kind == "momentum":
            v = 0.9 * v + g
            w -= rate * v
        elif kind == "adagrad":
            s += g**2
            w -= rate * g / (np.sqrt(s) + 1e-10)
        else:
            s = 0.95 * s + 0.05 * g**2
            change = np.sqrt(u + 1e-6) / np.sqrt(s + 1e-6) * g
            u = 0.95 * u + 0.05 * change**2
            w -= rate * change
        yield w


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("kind", ["momentum", "adagrad", "adadelta"])
def test_optimisers_are_those_of_their_papers(kind, compiled):
    """With one input 1 and a bias the output is w + b; both move alike, by 2 (w + b - y)."""
    made = stack([0.1], np.arange(1)[None], depth=0, outputs=1)
    if not compiled:
        made = replace(made, architecture=OnTorch(made.architecture.module, made.architecture.settings))
    made.parameters.zero_()
    x, y = torch.zeros(1, 6, dtype=torch.float64), torch.tensor([[1.7]], dtype=torch.float64)
    x[0, 0] = 1
    training = bound("protocol", {"kind": kind, "batch_size": None})(made, x, y, loss=LOSS["mean_squared_error"])
    found = []
    for _ in range(5):
        next(training)
        found.append(float(made.weights[0][0, 0, 0]))
    np.testing.assert_allclose(found, list(by_hand(kind, lambda w: 2 * (2 * w - 1.7), 0.1, 5)), rtol=1e-12)


def test_the_rule_holds_to_first_order_for_balanced_layers_alone():
    found = end_to_end_rule.calculate(
        generator=stream(0, "e"), layers=(1, 2, 4), rates=(1e-4, 1e-3), decays=(0.0, 0.1), rows=4, columns=3, draws=4
    )
    deep = found.sel(layers=[2, 4])
    np.testing.assert_allclose(np.log10(deep.deviation).diff("rate"), 1, atol=0.02)
    assert float(deep.unbalanced_deviation.min()) > 0.1
    assert float(found.vector_deviation.max()) < 1e-12
    assert float(found.deviation.sel(layers=1, decay=0).max()) < 1e-10
    np.testing.assert_allclose(found.gain.sel(layers=1), 1, rtol=1e-6)


def test_zero_singular_values_stay_zero_in_the_preconditioner():
    """Powers of the eigenvalues of W'W would turn a zero into about 1e-5."""
    w = np.outer(np.ones(4), [1.0, 2.0, 2.0])
    off = np.linalg.svd(w)
    gradient = np.outer(off[0][:, 2], off[2][1])
    np.testing.assert_allclose(deep_linear.preconditioned(w, gradient, 4), 0, atol=1e-7)


def test_a_step_of_a_product_is_an_adaptive_rate_and_a_multiple_of_w():
    found = overparametrised_step.calculate(
        generator=stream(0, "o"), powers=(2, 4), rates=(1e-4, 1e-3), draws=3, steps=6000, rate=0.002, start=1e-4
    )
    np.testing.assert_allclose(np.log10(found.remainder).diff("rate"), 2, atol=0.02)
    assert float(found.weighted_sum_deviation.max()) < 0.2
    assert float(found.falls.max()) < 1
    with pytest.raises(ValueError, match="powers has 3; powers of the loss must be even"):
        overparametrised_step.check(powers=(2, 3), samples=100)


def test_newton_at_a_small_rate_is_gradient_descent():
    inputs, labels = data()
    squared, moved = LOSS["mean_squared_error"], []
    for train in (newton.train, functools.partial(sgd.train, batch_size=None)):
        one = stack([1e-6], np.arange(53)[None])
        before = one.parameters.clone()
        next(train(one, inputs, squared.targets(labels, torch.float64), loss=squared))
        moved.append((one.parameters - before) / 1e-6)
    torch.testing.assert_close(*moved, rtol=1e-4, atol=1e-5)


def test_an_overparametrised_step_starts_at_its_scale_and_counts_from_its_first_loss(monkeypatch):
    seen, step = [], overparametrised_step._step

    def told(problem, w1, w2, *more):
        seen.append((w1 @ w1, w2**2))
        return step(problem, w1, w2, *more)

    monkeypatch.setattr(overparametrised_step, "_step", told)
    problem = overparametrised_step._problem(np.random.default_rng(0), 60, 6)
    _, fall = overparametrised_step._run(problem, np.arange(1.0, 7), 2, 0.0, 1, 1e-3)
    assert seen == [pytest.approx((1e-3, 1e-3))]
    assert fall == pytest.approx(1)


def test_momentum_takes_its_beta():
    """With one input 1 and a bias the output is w + b, as in test_optimisers_are_those_of_their_papers."""
    made = stack([0.1], np.arange(1)[None], depth=0, outputs=1)
    made = replace(made, architecture=OnTorch(made.architecture.module, made.architecture.settings))
    made.parameters.zero_()
    x, y = torch.zeros(1, 6, dtype=torch.float64), torch.tensor([[1.7]], dtype=torch.float64)
    x[0, 0] = 1
    how = {"kind": "momentum", "batch_size": None, "beta": 0.5}
    training, w, v = bound("protocol", how)(made, x, y, loss=LOSS["mean_squared_error"]), 0.0, 0.0
    for _ in range(4):
        next(training)
        v = 0.5 * v + 2 * (2 * w - 1.7)
        w -= 0.1 * v
        assert float(made.weights[0][0, 0, 0]) == pytest.approx(w, rel=1e-12)


def test_compiled_steps_take_their_settings():
    g, w = np.array([0.3, -0.7]), np.array([1.0, 2.0])
    moments, moved = np.array([[0.2, 0.1], [0.4, 0.3]]), w.copy()
    s, u = moments.copy()
    adadelta.update(adadelta.Compiled(0.5, 0.01), moved, g, moments, 0.1, 1)
    s = 0.5 * s + 0.5 * g**2
    x = np.sqrt(u + 0.01) / np.sqrt(s + 0.01) * g
    np.testing.assert_allclose(moments, [s, 0.5 * u + 0.5 * x**2])
    np.testing.assert_allclose(moved, w - 0.1 * x)
    moments, moved = np.array([[0.2, 0.1]]), w.copy()
    adagrad.update(adagrad.Compiled(0.3), moved, g, moments, 0.1, 1)
    np.testing.assert_allclose(moved, w - 0.1 * g / (np.sqrt([0.2 + 0.09, 0.1 + 0.49]) + 0.3))
    moments, moved = np.array([[0.2, 0.1], [0.4, 0.3]]), w.copy()
    adam.update(adam.Compiled(0.8, 0.9, 0.05), moved, g, moments, 0.1, 3)
    m, v = 0.8 * np.array([0.2, 0.1]) + 0.2 * g, 0.9 * np.array([0.4, 0.3]) + 0.1 * g**2
    np.testing.assert_allclose(moments, [m, v])
    np.testing.assert_allclose(moved, w - 0.1 * (m / (1 - 0.8**3)) / (np.sqrt(v / (1 - 0.9**3)) + 0.05))


def test_layers_that_are_not_balanced_are_doubled_and_halved():
    how = {"layers": (3,), "rates": (0.01,), "decays": (0.1,), "rows": 4, "columns": 3, "draws": 1}
    found = end_to_end_rule.calculate(generator=stream(0, "e"), **how)
    w, gradient = stream(0, "e").standard_normal((2, 4, 3)) / np.sqrt(3)
    first, middle, last = deep_linear.balanced(w, 3)
    layers = [2 * first, middle, last / 2]
    true = deep_linear.descended(layers, gradient, 0.01, decay=0.1)
    rule = deep_linear.end_to_end(w, gradient, 3, 0.01, decay=0.1)
    deviation = np.linalg.norm(true - rule) / np.linalg.norm(true - w)
    assert found.unbalanced_deviation.item() == pytest.approx(deviation)
