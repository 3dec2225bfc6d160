"""Tables of a cube, their dictionary, and zips: their content, on a group that is small enough to read."""

import io
import os
import shutil
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from isobath.archive import dictionary, tables, zips


@pytest.fixture
def group():
    """Make a group of two networks, of which one was not asked for, and a mean over them."""
    status = xr.DataArray([["fitted", "missing"]], dims=("task", "seed")).astype(object)
    recorded = (("step", "task", "seed"), [[[1.0, np.nan]], [[2.0, np.nan]]])
    loss = (("task", "seed"), [[0.1 + 0.2, np.nan]])
    coords = {"task": ["a"], "seed": [0, 1], "step": [1, 10], "task_k": ("task", [2]), "measure": "test"}
    return xr.Dataset({"status": status, "loss": loss, "recorded": recorded, "mean": ("task", [3.0])}, coords=coords)


def written(group: xr.Dataset, name: str) -> dict[str, str]:
    return {table.name: tables.csv(tables.frame(table)).decode() for table in tables.tables(group, name)}


def test_variables_of_the_same_dims_share_a_table_without_what_was_not_asked_for(group):
    assert written(group, "some") == {
        "some": "task,seed,loss,status,measure\na,0,0.30000000000000004,fitted,test\n",
        "some_of_task": "task,mean,measure\na,3.0,test\n",
        "some_by_step": "task,seed,step,recorded,measure\na,0,1,1.0,test\na,0,10,2.0,test\n",
    }


def test_settings_are_told_once(group):
    found = written(group.expand_dims(["protocol", "depth", "width", "n_train", "draw"]), "networks")
    assert found["networks_of_task"] == "task,task_k,measure\na,2,test\n"
    assert set(found) == {
        *("networks", "networks_by_step", "networks_of_task"),
        "networks_of_task_protocol_depth_width_n_train_draw",
    }


def test_a_group_without_dims_is_a_table_of_one_row():
    assert written(xr.Dataset({"ratio": 0.5}), "theory") == {"theory": "ratio\n0.5\n"}


def test_the_order_of_variables_does_not_matter(group):
    turned = group[["recorded", "mean", "loss", "status"]].transpose("seed", "step", "task")
    assert written(turned.transpose(*group.recorded.dims), "some") == written(group, "some")


def test_the_rows_of_a_table_are_counted_before_it_is_made(group):
    assert {table.name: table.rows for table in tables.tables(group, "some")} == {
        "some": 2,
        "some_of_task": 1,
        "some_by_step": 4,
    }


def test_the_dictionary_takes_the_words_of_the_variables():
    tree = xr.DataTree.from_dict(
        {
            "/laws/norm": xr.Dataset(
                {"x": ("fit", [1.0], {"long_name": "a | b", "units": "s"})}, coords={"fit": ["free"]}
            )
        }
    )
    found = {entry.name: entry for entry in dictionary.entries(tree, "cube", {("laws/norm", "x"): "t.csv"})}
    assert found["x"] == ("cube", "laws/norm", "x", ("fit",), "float64", "a | b", "s", "t.csv")
    assert found["fit"].meaning.startswith("fixed: ")
    assert r"a \| b" in dictionary.page(found.values()).decode()


def test_a_zip_depends_on_its_members_alone(tmp_path):
    (tmp_path / "a").write_bytes(b"from a file")
    zips.write({"b.txt": b"as it is", "a.txt": tmp_path / "a"}, tmp_path / "one.zip")
    zips.write({"a.txt": b"from a file", "b.txt": b"as it is"}, tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as file:
        assert [(info.filename, info.external_attr >> 16) for info in file.infolist()] == [
            ("a.txt", 0o100644),
            ("b.txt", 0o100644),
        ]


def test_two_zips_that_are_written_at_once_are_both_whole(tmp_path, monkeypatch):
    members, path, copy = {"a": b"1" * 1000, "b": b"2" * 1000}, tmp_path / "one.zip", shutil.copyfileobj

    def copy_after_another_writer(source, target):
        monkeypatch.setattr(zips.shutil, "copyfileobj", copy)
        zips.write(members, path)
        copy(source, target)

    monkeypatch.setattr(zips.shutil, "copyfileobj", copy_after_another_writer)
    zips.write(members, path)
    with zipfile.ZipFile(path) as file:
        assert {name: file.read(name) for name in file.namelist()} == members
    assert [place.name for place in tmp_path.iterdir()] == ["one.zip"]


def test_a_zip_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    """A power cut could else leave the name without the content."""
    done, sync, rename = [], os.fsync, os.replace

    def note_sync(handle):
        if stat.S_ISREG(os.fstat(handle).st_mode):
            with zipfile.ZipFile(io.BytesIO(os.pread(handle, 10_000, 0))) as whole:
                done.append(whole.read("a"))
        else:
            done.append("folder")
        sync(handle)

    def note_rename(old, new):
        done.append(Path(new).name)
        rename(old, new)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "replace", note_rename)
    zips.write({"a": b"content"}, tmp_path / "one.zip")
    assert done == [b"content", "one.zip", "folder"]


def test_members_are_packed_but_for_those_that_are_already(tmp_path):
    members = {"a.csv": b"1" * 1000, "b.png": b"1" * 1000, "c.zip": b"1" * 1000}
    zips.write(members, tmp_path / "one.zip")
    with zipfile.ZipFile(tmp_path / "one.zip") as file:
        small = {info.filename: info.compress_size < 100 for info in file.infolist()}
    assert small == {"a.csv": True, "b.png": False, "c.zip": False}


def test_a_zip_that_fails_leaves_what_was_there(tmp_path):
    zips.write({"a": b"old"}, tmp_path / "one.zip")
    before = (tmp_path / "one.zip").read_bytes()
    with pytest.raises(FileNotFoundError):
        zips.write({"a": b"new", "b": tmp_path / "gone"}, tmp_path / "one.zip")
    assert (tmp_path / "one.zip").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["one.zip"]
