"""Results on disk: they are read as they were written, and damage is never silent."""

import contextlib
import errno
import io
import itertools
import math
import os
import shutil
import stat
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import isobath
from isobath import store_metadata
from isobath.disk import store, whole_files
from isobath.disk.store import CorruptedStore
from isobath.randomness import stream

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]


def dataset():
    return xr.Dataset(
        {
            "error": (("seed", "depth"), np.array([[0.1, np.nan], [np.inf, -0.0]]), {"units": "1"}),
            "status": ("seed", np.array(["fitted", "größer"], dtype=object)),
            "epochs": ("seed", np.array([3, 4])),
            "scalar": ((), 0.25),
        },
        coords={"seed": [0, 1], "depth": [1, 7], "task": "2-local"},
        attrs={"title": "a title", "n_test": 3},
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_comes_back(dtype, tmp_path):
    values = stream(0, dtype).integers(0, 2 if dtype == "bool" else 100, (3, 4)).astype(dtype)
    data = xr.Dataset({"x": (("a", "b"), values), "empty": (("a", "none"), np.empty((3, 0), dtype))})
    store.write(data, tmp_path / "x.zarr.zip")
    back = store.read(tmp_path / "x.zarr.zip")
    assert back.identical(data)
    assert back.x.dtype == data.x.dtype
    assert back.empty.dtype == data.empty.dtype


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    array=arrays.arrays(
        dtype=st.sampled_from([np.dtype(d) for d in DTYPES]),
        shape=arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5),
    ),
    words=st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=1, max_size=4),
    title=st.text(st.characters(exclude_categories=["Cs"])),
)
def test_any_array_comes_back(array, words, title, tmp_path):
    data = xr.Dataset(
        {"x": (list("abcd")[: array.ndim], array), "words": ("w", np.array(words, dtype=object))},
        attrs={"title": title},
    )
    store.write(data, tmp_path / "x.zarr.zip")
    assert store.read(tmp_path / "x.zarr.zip").identical(data)


def test_everything_else_comes_back(tmp_path):
    store.write(dataset(), tmp_path / "x.zarr.zip")
    back = store.read(tmp_path / "x.zarr.zip")
    assert back.identical(dataset())
    assert math.copysign(1, back.error.values[1, 1]) == -1
    fixed = xr.Dataset({"status": ("seed", np.array(["a", "bcd"]))})  # fixed-width strings become objects
    store.write(fixed, tmp_path / "y.zarr.zip")
    assert store.read(tmp_path / "y.zarr.zip").status.values.tolist() == ["a", "bcd"]


def test_trees_come_back(tmp_path):
    tree = xr.DataTree.from_dict({"networks": dataset(), "kernels": dataset()[["error"]]})
    tree.attrs["grid"] = "samples"
    store.write(tree, tmp_path / "x.zarr.zip")
    assert store.read_tree(tmp_path / "x.zarr.zip").identical(tree)


def test_equal_data_are_equal_bytes(tmp_path):
    store.write(dataset(), tmp_path / "a.zarr.zip")
    store.write(dataset(), tmp_path / "b.zarr.zip")
    assert (tmp_path / "a.zarr.zip").read_bytes() == (tmp_path / "b.zarr.zip").read_bytes()
    store.write(dataset().assign(scalar=0.26), tmp_path / "b.zarr.zip")
    assert (tmp_path / "a.zarr.zip").read_bytes() != (tmp_path / "b.zarr.zip").read_bytes()


def test_a_record_has_numbers_of_numpy_as_plain_ones(tmp_path):
    """Once a claim with the bound ``np.int64(1)`` stopped the last job of its study."""
    odd = {"a": np.int64(1), "b": np.float32(0.5), "c": [Fraction(1, 4)], "d": np.True_, "e": {10: 1, 9: 2}}
    plain = {"a": 1, "b": 0.5, "c": [0.25], "d": True, "e": {"10": 1, "9": 2}}
    store.write_record(odd, tmp_path / "x.json")
    store.write_record(plain, tmp_path / "y.json")
    assert (tmp_path / "x.json").read_bytes() == (tmp_path / "y.json").read_bytes()
    assert store.read_record(tmp_path / "x.json") == plain
    for odd in (np.float32("nan"), object()):
        with pytest.raises((ValueError, TypeError)):
            store.write_record({"a": odd}, tmp_path / "z.json")


