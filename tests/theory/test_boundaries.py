"""Decision boundaries against finite differences, fine scans and linear networks."""

import math

import numpy as np
import pytest
import torch
from ensemble_outputs import of_all_samples

from isobath.analysis.ensembles.distances import distances
from isobath.geometry import boundaries
from isobath.networks import cnn, mlp
from isobath.randomness import stream
from isobath.training.architecture import Architecture


def trained(networks=4, depth=2, width=12, d=5, dtype=torch.float64, **settings):
    """Make a stack whose networks fluctuate around a common function, and inputs on the sphere of radius sqrt(d)."""
    network = Architecture(mlp, settings)
    draws = [stream(0, "boundaries", i) for i in range(networks)]
    weights = network.init(draws, n_inputs=d, n_outputs=1, depth=depth, width=width, dtype=dtype)
    weights = [w[:1] + 0.25 * (w - w[:1]) for w in weights]
    x = torch.from_numpy(stream(0, "inputs").standard_normal((400, d)))
    x = x * math.sqrt(d) / x.norm(dim=1, keepdim=True)
    for b in weights[1::2]:
        b.add_(0.05)
    weights[-1] -= network.apply(weights, x.to(dtype)).median().item()  # so that f changes sign
    return network, weights, x


def linear(weights, biases):
    """Make networks f_i = w_i . x + b_i from weights (R, d) and biases (R,)."""
    w, b = torch.tensor(weights, dtype=torch.float64), torch.tensor(biases, dtype=torch.float64)
    return Architecture(mlp), [w[:, None], b[:, None, None]]


def points_between(network, weights, x, member):
    f = network.apply(weights, x.to(weights[0].dtype))[:, :, 0]
    return x[f[member] * f.mean(0) < 0]


@pytest.mark.parametrize("settings", [{}, {"initialisation": "standard_normal", "parametrisation": "ntk", "beta": 0.5}])
def test_gradients_are_finite_differences(settings):
    network, weights, x = trained(**settings)
    x = x[:20]
    found = boundaries.gradients(network, weights, x, floats=1000)  # several blocks
    step = 1e-6
    for j in range(5):
        e = step * torch.eye(5, dtype=torch.float64)[j]
        slope = (network.apply(weights, x + e) - network.apply(weights, x - e))[:, :, 0] / (2 * step)
        torch.testing.assert_close(found[:, :, j], slope, rtol=1e-6, atol=1e-8)


def test_each_network_may_have_its_own_inputs():
    network, weights, x = trained(dtype=torch.float32)
    own = x[:80].view(4, 20, 5)
    together = boundaries.gradients(network, weights, own)
    assert together.dtype == torch.float64
    for i in range(4):
        shared = boundaries.gradients(network, weights, own[i])
        torch.testing.assert_close(together[i], shared[i], rtol=1e-12, atol=1e-13)
    assert not any(w.requires_grad for w in weights)


def test_gradients_of_convolutional_networks():
    network = Architecture(cnn, {"image_channels": 1})
    weights = network.init([stream(0, i) for i in range(3)], n_inputs=64, n_outputs=1, depth=2, width=2)
    x = torch.from_numpy(stream(0, "images").standard_normal((2, 64)))
    found = boundaries.gradients(network, weights, x)
    doubles = [w.double() for w in weights]
    e = 1e-6 * torch.from_numpy(stream(0, "way").standard_normal(64))
    slope = (network.apply(doubles, x + e) - network.apply(doubles, x - e))[:, :, 0] / 2e-6
    torch.testing.assert_close(found @ (e / 1e-6), slope, rtol=1e-6, atol=1e-8)


def test_networks_with_several_outputs_have_no_boundary():
    network = Architecture(mlp)
    weights = network.init([stream(0)], n_inputs=5, n_outputs=2, depth=1, width=3)
    with pytest.raises(ValueError, match="2 outputs"):
        boundaries.gradients(network, weights, torch.zeros(3, 5))


