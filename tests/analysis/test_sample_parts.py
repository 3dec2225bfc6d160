"""Numbers without a part of the test samples, and the intervals of laws over test samples that they give."""

import numpy as np
import pytest
import xarray as xr
from ensemble_outputs import outputs
from planted_laws import X, fitted
from scipy.stats import t as student
from test_coverage import often, require

from isobath.analysis.ensembles import tables
from isobath.analysis.laws.bootstraps import Alternatives, Points
from isobath.analysis.laws.intervals import interval, intervals, jackknife
from isobath.analysis.sample_parts import PARTS, but_one_part, named
from isobath.randomness import stream

NETWORKS, SAMPLES = 6, 90  # parts of four and of five samples
KEPT = but_one_part(SAMPLES)[:, 1:].T.astype(bool)


@pytest.mark.parametrize(("samples", "parts"), [(1, 0), (2, 2), (19, 19), (20, 20), (45, 20)])
def test_every_sample_is_left_out_once(samples, parts):
    weights = but_one_part(samples)
    assert weights.shape == (samples, 1 + parts)
    np.testing.assert_array_equal(weights[:, :1], np.ones((samples, 1)))
    assert set(np.unique(weights)) <= {0, 1}
    if parts:
        np.testing.assert_array_equal((1 - weights[:, 1:]).sum(1), 1)
        assert np.ptp((1 - weights).sum(0)[1:]) <= 1


@pytest.mark.parametrize("period", [2, 10, 20])
def test_parts_of_samples_that_are_ordered_by_classes_have_all_of_them(period):
    """The images of mnist_parity are: a part of every twentieth sample would have one digit alone."""
    classes = np.arange(4000) % period
    left_out = 1 - but_one_part(4000)[:, 1:]
    shares = (left_out.T @ (classes[:, None] == np.arange(period))) / left_out.sum(0)[:, None]
    expected = np.sqrt((1 / period) * (1 - 1 / period) / 200)
    assert shares.std() == pytest.approx(expected, rel=0.3)


def test_the_error_of_an_error_rate_is_the_binomial_one():
    wrong = (np.arange(10_000) % 10 == 0) & (np.arange(10_000) % 3 > 0)
    means = wrong @ but_one_part(10_000) / but_one_part(10_000).sum(0)
    half = jackknife(means[1:, None], parts=PARTS).item()
    assert half == pytest.approx(1.96 * np.sqrt(means[0] * (1 - means[0]) / 10_000), rel=0.35)


def test_numbers_without_parts_bear_the_name_of_the_number():
    found = named([{"a": np.array(1.0), "b": np.zeros(2)}, {"a": np.array(2.0), "b": np.ones(2)}])
    assert {name: values.tolist() for name, values in found.items()} == {
        "a": 1, "b": [0, 0], "a_without": [2], "b_without": [[1, 1]],
    }  # fmt: skip
    assert named([{"b": np.zeros(2)}])["b_without"].shape == (0, 2)


def test_tables_without_a_part_are_tables_of_the_other_samples():
    f, labels = outputs(NETWORKS, SAMPLES)
    gradients = 2 + stream(0, "gradients").standard_normal((NETWORKS, SAMPLES, 3))

    def tabulate(kept):
        every = {"train": f, "test": f[:, kept]}
        return {
            "errors": tables.of_errors(f[:, kept], labels[kept], generator=stream(0)),
            "fluctuations": tables.of_fluctuations(every).sel(measure="test"),
            "distances": tables.of_distances(f[:, kept], gradients[:, kept], generator=stream(0)),
        }

    whole, others = tabulate(np.full(SAMPLES, True)), [tabulate(kept) for kept in KEPT]
    for name, table in whole.items():
        without = [str(variable) for variable in table if str(variable).endswith("_without")]
        assert len(without) == {"errors": 4, "fluctuations": 2, "distances": 4}[name]
        for variable in without:
            expected = np.stack([other[name][variable.removesuffix("_without")] for other in others])
            np.testing.assert_allclose(table[variable], expected, rtol=1e-9, atol=1e-12, err_msg=variable)
            assert np.isfinite(expected).mean() > 0.75  # ensembles of five hardly differ from the mean of six
    np.testing.assert_allclose(whole["errors"].network_error, ((f[..., 0] > 0) != labels).mean(1))


