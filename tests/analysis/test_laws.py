"""Scaling laws on made-up networks: planted laws are found, and data without a law are refused with a reason."""

import math

import numpy as np
import pytest
import xarray as xr
from planted_laws import NEAR, TRUTHS, X, fitted, law, networks
from scipy.optimize import curve_fit
from scipy.stats import chi2 as chi_square

import isobath
from isobath.analysis.laws.fit_points import fit_points
from isobath.analysis.laws.law import law_of
from isobath.forms import powers

IDS = [f"{form} {settings}" for form, settings, *_ in TRUTHS]


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize(("form", "settings", "x", "truth", "exponent"), TRUTHS, ids=IDS)
def test_a_law_without_noise_is_found_exactly(form, settings, x, truth, exponent, free):
    y = law(form, settings, x, truth)
    found = fit_points(x, y, 0.01 * np.abs(y), law_of({"kind": form, **settings}, free=free))
    assert found.reason == ""
    assert found.parameters == pytest.approx(truth | ({"exponent": exponent} if free else {}), rel=1e-4)
    assert found.chi2 < 1e-9
    assert found.r2 == pytest.approx(1)
    assert found.dof == len(x) - len(found.parameters)


def test_the_minimum_is_that_of_an_independent_optimiser():
    generator = np.random.default_rng(1)
    y = 3e3 * (NEAR - 800) ** -1.2
    error = 0.05 * y
    y = y + error * generator.standard_normal(len(y))
    found = fit_points(NEAR, y, error, law_of({"kind": "divergence"}, free=True))
    start = [3e3, 700, -1]

    def curve(x, c, x0, p):
        return c * (x - x0) ** p

    limits = ([0, 0, -3], [1e6, 1099, 0])
    values, covariance = curve_fit(curve, NEAR, y, start, error, True, bounds=limits, x_scale=[1e3, 100, 1])
    assert list(found.parameters.values()) == pytest.approx(values, rel=1e-3)
    assert found.chi2 <= (((y - curve(NEAR, *values)) / error) ** 2).sum() + 1e-6
    assert found.p_value == pytest.approx(chi_square.sf(found.chi2, 9))
    assert np.all(np.abs(values - [3e3, 800, -1.2]) < 4 * np.sqrt(np.diag(covariance)))


def test_a_linear_fit_is_weighted_least_squares():
    generator = np.random.default_rng(2)
    error = generator.uniform(0.5, 2, 12)
    y = 2.1 + 51 * X**-0.25 + error * generator.standard_normal(12)
    found = fit_points(X, y, error, law_of({"kind": "powers", "exponents": [0, -0.25]}, free=False))
    slope, constant = np.polyfit(X**-0.25, y, 1, w=1 / error)
    assert found.parameters == pytest.approx({"constant": constant, "c0": slope})


def test_the_range_that_is_fitted_and_the_labels():
    first = networks(3 * X**-0.25, np.random.default_rng(11), repeats=2)
    dataset = first.assign_coords(task=["a", "b"], task_k=("task", [1, 2]), protocol="sgd").expand_dims(depth=[1, 5])
    out = fitted(dataset, minimum=X[2], maximum=X[9])
    assert (out.n_points == 8).all()
    assert set(out.value.dims) == {"depth", "task", "fit", "parameter"}
    assert out.x_min.sel(task="a", depth=5) == X[2]
    assert out.x_max.sel(task="a", depth=5) == X[9]
    assert list(out.parameter.values) == ["c0", "exponent"]
    assert out.value.sel(fit="fixed", parameter="exponent").isnull().all()
    assert out.reason.dtype == object
    assert (out.task_k.sel(task="b"), out.protocol) == (2, "sgd")
    alone = fitted(dataset.sel(task=["b"]), minimum=X[2], maximum=X[9])
    np.testing.assert_allclose(alone.value.sel(task="b"), out.value.sel(task="b"))


def test_a_fit_that_is_not_justified_has_a_reason_and_no_numbers():
    generator = np.random.default_rng(12)
    few = fitted(networks(3 * X[:2] ** -0.25, generator, x=X[:2]))
    assert "2 points; 3 are needed" in few.reason.sel(fit="fixed").item()
    assert "2 points; 4 are needed" in few.reason.sel(fit="free").item()
    same = fitted(networks(np.full(12, 3.0), generator, x=np.full(12, 7.0)))
    assert "1 points" in same.reason.sel(fit="fixed").item()
    steep = fitted(networks(3 * X**-6.0, generator))  # beyond the reach of a free exponent
    assert steep.reason.sel(fit="free").item() == "exponent is at a bound"
    line = fitted(networks(5 + 1e-6 * X, generator), "divergence")  # nothing diverges
    assert "pole is at a bound" in line.reason.sel(fit="fixed").item()
    for out, kind in [(few, "fixed"), (few, "free"), (same, "fixed"), (steep, "free"), (line, "fixed")]:
        at = out.sel(fit=kind)
        for name in ("value", "low", "high", "chi2", "dof", "p_value", "r2"):
            assert at[name].isnull().all(), name


def test_a_fit_that_is_not_justified_has_no_p_value_of_other_points():
    """Once it had that of the points of many networks alone."""
    data = networks(3 * X**-0.25, np.random.default_rng(0), noise=0.01)
    two_equal = xr.DataArray([1.0, 1.0] + [np.nan] * 18, dims="seed")
    data["y"] = data.y.where(data.width > 0, two_equal)
    found = fitted(data)
    assert all("the error at x = 900 is 0" in reason for reason in found.reason.values.ravel())
    assert found.p_value.isnull().all()


