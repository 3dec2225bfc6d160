"""Claims and numbers at the edges of what was run: lower bounds, widths that are missing, rates that diverge."""

import json

import expressivity_cubes
import fractal_cubes
import numpy as np
import pytest
import torch
import xarray as xr

from isobath.analysis.ensembles import tables
from isobath.analysis.estimates import Undetermined
from isobath.analysis.fits import fitted_laws
from isobath.analysis.jamming.threshold import threshold
from isobath.analysis.verdicts import judge
from isobath.claim_files import load_claim
from isobath.claims.fractals import conjecture
from isobath.claims.width import measures, norms, widths
from isobath.geometry import boundaries as geometry
from isobath.jobs.stored_networks import boundaries, trained

PLACE = ("task", "protocol", "depth", "n_train")
ONE = {"task": ["a"], "protocol": ["p"], "depth": [3], "n_train": [10]}


class Located:
    """Cells of which only N* and the sizes are known."""

    def __init__(self, n_star, low, high):
        self.n_star, self.ends = n_star, xr.Dataset({"low": low, "high": high})

    def threshold(self):
        return self.n_star

    def group(self, name):
        assert name == "jamming"
        return self.ends


@pytest.mark.parametrize(
    ("needed", "verdict", "reason"),
    [
        ((10_000, 1700, 1750), "inconclusive", "it is a lower bound, as runs did not arrive"),
        ((515, 500, 515), "not reproduced", ""),
    ],
)
def test_a_lower_bound_does_not_refute_that_a_number_is_large(needed, verdict, reason):
    """The last step is 2000: of 10,000 steps over 1700 it is known that the ratio is at least 1.18."""

    def steps(kind, layers, power):
        return needed[layers - 1] if kind == "gradient_descent" else 150

    tree = xr.DataTree.from_dict({"/diabetes": None, "/diabetes/networks": expressivity_cubes.regressions(steps)})
    found = judge(load_claim("expressivity", "depth_accelerates_quartic"), tree)
    assert (found["verdict"], found["parts"][0]["reason"]) == (verdict, reason)


def test_a_data_set_that_lacks_one_depth_is_left_out_of_an_acceleration():
    losses = expressivity_cubes.regressions(lambda kind, layers, power: 1500 if layers == 1 else 100)
    failed = (losses.depth == 2) & (losses.draw == 0)
    losses["recorded_loss"] = losses.recorded_loss.where(~failed)
    losses["status"] = losses.status.where(~failed, "missing")
    tree = xr.DataTree.from_dict({"/diabetes": None, "/diabetes/networks": losses})
    found = judge(load_claim("expressivity", "depth_accelerates_quartic"), tree)
    assert (found["verdict"], found["parts"][0]["count"]) == ("reproduced", expressivity_cubes.DRAWS - 1)


def with_a_rate_at_which_all_diverge(networks, rate=0.05):
    more = networks.isel(learning_rate=[-1]).assign_coords(learning_rate=[rate]).copy(deep=True)
    for name in (name for name in more.data_vars if str(name).startswith("recorded")):
        more[name][...] = np.nan
    more["status"] = xr.full_like(more.status, "diverged")
    how = {"data_vars": "minimal", "coords": "minimal", "compat": "override", "join": "outer"}
    return xr.concat([networks, more], "learning_rate", **how)


def test_a_rate_at_which_all_networks_diverge_does_not_put_the_others_in_doubt():
    tasks = {"c1": fractal_cubes.fractal("cantor2d", 1)}
    grid = fractal_cubes.grid("depth", tasks, lambda task, depth, width: {1: 0.3, 3: 0.2, 5: 0.1}[depth], draws=6)
    networks = grid["depth"]["networks"].to_dataset()
    found = []
    for table in (networks, with_a_rate_at_which_all_diverge(networks)):
        node = xr.DataTree.from_dict({"networks": table})
        node.attrs |= grid["depth"].attrs
        tree = xr.DataTree.from_dict({f"depth{part.path}".rstrip("/"): part.to_dataset() for part in node.subtree})
        found.append(judge(load_claim("fractals", "deeper_is_better"), tree))
    assert [each["verdict"] for each in found] == ["reproduced", "reproduced"]


