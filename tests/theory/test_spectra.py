"""Spectra on the sphere against closed forms, published values and second quadratures."""

import math
import re

import mpmath
import numpy as np
import pytest
from scipy.special import eval_gegenbauer, eval_legendre, roots_jacobi

from isobath import binding
from isobath.calculations import zonal_spectra
from isobath.regression.functions import multiprecision
from isobath.regression.pairs import Pairs
from isobath.spectra import decay, harmonics, kernels
from isobath.spectra.decay import Singularities
from isobath.spectra.kernels import families
from isobath.spectra.quadrature import eigenvalues, folded, rule

BARE = {"beta": 0.0, "input_variance": 1}
RF, NTK = {"kind": "nngp", **BARE}, {"kind": "ntk", **BARE}
LAPLACE, STEP = {"kind": "gamma_exponential", "gamma": 0.5}, {"kind": "arc_cosine_step"}


def spectrum(function, dimension, degrees, digits=60):
    """Return mu_k, k = 0 .. degrees, of a function of pairs."""
    with mpmath.workdps(digits):
        nodes = rule(degrees, dimension, digits)
        return eigenvalues(nodes, folded(nodes, function(nodes.pairs())[None]), dimension, range(degrees + 1))[0]


def table(kernels, dimensions=(4,), degrees=60, digits=50):
    return zonal_spectra.calculate(
        generator=np.random.default_rng(0), kernels=kernels, dimensions=dimensions, degrees=degrees, digits=digits
    )


def of(kernel, depth, dimension, degrees=30):
    found = table([("k", kernel, [depth] if depth else [])], (dimension,), max(40, degrees))
    return found.eigenvalue.squeeze(["kernel", "dimension"])


@pytest.mark.parametrize("dimension", [3, 4, 10, 20])
def test_the_poisson_kernel_has_powers(dimension):
    """The kernel (1 - r^2) / (1 - 2 r u + r^2)^(d/2) has mu_k = r^k."""
    with mpmath.workdps(60):
        r = mpmath.mpf("0.9")
        mu = spectrum(lambda p: (1 - r**2) / ((1 - r) ** 2 + 2 * r * p.e) ** (mpmath.mpf(dimension) / 2), dimension, 80)
        assert max(abs(mu[k] / r**k - 1) for k in range(81)) < 1e-35


@pytest.mark.parametrize(("nu", "dimension"), [(0.25, 3), (0.5, 4), (0.75, 10), (1.5, 20)])
def test_powers_of_the_deficit_have_gamma_functions(nu, dimension):
    expected = decay.of_power(nu, dimension, 500)
    with mpmath.workdps(60):
        mu = spectrum(lambda p: p.e ** mpmath.mpf(nu), dimension, 500).astype(float)
    np.testing.assert_allclose(mu, expected, rtol=1e-12)


def arc_cosine_degree(k, a, dimension):
    """Return l_k(a) of kappa_0 (a = 0) and kappa_1 (a = 1)."""
    if k > a and (k - a) % 2 == 0:
        return mpmath.mpf(0)
    d = mpmath.mpf(dimension)
    below = 2**k * mpmath.gamma(mpmath.mpf(k - a + 1) / 2) * mpmath.gamma((k + d + a) / 2)
    return mpmath.gamma(d / 2) / mpmath.sqrt(mpmath.pi) * math.factorial(a) * mpmath.gamma(k - a) / below


@pytest.mark.parametrize(
    ("dimension", "degrees"),
    [(3, 250), (20, 250), *(pytest.param(d, 500, marks=pytest.mark.slow) for d in (3, 4, 10, 20))],
)
def test_one_hidden_layer_has_closed_forms(dimension, degrees):
    """kappa_0 has 2 l_k(0)^2, kappa_1 2 d l_k(1)^2, u f the recurrence of P_k; degrees of the wrong parity have 0."""
    d = dimension
    with mpmath.workdps(60):
        zeros = [2 * arc_cosine_degree(k, 0, d) ** 2 if k else mpmath.mpf(0.5) for k in range(degrees + 2)]
        ones = [2 * d * arc_cosine_degree(k, 1, d) ** 2 if k > 1 else None for k in range(degrees + 2)]

        def times_u(mu, k):
            return ((k + d - 2) * mu[k + 1] + k * mu[k - 1]) / (2 * k + d - 2)

        tangent = [times_u(zeros, k) + ones[k] for k in range(2, degrees + 1)]
        biased = [zeros[k] + tangent[k - 2] for k in range(2, degrees + 1)]
        expected = [[float(x) for x in row] for row in (zeros[2:-1], ones[2:-1], tangent, biased)]
    bias = {**NTK, "first_bias": True}
    kernels = [("step", STEP, [1]), ("rf", RF, [1]), ("ntk", NTK, [1]), ("biased", bias, [1])]
    mu = table(kernels, (d,), degrees, digits=80).eigenvalue.squeeze("dimension").values
    np.testing.assert_allclose(mu[:, 2:], expected, rtol=1e-13)
    assert (mu[0, 2::2] == 0).all()
    assert (mu[1:3, 3::2] == 0).all()