def test_a_result_is_a_plain_zarr_zip_to_others(tmp_path):
    store.write(dataset(), tmp_path / "x.zarr.zip")
    with zipfile.ZipFile(tmp_path / "x.zarr.zip") as archive:
        assert archive.testzip() is None
        assert "zarr.json" in archive.namelist()


def test_a_flipped_bit_is_refused_wherever_it_is(tmp_path):
    path = tmp_path / "x.zarr.zip"
    store.write(dataset(), path)
    intact = path.read_bytes()
    generator = stream(0, "flips")
    for _ in range(200):
        damaged = bytearray(intact)
        damaged[generator.integers(len(intact))] ^= 1 << int(generator.integers(8))
        path.write_bytes(damaged)
        for read in (store.read, store.read_tree, store.verify):
            with pytest.raises(CorruptedStore, match=r"x\.zarr\.zip.*rebuilds it"):
                read(path)
    path.write_bytes(intact)
    assert store.read(path).identical(dataset())


def test_a_file_is_on_the_disk_before_it_has_its_name_and_its_name_is_on_the_disk_at_the_end(tmp_path, monkeypatch):
    """A power cut would else leave a name without content, or the old file after a job that has ended."""
    done, sync, rename, path = [], os.fsync, os.replace, tmp_path / "new/x.bin"

    def note_sync(handle):
        found = os.fstat(handle)
        done.append("folder" if stat.S_ISDIR(found.st_mode) else f"{found.st_size} bytes")
        assert not stat.S_ISDIR(found.st_mode) or found.st_ino == path.parent.stat().st_ino
        sync(handle)

    def note_rename(old, new):
        done.append(f"named {Path(new).name}")
        assert Path(old).parent == path.parent  # a rename between file systems is a copy
        rename(old, new)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "replace", note_rename)
    whole_files.replace(path, b"12345")
    assert done == ["5 bytes", "named x.bin", "folder"]
    assert path.read_bytes() == b"12345"


