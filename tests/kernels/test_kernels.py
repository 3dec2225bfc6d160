"""The kernels against quadrature, against the textbook form in many digits and against finite networks."""

import itertools
import math

import mpmath
import numpy as np
import pytest
import torch
from kernel_matrices import DEPTHS, levels, matrices
from scipy.special import roots_genlaguerre, roots_legendre

from isobath import plugins
from isobath.contracts.kernel_profiles import inputs, on_sphere
from isobath.kernels import nngp, ntk
from isobath.networks import mlp
from isobath.randomness import stream
from isobath.regression.functions import NUMPY
from isobath.regression.gram import all_pairs
from isobath.regression.pairs import Pairs


def quadrature(q, p, c):
    """Return E[relu(u) relu(v)] and E[step(u) step(v)] of a Gaussian pair with variances q, p and covariance c.

    In polar coordinates the kinks are the ends of the arc of angles where both are positive: Gauss-Laguerre in r^2 / 2
    and Gauss-Legendre on that arc are exact to rounding. (A product of Gauss-Hermite rules has the kinks inside, and
    its error falls like 1 / nodes only.)
    """
    theta = math.acos(max(-1.0, min(1.0, c / math.sqrt(q * p))))
    low, high = theta - math.pi / 2, math.pi / 2
    t, w_t = roots_genlaguerre(8, 0)  # r^2 = 2 t, and r dr exp(-r^2 / 2) = dt exp(-t)
    node, w_node = roots_legendre(60)
    phi, w_phi = low + (high - low) * (node + 1) / 2, w_node * (high - low) / 2
    u = math.sqrt(q) * np.cos(phi)
    v = math.sqrt(p) * np.cos(phi - theta)
    both = (w_t * 2 * t).sum() * (w_phi * u * v).sum() / (2 * math.pi)
    return both, w_t.sum() * w_phi.sum() / (2 * math.pi)


