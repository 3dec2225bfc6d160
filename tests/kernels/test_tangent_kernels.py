"""Tangent kernels of trained networks: starts, scatter, change, and predictions by the kernel at the start."""

import numpy as np
import pytest
import torch
import xarray as xr
from house import write_study
from untrained_stores import flattened, started, stored

from isobath import claim_files, results
from isobath.analysis.sample_parts import but_one_part
from isobath.analysis.verdicts import judge
from isobath.disk import store
from isobath.jobs.stored_networks import Trained, trained
from isobath.jobs.training_specs import recipe
from isobath.regression import tangent_kernel
from isobath.regression import tangent_predictions as predictions
from isobath.results import tangent_kernels as kind
from isobath.stages import tangent_kernels
from isobath.stages import tangent_kernels as stage
from isobath.study import grids, loading
from isobath.study.loading import ConfigError
from isobath.training.architecture import Architecture
from isobath.training.recipes import replicas

CELL = {"task": "t", "protocol": "p", "depth": 2, "width": 6, "n_train": 8, "draw": 0}
PROTOCOL = {"kind": "sgd", "batch_size": None, "max_epochs": 1, "check_every": 1, "loss": "squared_hinge"}
PROTOCOL |= {"precision": "float64", "network": {"kind": "mlp", "initialisation": "orthogonal"}}
SPEC = {"cell": CELL, "protocol": PROTOCOL, "seed": 3, "seeds": 4, "points": 5}


def test_networks_start_as_those_that_were_trained():
    """A step at a rate of 1e-300 moves nothing: the trained network is the start."""
    x, labels = torch.randn(8, 3, dtype=torch.float64), torch.tensor([0, 1] * 4)
    made = recipe(SPEC).train_and_test(
        replicas(("t", 2, 6), [1e-300], [4, 2], 8), (x, labels), (x, labels), memory=1e9, outputs=True
    )
    end = trained(PROTOCOL, CELL, made["weights"], inputs=3, outputs=1, device=torch.device("cpu"))
    start = stage.started(SPEC, end, [4, 2], inputs=3, outputs=1)
    for now, then in zip(end.weights, start.weights, strict=True):
        torch.testing.assert_close(now, then, rtol=0, atol=1e-200)


@pytest.mark.parametrize(("kind", "inputs"), [("deep_linear", 3), ("cnn", 3 * 8 * 8)])
def test_starts_have_the_shapes_of_networks_that_are_no_perceptrons(kind, inputs):
    """Once inputs and outputs were read off weights as if these were a perceptron's."""
    network = {"kind": kind}
    spec = {**SPEC, "protocol": {**PROTOCOL, "network": network}}
    f = Architecture.of(network)
    shape = {"n_inputs": inputs, "n_outputs": 2, "depth": 2, "width": 6}
    end = Trained(f, f.init([np.random.default_rng(i) for i in range(2)], **shape, dtype=torch.float64))
    start = stage.started(spec, end, [0, 1], inputs=inputs, outputs=2)
    assert [w.shape for w in start.weights] == [w.shape for w in end.weights]


def networks(r=4, *, kind="mlp", seed=0, **settings):
    f = Architecture.of({"kind": kind, **settings})
    generators = [np.random.default_rng([seed, i]) for i in range(r)]
    weights = f.init(generators, n_inputs=3, n_outputs=1, depth=2, width=30, dtype=torch.float64)
    return Trained(f, weights)


THREE = torch.ones((3, 1), dtype=torch.float64)  # points, of which all count


def compare(*arguments):
    """Return the comparison of kernels at all points."""
    found = predictions.compare(*arguments, np.ones((len(arguments[-1]), 1)))
    return {name: values[0] if values.ndim == 2 else values for name, values in found.items()}


def data(n=12, m=5):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(n + m, 3, dtype=torch.float64, generator=generator)
    return x[:n], torch.sign(x[:n, :1] * x[:n, 1:2]), x[n:]