def test_low_degrees_on_the_usual_sphere():
    bias = {**NTK, "first_bias": True}
    kernels = [("rf", RF, [1]), ("ntk", NTK, [1]), ("step", STEP, [1]), ("biased", bias, [1])]
    mu = table(kernels, (3,)).eigenvalue.squeeze("dimension").values[:, :5]
    expected = [
        [3 / 8, 1 / 6, 3 / 128, 0, 1 / 1536],
        [1 / 2, 1 / 3, 5 / 64, 0, 1 / 192],
        [1 / 2, 1 / 8, 0, 1 / 128, 0],
        [1, 11 / 24, 5 / 64, 1 / 128, 1 / 192],
    ]
    np.testing.assert_allclose(mu, expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize(
    ("kernel", "depth", "dimension", "degree", "expected"),
    [
        (RF, 2, 4, 20, 4.810140805673e-8),
        (NTK, 2, 4, 20, 7.50350273249447e-6),
        (NTK, 2, 4, 21, 4.42565616948032e-6),
        ({**NTK, "first_bias": True}, 2, 4, 20, 1.064202139244660e-5),
        (LAPLACE, None, 4, 20, 4.64501708978049e-6),
        (STEP, 2, 4, 20, 2.93822857375664e-6),
        ({"kind": "gamma_exponential", "gamma": 0.75}, None, 4, 20, 1.03904472897536e-6),
        ({"kind": "ntk", "beta": 0.1, "input_variance": 1}, 1, 4, 20, 2.42038479666583e-6),
        (RF, 3, 10, 12, 2.29538342463e-9),
    ],
)
def test_eigenvalues_known_to_many_digits(kernel, depth, dimension, degree, expected):
    found = float(of(kernel, depth, dimension).sel(degree=degree))
    assert found == pytest.approx(expected, rel=2e-12 if expected < 1e-7 else 2e-14)


def test_the_trace_is_the_value_at_one():
    found = table([("rf", RF, [1, 3]), ("ntk", {"kind": "ntk", "beta": 0.5}, [2])], (3, 10), degrees=200)
    assert (found.trace_captured < 1).all()
    assert float(found.trace_captured.sel(kernel="rf L=2").min()) > 1 - 1e-6
    np.testing.assert_allclose(found.value_at_one, [1, 1, 3 + 6 * 0.25], rtol=1e-15)


@pytest.mark.parametrize("dimension", [3, 10, 20])
def test_a_coarser_rule_shows_in_the_estimate_of_the_error(dimension, monkeypatch):
    """The estimate is above the true error of the deficit's root, with the step of the rule and with a coarse one."""
    true = decay.of_power(0.5, dimension, 120)

    def worst(h):
        monkeypatch.setattr(kernels, "rule", lambda k, d, digits, finer=1.0: rule(k, d, digits, finer=h * finer))
        profile = lambda pairs: pairs.e ** mpmath.mpf(0.5)  # noqa: E731
        (family,) = families([("laplace", binding.bound("kernel", LAPLACE), [])])
        object.__setattr__(family, "profile", profile)
        mu, error = zonal_spectra._spectra([family], (dimension,), 120, 50)
        return np.abs(mu[0, 0, 117:] - true[117:]).max(), error.max()

    gap, error = worst(0.2)
    assert gap > 1e-9 * abs(true[120])
    assert error > gap / 10
    gap, error = worst(1.0)
    assert error < 1e-20 * abs(true[120])
    assert gap < 1e-12 * abs(true[120])


def test_multiplicities():
    np.testing.assert_array_equal(harmonics.multiplicities(4, 9), np.arange(1, 11) ** 2)
    np.testing.assert_array_equal(harmonics.multiplicities(3, 9), 2 * np.arange(10) + 1)
    with pytest.raises(ValueError, match="dimension is 2; "):
        harmonics.multiplicities(2, 3)


@pytest.mark.parametrize("dimension", [3, 4, 9])
def test_the_polynomials_are_those_of_gegenbauer(dimension):
    u = np.linspace(-1, 1, 41)
    for k, p in enumerate(harmonics.legendre(u, dimension, 30)):
        alpha = dimension / 2 - 1
        expected = eval_gegenbauer(k, alpha, u) / eval_gegenbauer(k, alpha, 1.0)
        np.testing.assert_allclose(p, expected, atol=1e-12)
        assert dimension != 3 or np.allclose(p, eval_legendre(k, u), atol=1e-12)


def test_the_cap_has_its_harmonics():
    """They have a closed form in d = 4, and its share; quadrature gives them in other dimensions."""
    a, k = math.acos(0.7), np.arange(1, 401)
    closed = (np.sin(k * a) / k - np.sin((k + 2) * a) / (k + 2)) / (math.pi * (k + 1))
    m = harmonics.cap(0.7, 400, 4)
    np.testing.assert_allclose(m[1:], closed, atol=1e-15)
    assert m[0] == pytest.approx(0.09406020218709368, rel=1e-13)
    rest = m[0] - (harmonics.multiplicities(4, 400) * m**2).sum()
    assert rest == pytest.approx(2.58e-4, rel=2e-3)
    for dimension, edge in ((3, 0.2), (7, -0.4)):
        u, w = roots_jacobi(400, (dimension - 3) / 2, 0.0)  # on [edge, 1], whose other factor is smooth
        x = edge + (1 - edge) * (u + 1) / 2
        w = w * (1 + x) ** ((dimension - 3) / 2)
        _, full_w = roots_jacobi(50, (dimension - 3) / 2, (dimension - 3) / 2)
        scale = ((1 - edge) / 2) ** ((dimension - 1) / 2) / full_w.sum()
        expected = [scale * (w * p).sum() for p in harmonics.legendre(x, dimension, 6)]
        np.testing.assert_allclose(harmonics.cap(edge, 6, dimension), expected, rtol=1e-10)


def nearby(kind, settings, depth, end, t):
    """Return the kernel at u = +-(1 - t), in many digits."""
    half = mpmath.asin(mpmath.sqrt(t / 2))
    near, far = 2 * half, mpmath.pi - 2 * half
    theta, supplement = (near, far) if end > 0 else (far, near)
    pairs = Pairs.on_sphere(np.array([theta]), ops=multiprecision(mpmath.mp), supplement=np.array([supplement]))
    profile = binding.bound("kernel", {"kind": kind, **settings})
    return (profile(pairs) if depth is None else next(iter(profile(pairs, depth=[depth]))))[0]


@pytest.mark.parametrize("end", [1, -1])
@pytest.mark.parametrize(
    ("kind", "settings", "depth"),
    [
        *(("nngp", BARE, depth) for depth in (1, 2, 4)),
        *(("ntk", BARE, depth) for depth in (1, 2, 4)),
        ("ntk", {**BARE, "first_bias": True}, 1),
        ("ntk", {**BARE, "first_bias": True}, 3),
        ("nngp", {**BARE, "first_bias": True}, 1),
        ("ntk", {"beta": 0.5, "input_variance": 2}, 3),
        ("nngp", {"beta": 0.5, "input_variance": 1}, 2),
        ("gamma_exponential", {"c": 0.7, "gamma": 0.5}, None),
        ("gamma_exponential", {"c": 1.0, "gamma": 0.25}, None),
        *(("arc_cosine_step", {}, depth) for depth in (1, 2, 3)),
    ],
)
def test_singularities_are_those_of_the_kernel(kind, settings, depth, end):
    """A difference of second order of the kernel at t, 2 t, 4 t, in which 1 and t drop out, leaves c t^nu."""
    found = binding.companion(binding.bound("kernel", {"kind": kind, **settings}), "singularities")
    at = found() if depth is None else found(depth=depth)
    nu, expected = at.nu, at.at_one if end > 0 else at.at_minus_one
    with mpmath.workdps(100):
        t = mpmath.mpf(10) ** -(40 if nu > 0.3 else 44)

        def left(x):
            return 2 * x(1) - 3 * x(2) + x(4)

        values = left(lambda m: nearby(kind, settings, depth, end, m * t))
        coefficient = values / left(lambda m: (m * t) ** mpmath.mpf(nu))
        assert float(coefficient) == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_exponents_follow_the_theorem_and_their_intervals_hold_them():
    found = table([("ntk", NTK, [1, 2, 5]), ("rf", RF, [2]), ("laplace", LAPLACE, [])], (3, 4), degrees=150)
    gap = found.exponent - found.expected_exponent
    assert float(np.abs(gap).max()) < 0.004
    assert (found.low <= found.expected_exponent).sel(parity="even").all()
    assert (found.expected_exponent <= found.high).sel(parity="even").all()
    unseen = found.sel(kernel="ntk L=2", parity="odd")
    assert unseen.exponent.isnull().all()
    assert (unseen.reason == "0 degrees are accurate enough; 12 are needed").all()
    last = found.isel(degree=-1)
    ratio = (last.eigenvalue / last.prediction).sel(kernel=["ntk L=2", "ntk L=3", "laplace"])
    np.testing.assert_allclose(ratio, 1, atol=1e-3)


def test_a_fit_without_the_shift_or_with_a_wrong_exponent_would_show():
    k = np.arange(50.0, 151, 2)
    root = Singularities(0.5, 1.0, 0.0)
    shifted = decay.effective_degrees(k, 10, 0.5)
    found = decay.fit(k, 3 * shifted**-10.0, 10, root)
    assert found.value == pytest.approx(-10, abs=1e-9)
    assert found.high - found.low < 1e-8
    bent = decay.fit(k, 3 * k**-10.0, 10, root)
    assert abs(bent.value + 10) > 0.3
    assert bent.high - bent.low > 0.1
    another = decay.fit(k, 3 * shifted**-9.9, 10, root)
    assert another.value == pytest.approx(-9.9, abs=1e-9)
    slow_root = Singularities(0.25, 1.0, 0.0)
    shifted = decay.effective_degrees(k, 10, 0.25)
    slow = decay.fit(k, shifted**-4.0 * np.exp(shifted**-0.5 + 2 / shifted), 10, slow_root)
    assert slow.value == pytest.approx(-4, abs=1e-8)
    assert decay.fit(k[:11], k[:11], 10, root).reason.startswith("11 degrees")


@pytest.mark.parametrize("nu", [0.25, 0.5, 0.75, 1.5])
@pytest.mark.parametrize("dimension", [3, 4, 10, 20])
def test_eigenvalues_of_a_power_are_a_power_of_the_effective_degree(dimension, nu):
    k = np.arange(20.0, 601)
    shifted = decay.effective_degrees(k, dimension, nu)
    logs = np.log(np.abs(decay.of_power(nu, dimension, 600)[20:])) + (2 * nu + dimension - 1) * np.log(shifted)
    np.testing.assert_allclose(logs, logs[0], atol=1e-10)
    np.testing.assert_allclose(shifted, k + (dimension - 2) / 2, atol=dimension**2 / 20)


def test_the_first_degrees_lose_what_the_last_gain_with_depth():
    found = table([("ntk", NTK, [1, 2, 7])], (4,))
    share = (found.eigenvalue / found.value_at_one).squeeze("dimension")
    assert (share.sel(degree=1).diff("kernel") < 0).all()
    assert (share.sel(degree=60).diff("kernel") > 0).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dimensions": (2,)}, "dimension is 2; spectra on the sphere need 3 or more"),
        ({"degrees": 39}, "degrees is 39; it must be at least 40"),
        ({"digits": 29}, "digits is 29; it must be at least 30"),
        ({"kernels": [("ntk", NTK, [])]}, "the depths of kernel 'ntk' are []; it needs some"),
        ({"kernels": [("e", LAPLACE, [1])]}, "the depths of kernel 'e' are [1]; it has none"),
        ({"kernels": [("ntk", NTK, [2, 1])]}, "the depths of kernel 'ntk' are [2, 1]; they must increase"),
        ({"kernels": [("e", LAPLACE, []), ("e", LAPLACE, [])]}, "kernels has 'e' twice"),
        ({"kernels": [("b", {**RF, "first_bias": True}, [2])]}, "first_bias needs depth: [1]"),
    ],
)
def test_settings_that_have_no_spectrum_are_refused(change, words):
    settings = {"kernels": [("e", LAPLACE, [])], "dimensions": (3,), "degrees": 40, "digits": 30} | change
    with pytest.raises(ValueError, match=re.escape(words)):
        zonal_spectra.check(**settings)
