"""The kernels against quadrature, against the textbook form and against finite networks."""

import itertools
import math

import numpy as np
import pytest
import torch
from scipy.special import roots_genlaguerre, roots_legendre

from isobath import binding, plugins
from isobath.kernels import nngp, ntk
from isobath.networks import mlp
from isobath.randomness import stream
from isobath.regression.arc_cosine import recursion

DEPTHS = range(11)


def inputs(n, d, name="x"):
    return torch.from_numpy(stream(0, "kernels", name).standard_normal((n, d)))


def levels(x, y, n=11, **settings):
    """(Sigma, Theta) of depth 0 .. n - 1 as copies."""
    settings = {"beta": 0.1, "input_variance": 1} | settings
    return [(s.clone(), t.clone()) for s, t in itertools.islice(recursion(x, y, **settings), n)]


def quadrature(q, p, c):
    """E[relu(u) relu(v)] and E[step(u) step(v)] of a Gaussian pair with variances q, p and covariance c.

    In polar coordinates the kinks are the ends of the arc of angles where both are positive:
    Gauss-Laguerre in r^2 / 2 and Gauss-Legendre on that arc are exact to rounding. (A product
    of Gauss-Hermite rules has the kinks inside, and its error falls like 1 / nodes only.)
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
    """Sigma^(l) = sqrt(q p) (sin t + (pi - t) cos t) / pi + beta^2 and dSigma^(l) = (pi - t) / pi, t = arccos(c)."""
    x, beta = inputs(30, 8), 0.1
    q = (x.square().sum(1) / 8 + beta**2).numpy()
    sigma = (x @ x.T / 8 + beta**2).numpy()
    theta = sigma.copy()
    off = ~np.eye(30, dtype=bool)
    for depth, (s, t) in enumerate(levels(x, x, diagonal=0, beta=beta)):
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
    for depth, (sigma, theta) in enumerate(levels(x, x, diagonal=0, beta=beta, input_variance=input_variance)):
        torch.testing.assert_close(sigma.diagonal(), q + (depth + 1) * beta**2, rtol=1e-14, atol=0)
        expected = (depth + 1) * q + beta**2 * (depth + 1) * (depth + 2) / 2
        torch.testing.assert_close(theta.diagonal(), expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("gram", [ntk.gram, nngp.gram])
def test_blocks_depths_and_order_do_not_matter(gram):
    x = inputs(20, 5)
    whole = [k.clone() for k in gram(x, x, depth=[1, 4, 7], diagonal=0)]
    alone = [next(gram(x, x, depth=[d], diagonal=0)).clone() for d in (1, 4, 7)]
    for a, b in zip(whole, alone, strict=True):
        assert torch.equal(a, b)
        torch.testing.assert_close(a, a.T, rtol=1e-13, atol=1e-14)
        assert torch.linalg.eigvalsh(a).min() > -1e-12 * a.diagonal().mean()
    blocks = [
        torch.cat(parts)
        for parts in zip(
            *([k.clone() for k in gram(x[i : i + 7], x, depth=[1, 4, 7], diagonal=i)] for i in (0, 7, 14)), strict=True
        )
    ]
    for a, b in zip(whole, blocks, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1.0, 1e8, 1e150])
def test_equal_opposite_zero_near_and_extreme_inputs(scale):
    v = torch.tensor([3.0, -1.0, 2.0], dtype=torch.float64)
    x = scale * torch.stack([v, v, -v, 0 * v, v * (1 + 1e-15), v + 1e-9, v.flip(0)])
    for beta in (0.0, 0.1):
        one = levels(x, x, beta=beta)  # the diagonal is not pinned: what rounding alone makes of it
        for depth, (sigma, theta) in enumerate(one):
            assert torch.isfinite(sigma).all()
            assert torch.isfinite(theta).all()
            q = (x[0].square().sum() / 3 + (depth + 1) * beta**2).item()
            assert abs(sigma[0, 1].item() - q) <= 1e-7 * q  # equal inputs
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
    """Per network: f(x) f(x') and df/dw(x) . df/dw(x'), each (R, n, n), in the NTK parametrisation."""
    starts = [stream(0, "monte carlo", depth, i) for i in range(networks)]
    shape = {"n_inputs": x.shape[1], "n_outputs": 1, "depth": depth, "width": width}
    settings = {"initialisation": "standard_normal", "parametrisation": "ntk", "beta": 0.3, "input_variance": 2}
    weights = [w.requires_grad_() for w in mlp.init(starts, **shape, dtype=torch.float64, **settings)]
    f = mlp.apply(weights, x, **settings)[..., 0]
    # Networks are independent: the derivative of the sum over them holds that of each.
    jacobian = [torch.autograd.grad(f[:, i].sum(), weights, retain_graph=True) for i in range(len(x))]
    flat = torch.stack([torch.cat([g.flatten(1) for g in grads], 1) for grads in jacobian], 1)  # (R, n, P)
    return (f[:, :, None] * f[:, None, :]).detach(), flat @ flat.transpose(1, 2)


@pytest.mark.parametrize("depth", [0, 1, 3])
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


@pytest.mark.parametrize("kind", plugins.kinds("kernel"))
def test_every_kernel_keeps_the_contract(kind):
    settings = {n: 3 for n, (_, default) in plugins.schema("kernel", kind).items() if default is ...}
    gram = binding.load("kernel", kind).gram
    x, y = inputs(9, 4), inputs(5, 4, "y")
    found = [k.clone() for k in gram(x, y, depth=[1, 3], **settings)]
    assert [k.shape for k in found] == [(9, 5)] * 2
    assert all(k.dtype == torch.float64 and torch.isfinite(k).all() for k in found)
    own = [k.clone() for k in gram(x.float(), x.float(), depth=[1], diagonal=0, **settings)]
    assert own[0].dtype == torch.float64
    assert torch.linalg.eigvalsh(own[0]).min() > 0
