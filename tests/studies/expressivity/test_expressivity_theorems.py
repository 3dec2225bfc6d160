"""The study expressivity: checks of theorems on calculations, against closed forms where these are known."""

import itertools
import math

import expressivity_cubes as made
import numpy as np
import pytest
import xarray as xr

from isobath import claim_files
from isobath.analysis.cubes import describe
from isobath.analysis.verdicts import judge
from isobath.calculations import (
    end_to_end_rule,
    fourier_tubes,
    piecewise_polynomials,
    radial_density,
    sawtooth_counts,
)
from isobath.randomness import stream


def estimates(claim, grid, tasks=(), **groups):
    tree = xr.DataTree()
    for path, node in made.grid(grid, dict(tasks), **groups).items():
        tree[path] = node
    parts = judge(claim_files.load_claim("expressivity", claim), tree)["parts"]
    return [part["estimate"] for part in parts if part["estimate"] is not None]


def test_triangles_have_the_counts_of_their_formulas():
    """A wave has (2 t)^k pieces and as many crossings; a network of k layers of 2 t units could have (2 t + 1)^k."""
    counts = sawtooth_counts.calculate(generator=stream(0, "t"), triangles=(1, 2, 3), folds=(1, 2, 3))
    assert estimates("composition_multiplies_crossings", "folds", sawtooth_counts=counts) == [0, 0]
    assert estimates("triangle_count_is_misprinted", "folds", sawtooth_counts=counts) == pytest.approx([0.5, 0.5])
    closed = [(2 * t) ** k - (2 * t + 1) ** k for t, k in itertools.product((1, 2, 3), repeat=2)]
    assert estimates("few_layers_few_oscillations", "folds", sawtooth_counts=counts) == [max(closed)] == [-1]


def test_chebyshev_polynomials_have_the_most_intervals():
    table = piecewise_polynomials.calculate(generator=stream(0, "p"), parts=(1, 3, 4), degrees=(1, 2, 5), samples=4)
    beyond, short = estimates("piecewise_polynomials_oscillate_little", "folds", piecewise_polynomials=table)
    assert beyond <= 0 == short
    assert not (table.intervals == table.most_intervals).all()


def test_a_folding_network_is_exact_where_one_layer_of_its_size_is_right_on_three_fifths():
    """A network of k folds has 6 k + 1 weights; as many make 2 k units of one layer, and those 2 k + 2 intervals."""
    tasks = {"s": {"kind": "sawtooth", "folds": 6, "triangles": 1}}
    columns = {"test_error": 0.0, "n_parameters": 37.0}
    dims = ("task", "construction")
    table = xr.Dataset({name: (dims, [[value]]) for name, value in columns.items()}, {"task": ["s"]})
    built = describe(table.assign_coords(construction=["folding"]), {"task": tasks})
    (gain,) = estimates("deep_expresses_more_per_parameter", "folds", tasks, constructions=built)
    assert gain == pytest.approx((2**6 + 1 - 14) / 2**7)
    assert 1 - gain == pytest.approx(0.60, abs=0.005)


def test_the_unit_ball_has_its_volume_as_mass():
    """Volumes are pi in the plane, pi^2 / 2 in four and pi^5 / 120 in ten dimensions, which is nearest to one."""
    density = radial_density.calculate(generator=stream(0, "d"), dimensions=(2, 3, 4, 10), radii=(0.5, 2.0))
    *zeros, off = estimates("density_needs_unit_volume", "shells", radial_density=density)
    assert zeros == pytest.approx([0, 0, 0], abs=1e-10)
    assert off == pytest.approx(math.pi**5 / 120 - 1, abs=1e-10)
    assert density.ball_radius.sel(dimension=[2, 10]).values == pytest.approx([0.56418958354776, 0.9106325886214])


def test_a_tube_covers_a_cap_on_either_side_of_the_sphere(monkeypatch):
    """A tube covers the angles below a, sin a = 2 R_d / sqrt(d), of the sphere of radius sqrt(d) / 2."""
    monkeypatch.setattr(fourier_tubes, "_outside", lambda *_: (0.0, 1.0))  # transforms take long, and are of no matter
    tubes = fourier_tubes.calculate(generator=stream(0, "f"), dimensions=(2, 3, 4), tubes=1, networks=1)
    radius = {2: 0.56418958354776, 3: 0.6203504908994, 4: 0.67093826696541}
    a = {d: math.asin(2 * r / math.sqrt(d)) for d, r in radius.items()}
    share = [2 * a[2] / math.pi, 1 - math.cos(a[3]), (2 * a[4] - math.sin(2 * a[4])) / math.pi]
    *_, largest, rise = estimates("tubes_cover_little", "shells", fourier_tubes=tubes)
    assert largest == pytest.approx(share[-1], rel=1e-9)
    assert rise == pytest.approx(max(share[1] - share[0], share[2] - share[1]), rel=1e-9)


def test_a_preconditioner_has_its_gains_in_closed_form():
    """The gain of u_r v_s' is sum_j sigma_r^(2 (j - 1) / N) sigma_s^(2 (N - j) / N), over that of the largest."""
    shape = {"rows": 4, "columns": 3}
    rule = end_to_end_rule.calculate(
        generator=stream(0, "g"), layers=(1, 2, 5), rates=(1e-3,), decays=(0.0,), draws=2, **shape
    )
    generator, rises = stream(0, "g"), {"left": [], "right": []}
    for _ in range(2):
        w, _ = generator.standard_normal((2, 4, 3)) / math.sqrt(3)
        sigma = np.linalg.svd(w, compute_uv=False)
        for n in (2, 5):
            gains = sum(np.outer(sigma ** (2 * j / n), sigma ** (2 * (n - 1 - j) / n)) for j in range(n))
            rises["left"].append(np.diff(gains / gains[0, 0], axis=0).max())
            rises["right"].append(np.diff(gains / gains[0, 0], axis=1).max())
    found = estimates("preconditioner_favours_large_directions", "diabetes", end_to_end_rule=rule)
    assert found == pytest.approx([max(rises["left"]), max(rises["right"])], abs=1e-5)
