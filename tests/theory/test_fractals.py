"""Fractals and their distributions, against enumeration in rational numbers and closed forms."""

import hashlib
import itertools
import math
import re
import typing
from fractions import Fraction

import numpy as np
import pytest
from house import ROOT, write_study

from isobath import plugins
from isobath.fractals import approximation_curves
from isobath.fractals.iterated_functions import GRID, complement, iterate, level, random_cells, random_points, system
from isobath.fractals.sets import FRACTALS, fractal
from isobath.randomness import stream
from isobath.study.schema import ConfigError
from isobath.tasks import fractal as task
from isobath.workflow.plan import load_study

NAMES = sorted(FRACTALS)
CARPET = [c for c in itertools.product((-2, 0, 2), repeat=2) if any(c)]
MENGER = [c for c in itertools.product((-2, 0, 2), repeat=3) if c.count(0) < 2]
DEFAULTS = {name: default for name, (_, default) in plugins.schema("task", "fractal").items()}


def check(**settings):
    task.check(**{**DEFAULTS, "levels": 3, **settings})


def cells(maps, n):
    """Return all cells of level n as (lowest, highest) corners, by applying F_i to corners in rational numbers."""
    d = maps.offsets.shape[1]
    found = [(tuple([Fraction(maps.low)] * d), tuple([Fraction(1)] * d))]
    for _ in range(n):
        images = []
        for (c, s), corners in itertools.product(zip(maps.offsets.tolist(), maps.signs.tolist(), strict=True), found):
            ends = [[(s[k] * x[k] + c[k]) / maps.ratio for x in corners] for k in range(d)]
            images.append((tuple(map(min, ends)), tuple(map(max, ends))))
        found = images
    return found


def member(boxes, point):
    exact = [Fraction(float(x)) for x in point]
    return any(all(a <= x <= b for a, x, b in zip(low, exact, high, strict=True)) for low, high in boxes)


def test_the_maps_are_those_of_the_authors():
    """REFERENCE has half and third copies at these centres, on [-1, 1]^2; on the line x/3 reversed and x/3 + 2/3."""
    centres = {name: {tuple(c / FRACTALS[name].maps.ratio) for c in FRACTALS[name].maps.offsets} for name in NAMES}
    corners = set(itertools.product((-2 / 3, 2 / 3), repeat=2))
    assert centres["cantor"] == corners
    assert centres["vicsek"] == corners | {(0, 0)}
    assert centres["sierpinsky"] == {(0, 0.5), (-0.5, -0.5), (0.5, -0.5)}
    assert centres["pentaflake"] == {(-2 / 3, 0), (2 / 3, 0), (0, 2 / 3), (-1 / 3, -2 / 3), (1 / 3, -2 / 3)}
    assert cells(FRACTALS["cantor_1d"].maps, 1) == [((0,), (Fraction(1, 3),)), ((Fraction(2, 3),), (1,))]


def test_the_first_map_of_the_line_reverses_orientation():
    maps = FRACTALS["cantor_1d"].maps
    image = [Fraction(int(maps.signs[0, 0] * x + maps.offsets[0, 0]), maps.ratio) for x in (0, 1)]
    assert image == [Fraction(1, 3), 0]


def test_orientation_is_seen_in_a_set_that_is_not_its_own_mirror_image():
    """1/4 = (0 + 1) / 4 = (1 - 0) / 4, and 0 is in every K_n of {x/4, (x+1)/4}, but in K_1 at most of the other."""
    plain = system(4, [(0,), (1,)], low=0)
    turned = system(4, [(1,), (1,)], signs=[(-1,), (1,)], low=0)
    assert [level(maps, np.array([[1 / 4]]), 9).item() for maps in (plain, turned)] == [9, 2]
    offsets, signs = random_cells(turned, np.full(500, 4), generator=stream(9, "t"))
    corners = np.sort(signs[:, None] * np.array([0, 1])[:, None] + offsets[:, None], axis=1)
    x = random_points(corners, np.full(500, 4**4), inset=np.zeros(500), generator=stream(10, "t"))
    assert (level(turned, x, 4) == 4).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_cells_and_levels_agree_with_enumeration(name, n):
    maps = FRACTALS[name].maps
    images = iterate(maps, n)
    mine = {tuple(map(tuple, box)) for box in images.images().tolist()}
    boxes = cells(maps, n)
    assert mine == {tuple(tuple(int(x * images.ratio) for x in corner) for corner in box) for box in boxes}
    generator = stream(n, name)
    d = maps.offsets.shape[1]
    anywhere = generator.integers(-1.1 * GRID, 1.1 * GRID, (150, d)) / GRID
    walls = generator.integers(-(2**n), 2**n + 1, (100, d)) / 2**n  # sides and corners, where q is 2
    x = np.concatenate([anywhere, walls])
    assert (level(maps, x, n) == n).tolist() == [member(boxes, point) for point in x]