@pytest.mark.parametrize("beta", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("input_variance", [1, 2])
def test_every_layer_is_the_gaussian_expectation(beta, input_variance):
    x, y = inputs(4, 6), inputs(3, 6, "y")
    found = levels(x, y, beta=beta, input_variance=input_variance)
    for i, j in itertools.product(range(4), range(3)):
        q, p, c = (input_variance * float(a @ b) / 6 + beta**2 for a, b in ((x[i], x[i]), (y[j], y[j]), (x[i], y[j])))
        theta = c
        for depth in DEPTHS:
            if depth > 0:
                both, step = quadrature(q, p, c)
                c, derivative = 2 * both + beta**2, 2 * step
                theta = theta * derivative + c
                q, p = (2 * quadrature(v, v, v)[0] + beta**2 for v in (q, p))
            sigma, tangent = found[depth]
            assert abs(sigma[i, j].item() - c) <= 1e-10 * math.sqrt(q * p)
            assert abs(tangent[i, j].item() - theta) <= 1e-10 * (depth + 1) * math.sqrt(q * p)


def test_the_form_with_the_arccosine():
    """Sigma^(l) is sqrt(q p) (sin t + (pi - t) cos t) / pi + beta^2, dSigma^(l) is (pi - t) / pi, t = arccos(c)."""
    x, beta = inputs(30, 8), 0.1
    q = (x.square().sum(1) / 8 + beta**2).numpy()
    sigma = (x @ x.T / 8 + beta**2).numpy()
    theta = sigma.copy()
    off = ~np.eye(30, dtype=bool)
    for depth, (s, t) in enumerate(levels(x, x, beta=beta)):
        if depth > 0:
            norms = np.sqrt(np.outer(q, q))
            angle = np.arccos(np.clip(sigma / norms, -1, 1))
            sigma = norms * (np.sin(angle) + (math.pi - angle) * np.cos(angle)) / math.pi + beta**2
            theta = theta * (math.pi - angle) / math.pi + sigma
            q = q + beta**2
        np.testing.assert_allclose(s.numpy()[off], sigma[off], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(t.numpy()[off], theta[off], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("input_variance", "beta"), [(1, 0.1), (2, 0.1), (2, 0.0), (1, 2.0)])
def test_the_diagonal_is_exact(input_variance, beta):
    x = inputs(50, 13)
    q = input_variance * x.square().sum(1) / 13
    for depth, (sigma, theta) in enumerate(levels(x, x, beta=beta, input_variance=input_variance)):
        torch.testing.assert_close(sigma.diagonal(), q + (depth + 1) * beta**2, rtol=1e-14, atol=0)
        expected = (depth + 1) * q + beta**2 * (depth + 1) * (depth + 2) / 2
        torch.testing.assert_close(theta.diagonal(), expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("kernel", [ntk, nngp])
def test_blocks_depths_and_order_do_not_matter(kernel):
    x = inputs(20, 5)
    whole = matrices(kernel, x, x, [1, 4, 7])
    for depth, a in zip((1, 4, 7), whole, strict=True):
        assert torch.equal(a, matrices(kernel, x, x, [depth])[0])
        torch.testing.assert_close(a, a.T, rtol=1e-13, atol=1e-14)
        assert torch.linalg.eigvalsh(a).min() > -1e-12 * a.diagonal().mean()
    blocks = [matrices(kernel, x[i : i + 7], x, [1, 4, 7]) for i in (0, 7, 14)]
    for a, parts in zip(whole, zip(*blocks, strict=True), strict=True):
        torch.testing.assert_close(a, torch.cat(parts), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1.0, 1e8, 1e150])
def test_equal_opposite_zero_near_and_extreme_inputs(scale):
    v = torch.tensor([3.0, -1.0, 2.0], dtype=torch.float64)
    x = scale * torch.stack([v, v, -v, 0 * v, v * (1 + 1e-15), v + 1e-9, v.flip(0)])
    for beta in (0.0, 0.1):
        one = levels(x, x, beta=beta)
        for depth, (sigma, theta) in enumerate(one):
            assert torch.isfinite(sigma).all()
            assert torch.isfinite(theta).all()
            q = (x[0].square().sum() / 3 + (depth + 1) * beta**2).item()
            assert abs(sigma[0, 1].item() - q) <= 1e-14 * q  # equal inputs
            if beta == 0 and depth > 0:
                assert (sigma[3] == 0).all()  # a zero input
    if scale == 1.0:  # opposite inputs without bias: relu(u) relu(-u) = 0, then the angle is pi / 2
        sigma = levels(x, x, beta=0.0)[1][0]
        assert abs(sigma[0, 2].item()) < 1e-15


def test_kernels_without_bias_are_homogeneous():
    x, y = inputs(6, 4), inputs(5, 4, "y")
    for a, b in zip(levels(x, y, beta=0.0), levels(1e3 * x, y, beta=0.0), strict=True):
        torch.testing.assert_close(1e3 * a[1], b[1], rtol=1e-12, atol=1e-12)


def finite_kernels(x, *, depth, width, networks):
    """Return f(x) f(x') and df/dw(x) . df/dw(x') of each network, (R, n, n), in the NTK parametrisation."""
    starts = [stream(0, "monte carlo", depth, i) for i in range(networks)]
    shape = {"n_inputs": x.shape[1], "n_outputs": 1, "depth": depth, "width": width}
    settings = {"initialisation": "standard_normal", "parametrisation": "ntk", "beta": 0.3, "input_variance": 2}
    weights = [w.requires_grad_() for w in mlp.init(starts, **shape, dtype=torch.float64, **settings)]
    f = mlp.apply(weights, x, **settings)[..., 0]
    # Networks are independent: the derivative of the sum over them holds that of each.
    jacobian = [torch.autograd.grad(f[:, i].sum(), weights, retain_graph=True) for i in range(len(x))]
    flat = torch.stack([torch.cat([g.flatten(1) for g in grads], 1) for grads in jacobian], 1)  # (R, n, P)
    return (f[:, :, None] * f[:, None, :]).detach(), flat @ flat.transpose(1, 2)


@pytest.mark.parametrize("depth", [0, 1, pytest.param(3, marks=pytest.mark.slow)])
def test_finite_networks_average_to_the_kernels(depth):
    """The NNGP and the NTK are the limits of wide networks; 2 % off in either would show."""
    x, networks = inputs(6, 5), 400
    product, tangent = finite_kernels(x, depth=depth, width=512 if depth < 2 else 256, networks=networks)
    sigma, theta = levels(x, x, n=depth + 1, beta=0.3, input_variance=2)[depth]
    upper = torch.triu_indices(6, 6)
    for samples, limit in ((product, sigma), (tangent, theta)):
        error = samples.std(0) / math.sqrt(networks)
        if depth == 0 and samples is tangent:  # no randomness at all
            torch.testing.assert_close(samples.mean(0), limit, rtol=1e-12, atol=1e-12)
            continue
        z = ((samples.mean(0) - limit) / error)[*upper]
        assert z.abs().max() < 4.5  # of 21 pairs
        wrong = ((samples.mean(0) - 1.1 * limit) / error)[*upper]
        assert samples is product or wrong.abs().max() > 4.5


def test_what_a_finite_network_lacks_falls_like_the_inverse_width():
    x = inputs(4, 5)
    bias = []
    for width in (8, 32):
        _, tangent = finite_kernels(x, depth=3, width=width, networks=6000)
        variance = tangent.var(0).mean().item()  # of the tangent kernel of one network: O(1 / width)
        bias.append(variance)
    assert 2.5 < bias[0] / bias[1] < 8


@pytest.mark.parametrize("angle", [1e-2, 1e-5, 1e-8])
def test_pairs_that_are_nearly_parallel_keep_their_digits_whatever_their_norms(angle):
    """One is along the other and one against it; in many digits the cosine is that of the numbers as they are."""
    x, y = np.array([[0.6, 0.8]]), 1.45 * np.array([[0.6 - 0.8 * angle, 0.8 + 0.6 * angle], [-0.6 - 0.8 * angle, -0.8]])
    found = all_pairs(torch.from_numpy(x), torch.from_numpy(y))
    with mpmath.workdps(50):
        a, pairs = [mpmath.mpf(v) for v in x[0]], [[mpmath.mpf(v) for v in row] for row in y]
        cosines = [mpmath.fdot(a, b) / mpmath.sqrt(mpmath.fdot(a, a) * mpmath.fdot(b, b)) for b in pairs]
        exact = [float(1 - cosines[0]), float(1 + cosines[1])]
    np.testing.assert_allclose([found.e[0, 0], found.f[0, 1]], exact, rtol=1e-14)


def test_pairs_of_which_many_are_near_are_computed_in_bounded_memory(monkeypatch):
    x = inputs(30, 4) * 1e-3 + 1
    whole = all_pairs(x, x)
    monkeypatch.setattr("isobath.regression.gram.GATHERED", {"cpu": 9})
    pieces = all_pairs(x, x)
    assert (whole.e < 0.01).all()
    assert torch.equal(whole.e, pieces.e)
    assert (whole.e.diagonal() == 0).all()


def kappa(u):
    """Return (kappa_0, kappa_1) of Cho & Saul."""
    angle = mpmath.acos(u)
    return 1 - angle / mpmath.pi, (mpmath.sqrt(1 - u**2) + u * (mpmath.pi - angle)) / mpmath.pi


def test_the_functions_of_the_arccosine_at_special_angles():
    """The angles are 0, 60, 90, 120 and 180 degrees: Sigma of one layer is kappa_1, Theta is u kappa_0 + kappa_1."""
    angles = np.array([0, math.pi / 3, math.pi / 2, 2 * math.pi / 3, math.pi])
    cosine = np.array([1, 0.5, 0, -0.5, -1])
    half = math.sqrt(3) / 2
    kappa_0 = np.array([1, 2 / 3, 1 / 2, 1 / 3, 0])
    kappa_1 = np.array([math.pi, half + math.pi / 3, 1, half - math.pi / 6, 0]) / math.pi
    no_bias = {"beta": 0.0}
    (sigma,) = on_sphere("nngp", no_bias, angles, NUMPY, [1])
    (theta,) = on_sphere("ntk", no_bias, angles, NUMPY, [1])
    np.testing.assert_allclose(sigma, kappa_1, rtol=0, atol=1e-15)
    np.testing.assert_allclose(theta, cosine * kappa_0 + kappa_1, rtol=0, atol=1e-15)


@pytest.mark.parametrize("angle", [1e-8, 0.01, 0.5, 1.5, 3.0, 3.1415])
def test_the_kernels_of_bietti_and_bach_by_their_own_recursion(angle):
    """L = depth + 1 layers compose kappa_1, and s_L = s_{L-1} kappa_0 + RF_L; with a first bias s_1 = 1 + u."""
    bare, biased = {"beta": 0.0}, {"beta": 0.0, "first_bias": True}
    with mpmath.workdps(40):
        u = mpmath.cos(mpmath.mpf(angle))
        features, tangents = u, [u, 1 + u]
        expected = {"nngp": [], "ntk": [], "ntk with bias": []}
        for depth in range(6):
            if depth > 0:
                kappa_0, features = kappa(features)
                tangents = [s * kappa_0 + features for s in tangents]
            for name, value in zip(expected, (features, *tangents), strict=True):
                expected[name].append(float(value))
        both = float((1 + u) * kappa(u)[1])
    pairs = Pairs.on_sphere(np.array([angle]), ops=NUMPY)
    for name, kernel, settings in (("nngp", nngp, bare), ("ntk", ntk, bare), ("ntk with bias", ntk, biased)):
        found = [k.item() for k in kernel.profile(pairs, depth=range(6), **settings)]
        np.testing.assert_allclose(found, expected[name], rtol=0, atol=4e-15)
    (k,) = nngp.profile(pairs, depth=[1], **biased)
    assert k.item() == pytest.approx(both, rel=0, abs=1e-15)


@pytest.mark.parametrize("depth", range(4))
def test_kernels_at_a_point_itself_have_the_values_of_the_source(depth):
    zero = np.zeros(1)
    assert on_sphere("nngp", {"beta": 0.0}, zero, NUMPY, [depth])[0] == 1
    assert on_sphere("ntk", {"beta": 0.0}, zero, NUMPY, [depth])[0] == depth + 1
    (found,) = ntk.profile(Pairs.on_sphere(zero, ops=NUMPY), depth=[depth], beta=0.0, first_bias=True)
    assert found == depth + 2


def test_one_hidden_layer_without_bias_sees_no_odd_degree_above_the_first():
    """K(u) - K(-u) is linear in u for random features and for the NTK of depth 1; not with a bias or at depth 2."""
    angles = np.linspace(0.1, 1.5, 15)

    def is_linear(kind, settings, depth):
        there, opposite = (on_sphere(kind, settings, a, NUMPY, [depth])[0] for a in (angles, math.pi - angles))
        slope = (there - opposite) / np.cos(angles)
        return np.ptp(slope) < 1e-13

    bare = {"beta": 0.0}
    assert is_linear("nngp", bare, 1)
    assert is_linear("ntk", bare, 1)
    assert not is_linear("ntk", bare, 2)
    assert not is_linear("ntk", {"beta": 0.0, "first_bias": True}, 1)
    assert not is_linear("ntk", {"beta": 0.5}, 1)
    assert not is_linear("nngp", {"beta": 0.0, "first_bias": True}, 1)


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        ("ntk", {"beta": 0.1, "input_variance": 1, "first_bias": True}, "first_bias needs beta: 0"),
        ("nngp", {"beta": 0.1, "input_variance": 1, "first_bias": True}, "first_bias needs beta: 0"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(kind, settings, words):
    with pytest.raises(ValueError, match=words):
        plugins.check("kernel", kind, settings)


@pytest.mark.parametrize("depth", [[0], [2], [1, 2]])
def test_random_features_with_a_first_bias_have_one_depth(depth):
    with pytest.raises(ValueError, match=r"first_bias needs depth: \[1\]"):
        list(nngp.profile(Pairs.on_sphere(np.zeros(1), ops=NUMPY), depth=depth, beta=0.0, first_bias=True))
