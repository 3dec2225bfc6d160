"""Jobs of kernel regressions: their specs, their results with and without a depth or ridges, and their cube."""

import json
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from house import write_study

from isobath.disk import store
from isobath.operations import declarations
from isobath.randomness import stream
from isobath.results import cubes as cubes_kind
from isobath.results import kernels as kernels_kind
from isobath.stages import cubes, kernels
from isobath.study.run import StudyRun, canonical
from isobath.study.schema import Config
from isobath.workflow import plan

STUDY = """
title: t
source: s
n_test: 50
tasks: {a: {kind: k_local, k: 1, dimension: 4}}
kernels:
  ntk: {kind: ntk}
  laplace: {kind: gamma_exponential}
  ridged: {kind: ntk, ridges: [1, 0.001, 0.01], validation: 0.25}
  laplace_ridged: {kind: gamma_exponential, ridges: [0.001, 0.01]}
grids:
  g:
    - {tasks: [a], kernels: [ntk, ridged], depth: [1, 3], n_train: [40]}
    - {tasks: [a], kernels: [laplace, laplace_ridged], n_train: [40]}
"""
ALWAYS = {"test_error", "jitter", "residual"}
CHOSEN = ALWAYS | {"validation_error", "chosen_ridge", "ridge_at_edge"}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    study = plan.load_study(write_study(tmp_path_factory.mktemp("study") / "s", STUDY, demo=""), "demo")
    return StudyRun(Config(scale="demo", studies=["s"], seed=7), "s", study)


def named(kernel):
    return {"task": "a", "kernel": kernel, "n_train": 40, "draw": 0}


def labels(x):
    return ("sample",), (x[:, 0] * x[:, 1] > 0).astype(np.int64)


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    """Make a training set and a test set."""
    folder, paths = tmp_path_factory.mktemp("sets"), {}
    for name, n in (("training_set", 40), ("test_set", 50)):
        x = stream(0, name).standard_normal((n, 4))
        paths[name] = folder / f"{name}.zarr.zip"
        store.write(xr.Dataset({"inputs": (("sample", "feature"), x), "labels": labels(x)}), paths[name])
    return paths


def run(study, sets, output, kernel, seed=0):
    config = study.config.model_copy(update={"seed": seed})
    spec = json.loads(canonical(kernels_kind.spec(replace(study, config=config), named(kernel))))
    kernels.main(spec, code="c", memory_mb=100, output=output, **sets)
    assert list(declarations.oddities("kernels", spec, store.metadata(output))) == []
    return store.read(output)


def test_a_spec_has_what_matters_alone(study):
    specs = {kernel: kernels_kind.spec(study, named(kernel)) for kernel in study.study.kernels}
    assert {k: set(spec) for k, spec in specs.items()} == {
        "ntk": {"kernel", "cell", "depth"},
        "laplace": {"kernel", "cell"},
        "ridged": {"kernel", "cell", "depth", "ridges", "validation", "seed"},
        "laplace_ridged": {"kernel", "cell", "ridges", "validation", "seed"},
    }
    assert specs["ridged"]["ridges"] == [0.001, 0.01, 1]
    assert specs["ridged"]["kernel"] == specs["ntk"]["kernel"]


@pytest.mark.parametrize(
    ("kernel", "dims", "names"),
    [
        ("ntk", {"depth": 2}, ALWAYS),
        ("laplace", {}, ALWAYS),
        ("ridged", {"depth": 2, "ridge": 3}, CHOSEN),
        ("laplace_ridged", {"ridge": 2}, CHOSEN),
    ],
)
def test_a_result_has_the_axes_of_its_kernel(study, sets, tmp_path, kernel, dims, names):
    result = run(study, sets, tmp_path / "k.zarr.zip", kernel)
    assert dict(result.sizes) == dims
    assert set(result.data_vars) == names
    assert all(variable.attrs["long_name"] and variable.attrs["units"] == "1" for variable in result.values())
    assert result.kernel == kernel
    if "ridge" in dims:
        assert set(np.atleast_1d(result.chosen_ridge)) <= set(result.ridge.values)
        assert (result.validation_error.sel(ridge=result.chosen_ridge) == result.validation_error.min("ridge")).all()


def test_the_samples_held_out_follow_the_seed_and_not_the_kernel(study, sets, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(kernels, "stream", lambda *name: seen.append(name) or stream(*name))
    results = [
        run(study, sets, tmp_path / f"{kernel}{seed}.zarr.zip", kernel, seed)
        for kernel, seed in (("ridged", 0), ("laplace_ridged", 0), ("ridged", 1), ("ridged", 0))
    ]
    assert seen[0] == seen[1] != seen[2]
    assert results[0].equals(results[3])
    assert not results[0].validation_error.equals(results[2].validation_error)


def test_a_cube_has_a_group_of_its_own_for_kernels_without_a_depth(study, sets, tmp_path, monkeypatch):
    monkeypatch.setattr(cubes_kind, "all_members", kernels_kind.members)  # whatever other kinds there are
    for cell in kernels_kind.all_cells(study):
        run(study, sets, tmp_path / kernels_kind.PATH.format(**cell._asdict()), cell.kernel)
    spec, output = cubes_kind.spec(study, {"grid": "g"}), tmp_path / "cube.zarr.zip"
    cubes.main(spec, code="c", folder=tmp_path, output=output)
    tree = store.read_tree(output)
    assert tree["kernels"].test_error.dims == ("task", "kernel", "n_train", "draw", "depth")
    assert list(tree["kernels"].kernel.values) == ["ntk", "ridged"]
    assert tree["kernels_without_depth"].test_error.dims == ("task", "kernel", "n_train", "draw")
    assert list(tree["kernels_without_depth"].kernel.values) == ["laplace", "laplace_ridged"]
    assert list(declarations.oddities("cubes", spec, store.metadata(output))) == []