def test_a_network_that_is_regression_with_its_kernel_is_predicted_exactly():
    """The damped Gauss-Newton step of ``linearised`` networks at a huge rate is eq. 16."""
    x, y, points = data()
    start = networks(kind="linearised")
    spec = {"cell": {**CELL, "width": 30}, "seed": 0}
    spec["protocol"] = PROTOCOL | {"kind": "gauss_newton", "loss": "mean_squared_error", "network": "linearised"}
    del spec["protocol"]["batch_size"]
    stack = recipe(spec)._stack(replicas(("t", 2, 30), [1e9], range(4), len(x)), x, 1)
    for place, own in zip(stack.weights, start.weights, strict=True):
        place.copy_(own)
    next(recipe(spec).protocol(stack, x, y, loss=recipe(spec).loss))
    end = [w.clone() for w in stack.weights]
    found = compare(start.architecture, start.weights, end, x, y, points)
    np.testing.assert_allclose(found["predicted_correlation"], 1.0, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found["kernel_change"], 0.0, rtol=0, atol=1e-12)
    assert (found["kernel_fluctuation"] > 0.05).all()


def several_outputs(*, kind="mlp", seed=0):
    """Return four networks of two outputs."""
    f = Architecture.of({"kind": kind, "initialisation": "orthogonal"})
    generators = [np.random.default_rng([seed, i]) for i in range(4)]
    return Trained(f, f.init(generators, n_inputs=3, n_outputs=2, depth=2, width=20, dtype=torch.float64))


def kernel_and_outputs(network, i, x):
    """Return the tangent kernel of one network, (n K, n K), by its Jacobian, and its outputs (n K,)."""
    weights = [w[i : i + 1] for w in network.weights]
    jacobian = tangent_kernel.jacobian(network.architecture, weights, x).numpy()
    rows = jacobian.reshape(-1, jacobian.shape[-1])
    return rows @ rows.T, network.architecture.apply(weights, x)[0].numpy().ravel()


def test_predictions_begin_at_the_outputs_of_the_start():
    """The formula is eq. 16, f = f_0 + K(x, X) K(X, X)^-1 (y - f_0(X)), for two outputs."""
    generator, start = torch.Generator().manual_seed(2), several_outputs()
    x, y = (torch.randn(shape, dtype=torch.float64, generator=generator) for shape in ((7, 3), (5, 2)))
    kernel, f = kernel_and_outputs(start, 1, x)
    found = predictions.predict(torch.from_numpy(kernel), torch.from_numpy(f.reshape(7, 2)), y)
    expected = f[10:] + kernel[10:, :10] @ np.linalg.solve(kernel[:10, :10], y.numpy().ravel() - f[:10])
    np.testing.assert_allclose(found.outputs.numpy().ravel(), expected, rtol=1e-8)
    assert np.abs(f[10:]).min() > 1e-3  # a formula without f_0 would give other outputs
    assert found.jitter == 0


def test_kernels_are_compared_by_their_norms_at_the_points():
    """Norm, scatter and change of each network; the correlation is that of deviations from the mean of networks."""
    generator, start, end = torch.Generator().manual_seed(3), several_outputs(), several_outputs(seed=5)
    x, y = (torch.randn(shape, dtype=torch.float64, generator=generator) for shape in ((6, 3), (6, 2)))
    points = torch.randn((4, 3), dtype=torch.float64, generator=generator)
    found = compare(start.architecture, start.weights, end.weights, x, y, points)
    joint = [kernel_and_outputs(start, i, torch.cat([x, points])) for i in range(4)]
    at_points, later = np.array([k[12:, 12:] for k, _ in joint]), [kernel_and_outputs(end, i, points) for i in range(4)]
    norms = np.linalg.norm(at_points, axis=(1, 2))
    np.testing.assert_allclose(found["kernel_norm"], norms / 8)
    change = [np.linalg.norm(k - own) / norm for (k, _), own, norm in zip(later, at_points, norms, strict=True)]
    np.testing.assert_allclose(found["kernel_change"], change)
    mean = at_points.mean(0)
    scatter = np.linalg.norm(at_points - mean, axis=(1, 2)) / np.linalg.norm(mean)
    np.testing.assert_allclose(found["kernel_fluctuation"], scatter * np.sqrt(4 / 3))
    told = np.array([f[12:] + k[12:, :12] @ np.linalg.solve(k[:12, :12], y.numpy().ravel() - f[:12]) for k, f in joint])
    measured = np.array([f for _, f in later])
    pairs = zip(measured - measured.mean(0), told - told.mean(0), strict=True)
    np.testing.assert_allclose(found["predicted_correlation"], [np.corrcoef(*pair)[0, 1] for pair in pairs], rtol=1e-6)


