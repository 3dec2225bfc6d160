"""Results are opened by name and read late; the package lists its content to people and to type checkers."""

import ast
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from house import ROOT

import isobath
from isobath.disk import store
from isobath.library.cubes import NoSuchResult


def write(folder, study, grid, **groups):
    axes = {"task": ["a", "b"], "depth": [1, 7], "width": [10], "seed": [0, 1, 2]}
    errors = np.arange(12.0).reshape(2, 2, 1, 3) / 100
    about = {"long_name": "misclassified fraction of the test set", "units": "1"}
    networks = xr.Dataset({"test_error": ([*axes], errors, about)}, axes, {"n_test": 50})
    tree = xr.DataTree.from_dict({"networks": networks, **groups})
    tree.attrs = {"scale": folder.name, "study": study, "grid": grid, "seed": 0, "title": "made up", "n_test": 50}
    path = folder / study / "cubes" / f"{grid}.zarr.zip"
    store.write(tree, path)
    return path


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / "demo"
    law = xr.Dataset({"value": ("parameter", [1.0, 2.0])}, {"parameter": ["c0", "c1"]})
    write(folder, "locality", "depth")
    write(folder, "locality", "samples", **{"laws/norm": law, "laws/error": law})
    write(folder, "width", "widths")
    return folder


def test_cubes_groups_and_studies_by_name(run):
    results = isobath.open_results(run)
    assert [*results] == ["locality/depth", "locality/samples", "width/widths"]
    assert [*results["locality"]] == ["depth", "samples"]
    networks = results["locality"]["samples"]["networks"]
    assert networks.identical(results["locality/samples/networks"])
    assert isinstance(networks, xr.Dataset)
    assert [*results["locality/samples/laws"]] == ["error", "norm"]
    assert results["locality/samples"]["laws/norm"].value.sel(parameter="c1") == 2
    assert "locality" in results
    assert "locality/samples/laws/norm" in results
    assert "locality/sample" not in results


def test_studies_that_are_links_are_opened(run, tmp_path):
    """Once they were left out, or said not to have been run."""
    (tmp_path / "elsewhere").mkdir()
    shutil.move(run / "locality", tmp_path / "elsewhere")
    (run / "locality").symlink_to(tmp_path / "elsewhere/locality")
    (run / "again").symlink_to(run / "width")  # a second name of one, and a circle, are passed over
    (run / "self").symlink_to(run)
    assert [*isobath.open_results(run)] == ["locality/depth", "locality/samples", "width/widths"]


def test_a_law_of_a_cube_is_drawn_as_one_of_fit_law(tmp_path):
    sizes = xr.DataArray(np.geomspace(100, 1e4, 8), dims="width", attrs={"long_name": "N, number of weights"})
    noise = xr.DataArray(np.random.default_rng(0).standard_normal((8, 6)), dims=("width", "seed"))
    errors = (3 / sizes * (1 + 0.01 * noise)).assign_attrs(long_name="a name that has no room on one line of an axis")
    fit = isobath.fit_law(sizes, errors, exponents=[-1], resamples=40).assign_coords(width=np.arange(8))
    law = {"form": json.loads(fit.attrs["form"]), "group": "ensembles", "axis": "n_weights", "variable": "error"}
    measured = xr.Dataset({"n_weights": sizes, "error": errors})
    tree = xr.DataTree.from_dict({"ensembles": measured, "laws/size": fit.drop_attrs(deep=False)})
    place = {"scale": "demo", "study": "width", "grid": "widths", "seed": 0}
    tree.attrs = {**place, "spec": json.dumps({"laws": {"size": law}})}
    store.write(tree, tmp_path / "demo/width/cubes/widths.zarr.zip")
    stored = isobath.open_results(tmp_path / "demo")["width/widths/laws/size"]
    (ours,), (axis,) = isobath.plot.law(fit).axes, isobath.plot.law(stored).axes
    assert [axis.get_xlabel(), axis.get_ylabel()] == [ours.get_xlabel(), ours.get_ylabel()]
    assert axis.get_ylabel().split() == errors.long_name.split()
    assert "\n" in axis.get_ylabel()
    assert len(axis.lines) == len(ours.lines)
    for line, other in zip(axis.lines, ours.lines, strict=True):
        np.testing.assert_array_equal(line.get_xydata(), other.get_xydata())


@pytest.mark.parametrize(("what", "make"), [("a folder", Path.mkdir), ("a pipe", os.mkfifo)])
def test_what_is_no_cube_is_refused_in_one_sentence(run, what, make):
    path = run / "locality/cubes/other.zarr.zip"
    make(path)
    with pytest.raises(store.CorruptedStore, match=rf"^{path}: it is {what}\. "):
        isobath.open_results(run)
    assert [*isobath.open_results(run, only="locality/s*")] == ["locality/samples"]


def test_an_archive_is_refused_with_how_to_open_it(run):
    path = run.parent / "isobath-demo.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(run / "locality/cubes/depth.zarr.zip", "results/demo/locality/cubes/depth.zarr.zip")
    with pytest.raises(ValueError, match=r"an archive: unpack it \(python -m zipfile -e isobath-demo.zip"):
        isobath.open_results(path)
    subprocess.run([sys.executable, "-m", "zipfile", "-e", path, path.parent / "archive"], check=True)
    assert [*isobath.open_results(path.parent / "archive/results/demo")] == ["locality/depth"]