@pytest.mark.parametrize("name", NAMES)
def test_labels_levels_and_cells_agree(name):
    maps, n = FRACTALS[name].maps, 6
    x, labels = task.sample(20_000, generator=stream(0, name), levels=n, system=name)
    reached = level(maps, x, n)
    np.testing.assert_array_equal(reached == n, labels == 1)
    assert reached.min() == 0  # all are in the cell; some in none of its images
    np.testing.assert_array_equal(x * GRID, np.round(x * GRID))


@pytest.mark.parametrize("curve", range(1, 7))
@pytest.mark.parametrize(("name", "n"), [("cantor", 5), ("sierpinsky", 4), ("vicsek", 6), ("cantor_1d", 1)])
def test_samples_follow_the_curve(curve, name, n):
    """P(j) = Pr[x not in K_j or y = 1] holds within the binomial error: 4 standard errors, as all j are tested."""
    count = 40_000
    x, labels = task.sample(count, generator=stream(curve, name), levels=n, system=name, curve=curve)
    reached = level(FRACTALS[name].maps, x, n)
    p = approximation_curves.probabilities(approximation_curves.level_weights(curve, n))
    assert p[0] == 0.5
    assert p[n] == 1
    for j in range(n + 1):
        measured = ((reached < j) | (labels == 1)).mean()
        assert abs(measured - p[j]) <= 4 * math.sqrt(p[j] * (1 - p[j]) / count)


def test_the_curves_in_closed_form():
    def curve(number, n):
        return approximation_curves.probabilities(approximation_curves.level_weights(number, n))

    np.testing.assert_allclose(curve(1, 4), 1.5 - 2.0 ** (-np.arange(5) / 4))
    np.testing.assert_allclose(curve(2, 5), [0.5, 0.5, 0.5, *(1.5 - 2.0 ** (-np.array([1, 2, 3]) / 3))])
    np.testing.assert_allclose(curve(3, 3), [0.5, 0.5, 1.5 - math.sqrt(0.5), 1])
    np.testing.assert_allclose(curve(4, 2), [0.5, 1.5 - 2 ** (-1 / 33), 1])
    np.testing.assert_allclose(curve(5, 2), [0.5, 1.5 - 2 ** (-1 / 513), 1])
    np.testing.assert_allclose(curve(6, 3), [0.5, 0.5, 0.5, 1])


def test_levels_are_those_of_the_walk_from_coarse_to_fine():
    v, count = np.array([1.0, 0.0, 3.0, 0.5]), 100_000
    stops = 1 - 2 ** (-v / v.sum())
    walks = stream(1, "walks").random((count, len(v))) < stops
    literal = np.where(walks.any(1), walks.argmax(1) + 1, len(v) + 1)
    drawn = approximation_curves.random_levels(count, v, generator=stream(2, "walks"))
    for j in range(1, len(v) + 2):
        p, q = (literal == j).mean(), (drawn == j).mean()
        assert abs(p - q) <= 4 * math.sqrt((p + q) / count)
    assert not (drawn == 2).any()


def test_negatives_of_the_square_cantor_set_are_in_central_thirds():
    x, labels = task.sample(20_000, generator=stream(3, "t"), levels=1)
    assert (np.abs(x[labels == 0]) < 1 / 3).all()
    assert np.abs(x[labels == 0]).max() > 0.33


