"""The width study end to end at its smallest scale: ensembles, laws, more seeds, downloads."""

import gzip
import itertools
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from house import copy, edit, edit_smoke, fresh, jobs, snakemake

import isobath
from isobath.disk import store
from isobath.results import ensembles as ensembles_kind
from isobath.results import networks as networks_kind

pytestmark = pytest.mark.runs

RESULTS = "results/smoke/width"
SEEDS = "seeds: 4\n      tangent_kernels: 20"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the repository, with two cubes of the width study at its smallest scale; figures are test_workflow's."""
    house = fresh(tmp_path_factory.mktemp("house"))
    run = snakemake(house, *(f"{RESULTS}/cubes/{grid}.zarr.zip" for grid in ("widths", "ensembles")), study="width")
    assert run.returncode == 0, run.stderr
    return house


@pytest.fixture
def house(built: Path, tmp_path: Path) -> Iterator[Path]:
    """Copy the house that has all results, to be edited."""
    house = copy(built, tmp_path / "isobath")
    assert snakemake(house, study="width").returncode == 0
    yield house
    shutil.rmtree(tmp_path / "isobath")


def test_an_ensemble_by_hand_from_the_cube(built):
    tree = isobath.open_results(built / "results/smoke")["width/ensembles"]
    cell = {"task": "digits_parity", "protocol": "full_batch_adam", "depth": 2, "width": 8, "n_train": 60, "draw": 0}
    networks, ensembles = (tree[group].sel(cell) for group in ("networks", "ensembles"))
    test = store.read(built / RESULTS / "data/digits_parity/n60_draw0_test.zarr.zip")
    odd = test.labels.values.astype(bool)
    f = networks.outputs.isel(output=0).values
    assert f.shape == (6, 200)
    np.testing.assert_allclose(networks.test_error, ((f > 0) != odd).mean(1))
    assert float(ensembles.ensemble_error.sel(size=6)) == pytest.approx(((f.mean(0) > 0) != odd).mean())
    assert float(ensembles.ensemble_error.sel(size=1)) == pytest.approx(float(networks.test_error.mean()))
    pairs = [((f[[i, j]].mean(0) > 0) != odd).mean() for i in range(6) for j in range(i)]
    assert float(ensembles.ensemble_error.sel(size=2)) == pytest.approx(np.mean(pairs))
    unbiased = f.var(axis=0, ddof=1).mean()
    test_measure = ensembles.sel(measure="test")
    assert float(test_measure.variance_unbiased) == pytest.approx(unbiased)
    assert float((test_measure.fluctuation**2).mean()) == pytest.approx(unbiased)
    assert float(test_measure.variance_biased) == pytest.approx(f.var(axis=0).mean())
    norm = np.sqrt(((f - f.mean(0)) ** 2).mean(1)) * np.sqrt(6 / 5)
    np.testing.assert_allclose(ensembles.distance_estimate, norm / ensembles.gradient_norm)


def test_weights_give_the_outputs_again(built):
    """Weights and outputs in the store of a block belong together, by an evaluation of our own."""
    block = store.read(next((built / RESULTS / "networks").rglob("depth2_width8_*seeds0-5.zarr.zip")))
    x = store.read(built / RESULTS / "data/digits_parity/n60_draw0_test.zarr.zip").inputs.values
    sizes = [5, 8, 8, 1]
    for seed in range(6):
        flat, z = block.weights.values[seed], x
        for layer, (fan_in, fan_out) in enumerate(itertools.pairwise(sizes)):
            w, flat = flat[: fan_in * fan_out].reshape(fan_out, fan_in), flat[fan_in * fan_out :]
            b, flat = flat[:fan_out], flat[fan_out:]
            z = (np.maximum(z, 0) if layer else z) @ w.T + b
        assert not flat.size
        np.testing.assert_allclose(block.outputs.values[seed, :, 0], z[:, 0], rtol=1e-9, atol=1e-12)


def test_the_names_that_laws_may_use_are_those_of_the_stores(built):
    block = store.read(next((built / RESULTS / "networks").rglob("full_batch_adam/*.zarr.zip")))
    halves = {"first_half_error", "second_half_error"}
    assert set(block.data_vars) == set(networks_kind.VARIABLES) - halves - {"test_targets", "test_error_sd"}
    table = store.read(next((built / RESULTS / "ensembles").rglob("*.zarr.zip")))
    assert set(ensembles_kind.VARIABLES) <= set(table.data_vars)
    assert tuple(table.measure.values.tolist()) == ensembles_kind.MEASURES


def test_laws_are_in_the_cube_or_say_why_not(built):
    tree = isobath.open_results(built / "results/smoke")["width/widths"]
    assert set(tree["jamming"]) >= {"threshold", "low", "high", "fraction", "t_star"}
    assert float(tree["jamming"].t_star.max()) == 200
    for law in tree["laws"].values():
        for fit in ("fixed", "free"):
            one = law.sel(fit=fit)
            reasons = one.reason.values.ravel().tolist()
            numbers = one.value.stack(row=[d for d in one.value.dims if d != "parameter"]).transpose("row", "parameter")
            for reason, values in zip(reasons, numbers.values, strict=True):
                assert bool(reason) == bool(np.isnan(values).all())