def test_depth_and_width_are_those_of_networks_and_never_those_of_a_tree(run):
    cube = isobath.open_results(run)["locality/samples"]
    assert cube["networks"].depth.values.tolist() == [1, 7]
    assert cube["networks"].width.values.tolist() == [10]
    for name in ("depth", "width", "level"):
        with pytest.raises(AttributeError, match=f"a cube has no '{name}', its groups may: .*; write cube"):
            getattr(cube, name)
        with pytest.raises(AttributeError):
            getattr(isobath.open_results(run), name)
    assert cube.tree()["networks"].to_dataset().identical(cube["networks"])


def test_every_coordinate_has_a_meaning_and_a_unit(run):
    cube = isobath.open_results(run)["locality/samples"]
    assert list(cube) == sorted(cube)  # in one order in every process
    for group in cube.values():
        for name, coordinate in group.coords.items():
            assert coordinate.attrs["long_name"], name
            assert coordinate.attrs["units"] == "1"
    named = [group.parameter.attrs["long_name"] for group in cube.values() if "parameter" in group.dims]
    assert {*named} == {"weight or bias of a network, or parameter of a law"}


def test_selections_reach_every_group_that_has_the_dim(run):
    cube = isobath.open_results(run)["locality/samples"]
    assert cube.sel(depth=7, task="b")["networks"].test_error.dims == ("width", "seed")
    assert cube.sel(parameter="c0")["networks"].sizes["seed"] == 3
    assert cube.isel(seed=slice(2))["networks"].sizes["seed"] == 2
    assert cube.sel(depth=7).attrs["title"] == "made up"
    for select, words in (
        (lambda: cube.sel(depth=3), r"locality/samples/networks has no depth 3; it has 1, 7"),
        (lambda: cube.sel(dept=3), r"has no dim 'dept'; did you mean 'depth'"),
        (lambda: cube.isel(dept=3), r"has no dim 'dept'; did you mean 'depth'"),
        (lambda: cube["network"], r"has no group 'network'; did you mean 'networks'"),
        (
            lambda: isobath.open_results(run)["locality/sample"],
            r"no 'locality/sample' in .*did you mean 'local",
        ),
        (lambda: isobath.open_results(run)["locality/samples"][3], "locality/samples has no group 3"),
    ):
        with pytest.raises(NoSuchResult, match=words) as refusal:
            select()
        assert isinstance(refusal.value, KeyError)


def test_only_what_matches_is_opened_and_a_cube_is_verified_when_it_is_read(run):
    broken = run / "width/cubes/widths.zarr.zip"
    content = broken.read_bytes()
    broken.write_bytes(content[:80] + bytes([content[80] ^ 1]) + content[81:])
    results = isobath.open_results(run)
    assert results["locality/depth/networks"].test_error.max() > 0
    with pytest.raises(store.CorruptedStore, match=r"widths\.zarr\.zip"):
        results["width/widths"]
    broken.write_bytes(b"nothing")
    with pytest.raises(store.CorruptedStore, match=r"widths\.zarr\.zip"):
        isobath.open_results(run)
    assert [*isobath.open_results(run, only="locality/*")] == ["locality/depth", "locality/samples"]
    assert len(isobath.open_results(run, only=["*/depth", "*/samples"])) == 2
    with pytest.raises(ValueError, match=r"only is 'loc/\*', which no cube matches; .*locality/depth, "):
        isobath.open_results(run, only="loc/*")


def test_numbers_are_read_when_they_are_used(run, monkeypatch):
    errors = isobath.open_results(run)["locality/depth/networks"].test_error
    assert not errors.variable._in_memory
    expected = np.arange(12.0).reshape(2, 2, 1, 3) / 100
    write(run, "locality", "depth").unlink()  # another file under the name, and none
    assert (errors.values == expected).all()


def test_what_is_printed_is_short(run):
    for i in range(10):
        write(run, "width", f"grid{i}")
    results = isobath.open_results(run)
    assert repr(results).splitlines()[0] == f"<isobath results of {run}, seed 0: 13 cubes>"
    assert "  locality: depth, samples" in repr(results).splitlines()
    assert len(repr(results)) < 400
    assert len(repr(results["locality/samples"])) < 400
    lines = str(isobath.contents(run)).splitlines()
    assert len(lines) == 13
    assert "locality/samples: networks (task 2, depth 2, seed 3); laws (2)" in lines
    assert repr(isobath.contents(run, only="width/*")) == str(isobath.contents(run, only="width/*"))


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_importing_isobath_loads_nothing_else():
    loaded = python("import sys, isobath; print(*[m for m in sys.modules if '.' not in m or 'isobath' in m])")
    assert not {"numpy", "torch", "xarray", "zarr", "matplotlib", "pydantic"} & {*loaded}
    assert {module for module in loaded if module.startswith("isobath")} == {"isobath", "isobath.roots"}


def test_every_name_is_there_and_is_the_one_that_type_checkers_see():
    stub = ast.parse((ROOT / "src/isobath/__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname: f"{node.module}.{alias.name}" for node in imports for alias in node.names}
    assert {*seen, "__version__"} == {*isobath.__all__}
    for name, place in seen.items():
        found = getattr(isobath, name)
        assert place == (found.__name__ if name == "plot" else f"{found.__module__}.{found.__name__}")
        assert found.__doc__
    assert {*isobath.__all__} <= {*dir(isobath)}
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        isobath.trian  # noqa: B018


def test_the_wheel_has_the_version_and_the_types(tmp_path):
    """It is built as pip builds it, without the network, from a copy."""
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    code = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    command = [sys.executable, "-W", "ignore", "-c", code, str(tmp_path)]
    built = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"isobath-{isobath.__version__}-py3-none-any.whl"
    assert {"isobath/py.typed", "isobath/__init__.pyi"} <= {*zipfile.ZipFile(wheel).namelist()}
