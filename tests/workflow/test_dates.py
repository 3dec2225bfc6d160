"""Results are dated no earlier than their inputs, whatever the clock did."""

import asyncio
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from isobath.hooks import dates
from isobath.study.schema import ConfigError


def dated(path, date):
    path.write_bytes(b"")
    os.utime(path, (date, date))
    return path


def test_outputs_are_dated_to_the_newest_input(tmp_path):
    inputs = [dated(tmp_path / "old", 100.0), dated(tmp_path / "new", 200.0), tmp_path / "absent"]
    outputs = [dated(tmp_path / "early", 150.0), dated(tmp_path / "late", 250.0), tmp_path / "none"]
    dates.date_after(inputs, outputs)
    assert [path.stat().st_mtime for path in outputs[:2]] == [200.0, 250.0]
    assert [path.stat().st_mtime for path in inputs[:2]] == [100.0, 200.0]
    assert not (tmp_path / "none").exists()


def test_a_link_has_the_later_date_of_two(tmp_path):
    target, link = dated(tmp_path / "target", 100.0), tmp_path / "link"
    link.symlink_to(target)
    os.utime(link, (300.0, 300.0), follow_symlinks=False)
    output = dated(tmp_path / "output", 200.0)
    dates.date_after([link], [output])
    assert output.stat().st_mtime == 300.0


def test_of_an_output_that_is_a_folder_or_a_link_the_date_that_snakemake_reads_is_set(tmp_path):
    (tmp_path / "folder").mkdir()
    stamp = dated(tmp_path / "folder" / dates.STAMP, 100.0)
    target, link = dated(tmp_path / "target", 100.0), tmp_path / "link"
    link.symlink_to(target)
    os.utime(link, (100.0, 100.0), follow_symlinks=False)
    dates.date_after([dated(tmp_path / "input", 200.0)], [tmp_path / "folder", link])
    assert (stamp.stat().st_mtime, link.lstat().st_mtime, target.stat().st_mtime) == (200.0, 200.0, 100.0)


def test_a_link_dated_in_the_future_is_dated_to_now_and_a_file_behind_one_is_left_alone(tmp_path, monkeypatch):
    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path / "run")
    target, link = dated(tmp_path / "target", 100.0), Path("link")
    link.symlink_to(target)
    os.utime(link, (5000.0, 5000.0), follow_symlinks=False)
    assert dates.bring_to_now(["link"], now=1000.0) == ["link"]
    assert (link.lstat().st_mtime, target.stat().st_mtime) == (1000.0, 100.0)
    os.utime(target, (5000.0, 5000.0))
    with pytest.raises(ConfigError, match=r"^link: it is dated in the future"):
        dates.bring_to_now(["link"], now=1000.0)
    assert target.stat().st_mtime == 5000.0


def test_jobs_without_inputs_keep_their_dates(tmp_path):
    output = dated(tmp_path / "output", 200.0)
    dates.date_after([], [output])
    assert output.stat().st_mtime == 200.0


def test_the_check_of_snakemake_comes_after(tmp_path):
    class Graph:
        async def check_output_mtime(self, job, outputs):
            self.seen = [path.stat().st_mtime for path in outputs]

    job = SimpleNamespace(input=[dated(tmp_path / "input", 200.0)])
    assert dates.keep_order(Graph)
    graph = Graph()
    asyncio.run(graph.check_output_mtime(job, [dated(tmp_path / "output", 100.0)]))
    assert graph.seen == [200.0]
    assert not dates.keep_order(object)