UNEVEN = {"system": "given", "ratio": 5, "offsets": ((-4, 0), (1, 4), (2, -4))}  # leaves boxes of many sizes


@pytest.mark.parametrize("settings", [UNEVEN, *({"system": name} for name in NAMES if name != "cantor")])
def test_other_negatives_are_uniform_in_what_the_images_leave(settings):
    """Rejection is the reference: coarse histograms of level 1 agree within the error of both."""
    name, count = settings["system"], 40_000
    maps = fractal(name, settings.get("ratio"), settings.get("offsets")).maps
    x, labels = task.sample(count, generator=stream(4, name), levels=1, **settings)
    box = stream(5, name).uniform(maps.low, 1, (4 * count, maps.offsets.shape[1]))
    edges = [np.linspace(maps.low, 1, 7)] * box.shape[1]
    mine, literal = (np.histogramdd(z, edges)[0] for z in (x[labels == 0], box[level(maps, box, 1) == 0]))
    p, q = mine / mine.sum(), literal / literal.sum()
    assert (np.abs(p - q) <= 5 * np.sqrt(p / mine.sum() + q / literal.sum())).all()


@pytest.mark.parametrize(("name", "margin"), [("cantor", 2**-9), ("cantor_1d", 2**-10), ("vicsek", 2**-9)])
def test_a_margin_keeps_positives_off_the_sides(name, margin):
    n, maps = 4, FRACTALS[name].maps
    x, labels = task.sample(5_000, generator=stream(6, name), levels=n, system=name, margin=margin)
    corners = itertools.product((-margin, margin), repeat=x.shape[1])
    assert all((level(maps, x[labels == 1] + corner, n) == n).all() for corner in corners)


def test_fractals_of_ones_own():
    """The carpet leaves one box of nine; the Menger sponge seven of 27, and has 20 maps in three dimensions."""
    for offsets, boxes in ((CARPET, 1), (MENGER, 7)):
        settings = {"system": "given", "ratio": 3, "offsets": tuple(offsets), "levels": 3}
        check(**settings)
        maps = fractal("given", 3, offsets).maps
        assert len(complement(maps)) == boxes
        assert 3 ** maps.offsets.shape[1] - len(offsets) == boxes
        x, labels = task.sample(2_000, generator=stream(7, "t"), **settings)
        np.testing.assert_array_equal(level(maps, x, 3) == 3, labels == 1)


def test_level_weights_of_ones_own_are_a_curve():
    x, labels = task.sample(2_000, generator=stream(8, "t"), levels=3, curve="given", level_weights=(0, 1, 0))
    assert (level(FRACTALS["cantor"].maps, x[labels == 0], 3) == 1).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"levels": 13}, "levels is 13; it must be at most 12"),
        ({"levels": 10**9}, "must be at most 12"),
        ({"levels": 2, "margin": 0.12}, "margin is 0.12; it must be less than 0.111"),
        ({"system": "given"}, "offsets must be there for the system 'given'"),
        ({"offsets": ((0, 0),)}, "offsets must be there for the system 'given', and only then"),
        ({"ratio": 3}, "system is 'cantor' and ratio is 3; ratio must be there for the system 'given', and only then"),
        ({"system": "given", "offsets": ((0, 0),)}, "system is 'given' and ratio is None"),
        ({"curve": "given"}, "must be there for the curve 'given'"),
        ({"level_weights": (1.0, 1.0, 1.0)}, "must be there for the curve 'given', and only then"),
        ({"curve": "given", "level_weights": (1.0, 1.0)}, "it must have levels = 3 numbers"),
        ({"curve": "given", "level_weights": (0.0, 0.0, 0.0)}, "not all of them 0"),
        ({"system": "given", "ratio": 3, "offsets": ()}, "each with the same number of coordinates"),
        ({"system": "given", "ratio": 3, "offsets": ((0, 0), (2,))}, "each with the same number of coordinates"),
        ({"system": "given", "ratio": 3, "offsets": ((0, 3),)}, r"has \[0, 3\], whose image leaves the cell"),
        ({"system": "given", "ratio": 3, "offsets": ((0, 0), (1, 0))}, "images must not overlap"),
        ({"system": "given", "ratio": 3, "offsets": ((-2,), (0,), (2,))}, "fill the cell"),
        ({"system": "given", "ratio": 1, "offsets": ((0,),)}, "ratio is 1; it must be at least 2"),
        ({"system": "given", "ratio": 3, "offsets": ((0,),)}, "it must have two maps or more"),
        ({"system": "given", "ratio": 10**6, "levels": 1, "offsets": ((-1,), (1,))}, "corners of cells exceed 64-bit"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message) as refusal:
        check(**settings)
    assert "\n" not in str(refusal.value)