def two_depths(missing=()):
    """Make networks of depth 3 with widths up to 64, and of depth 5 with others; N* = 60."""
    sizes = [4, 8, 16, 32, 64, 128]
    of_depth = {3: [w for w in sizes[:-1] if w not in missing], 5: [4, 8, 16, 32, 128]}
    n = np.array([[10.0 * w if w in of_depth[depth] else np.nan for w in sizes] for depth in (3, 5)])
    dims = ("task", "protocol", "depth", "width", "n_train", "draw", "seed")
    n = np.repeat(n[None, None, :, :, None, None, None], 4, -1)
    status = np.where(np.isnan(n), "missing", "fitted").astype(object)
    coords = {**ONE, "depth": [3, 5], "width": sizes, "draw": [0], "seed": range(4)}
    ends = {name: (PLACE, np.full((1, 1, 2, 1), value)) for name, value in (("threshold", 60.0), ("high", 70.0))}
    groups = {
        "/widths/networks": xr.Dataset({"n_weights": (dims, n), "status": (dims, status)}, coords),
        "/widths/jamming": xr.Dataset(ends, {**ONE, "depth": [3, 5]}),
    }
    return widths.grid_of(xr.DataTree.from_dict(groups), "widths")


def test_widths_without_networks_are_not_chosen():
    assert [*widths.weights(two_depths())] == [4, 8, 16, 32, 64]
    assert widths.largest(two_depths()) == 64
    assert widths.near(two_depths(missing=[4]), 1) == 8


def test_the_width_at_n_star_is_not_cut_off_at_the_last_width(monkeypatch):
    monkeypatch.setattr(measures, "weights", lambda cells: {8: 80.0, 16: 160.0, 32: 320.0})
    known = measures.width_at_threshold(Located(160.0, 100.0, 300.0))
    assert known.value == pytest.approx(16)
    assert known.low == pytest.approx(10)
    for located in (Located(374.0, 296.0, 683.0), Located(100.0, 60.0, 120.0)):
        with pytest.raises(Undetermined, match="reaches beyond the widths that were trained"):
            measures.width_at_threshold(located)


def test_the_exponent_of_a_pole_has_the_error_of_its_place(monkeypatch):
    """Norms scatter by a tenth about 1 / (N - N*); N* is located by networks of the same sizes."""
    h, true, rng = np.array([3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32]), 140.0, np.random.default_rng(0)
    sizes = dict(zip(h.tolist(), (11.0 * h + 2 * h * h).tolist(), strict=True))
    monkeypatch.setattr(norms, "weights", lambda cells: sizes)

    def of_width(cells, width):
        return xr.Dataset({"test_norm": ("seed", np.exp(0.1 * rng.standard_normal(20)) / abs(sizes[width] - true))})

    monkeypatch.setattr(norms, "finite_networks", of_width)
    n, covered = np.array([*sizes.values()]), []
    fraction = 1 / (1 + (true / n) ** 10.8)
    for _ in range(60):
        fits = (rng.random((len(n), 20)) < fraction[:, None]).astype(float)
        found = threshold(fits, n, generator=rng, bootstraps=200)
        low, high = norms.norm_slope(Located(*map(float, (found.threshold, found.low, found.high)))).interval()
        covered.append(low < -1 < high)
    assert np.mean(covered) > 0.85


def test_a_law_of_one_task_is_fitted_to_the_sizes_of_that_task():
    rng, sizes = np.random.default_rng(1), [2, 4, 8, 16, 32, 64, 128, 256]
    n = np.array([10.0, 1000.0])[:, None] * np.array(sizes)
    values = 1 + 3 * n[..., None] ** -0.5 + 0.01 * rng.standard_normal((2, len(sizes), 12))
    dims, coords = ("task", "width", "seed"), {"task": ["a", "b"], "width": sizes, "seed": range(12)}
    networks = xr.Dataset({"v": (dims, values), "n_weights": (dims, np.repeat(n[..., None], 12, -1))}, coords)
    jamming = xr.Dataset({"threshold": ("task", [15.0, 1500.0])}, {"task": ["a", "b"]})
    law = {"group": "networks", "variable": "v", "axis": "n_weights", "along": "width", "statistic": "mean"}
    law |= {"above": None, "below": None, "within": None, "form": {"kind": "powers", "exponents": (0, -0.5)}}
    law |= {"select": {"task": "a"}, "beyond": 2.0}
    groups = {"networks": networks, "jamming": jamming}
    found = fitted_laws(groups, {"law": law}, generators=lambda name: np.random.default_rng(0))["laws/law"]
    assert "task" not in found.dims
    assert found.n_points.item() == 7  # N >= 2 N* = 30
    assert np.nanmax(found.x) == 2560