def test_values_that_cannot_be_fitted_have_a_reason():
    y, fourth_root = 3 * X**-0.25, law_of({"kind": "powers", "exponents": [-0.25]}, free=False)
    cases = {
        "a value or its error is not finite": (X, np.where(X > 1e4, np.inf, y), y),
        "a column of the basis is not finite": (X - X[0], y, y),
        "the error at x = 900 is 0; it must be positive": (X, y, np.where(X < 1000, 0, y)),
    }
    for reason, (x, values, error) in cases.items():
        found = fit_points(x, values, error, fourth_root)
        assert found.reason == reason
        assert all(map(math.isnan, (found.chi2, found.dof, *found.parameters.values())))
    assert "3 are needed" in fit_points(X[:2], y[:2], y[:2], fourth_root).reason
    exact = fit_points(
        X, y, 0 * y, law_of({"kind": "powers", "exponents": [-0.25]}, free=True)
    )  # errors that are not known
    assert exact.parameters == pytest.approx({"c0": 3, "exponent": -0.25})
    assert math.isnan(exact.chi2)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1])
@pytest.mark.parametrize("exponents", [[0, -0.5], [-0.5]])
def test_equal_values_have_no_law(exponents, value):
    networks = np.full((8, 20), value)
    networks[0, :3] = np.nan  # a mean of fewer networks, which may differ by rounding
    out = isobath.fit_law(np.geomspace(1e3, 1e6, 8), networks, form="powers", exponents=exponents)
    sentence = f"all values are {value:g}; values that differ are needed, since equal ones fit any exponent"
    assert out.reason.values.tolist() == [sentence, sentence]
    assert all(out[name].isnull().all() for name in ("value", "low", "high", "upper"))


def test_refusals_name_what_is_wrong():
    dataset = networks(3 * X**-0.25, np.random.default_rng(14))
    with pytest.raises(ValueError, match="'error' is not in the dataset; it has y"):
        fitted(dataset, variable="error")
    with pytest.raises(ValueError, match="the first needs depth and seed"):
        fitted(dataset, along="depth")
    with pytest.raises(ValueError, match=r"exponents is \[0\]; one at least must be other than 0"):
        fitted(dataset, settings={"exponents": [0]})
    with pytest.raises(ValueError, match=r"must be more than 0\.02 apart"):
        fitted(dataset, settings={"exponents": [-0.5, -0.5]})
    with pytest.raises(ValueError, match="exponent is 1"):
        fitted(dataset, "divergence", {"exponent": 1.0})


def test_the_exponent_of_the_upper_half_tells_a_law_that_drifts():
    noise = {"generator": np.random.default_rng(15)}
    law_like = fitted(networks(3 * X**-0.25, np.random.default_rng(15), noise=0.05), **noise).sel(fit="free")
    exponent = law_like.value.sel(parameter="exponent").squeeze()
    assert law_like.upper_low.item() < exponent.item() < law_like.upper_high.item()
    assert law_like.upper_high - law_like.upper_low < 0.1
    bent = fitted(networks(3 * X**-0.25 + 1.5, np.random.default_rng(15), noise=0.05), **noise)
    whole = bent.value.sel(fit="free", parameter="exponent").item()
    assert whole < bent.upper_low.sel(fit="free").item()
    half = X[6:]
    alone = fitted(networks((3 * X**-0.25)[6:], np.random.default_rng(15), x=half, noise=1e-9), **noise)
    whole = fitted(networks(3 * X**-0.25, np.random.default_rng(15), noise=1e-9), **noise)
    np.testing.assert_allclose(whole.upper.sel(fit="free"), alone.value.sel(fit="free", parameter="exponent"))
    assert whole.upper.sel(fit="fixed").isnull().all()
    few = fitted(networks(3 * X[:4] ** -0.25, np.random.default_rng(15), x=X[:4]), **noise).sel(fit="free")
    assert np.isfinite(few.value.sel(parameter="exponent")).all()
    assert few.upper_reason.item() == "4 points; 5 are needed to see the exponent drift"


@pytest.mark.parametrize(
    ("form", "formula"),
    [
        ({"kind": "powers", "exponents": [0, -0.5, -0.75]}, "c + c_0 N^{-1/2} + c_1 N^{-3/4}"),
        ({"kind": "powers", "exponents": [1]}, "c_0 N"),
        ({"kind": "powers", "exponents": [-0.123]}, "c_0 N^{-0.123}"),
        ({"kind": "divergence", "exponent": -1.5}, "c (N - N_0)^{-1.5}"),
        ({"kind": "exponential", "constant": True}, r"c_0 e^{-N / \tau} + c"),
    ],
)
def test_a_law_is_written_with_its_own_exponents(form, formula):
    """Once legends had the exponents of the paper, whatever those of the study were."""
    law = law_of(form, free=False)
    assert law.form.formula("N", **law.settings) == formula


def test_a_free_exponent_stays_between_its_neighbours():
    x = np.geomspace(900, 6e6, 12)
    bounds = powers.parameters(x, free=True, exponents=(-0.5, -0.75, 0))["exponent"]
    assert (bounds.low, bounds.high) == pytest.approx((-0.74, -0.01))


@pytest.mark.parametrize(
    ("form", "x", "y", "truth"),
    [
        ("exponential", np.linspace(1, 11, 10), lambda x: 3 * np.exp(-x / 40), {"amplitude": 3, "scale": 40}),
        ("divergence", np.linspace(100, 110, 10), lambda x: 5 / (x - 60), {"amplitude": 5, "pole": 60}),
    ],
)
def test_scales_several_times_the_range_of_x_are_found(form, x, y, truth):
    found = fit_points(x, y(x), 0.01 * y(x), law_of({"kind": form}, free=False))
    assert found.reason == ""
    assert found.parameters == pytest.approx(truth, rel=1e-3)