STUDY = """
title: t
source: s
n_test: 10
tasks: {{t: {{kind: fractal, {}}}}}
kernels: {{nngp: {{kind: nngp}}}}
grids: {{g: [{{tasks: [t], kernels: [nngp], depth: [1], n_train: [10]}}]}}
"""


def load(folder, settings):
    return load_study(write_study(folder, STUDY.format(settings), demo=""), "demo").tasks["t"].settings


def test_a_study_can_name_every_fractal_or_give_its_own(tmp_path):
    annotation, _ = plugins.schema("task", "fractal")["system"]
    literal, _ = typing.get_args(annotation)
    assert sorted(literal.__args__) == sorted([*NAMES, "given"])
    for settings in (
        "levels: 5, system: cantor, curve: 1",
        "levels: 2, system: given, ratio: 3, offsets: [[0, -2], [0, 2]]",
    ):
        found = load(tmp_path, settings)
        x, _ = task.sample(10, generator=stream(0, "t"), **found)
        assert x.shape == (10, 2)
        assert found["curve"] == 1


def test_the_fractal_of_the_guide_is_one(tmp_path):
    guide = (ROOT / "docs/adding.md").read_text(encoding="utf-8")
    (settings,) = re.findall(r"^  cross: {kind: fractal, (.*)}$", guide, flags=re.MULTILINE)
    found = load(tmp_path, settings)
    x, labels = task.sample(1_000, generator=stream(0, "t"), **found)
    levels = level(fractal("given", found["ratio"], found["offsets"]).maps, x, found["levels"])
    np.testing.assert_array_equal(levels == found["levels"], labels == 1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("levels: 3, system: koch", "tasks.t.system is 'koch'; it must be 'cantor', 'sierpinsky'"),
        ("levels: 3, curve: 7", "tasks.t.curve is 7; it must be 1, 2, 3, 4, 5, 6 or 'given'"),
        ("levels: 3, margin: -0.1", "tasks.t.margin is -0.1; it must be greater than or equal to 0"),
        ("levels: 0", "tasks.t.levels is 0; it must be greater than or equal to 1"),
        (
            "levels: 3, system: given, ratio: 3, offsets: [[0.5]]",
            r"tasks.t.offsets\[0\]\[0\] is 0.5; allowed: an integer, written without a point",
        ),
        ("levels: 99", "tasks.t: levels is 99; it must be at most 12"),
        ("system: cantor", "tasks.t.levels is missing"),
    ],
)
def test_a_wrong_setting_of_a_study_is_refused_with_its_place(tmp_path, settings, message):
    with pytest.raises(ConfigError, match=message):
        load(tmp_path, settings)


# What every machine must draw. A change here changes every published number.
GOLDEN = {
    "cantor": "42126840",
    "cantor_1d": "4ec166c8",
    "pentaflake": "80b0fdf0",
    "sierpinsky": "9988f9d5",
    "vicsek": "490c5537",
}


@pytest.mark.parametrize("name", NAMES)
def test_data_are_the_same_everywhere(name):
    x, labels = task.sample(500, generator=stream(0, "golden"), levels=5, system=name, curve=4)
    digest = hashlib.sha256(x.astype("<f4").tobytes() + labels.astype("<i8").tobytes()).hexdigest()
    assert digest[:8] == GOLDEN[name]