def test_kernels_without_a_part_of_the_points_are_those_at_the_other_points():
    generator, start, end = torch.Generator().manual_seed(4), several_outputs(), several_outputs(seed=5)
    x, y = (torch.randn(shape, dtype=torch.float64, generator=generator) for shape in ((6, 3), (6, 2)))
    points = torch.randn((30, 3), dtype=torch.float64, generator=generator)
    found = predictions.compare(start.architecture, start.weights, end.weights, x, y, points, but_one_part(30))
    for name in ("kernel_fluctuation", "kernel_change"):
        assert found[name].shape == (21, 4)
        for part in range(20):
            kept = points[but_one_part(30)[:, 1 + part] > 0]
            others = compare(start.architecture, start.weights, end.weights, x, y, kept)
            np.testing.assert_allclose(found[name][1 + part], others[name], rtol=1e-9)


def test_fluctuations_are_unbiased_and_changes_relative():
    kernels = torch.randn(2000, 3, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1)) + 2
    for r in (2, 4):
        found = np.stack([predictions.fluctuations(k, THREE)[0] ** 2 for k in kernels.split(r) if len(k) == r])
        means = np.array([k.mean(0).norm() ** 2 for k in kernels.split(r) if len(k) == r])
        assert (found.mean(1) * means).mean() == pytest.approx(9.0, rel=0.05)
    assert np.isnan(predictions.fluctuations(kernels[:1], THREE)).all()


def test_a_gram_matrix_that_cannot_be_inverted_gives_no_prediction(monkeypatch):
    x, y, points = data()
    monkeypatch.setattr("isobath.regression.linear_systems.JITTERS", (0.0,))
    twice = torch.cat([x, x[:1]]), torch.cat([y, -y[:1]])
    start, end = networks(), networks(seed=1)
    found = compare(start.architecture, start.weights, end.weights, *twice, points)
    assert np.isfinite(found["kernel_change"]).all()
    assert np.isnan(found["predicted_correlation"]).all()
    assert np.isnan(found["jitter"]).all()


def test_correlations_leave_out_networks_without_a_prediction():
    f = np.random.default_rng(0).standard_normal((5, 40, 1))
    told = f * 3 + 1
    told[2] = np.nan
    found = predictions.correlations(f, told)
    assert np.isnan(found[2])
    np.testing.assert_allclose(np.delete(found, 2), 1.0)


STUDY = """
title: t
source: s
n_test: 10
tasks: {local: {kind: k_local, k: 2, dimension: 4}}
protocols:
  errors: {kind: sgd, learning_rate: 0.1, network: {kind: mlp}}
  outputs: {kind: sgd, learning_rate: 0.1, network: {kind: mlp}, store: outputs}
grids:
  depth:
    - {tasks: [local], protocols: [PROTOCOL], depth: [1], width: [3], n_train: [9], seeds: SEEDS, tangent_kernels: 3}
"""


@pytest.mark.parametrize(
    ("protocol", "seeds", "why"),
    [("errors", 2, r"grids.depth\[0\].tangent_kernels needs the weights"), ("outputs", 1, "seeds: 2 or more")],
)
def test_networks_without_weights_or_alone_are_refused(tmp_path, protocol, seeds, why):
    folder = write_study(tmp_path / "one", STUDY.replace("PROTOCOL", protocol).replace("SEEDS", str(seeds)), smoke="")
    with pytest.raises(ConfigError, match=why):
        loading.load_study(folder, "smoke", checks=[kind.check])


def test_more_points_than_test_samples_are_refused(tmp_path):
    study = (
        STUDY.replace("PROTOCOL", "outputs").replace("SEEDS", "2").replace("tangent_kernels: 3", "tangent_kernels: 11")
    )
    folder = write_study(tmp_path / "one", study, smoke="")
    with pytest.raises(ConfigError, match="tangent_kernels is 11; it must not exceed n_test, which is 10"):
        loading.load_study(folder, "smoke", checks=[kind.check])


