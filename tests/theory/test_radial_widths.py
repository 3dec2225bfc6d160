"""Networks of two hidden layers for functions of the radius: their formulas, errors and least widths."""

from itertools import product
from typing import get_args, get_type_hints

import numpy as np
import pytest
from study_template import STUDY, load

from isobath.calculations import radial_widths
from isobath.calculations.radial_widths import outputs
from isobath.randomness import stream
from isobath.separation import radial, radial_networks
from isobath.separation.radial_profiles import (
    PROFILES,
    Activation,
    Pieces,
    deviation,
    evaluated,
    pieces,
    sure_units,
)
from isobath.study.loading import ConfigError

ACTIVATIONS = get_args(Activation)
KINDS = list(product(PROFILES, ACTIVATIONS))


def share_within(f, x, name, error=0.1):
    return (np.abs(f - PROFILES[name].values(np.linalg.norm(x, axis=1))) <= error).mean()


@pytest.fixture(scope="module")
def found():
    return radial_widths.calculate(generator=stream(0, "w"), dimensions=(2, 4, 8, 16), error=0.1)


def test_the_names_of_profiles_are_those_of_the_table():
    (named, *_) = get_args(get_type_hints(radial_widths.calculate)["profiles"])
    assert get_args(named) == tuple(PROFILES)


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_as_steep_as_its_constant_and_no_steeper(name):
    r = np.linspace(0, 2, 20_001)
    slopes = np.abs(np.diff(PROFILES[name].values(r)) / np.diff(r))
    assert slopes.max() == pytest.approx(PROFILES[name].lipschitz, rel=1e-3)
    assert slopes.max() <= PROFILES[name].lipschitz + 1e-9


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("dimension", "kinks", "units"), [(1, 1, 1), (2, 5, 3), (7, 12, 30), (20, 3, 200)])
def test_the_network_is_its_formula(activation, dimension, kinks, units):
    x, _ = radial.points(400, dimension, generator=stream(0, "n"))
    own = pieces(PROFILES["cosine"], units, activation)
    expected = evaluated(own, radial_networks.summed(x, kinks, activation), activation)
    np.testing.assert_allclose(outputs(x, own, kinks, activation), expected, rtol=0, atol=1e-9)


def test_samples_in_blocks_are_those_in_one(monkeypatch):
    x, _ = radial.points(50, 3, generator=stream(0, "b"))
    own = pieces(PROFILES["gaussian"], 6, "relu")
    whole = outputs(x, own, 4, "relu")
    monkeypatch.setattr(radial_networks, "ROOM", 36)
    assert [len(part) for part in radial_networks.blocks(x, 12)] == [3] * 16 + [2]
    np.testing.assert_allclose(outputs(x, own, 4, "relu"), whole, atol=1e-12)


@pytest.mark.parametrize(("dimension", "cell"), [(1, 1.25), (2, 1.75)])  # sqrt(4 / 3) = 1.15 and sqrt(8 / 3) = 1.63
def test_one_step_for_each_coordinate_knows_the_mean_of_its_square(dimension, cell):
    x, _ = radial.points(20, dimension, generator=stream(0, "s"))
    f = outputs(x, pieces(PROFILES["gaussian"], 3, "step"), 1, "step")
    np.testing.assert_allclose(f, np.exp(-(cell**2)), atol=1e-12)