def test_many_networks_have_pseudo_values_of_their_distances_and_errors(monkeypatch):
    rng, networks = np.random.default_rng(0), 62
    shared = rng.standard_normal((1, 400, 1))
    outputs = shared + 0.5 * rng.standard_normal((networks, 400, 1))
    gradients = 1 + 0.3 * rng.standard_normal((networks, 400, 2))
    pseudo = tables.of_distances(outputs, gradients, generator=rng).distance_pseudo
    assert np.isfinite(pseudo.sel(size=slice(1, 20))).all()
    monkeypatch.setattr(tables, "SUBSETS_OF_ERRORS", 10)
    many = tables.of_errors(rng.standard_normal((12, 10, 1)), np.zeros(10, int), generator=rng)
    assert np.isfinite(many.ensemble_error).all()


def test_resamples_without_a_partial_correlation_are_left_out_or_too_many():
    rng, control = np.random.default_rng(3), np.arange(12.0)
    swapped = control.copy()
    swapped[[5, 6]] = swapped[[6, 5]]
    with pytest.raises(Undetermined, match="of 2000 resamples of the curves have no correlation"):
        conjecture.rank_correlation(swapped, -control + rng.standard_normal(12), control)
    x = control + 2 * rng.standard_normal(12)
    found = conjecture.rank_correlation(x, -x + rng.standard_normal(12), control)
    assert -1 <= found.low <= found.value <= found.high <= 1


def perceptrons(rng, *, inputs):
    """Return three networks of one layer of 8 units, with normal weights."""
    protocol = {"network": {"kind": "mlp"}, "loss": {"kind": "linear_hinge"}, "precision": "float64"}
    weights = rng.standard_normal((3, 8 * (inputs + 1) + 9))
    cell = {"depth": 1, "width": 8}
    return trained(protocol, cell, weights, inputs=inputs, outputs=1, device=torch.device("cpu"))


@pytest.mark.parametrize("inputs", [1, 2])
def test_networks_of_one_input_have_boundaries_and_no_plane(inputs):
    rng = np.random.default_rng(2)  # with this seed some samples lie between the boundaries
    ensemble = perceptrons(rng, inputs=inputs)
    test = (torch.from_numpy(rng.standard_normal((50, inputs))), torch.from_numpy(rng.integers(0, 2, 50)))
    found = boundaries(ensemble, test, ensemble.outputs(test[0]))
    assert np.isfinite(found.distance_along_gradient).any()
    assert ("plane_network" in found) == (inputs > 1)


@pytest.mark.parametrize("on_the_sphere", [True, False])
def test_a_plane_passes_through_the_samples_where_they_are(on_the_sphere):
    rng = np.random.default_rng(2)
    ensemble = perceptrons(rng, inputs=3)
    x = torch.from_numpy(rng.standard_normal((50, 3)))
    x = x * 3**0.5 / x.norm(dim=1, keepdim=True) if on_the_sphere else x
    labels = torch.arange(50) % 2
    found = boundaries(ensemble, (x, labels), ensemble.outputs(x))
    plane = geometry.plane(
        ensemble.architecture, ensemble.weights, x[[0, 2, 1]], member=0, size=100, project=on_the_sphere
    )
    np.testing.assert_array_equal(found.plane_network, plane.network)


def test_a_plane_through_samples_of_one_line_is_left_out():
    rng = np.random.default_rng(2)
    ensemble = perceptrons(rng, inputs=2)
    x = torch.from_numpy(np.repeat(rng.standard_normal((50, 1)), 2, axis=1))
    assert "plane_network" not in boundaries(ensemble, (x, torch.arange(50) % 2), ensemble.outputs(x))


@pytest.mark.parametrize(("left_out", "why"), [("rf", "there is no kernel rf"), ("ridges", "no ridges were chosen")])
def test_kernels_of_images_that_were_not_run_are_not_judged(left_out, why):
    dims = ("task", "kernel", "depth", "n_train", "draw")
    coords = {"task": ["m"], "kernel": ["ntk"], "depth": [1, 4], "n_train": [100], "draw": [0, 1, 2]}
    names = ["test_error"] + ["ridge_at_edge"] * (left_out != "ridges")
    kernels = xr.Dataset({name: (dims, np.full((1, 1, 2, 1, 3), 0.1)) for name in names}, coords)
    tree = xr.DataTree.from_dict({"/images/kernels": kernels})
    tree["images"].attrs["spec"] = json.dumps({"tasks": {"m": {"kind": "mnist"}}})
    found = judge(load_claim("kernels", "images_do_not_ask_for_depth"), tree)
    assert why in [part["reason"] for part in found["parts"]]