def test_parallel_planes_lie_as_far_apart_as_predicted():
    network, weights = linear([[0.6, 0.8], [0.6, 0.8], [0.6, 0.8]], [0.3, -0.2, 0.05])
    x = torch.from_numpy(stream(0, "planes").uniform(-1, 1, (4000, 2)))
    f = network.apply(weights, x).numpy()
    measured = of_all_samples(distances, f, boundaries.gradients(network, weights, x).norm(dim=2).numpy())
    apart = [0.25, 0.25, 0.0]  # |b_i - mean b| / |w|
    np.testing.assert_allclose(measured.measured[:2], apart[:2], rtol=1e-10)
    np.testing.assert_allclose(measured.estimate, apart, rtol=1e-10, atol=1e-12)
    for i in (0, 1):
        gap = boundaries.measured_distance(network, weights, points_between(network, weights, x, i), member=i)
        assert len(gap.network) > 100
        assert gap.missed == 0
        np.testing.assert_allclose(gap.distance, 0.25, rtol=1e-10)
        np.testing.assert_allclose(gap.predicted, 0.25, rtol=1e-10)


def test_planes_that_are_not_parallel_are_measured_along_the_gradient():
    network, weights = linear([[1.0, 0.0], [0.8, 0.3]], [0.1, -0.1])
    x = torch.from_numpy(stream(0, "planes").uniform(-1, 1, (4000, 2)))
    x = points_between(network, weights, x, 0)
    gap = boundaries.measured_distance(network, weights, x, member=0, reach=10)
    mean = np.array([0.9, 0.15])
    zero = -mean[1] * x[:, 1].numpy() / mean[0]  # where the line through x along (1, 0) meets fbar = 0, whose bias is 0
    np.testing.assert_allclose(gap.distance, np.abs(zero + 0.1), rtol=1e-8)


def first_zero(f, x, way, reach, points=40001):
    """Return the first change of sign on a fine grid of one line."""
    s = torch.linspace(0, reach, points, dtype=torch.float64)
    values = f(x + s[:, None] * way)
    changes = (values * values[0] <= 0).nonzero()
    return s[changes[0, 0]].item() if len(changes) else math.nan


@pytest.mark.parametrize("member", [0, 2])
def test_boundaries_are_found_where_a_fine_scan_finds_them(member):
    network, weights, x = trained()
    x = points_between(network, weights, x, member)[:12]
    assert len(x) > 5
    gap = boundaries.measured_distance(network, weights, x, member=member, steps=200)
    gradients = boundaries.gradients(network, weights, x)[member]
    for i, point in enumerate(x):
        f = network.apply(weights, point[None])[member].item()
        u = gradients[i] / gradients[i].norm() * math.copysign(1, f)
        reach = 4 * gap.predicted[i].item()
        own = first_zero(lambda z: network.apply(weights, z)[member, :, 0], point, -u, reach)
        mean = first_zero(lambda z: network.apply(weights, z).mean(0)[:, 0], point, u, reach)
        np.testing.assert_allclose([gap.network[i], gap.mean[i]], [own, mean], atol=reach / 20000)
    assert gap.missed == int(torch.isnan(gap.network + gap.mean).sum()) < len(x)


def test_zeros_of_curves_are_found_to_rounding_and_those_out_of_reach_are_not():
    def curve(x):
        return x[:, 0] ** 3 - 0.2

    start = torch.tensor([[0.7], [-9.0], [1.0]], dtype=torch.float64)
    found = boundaries._nearest_zero(curve, start, -start, 3.0, 10)
    expected = 1 - 0.2 ** (1 / 3) / start[:, 0]  # x - s x = 0.2^(1/3)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)
    near = boundaries._nearest_zero(curve, start, -start, 0.3, 10)
    assert near.isnan().tolist() == [False, True, True]


def test_points_that_lie_on_one_side_of_both_have_no_distance():
    network, weights = linear([[1.0, 0.0], [1.0, 0.0]], [0.1, -0.1])
    x = torch.tensor([[0.5, 0.0], [-0.05, 0.0], [-0.5, 0.0]], dtype=torch.float64)
    gap = boundaries.measured_distance(network, weights, x, member=0)
    assert gap.distance.isnan().tolist() == gap.predicted.isnan().tolist() == [True, False, True]
    assert gap.missed == 2
    none = boundaries.measured_distance(network, weights, x[:0], member=0)
    assert none.distance.shape == (0,)


def test_zeros_beyond_reach_are_counted_as_missed():
    network, weights = linear(
        [[1.0, 0.0], [0.0, 0.001]], [0.0, 0.3]
    )  # the mean changes half as fast along the gradient
    x = torch.tensor([[-0.1, 0.0]], dtype=torch.float64)
    near = boundaries.measured_distance(network, weights, x, member=0, reach=0.5)
    far = boundaries.measured_distance(network, weights, x, member=0, reach=4.0)
    assert (near.missed, far.missed) == (1, 0)
    torch.testing.assert_close(far.distance, torch.tensor([0.3], dtype=torch.float64))