def test_fluctuations_on_other_measures_have_no_test_samples():
    f = outputs(NETWORKS, SAMPLES)[0]
    found = tables.of_fluctuations({"test": f, "train": f[:, :15]})
    assert found.fluctuation_without.sel(measure="test").notnull().all()
    assert found.fluctuation_without.sel(measure="train").isnull().all()
    assert found.fluctuation.notnull().all()


def test_a_jackknife_of_means_has_the_error_of_the_mean_of_parts():
    parts = stream(0, "parts").standard_normal((PARTS, 3))
    without = (parts.sum(0) - parts) / (PARTS - 1)
    half = student.ppf(0.975, PARTS - 1) * parts.std(0, ddof=1) / np.sqrt(PARTS)
    np.testing.assert_allclose(jackknife(without, parts=PARTS), half)
    for few in (0, 1):
        np.testing.assert_array_equal(jackknife(without[:few], parts=PARTS), np.zeros(3))


def drawn(y, without):
    """Return points of nine networks, with resamples y (b, 3) and values (t, 3) without parts."""
    at = np.array([1.0, 2.0, 3.0])
    x = [np.tile(at, (len(values), 1)) for values in (y, without)]
    nine = (np.full(3, 9), np.full(3, 8))
    return Points(at, at, np.ones(3), *nine, Alternatives(x[0], y), Alternatives(x[1], without), False)


def mean(_, y, __):
    return y.mean(1, keepdims=True), ["" if row[0] < 100 else "too large" for row in y]


def test_errors_of_networks_and_of_samples_are_added_in_quadrature():
    y, without = (stream(0, name).standard_normal((n, 3)) for name, n in (("y", 200), ("t", PARTS)))
    padded = np.concatenate([without, np.full((2, 3), np.nan)])  # of a cell with fewer parts than others
    found = intervals(np.array([0.1]), mean, drawn(y, padded), np.full(3, True))
    low, high = interval(np.array([0.1]), y.mean(1, keepdims=True), networks=9, freedom=8, smooth=False)
    half = jackknife(without.mean(1, keepdims=True), parts=PARTS)
    assert found.parts == PARTS
    assert (0.1 - found.low) ** 2 == pytest.approx((0.1 - low) ** 2 + half**2)
    assert (found.high - 0.1) ** 2 == pytest.approx((high - 0.1) ** 2 + half**2)


@pytest.mark.parametrize(("lost", "reason"), [(2, ""), (3, "3 of 20 fits without a part of the test samples failed")])
def test_fits_that_fail_without_many_parts_have_no_interval(lost, reason):
    y, without = (stream(0, name).standard_normal((n, 3)) for name, n in (("y", 200), ("t", PARTS)))
    without[:lost] = 200
    found = intervals(np.array([0.1]), mean, drawn(y, without), np.full(3, True))
    assert found.reason == reason
    assert np.isfinite(found.low) == (not reason)
    if not reason:
        assert found.high < 10


def sampled(rng, simulations, *, seeds=20, samples=400):
    """Draw networks whose errors on each test sample follow a law of its own, c0 N^-1/2 + c1 N^-3/4, around 7 and -20.

    Networks scatter by 2 %. A task is a simulation; samples fall into parts in their order.
    """
    own = np.array([[7.0], [-20.0]]) * (1 + 2 * rng.standard_normal((2, simulations * samples)))
    basis = X[:, None] ** np.array([-0.5, -0.75])
    errors = (basis @ own).reshape(len(X), simulations, 1, samples)
    weights = but_one_part(samples)
    means = errors @ weights / weights.sum(0)
    truth = (basis @ [7.0, -20.0])[:, None, None, None]
    scatter = 0.02 * truth * rng.standard_normal((len(X), simulations, seeds, 1))
    y = means + scatter
    dims = ("width", "task", "seed")
    return xr.Dataset(
        {"y": (dims, y[..., 0]), "y_without": ((*dims, "test_part"), y[..., 1:])},
        coords={"width": np.arange(len(X)), "n_weights": ("width", X)},
    )


@often(40)
def test_coefficients_of_laws_over_networks_and_test_samples(simulations):
    rng, settings = np.random.default_rng(5), {"exponents": [-0.5, -0.75]}
    dataset = sampled(rng, simulations)
    for truth, name in ((7.0, "c0"), (-20.0, "c1")):
        found, of_networks = (
            fitted(data, settings=settings, bootstraps=100).sel(fit="fixed", parameter=name)
            for data in (dataset, dataset.drop_vars("y_without"))
        )
        require(((found.low <= truth) & (truth <= found.high)).values)
        np.testing.assert_array_equal(found.value, of_networks.value)
        assert ((of_networks.low <= truth) & (truth <= of_networks.high)).mean() < 0.8