def test_two_relus_for_each_coordinate_know_its_absolute_value():
    x, _ = radial.points(200, 2, generator=stream(0, "a"))
    q = 2 * np.abs(x).sum(1) - 4 / 3
    expected = 1 + (np.exp(-4) - 1) * np.clip(q, 0, 4) / 4
    np.testing.assert_allclose(outputs(x, pieces(PROFILES["gaussian"], 2, "relu"), 2, "relu"), expected, atol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_pieces_have_the_values_that_they_are_given(activation):
    at, values = np.array([0.5, 1.0, 3.0]), np.array([2.0, -1.0, 4.0, 7.0])
    own = Pieces(at, values if activation == "step" else values[:3])
    inner, (w, b) = radial_networks.second_layer(own, activation)
    z = np.array([[0.0], [0.5], [1.0], [2.0], [3.0], [3.5]]) @ inner[0].T + inner[1]
    f = (np.maximum(z, 0) if activation == "relu" else z >= 0) @ w[0] + b
    expected = [2, 2, -1, 1.5, 4, 4] if activation == "relu" else [2, -1, 4, 4, 7, 7]
    np.testing.assert_allclose(f, expected, atol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("dimension", [1, 2, 20])
def test_squares_are_within_their_bound(activation, dimension):
    x, radius = radial.points(4000, dimension, generator=stream(0, "q"))
    x[:2], radius[:2] = [np.zeros(dimension), np.full(dimension, 2 / np.sqrt(dimension))], [0, 2]
    for kinks in (1, 2, 9, 40):
        h = 4 / (kinks if activation == "relu" else kinks + 1)
        bound = dimension * h**2 / 6 if activation == "relu" else dimension * h**2 / 3 + 2 * np.sqrt(dimension) * h
        assert np.abs(radial_networks.summed(x, kinks, activation) - radius**2).max() <= bound + 1e-12
    m = radial_networks.sure_kinks(dimension, 0.2, activation)
    q = radial_networks.summed(x, m, activation)
    assert np.abs(np.sqrt(np.maximum(q, 0)) - radius).max() <= 0.2


@pytest.mark.parametrize(("name", "activation"), KINDS)
def test_sure_units_are_enough_at_every_radius_and_of_the_right_order(name, activation):
    units = sure_units(PROFILES[name], 0.05, activation)
    assert deviation(PROFILES[name], units, activation) <= 0.05 + 1e-12
    assert deviation(PROFILES[name], max(1, units // 12), activation) > 0.05


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_network_of_the_sure_width_is_within_the_error_at_every_point(activation):
    profile, error = PROFILES["gaussian"], 0.25
    kinks = radial_networks.sure_kinks(3, error / 2 / profile.lipschitz, activation)
    own = pieces(profile, sure_units(profile, error / 2, activation), activation)
    x, radius = radial.points(300, 3, generator=stream(0, "e"))
    assert np.abs(outputs(x, own, kinks, activation) - profile.values(radius)).max() <= error
    sure = radial_widths.calculate(generator=stream(0, "w"), dimensions=(3,), profiles=("gaussian",), error=error)
    assert float(sure.sure_width.sel(activation=activation).squeeze()) == 3 * kinks + len(own.at)


@pytest.mark.parametrize(("name", "activation"), KINDS)
def test_the_width_is_that_of_a_network_that_is_built_and_the_least(found, name, activation):
    x, _ = radial.points(2000, 2, generator=stream(0, "w"))  # the first points that the calculation draws
    own = found.sel(profile=name, activation=activation)
    units = int(own.second_width)
    kinks = (int(own.width.sel(dimension=2)) - units) // 2
    second = pieces(PROFILES[name], units, activation)
    built = radial_networks.layers(2, kinks, radial_networks.second_layer(second, activation), activation)
    assert sum(len(b) for _, b in built[:2]) == int(own.width.sel(dimension=2))
    assert share_within(outputs(x, second, kinks, activation), x, name) >= 0.99
    assert share_within(outputs(x, second, kinks - 1, activation), x, name) < 0.99


@pytest.mark.parametrize(("name", "activation"), KINDS)
def test_without_its_second_layer_a_network_makes_no_profile(found, name, activation):
    x, _ = radial.points(2000, 2, generator=stream(0, "w"))
    own = found.sel(profile=name, activation=activation)
    units = int(own.second_width)
    assert (
        deviation(PROFILES[name], units, activation) <= 0.05 + 1e-12 < deviation(PROFILES[name], units - 1, activation)
    )
    kinks = (int(own.width.sel(dimension=2)) - units) // 2
    assert share_within(radial_networks.summed(x, kinks, activation), x, name) < 0.5
    poor = pieces(PROFILES[name], 1, activation)
    assert share_within(outputs(x, poor, 4 * kinks, activation), x, name) < 0.5


def test_widths_are_polynomial_in_d_and_below_the_sure_ones(found):
    slopes = np.polyfit(np.log(found.dimension), np.log(found.width.values.reshape(-1, 4).T), 1)[0]
    assert ((slopes > 0.5) & (slopes < 2)).all()
    assert (found.width <= found.sure_width).all()
    assert (found.width > found.second_width).all()
    steep = np.polyfit(
        np.log(found.dimension), np.log((found.sure_width - found.second_width).values.reshape(-1, 4).T), 1
    )[0]
    assert (steep < 1.6).all()


def test_an_error_that_no_width_tried_meets_has_none(monkeypatch):
    monkeypatch.setattr(radial_widths, "MOST", 64)
    found = radial_widths.calculate(generator=stream(0, "m"), dimensions=(2, 32), profiles=("gaussian",), samples=200)
    relu, step = found.width.sel(profile="gaussian").values
    np.testing.assert_array_equal(np.isnan(relu), [False, True])
    assert np.isnan(step).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            "profiles: [cosin]",
            r"c\.profiles\[0\] is 'cosin'; it must be 'cosine', 'gaussian' or 'triangle_wave'",
        ),
        ("profiles: []", r"c\.profiles is \[\]; allowed: a list with at least one entry"),
        ("profiles: [cosine, cosine]", r"c\.profiles is \[\"cosine\", \"cosine\"\]; a value stands twice"),
        ("error: 0", r"c\.error is 0; it must be greater than 0"),
        ("error: -0.1", r"c\.error is -0\.1; it must be greater than 0"),
        ("error: 1.5", r"c\.error is 1\.5; it must be less than 1"),
    ],
)
def test_a_bad_setting_is_refused_in_one_sentence(tmp_path, settings, message):
    widths = f"calculations: {{c: {{kind: radial_widths, grid: g, dimensions: [2, 4], {settings}}}}}\n"
    with pytest.raises(ConfigError, match=rf"calculations\.{message}") as refusal:
        load(tmp_path, text=STUDY.replace("grids:\n", f"{widths}grids:\n"))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("activation", ["relu", "step"])
@pytest.mark.parametrize("dimension", [1, 2, 20])
def test_sure_numbers_of_units_are_the_fewest_by_their_bounds(activation, dimension):
    def of_squares(kinks):
        h = 4 / (kinks if activation == "relu" else kinks + 1)
        return dimension * h**2 / (6 if activation == "relu" else 3) + (activation == "step") * 2 * dimension**0.5 * h

    m = radial_networks.sure_kinks(dimension, 0.2, activation)
    assert of_squares(m) <= 0.2**2 * (1 + 1e-9) < of_squares(m - 1)
    for profile in PROFILES.values():
        n = sure_units(profile, 0.05, activation)
        width = [2 / (n - 1), 2 / (n - 2)] if activation == "relu" else [1 / (n + 1), 1 / n]
        assert profile.lipschitz * width[0] <= 0.05 * (1 + 1e-9) < profile.lipschitz * width[1]
