"""Functions of the radius: the density against its oracles, shells, their network, and tubes."""

import math

import numpy as np
import pytest
import torch

from isobath import plugins
from isobath.binding import bound
from isobath.calculations import fourier_tubes, piecewise_polynomials, radial_density
from isobath.networks import mlp
from isobath.randomness import stream
from isobath.separation import radial

# R_d, p(1/2) and P(radius <= 2), to all digits.
ORACLES = {
    2: (0.56418958354776, 1.3497544379274, 0.90993397706246),
    3: (0.6203504908994, 1.4028325864563, 0.87676821890742),
    4: (0.67093826696541, 1.1326470136947, 0.84854501597329),
    10: (0.9106325886214, 0.024742160393595, 0.72681928113962),
}


@pytest.mark.parametrize("dimension", ORACLES)
def test_the_density_has_its_oracles(dimension):
    radius, at_half, within = ORACLES[dimension]
    own = radial.ball_radius(dimension)
    assert own == pytest.approx(radius, rel=1e-12)
    assert float(radial.density(np.array(0.5), dimension, radius=own)) == pytest.approx(at_half, rel=1e-12)
    assert radial.mass_within(2.0, dimension, radius=own) == pytest.approx(within, rel=1e-12)


def test_the_closed_form_is_of_even_dimensions():
    with pytest.raises(ValueError, match="dimension is 3"):
        radial.mass_beyond(np.array(1.0), 3)


def test_the_mass_is_one_with_the_ball_of_volume_one_and_its_volume_with_the_unit_ball():
    found = radial_density.calculate(generator=stream(0, "d"), dimensions=(2, 4, 10), radii=(0.5, 2))
    np.testing.assert_allclose(found.mass, 1, atol=1e-12)
    np.testing.assert_allclose(found.unit_ball_mass, [np.pi, np.pi**2 / 2, np.pi**5 / 120], rtol=1e-10)
    np.testing.assert_allclose(found.mass_within, found.exact_mass_within, atol=1e-12)


@pytest.mark.parametrize(("dimension", "shells"), [(2, 2), (7, 4), (3, 3)])
def test_shells_hold_as_many_points_in_any_dimension(dimension, shells):
    x, labels = bound("task", {"kind": "radial_shells", "dimension": dimension, "shells": shells})(
        20_000, generator=stream(0, "s")
    )
    radius = np.linalg.norm(x, axis=1)
    assert radius.max() <= 2 + 1e-5
    inside = np.abs(radius * shells / 2 - np.round(radius * shells / 2)) > 1e-4
    np.testing.assert_array_equal(labels[inside], (np.floor(radius * shells / 2) % 2)[inside])
    assert labels.mean() == pytest.approx((shells // 2) / shells, abs=0.02)


def test_one_shell_is_refused():
    with pytest.raises(ValueError, match="shells is 1"):
        plugins.check("task", "radial_shells", {"dimension": 3, "shells": 1})
    with pytest.raises(ValueError, match="k_local; radial_profile knows radial_shells"):
        bound("construction", "radial_profile")({"kind": "k_local"})


@pytest.mark.parametrize("shells", [2, 3, 4])
def test_two_hidden_layers_make_shells_up_to_the_error_of_squares(shells):
    task = {"kind": "radial_shells", "dimension": 6, "shells": shells}
    x, labels = bound("task", task)(4000, generator=stream(0, "s"))
    accuracy = []
    for kinks in (4, 64):
        weights = bound("construction", {"kind": "radial_profile", "kinks": kinks})(task).weights
        assert [w.shape[1] for w in weights[::2]] == [6 * kinks, 2 * (shells - 1), 1]
        f = mlp.apply(weights, torch.from_numpy(x).double())[0, :, 0]
        accuracy.append(((f > 0).numpy() == labels).mean())
    assert accuracy[1] > 0.98
    assert accuracy[1] > accuracy[0] + 0.004


def test_the_share_of_a_tube_is_that_of_sampled_directions():
    x = stream(0, "t").standard_normal((200_000, 5))
    x *= 1.2 / np.linalg.norm(x, axis=1)[:, None]
    off_line = np.linalg.norm(x[:, 1:], axis=1)
    expected = (off_line <= radial.ball_radius(5)).mean()
    assert radial.tube_share(5, distance=1.2) == pytest.approx(expected, rel=0.03)
    assert radial.tube_share(5, distance=0.1) == 1


def test_a_network_times_phi_has_its_transform_in_tubes_and_shells_have_not():
    found = fourier_tubes.calculate(generator=stream(0, "f"), dimensions=(2, 20, 40), tubes=10, networks=2)
    assert float(found.outside_tubes.max()) < 0.01
    assert float(found.shells_outside_tubes.min()) > 0.1
    assert (found.share.diff("dimension") < 0).all()


def test_polynomials_have_at_most_t_times_one_plus_alpha_intervals():
    found = piecewise_polynomials.calculate(generator=stream(0, "p"), parts=(1, 3), degrees=(1, 2, 5), samples=40)
    assert (found.intervals <= found.most_intervals).all()
    np.testing.assert_array_equal(found.tight_intervals, found.most_intervals)
    assert int(found.intervals.max()) > 5


def test_masses_do_not_depend_on_how_far_a_quadrature_goes():
    """Once the panels to a small radius were none, and those to a large one did not resolve the density."""
    found = [
        radial_density.calculate(generator=None, dimensions=(2, 4), radii=(0.5, 2000.0), far=far) for far in (0.1, 50.0)
    ]
    for table in found:
        np.testing.assert_allclose(table.mass, 1, atol=1e-6)
        np.testing.assert_allclose(table.mass_within, table.exact_mass_within, atol=1e-6)


def test_masses_beyond_a_radius_and_of_odd_dimensions_are_those_of_the_density():
    for d in (2, 4, 10):
        assert radial.tail(1000.0, d) == pytest.approx(float(radial.mass_beyond(np.array(1000.0), d)), rel=1e-2)
    odd = radial_density.calculate(generator=None, dimensions=(3, 5), radii=(0.5,))
    np.testing.assert_allclose(odd.mass, 1, atol=1e-4)


def test_directions_of_points_are_uniform():
    x, _ = radial.points(20_000, 2, generator=stream(0, "p"))
    assert abs(np.cos(4 * np.arctan2(x[:, 1], x[:, 0])).mean()) < 4 / math.sqrt(2 * 20_000)


def test_the_share_of_tubes_is_that_of_one_times_their_number_and_at_most_all(monkeypatch):
    monkeypatch.setattr(fourier_tubes, "_outside", lambda *_: (0.0, 0.0))  # spares the transforms
    found = fourier_tubes.calculate(generator=stream(0, "f"), dimensions=(2, 20, 40), tubes=10)
    expected = [min(1, 10 * radial.tube_share(d, distance=0.5 * math.sqrt(d))) for d in (2, 20, 40)]
    np.testing.assert_allclose(found.share, expected)
    assert 0 < expected[2] < 1