def test_draws_share_the_parts_of_their_test_samples():
    rng = np.random.default_rng(6)
    one = sampled(rng, 1).isel(task=0)
    factors = xr.DataArray(1 + 0.01 * rng.standard_normal(5), dims="draw")
    names = {"settings": {"exponents": [-0.5, -0.75]}, "bootstraps": 50}
    found = fitted(one * factors, **names)
    narrow = fitted((one * factors).drop_vars("y_without"), **names)
    assert (found.parts == PARTS).all()
    assert (narrow.parts == 0).all()
    assert ((found.high - found.low) > 3 * (narrow.high - narrow.low)).sel(fit="fixed", parameter=["c0", "c1"]).all()


def without_error(rng, *, lost=()):
    """Make networks whose numbers are the same without each part, but for those ``lost`` (width, seed, part)."""
    y = xr.DataArray((7 * X**-0.5)[:, None] * (1 + 0.02 * rng.standard_normal((len(X), 8))), dims=("width", "seed"))
    without = y.expand_dims(test_part=PARTS).transpose("width", "seed", "test_part").copy()
    for place in lost:
        without[place] = np.nan
    return xr.Dataset({"y": y, "y_without": without}, {"width": np.arange(len(X)), "n_weights": ("width", X)})


@pytest.mark.parametrize("lost", [[(3, 2, 5)], [(i, 1, i) for i in range(len(X))]])
def test_a_network_that_lacks_a_part_adds_no_error(lost):
    """As where none of the few samples that it classifies differently is left."""
    names = {"settings": {"exponents": [-0.5]}, "bootstraps": 50}
    full, gaps = (fitted(without_error(np.random.default_rng(8), lost=some), **names) for some in ((), lost))
    xr.testing.assert_allclose(full, gaps)
    alone = fitted(without_error(np.random.default_rng(8)).drop_vars("y_without"), **names)
    np.testing.assert_allclose(full.high, alone.high, rtol=1e-9)


def test_a_point_without_parts_beside_others_that_have_them_has_no_interval():
    """As that of an older store would be."""
    data = without_error(np.random.default_rng(9), lost=[(4, slice(None), slice(None))])
    found = fitted(data, settings={"exponents": [-0.5]}, bootstraps=50).sel(fit="fixed", parameter="c0")
    assert found.reason == "20 of 20 fits without a part of the test samples failed"
    assert np.isfinite(found.value)
    assert np.isnan(found.high)


def test_an_interval_beside_its_estimate_reaches_as_far_as_the_test_samples_ask_for():
    y = np.full((200, 3), 0.3) + np.linspace(0, 0.1, 200)[:, None]
    without = stream(0, "t").standard_normal((PARTS, 3)) / 100
    beside, wide = (
        intervals(np.array([0.1]), mean, drawn(y, values), np.full(3, True)) for values in (without[:0], without)
    )
    assert (beside.parts, wide.parts) == (0, PARTS)
    assert beside.low > 0.1
    half = jackknife(without.mean(1, keepdims=True), parts=PARTS)
    assert wide.low == pytest.approx(0.1 - half)
    assert wide.high == pytest.approx(0.1 + np.hypot(beside.high - 0.1, half))


def test_estimates_that_failed_are_made_up_for():
    parts = stream(0, "parts").standard_normal((PARTS, 1))
    without = (parts.sum(0) - parts) / (PARTS - 1)
    kept = without[:18]
    squares = ((kept - kept.mean(0)) ** 2).sum(0)
    half = student.ppf(0.975, 17) * np.sqrt(squares * 19 / 18)
    np.testing.assert_allclose(jackknife(kept, parts=PARTS), half)


def test_an_axis_without_parts_moves_with_the_variable():
    """Twice the same number has a slope of two, whichever samples are left out."""
    data = sampled(np.random.default_rng(7), 1).isel(task=0)
    twice = data.assign(x=2 * data.y, x_without=2 * data.y_without)
    out = fitted(twice, settings={"exponents": [1]}, variable="y", axis="x", bootstraps=50)
    at = out.sel(fit="fixed", parameter="c0")
    assert [at.value, at.low, at.high] == pytest.approx([0.5] * 3)
    alone = fitted(twice.drop_vars("x_without"), settings={"exponents": [1]}, variable="y", axis="x", bootstraps=50)
    assert alone.high.sel(fit="fixed", parameter="c0") - 0.5 > 0.01
