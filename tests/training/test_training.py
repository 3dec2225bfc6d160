"""Networks stop when they fit, or are given up, and nothing depends on how stacks are cut."""

import functools

import numpy as np
import pytest
import torch

import isobath
from isobath.contracts.tiny_stacks import LOSS, data, padded, stack
from isobath.network_sizes import perceptron
from isobath.networks import mlp
from isobath.protocols import sgd
from isobath.randomness import entropy, permutation
from isobath.statuses import DIVERGED, FITTED, UNFITTED
from isobath.training import fit as fitting
from isobath.training.architecture import Architecture
from isobath.training.fit import Stopping, fit
from isobath.training.observables import observations
from isobath.training.recipes import Recipe, Replicas, stack_size


def fitted(made, inputs, labels, *, loss=LOSS["cross_entropy"], max_epochs=300, check_every=10, batch_size=8):
    protocol = functools.partial(sgd.train, batch_size=batch_size)
    return fit(made, inputs, labels, protocol=protocol, loss=loss, stopping=Stopping(max_epochs, check_every))


def test_networks_stop_when_they_fit_and_say_what_became_of_them():
    inputs, labels = data()
    rates, loss = [0.1, 1e-6, 1e6, 0.05], LOSS["mean_squared_error"]
    outcome = fitted(stack(rates, np.tile(np.arange(53), (4, 1)), width=20), inputs, labels, loss=loss)
    assert outcome.status.tolist() == [FITTED, UNFITTED, DIVERGED, FITTED]
    for i in (0, 3):
        assert outcome.train_error[i] == 0
        assert outcome.epochs[i] % 10 == 0
        assert outcome.epochs[i] < 300
        assert not outcome.errors[i].any()
    assert outcome.epochs[1] == 300
    assert 0 < outcome.train_error[1] < 1
    assert outcome.epochs[2] < 10  # noticed at once
    assert np.isnan(outcome.train_error[2])
    assert np.isnan(outcome.loss[2])
    assert outcome.errors[2].all()
    for i in (0, 1, 3):
        f = mlp.apply([w[i : i + 1] for w in outcome.weights], inputs)
        assert (f.argmax(-1) != labels).double().mean().item() == pytest.approx(outcome.train_error[i])
        mean = loss.value(f, torch.eye(2).double()[labels]).mean().item()
        assert mean == pytest.approx(outcome.loss[i])


def test_a_network_trains_in_a_stack_as_it_does_alone():
    """The others leave at different epochs, or diverge: none of it touches their neighbours."""
    inputs, labels = data()
    rates = [0.5, 1e6, 0.3, 1e-6, 0.1]
    rows = np.tile(np.arange(53), (5, 1))
    together = fitted(stack(rates, rows, width=20), inputs, labels)
    assert len(set(together.epochs)) >= 4
    for i, rate in enumerate(rates):
        alone = fitted(stack([rate], rows[:1], width=20, first=i), inputs, labels)
        assert alone.status[0] == together.status[i]
        assert alone.epochs[0] == together.epochs[i]
        np.testing.assert_array_equal(alone.errors[0], together.errors[i])
        if together.status[i] != DIVERGED:
            for a, b in zip(alone.weights, together.weights, strict=True):
                torch.testing.assert_close(a[0], b[i], rtol=1e-9, atol=1e-9)


def test_the_training_error_is_looked_at_where_it_is_asked_for_and_at_the_end():
    inputs, labels = data()
    rows = np.arange(53)[None]
    for every in (1, 7, 50):  # an error of zero may come and go between two looks
        looks = (
            (last, fitted(stack([0.5], rows, width=20), inputs, labels, max_epochs=last, check_every=300).status[0])
            for last in range(every, 301, every)
        )
        first = next(last for last, status in looks if status == FITTED)
        assert fitted(stack([0.5], rows, width=20), inputs, labels, check_every=every).epochs[0] == first
    last = fitted(stack([1e-6], rows), inputs, labels, max_epochs=33, check_every=10)
    assert last.epochs[0] == 33
    assert last.status[0] == UNFITTED


def test_errors_are_over_the_networks_own_rows():
    inputs, labels = data()
    own = list(range(0, 53, 2))
    outcome = fitted(stack([0.3], padded(53, [own]), width=30), inputs, labels)
    assert outcome.status[0] == FITTED
    assert not outcome.errors[0][own].any()
    assert outcome.errors[0].any()  # on what it has not seen