@pytest.mark.slow
def test_a_second_run_does_nothing_and_more_seeds_train_the_new_ones_alone(house):
    assert jobs(house, study="width") == {}
    old = {p: p.read_bytes() for p in (house / RESULTS / "networks").rglob("*.zarr.zip")}
    edit_smoke(house, SEEDS, SEEDS.replace("4", "9", 1), study="width")
    found = jobs(house, study="width")
    assert {rule: found[rule] for rule in ("networks", "ensembles", "tangent_kernels")} == {
        "networks": 3,
        "ensembles": 3,
        "tangent_kernels": 3,
    }
    assert "training_set" not in found
    assert snakemake(house, study="width").returncode == 0
    assert all(path.read_bytes() == content for path, content in old.items())
    tree = isobath.open_results(house / "results/smoke")["width/widths"]
    assert tree["ensembles"].sizes["seed"] == tree["networks"].sizes["seed"] == 9


def test_grids_that_share_a_cell_have_the_networks_that_each_asked_for(built):
    tree = isobath.open_results(built / "results/smoke")["width"]
    for grid, seeds in (("widths", 4), ("ensembles", 6)):
        groups = tree[grid]
        assert groups["networks"].sizes["seed"] == groups["ensembles"].sizes["seed"] == seeds
        assert groups["ensembles"].sizes["size"] == seeds


def code_of(house: Path, file: str) -> str:
    """Return the Python block that follows a file's name in the guide."""
    guide = (house / "docs/adding.md").read_text(encoding="utf-8")
    return re.search(rf"`{file}`:?\n\n```python\n(.*?)```", guide, flags=re.DOTALL)[1]


def line_of(house: Path, name: str) -> str:
    return re.search(rf"^  {name}: .*$", (house / "docs/adding.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[0]


def idx_file(values: np.ndarray) -> bytes:
    """Zip an array of bytes in the IDX format."""
    header = bytes([0, 0, 8, values.ndim]) + b"".join(n.to_bytes(4, "big") for n in values.shape)
    return gzip.compress(header + values.astype(np.uint8).tobytes())


@pytest.mark.slow
def test_the_law_and_the_image_set_of_the_guide(house, tmp_path):
    """A law takes one line; a data set takes one file, one line and a name in a grid, with its files in a folder."""
    law, name = line_of(house, "norm_of_wide_networks"), "src/isobath/tasks/fashion_parity.py"
    edit(house, "workflow/studies/width/study.yaml", "\nlaws:", f"\nlaws:\n{law}")
    (house / name).write_text(code_of(house, name), encoding="utf-8")
    edit_smoke(house, "tasks:\n", f"tasks:\n{line_of(house, 'fashion')}\n", study="width")
    asked = "  widths:\n    - tasks: [digits_parity"
    edit_smoke(house, asked, f"{asked}, fashion", study="width")
    random = np.random.default_rng(0)
    images, labels = random.integers(0, 256, (300, 6, 6)), np.arange(300) % 10
    folder = tmp_path / "data" / "fashion"
    folder.mkdir(parents=True)
    (folder / "train-images-idx3-ubyte.gz").write_bytes(idx_file(images))
    (folder / "train-labels-idx1-ubyte.gz").write_bytes(idx_file(labels))
    refusal = snakemake(house, "-n", study="width")
    assert "fashion/train-images-idx3-ubyte.gz, which is not in data (not set)" in refusal.stdout + refusal.stderr
    data = (f"data={tmp_path / 'data'}",)
    run = snakemake(house, study="width", config=data)
    assert run.returncode == 0, run.stderr
    tree = isobath.open_results(house / "results/smoke")["width/widths"]
    assert set(tree["networks"].task.values) == {"digits_parity", "fashion"}
    fitted = tree["laws/norm_of_wide_networks"]
    assert set(fitted.task.values) == {"digits_parity", "fashion"}
    assert {"value", "low", "high", "reason"} <= set(fitted)


@pytest.mark.slow
def test_images_are_downloaded_once_or_taken_from_a_folder(built, tmp_path):
    found = jobs(built, scale="laptop", study="width")
    assert found["download"] == 5  # four files of MNIST, one of CIFAR-10
    (tmp_path / "mnist").mkdir()
    (tmp_path / "mnist" / "t10k-labels-idx1-ubyte.gz").write_bytes(b"")
    run = snakemake(built, "-n", scale="laptop", study="width", config=(f"data={tmp_path}",))
    assert run.returncode == 0, run.stderr
    assert re.search(r"^download +4$", run.stdout + run.stderr, flags=re.MULTILINE)
    refusal = snakemake(built, "-n", scale="laptop", study="width", config=("data=/nowhere",))
    assert "no folder" in refusal.stdout + refusal.stderr