def planted(correlation, change):
    """Make a cube of twenty networks of eight widths; those of the largest are far beyond N* = 300."""
    rng, widths = np.random.default_rng(5), np.array([4, 6, 8, 12, 16, 24, 40, 64])
    n = 10.0 * widths + 4 * widths**2
    shape = (1, 1, 1, len(widths), 1, 1, 20)
    dims = ["task", "protocol", "depth", "width", "n_train", "draw", "seed"]
    columns = {"kernel_fluctuation": 0.2, "kernel_change": change, "predicted_correlation": correlation}
    kernels = {k: (dims, v + 0.01 * rng.standard_normal(shape)) for k, v in columns.items()}
    coords = {"task": ["t"], "protocol": ["p"], "depth": [3], "width": widths, "n_train": [9], "draw": [0]}
    weights = {"n_weights": (dims[:-1], np.broadcast_to(n[:, None, None], shape[:-1]))}
    status = {"status": (dims[:-1], np.full(shape[:-1], "fitted")), "test_error": (dims[:-1], np.full(shape[:-1], 0.1))}
    jamming = {"threshold": ([*dims[:3], "n_train"], np.full((1, 1, 1, 1), 300.0))}
    place = {k: v for k, v in coords.items() if k not in ("width", "draw")}
    return xr.DataTree.from_dict(
        {
            "widths/networks": xr.Dataset(weights | status, coords),
            "widths/tangent_kernels": xr.Dataset({**kernels, **weights}, coords),
            "widths/jamming": xr.Dataset(jamming, place),
        }
    )


@pytest.mark.parametrize(("correlation", "expected"), [(0.7, "reproduced"), (0.2, "not reproduced")])
def test_predictions_are_judged_where_kernels_hardly_change(correlation, expected):
    claim = claim_files.load_claim("width", "kernel_predicts_networks")
    assert judge(claim, planted(correlation, 0.1))["verdict"] == expected
    (part,) = judge(claim, planted(correlation, 0.3))["parts"]
    assert part["verdict"] == "inconclusive"
    assert "more than it fluctuates" in part["reason"]


@pytest.mark.parametrize(("change", "expected"), [(0.1, "reproduced"), (0.3, "not reproduced")])
def test_the_change_of_kernels_is_judged_against_their_scatter(change, expected):
    parts = judge(claim_files.load_claim("width", "kernel_moves"), planted(0.5, change))["parts"]
    assert [part["verdict"] for part in parts] == ["not run", expected]  # no law in the cube


def test_without_a_prediction_nothing_is_decided():
    tree = planted(np.nan, 0.1)
    found = judge(claim_files.load_claim("width", "kernel_predicts_networks"), tree)
    assert found["verdict"] == "inconclusive"
    assert "can be inverted" in found["parts"][0]["reason"]


def test_where_blocks_overlap_the_larger_numbers_are_asked_for():
    study = {"tasks": ["t"], "protocols": ["p"], "depth": [1], "width": [3], "n_train": [9]}
    blocks = [{**study, "seeds": 4, "tangent_kernels": 3}, {**study, "seeds": 2, "tangent_kernels": 7}, study]
    spec = {"blocks": blocks, "protocols": {"p": {"store": "outputs"}}}
    tables = {table: {} for table in ("tasks", "kernels", "constructions", "calculations")}
    (member,) = kind.members(grids.of_spec(tables | spec), results.every_seed)
    assert member.path == "tangent_kernels/t/p/depth1_width3_n9_draw0_of4_at7.zarr.zip"


def test_a_cell_whose_networks_all_diverged_has_no_kernels():
    """Once its job failed, and left a gap in the cube."""
    x, y, points = data()
    none = networks()
    weights = [w[:0] for w in none.weights]
    found = compare(none.architecture, weights, weights, x, y, points)
    assert {name: values.shape for name, values in found.items()} == dict.fromkeys(found, (0,))


def test_the_stage_compares_kernels_at_the_first_test_samples(tmp_path):
    f, weights = started(SPEC, 3, 7)
    paths, sets = stored(tmp_path, f, weights, 3)
    tangent_kernels.main(SPEC, "code", output=tmp_path / "t.zarr.zip", **paths)
    x, labels = sets["training_set"]
    end = tangent_kernels.trained(
        SPEC["protocol"], SPEC["cell"], flattened(weights), inputs=3, outputs=1, device=torch.device("cpu")
    )
    start = tangent_kernels.started(SPEC, end, [0, 1], inputs=3, outputs=1)
    y, points = (2.0 * labels - 1)[:, None].double(), sets["test_set"][0][:5]
    expected = compare(f, start.weights, end.weights, x, y, points)
    found = store.read(tmp_path / "t.zarr.zip")
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-9, err_msg=name)