def test_a_dead_network_is_given_up_as_unfitted():
    inputs, labels = data()
    made = stack([0.1, 0.3], np.tile(np.arange(53), (2, 1)), width=20)
    made.weights[3][0].fill_(-1e6)  # the second layer of the first network never fires
    outcome = fitted(made, inputs, labels)
    assert outcome.status.tolist() == [UNFITTED, FITTED]
    assert outcome.epochs[0] == 10
    assert 0.3 < outcome.train_error[0] < 0.7


def test_a_dead_network_of_real_targets_goes_on():
    """Its last bias learns the mean; once it was stopped long before, and counted among those that had trained."""
    inputs, _ = data()
    targets = (inputs[:, :2] + 3).to(inputs.dtype)
    made = stack([0.05], np.arange(53)[None], width=20)
    made.weights[3].fill_(-1e6)
    outcome = fitted(made, inputs, targets, loss=LOSS["mean_squared_error"], max_epochs=200)
    assert outcome.epochs[0] == 200
    assert outcome.train_error[0] == pytest.approx(targets.var(0, unbiased=False).mean().item(), rel=0.2)


def test_a_network_that_was_given_up_is_not_examined_again(monkeypatch):
    """It stays in the stack until half of the networks have stopped."""
    inputs, labels = data()
    made = stack([0.1, 0.3, 0.3], np.tile(np.arange(53), (3, 1)), width=20)
    made.weights[3][0].fill_(-1e6)
    examined, moved = [], fitting._moved_by_inputs
    monkeypatch.setattr(
        fitting, "_moved_by_inputs", lambda stack, networks, x: examined.append(networks) or moved(stack, networks, x)
    )
    outcome = fitted(made, inputs, labels)
    assert outcome.epochs.max() > 10
    assert np.array(examined).tolist() == [[True, False, False]]


def test_a_network_with_one_sample_is_not_dead():
    """Once its outputs, of which there is one, were called constant."""
    inputs, labels = data()
    outcome = fitted(stack([1e-3], padded(53, [[0]]), width=20), inputs, labels)
    assert outcome.status[0] == FITTED
    assert outcome.epochs[0] > 10


def test_a_network_with_one_sample_fits_by_its_last_bias_though_a_layer_is_dead():
    inputs, labels = data()
    made = stack([0.05], padded(53, [[0]]), width=20)
    made.weights[3][0].fill_(-1e6)  # the second layer never fires
    made.weights[5][0, 0, 1 - labels[0]] = 1.0
    outcome = fitted(made, inputs, labels)
    assert outcome.status[0] == FITTED
    assert outcome.epochs[0] > 10


@pytest.mark.parametrize("bad", [float("inf"), float("nan")])
def test_weights_that_are_not_finite_are_divergence(bad):
    inputs, labels = data()
    made = stack([0.1, 0.3], np.tile(np.arange(53), (2, 1)), width=20)
    made.weights[0][0, 0, 0] = bad
    assert fitted(made, inputs, labels).status.tolist() == [DIVERGED, FITTED]


def recipe(**changes):
    settings = {
        "architecture": Architecture(mlp),
        "protocol": functools.partial(sgd.train, batch_size=8),
        "loss": LOSS["cross_entropy"],
        "shape": {"depth": 1, "width": 20},
        "stopping": Stopping(200, check_every=10),
        "batch_size": 8,
        "seed": 0,
    }
    return Recipe(**settings | changes)


def members(names, rate=0.3, n=53):
    return Replicas([(name,) for name in names], np.tile(np.arange(n), (len(names), 1)), np.full(len(names), rate))


def test_the_cut_of_a_stack_changes_nothing():
    train, test = data(), data(200)
    whole = recipe().train_and_test(members(range(6)), train, test, memory=1e9)
    one_by_one = recipe().train_and_test(members(range(6)), train, test, memory=1.0)
    for name, column in whole.items():
        if column.dtype == object:
            assert column.tolist() == one_by_one[name].tolist()
        else:
            np.testing.assert_allclose(column, one_by_one[name], rtol=1e-8)