def test_the_profile_of_a_linear_network_is_a_straight_line():
    network, weights = linear([[3.0, 4.0]], [0.5])
    x = torch.from_numpy(stream(0, "profile").standard_normal((10, 2)))
    grid = torch.linspace(-1, 3, 9)
    found = boundaries.profile(network, weights, x, grid, member=0)
    torch.testing.assert_close(found.ratio, (1 - grid.double()).expand(10, 9), rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(found.crossing, torch.ones(10, dtype=torch.float64), rtol=1e-10, atol=0)


def test_profiles_follow_the_network_and_cross_where_it_does():
    network, weights, x = trained()
    x = points_between(network, weights, x, 1)[:10]
    grid = torch.linspace(-1, 3, 21, dtype=torch.float64)
    found = boundaries.profile(network, weights, x, grid, member=1, steps=300)
    gradients = boundaries.gradients(network, weights, x)[1]

    def own(z):
        return network.apply(weights, z)[1, :, 0]

    for i, point in enumerate(x):
        way = -own(point[None]) * gradients[i] / gradients[i].square().sum()
        torch.testing.assert_close(found.ratio[i], own(point + grid[:, None] * way) / own(point[None]))
        expected = first_zero(own, point, way, 3.0)
        np.testing.assert_allclose(found.crossing[i], expected, atol=2e-4)
    torch.testing.assert_close(found.ratio[:, 5], torch.ones(10, dtype=torch.float64))


@pytest.mark.parametrize("project", [True, False])
def test_a_plane_holds_the_outputs_on_its_points(project):
    network, weights, x = trained()
    found = boundaries.plane(network, weights, x[:3], member=1, size=30, project=project)
    assert found.network.shape == found.mean.shape == (30, 30)
    a, b, c = x[:3]
    first = (b - a) / (b - a).norm()
    second = (c - a) - ((c - a) @ first) * first
    second /= second.norm()
    signs = [torch.sign(found.corners[1, 0]), torch.sign(found.corners[2, 1])]  # a direction may point either way
    corners = torch.stack([x[:3] @ first - a @ first, x[:3] @ second - a @ second], 1)
    torch.testing.assert_close(found.corners, corners * torch.stack(signs), rtol=1e-10, atol=1e-12)
    assert found.first[0] < found.corners[:, 0].min() < found.corners[:, 0].max() < found.first[-1]
    for i, j in ((0, 0), (7, 22), (29, 4)):
        z = a + found.first[j] * signs[0] * first + found.second[i] * signs[1] * second
        z = z * math.sqrt(5) / z.norm() if project else z
        f = network.apply(weights, z[None])[:, 0, 0]
        torch.testing.assert_close(torch.stack([found.network[i, j], found.mean[i, j]]), torch.stack([f[1], f.mean()]))


def test_three_points_on_a_line_are_refused():
    network, weights, x = trained()
    with pytest.raises(ValueError, match="on a line"):
        boundaries.plane(network, weights, torch.stack([x[0], x[1], (x[0] + x[1]) / 2]), member=0)


def test_a_boundary_is_looked_for_up_to_four_predicted_distances():
    """Along the gradient of the first of six networks fbar has the slope 1/6, and vanishes at 3.6 of these."""
    w = torch.tensor([[1.0, 0.0], *[[0.0, 1e-3]] * 5], dtype=torch.float64)
    b = torch.tensor([0.0, *[0.2] * 5], dtype=torch.float64)  # f = -0.1, fbar = 0.15
    gap = boundaries.measured_distance(
        Architecture(mlp), [w[:, None], b[:, None, None]], torch.tensor([[-0.1, 0.0]], dtype=torch.float64), member=0
    )
    assert (gap.mean / gap.predicted).item() == pytest.approx(3.6)


def test_a_plane_reaches_half_an_extent_beyond_its_points():
    w, b = torch.tensor([[[1.0, 0.5, 0.2]]]), torch.zeros(1, 1, 1)
    points = torch.tensor([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])
    found = boundaries.plane(Architecture(mlp), [w, b], points, member=0, size=5)
    for axis, places in enumerate((found.first, found.second)):
        low, high = found.corners[:, axis].min().item(), found.corners[:, axis].max().item()
        ends = low - 0.5 * (high - low), high + 0.5 * (high - low)
        assert (places[0].item(), places[-1].item()) == pytest.approx(ends)