def test_a_file_system_that_syncs_no_folder_keeps_the_file(tmp_path, monkeypatch):
    def refuse(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", refuse)
    store.write(dataset(), tmp_path / "x.zarr.zip")
    assert store.read(tmp_path / "x.zarr.zip").identical(dataset())


def test_the_attributes_of_a_damaged_file_are_refused_wherever_the_damage_is(tmp_path):
    path = tmp_path / "x.zarr.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("zarr.json", '{"attributes": {"spec": "{}"}}')  # no deflated text, as a flipped bit may claim
    intact = path.read_bytes()
    for at, bit in itertools.product(range(len(intact)), range(8)):
        path.write_bytes(intact[:at] + bytes([intact[at] ^ 1 << bit]) + intact[at + 1 :])
        with contextlib.suppress(ValueError, OSError):
            assert store_metadata.attributes(path) == {"spec": "{}"}


def test_a_truncated_or_longer_file_is_refused(tmp_path):
    path = tmp_path / "x.zarr.zip"
    store.write(dataset(), path)
    intact = path.read_bytes()
    cuts = [0, 1, 63, 64, 65, 66, 100, len(intact) // 2, len(intact) - 66, len(intact) - 1]
    for content in [*(intact[:cut] for cut in cuts), intact + b"\0", intact + intact, bytes(len(intact))]:
        path.write_bytes(content)
        with pytest.raises(CorruptedStore):
            store.read(path)


def test_another_zip_is_refused(tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("zarr.json", "{}")
    (tmp_path / "x.zarr.zip").write_bytes(buffer.getvalue())
    with pytest.raises(CorruptedStore):
        store.read(tmp_path / "x.zarr.zip")


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "x.zarr.zip"
    store.write(dataset(), path)
    for name in ("fsync", "fdopen", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, lambda *_: (_ for _ in ()).throw(OSError("no space left")))
            with pytest.raises(OSError, match="no space left"):
                store.write(dataset().assign(scalar=1.0), path)
        assert store.read(path).identical(dataset())
        assert [p.name for p in tmp_path.iterdir()] == ["x.zarr.zip"]


@pytest.mark.parametrize("name", ["a/b", ".hidden", "", "with space"])
def test_names_that_zarr_would_misread_are_refused(name, tmp_path):
    for data in (xr.Dataset({name: ("x", [1])}), xr.Dataset({"a": (name, [1])})):
        with pytest.raises(ValueError, match="identifier"):
            store.write(data, tmp_path / "x.zarr.zip")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [math.nan, math.inf, None, [1, 2], np.float64("nan"), {"a": 1}])
def test_attributes_that_json_would_spoil_are_refused(value, tmp_path):
    for data in (xr.Dataset(attrs={"a": value}), xr.Dataset({"x": ((), 1, {"a": value})})):
        with pytest.raises(ValueError, match="attribute 'a'"):
            store.write(data, tmp_path / "x.zarr.zip")


def test_results_open_as_one_tree(tmp_path):
    for grid in ("samples", "depth"):
        write_cube(tmp_path, grid)
    tree = isobath.open_results(tmp_path)
    assert tree["locality/samples/networks"].drop_attrs().identical(dataset().drop_attrs())
    assert tree["locality/samples"].sel(depth=7)["networks"].error.dims == ("seed",)
    with pytest.raises(FileNotFoundError, match="there is no such folder"):
        isobath.open_results(tmp_path / "nothing")


def write_cube(folder, file, **names):
    """Write the cube of a grid of locality; ``names`` are what it says of itself otherwise."""
    tree = xr.DataTree.from_dict({"networks": dataset()})
    tree.attrs = {"scale": folder.name, "study": "locality", "grid": file, "seed": 0} | names
    store.write(tree, folder / f"locality/cubes/{file}.zarr.zip")


@pytest.mark.parametrize("names", [{"grid": "depth"}, {"study": "width"}, {"scale": "paper"}])
def test_a_cube_under_the_name_of_another_is_refused(tmp_path, names):
    write_cube(tmp_path, "samples", **names)
    ((key, value),) = names.items()
    with pytest.raises(store.Misplaced, match=rf"samples\.zarr\.zip: it is the cube of .*{key} {value}.*rebuilds it"):
        isobath.open_results(tmp_path)


def test_a_stray_cube_and_one_that_says_no_name_are_refused(tmp_path):
    write_cube(tmp_path, "samples")
    place = tmp_path / "locality/cubes"
    shutil.copy(place / "samples.zarr.zip", place / "zz_copy.zarr.zip")
    with pytest.raises(store.Misplaced, match=r"zz_copy\.zarr\.zip"):
        isobath.open_results(tmp_path)
    store.write(dataset(), place / "zz_copy.zarr.zip")
    with pytest.raises(store.Misplaced, match="earlier versions"):
        isobath.open_results(tmp_path)


def test_cubes_of_two_seeds_are_no_run(tmp_path):
    write_cube(tmp_path, "samples")
    write_cube(tmp_path, "depth", seed=7)
    for only in ("*", "locality/depth"):  # also of one cube, which would open with the seed of its own
        with pytest.raises(ValueError, match="seeds 0, 7"):
            isobath.open_results(tmp_path, only=only)


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_file_has_the_permissions_that_new_files_have(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        store.write(dataset(), tmp_path / "x.zarr.zip")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x.zarr.zip").stat().st_mode) == mode


def test_a_record_of_endless_depth_is_no_record(tmp_path):
    (tmp_path / "x.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(store.CorruptedStore, match="it is not a complete record"):
        store.read_record(tmp_path / "x.json")


def test_variables_come_back_in_one_order(tmp_path):
    """A zarr group lists its arrays in an order that changes from run to run; results made of them must not change."""
    names = [f"v{i}" for i in range(12)]
    data = xr.Dataset({name: (f"d{i}", np.zeros(2)) for i, name in enumerate(reversed(names))})
    store.write(data, tmp_path / "x.zarr.zip")
    for _ in range(5):
        assert list(store.read(tmp_path / "x.zarr.zip")) == sorted(names)


def test_the_digest_of_inputs_does_not_depend_on_their_order(tmp_path):
    paths = [tmp_path / name for name in "ab"]
    for path in paths:
        path.write_text(path.name)
    assert store.inputs(paths) == store.inputs(paths[::-1])