def test_other_members_change_nothing():
    train, test = data(), data(200)
    few = recipe().train_and_test(members([3, 1]), train, test, memory=1e9)
    many = recipe().train_and_test(members([0, 1, 2, 3, 4]), train, test, memory=1e9)
    for name in ("epochs", "test_error"):
        np.testing.assert_array_equal(few[name], many[name][[3, 1]])


def test_a_diverged_network_has_no_test_error():
    columns = recipe().train_and_test(members([0], rate=1e6), data(), data(200), memory=1e9)
    assert columns["status"].tolist() == [DIVERGED]
    assert np.isnan(columns["test_error"]).all()


def test_another_seed_gives_other_networks():
    train, test = data(), data(200)
    a, b = (recipe(seed=s).train_and_test(members([0]), train, test, memory=1e9) for s in (0, 1))
    assert a["loss"][0] != b["loss"][0]


@pytest.mark.parametrize("memory", [1e6, 1e8])
def test_a_stack_holds_as_many_networks_as_fit(memory):
    one = perceptron.size(n_inputs=100, n_outputs=2, depth=2, width=50)
    size = stack_size(one, 1000, memory, batch=50)
    assert size == 1 or size * 4 * 9 * one.parameters <= memory
    assert stack_size(one, 1000, 4 * memory, batch=50) > size
    assert stack_size(one, 1000, memory, batch=50, number=8) < max(size, 2)
    assert stack_size(one, 1000, 1.0, batch=50) == 1


@pytest.mark.parametrize("pools", [0, 1])
def test_convolutional_networks_train_in_a_stack_as_they_do_alone(pools):
    rng = np.random.default_rng(0)
    inputs, labels = rng.standard_normal((40, 3 * 64)).astype(np.float32), rng.integers(0, 2, 40)
    how = {"depth": 2, "width": 4, "rate": 0.05, "max_epochs": 5, "check_every": 5, "store": "outputs"}
    how |= {"network": {"kind": "cnn", "pools": pools}, "test": (inputs, labels)}
    together = isobath.train(inputs, labels, networks=3, **how)
    for i in range(3):
        alone = isobath.train(inputs, labels, networks=[i], **how)
        np.testing.assert_array_equal(alone.weights.squeeze(), together.weights.sel(seed=i).squeeze())


def test_what_is_observed_of_a_training_set_is_over_the_networks_own_rows():
    """Errors of a test set of an odd size: the first half is the smaller one."""
    (inputs, labels), (points, truth) = data(), data(21)
    lists = [[1, 4, 9, 16, 25], list(range(0, 53, 2))]
    made = stack([0.1, 0.1], padded(53, lists), width=7, outputs=2)
    found = observations(made, loss=LOSS["squared_hinge"], train=(inputs, labels), test=(points, truth))
    f, g = (mlp.apply(made.weights, x).numpy() for x in (inputs, points))
    targets = LOSS["squared_hinge"].targets(labels, torch.float64)
    losses = LOSS["squared_hinge"].value(torch.from_numpy(f), targets).numpy()
    unmet = LOSS["squared_hinge"].unsatisfied(torch.from_numpy(f), labels).numpy()
    wrong = g.argmax(-1) != truth.numpy()
    for i, rows in enumerate(lists):
        expected = {
            "loss": losses[i, rows].mean(), "n_unmet": unmet[i, rows].sum(),
            "train_error": (f[i, rows].argmax(-1) != labels.numpy()[rows]).mean(),
            "train_norm": np.sqrt((f[i, rows] ** 2).sum(-1).mean()), "test_norm": np.sqrt((g[i] ** 2).sum(-1).mean()),
            "test_error": wrong[i].mean(), "first_half_error": wrong[i, :10].mean(),
            "second_half_error": wrong[i, 10:].mean(),
        }  # fmt: skip
        assert {name: values[i].item() for name, values in found.items()} == pytest.approx(expected)


def test_orders_of_minibatches_have_streams_of_their_own():
    made = recipe()._stack(members([7, 8]), data()[0], 2)
    assert made.orders == [entropy(0, "minibatch order", name) for name in (7, 8)]


def test_each_epoch_has_an_order_of_its_own():
    for epoch in (0, 1, 2**32):
        words = np.random.Philox(key=5, counter=[0, 0, 0, epoch])
        np.testing.assert_array_equal(permutation(5, epoch, 6), np.random.Generator(words).permutation(6))
