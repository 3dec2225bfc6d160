"""An archive tells neither where nor by whom it was made."""

import os
import shutil
import zipfile
from pathlib import Path

import pytest
import yaml
from archives import SMALL, run_archive
from house import edit

from isobath.archive import privacy
from isobath.operations.archive import ArchiveError, archive
from isobath.operations.arguments import load_run


@pytest.mark.parametrize("absent", [KeyError("getpwuid(): uid not found: 4711"), OSError("No username set")])
def test_a_user_without_name_or_home_can_archive(small_house, monkeypatch, absent):
    def unknown(*_):
        raise absent

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(privacy.getpass, "getuser", unknown)
    monkeypatch.setattr(privacy.Path, "home", homeless)
    assert archive(load_run(small_house / "results/smoke", SMALL), cells=False, incomplete=False)


def test_it_tells_neither_where_nor_by_whom_it_was_made(small_house, tmp_path):
    home = tmp_path / "zaphod"
    home.mkdir()
    shutil.rmtree(small_house / "logs")
    files = run_archive(small_house, HOME=str(home), USER="zaphod", LOGNAME="zaphod", API_KEY="beeblebrox")
    told = [str(small_house), str(Path.home()) + "/", str(tmp_path), os.uname().nodename + ".", "zaphod", "beeblebrox"]
    for file in files:
        assert {info.date_time for info in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        for name in file.namelist():
            assert not [word for word in told if word.encode() in file.read(name)], name


@pytest.mark.parametrize(
    "secret", ["{small_house}/data", "/home/zaphod/mnist", "/Users/zaphod", "ghp_" + "a1B2" * 9, "zaphod@heartofgold"]
)
def test_what_would_tell_is_refused(small_house, monkeypatch, secret):
    monkeypatch.setattr(privacy.getpass, "getuser", lambda: "zaphod")
    monkeypatch.setattr(privacy.socket, "gethostname", lambda: "heartofgold")
    secret = secret.format(small_house=small_house)
    edit(small_house, "workflow/studies/small/study.yaml", "title:", f"# {secret}\ntitle:")
    with pytest.raises(ArchiveError, match=r"workflow/studies/small/study.yaml contains .* must not tell"):
        archive(load_run(small_house / "results/smoke", SMALL), cells=False, incomplete=False)
    assert not list((small_house / "results").glob("*.zip"))


def test_the_folder_of_data_files_stays_at_home(small_house, tmp_path):
    run = load_run(small_house / "results/smoke", {**SMALL, "data": str(tmp_path), "seeds_per_job": 5})
    (path,) = archive(run, cells=False, incomplete=False)
    with zipfile.ZipFile(path) as file:
        asked = yaml.safe_load(file.read("config.yaml"))
    assert (asked["studies"], asked["scale"], asked["seeds_per_job"]) == (["small"], "smoke", 5)
    assert "data" not in asked


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_that_is_no_archive_is_not_replaced(small_house, packed):
    """Once it was, whatever it held."""
    place, run = small_house / "results/isobath-smoke.zip", load_run(small_house / "results/smoke", SMALL)
    if packed:
        with zipfile.ZipFile(place, "w") as mine:
            mine.writestr("thesis.txt", "mine")
    else:
        place.write_text("mine")
    before = place.read_bytes()
    with pytest.raises(
        ArchiveError, match=r"isobath-smoke\.zip is there and is no archive of isobath, or a .*; move it"
    ):
        archive(run, cells=False, incomplete=False)
    assert place.read_bytes() == before
    place.unlink()
    for _ in range(2):  # an archive is made anew
        assert archive(run, cells=False, incomplete=False) == [place]


def test_studies_that_the_page_does_not_show_are_named(small_house):
    """Once running the workflow was advised, which had nothing to do."""
    shutil.copytree(small_house / "results/smoke/small", small_house / "results/smoke/width")
    run = load_run(small_house / "results/smoke", {})
    assert "width" in run.config.studies
    edit(small_house, "config.yaml", "studies: [", "studies: [small] # [")
    with pytest.raises(ArchiveError, match=r"--config 'studies=\[small\]' archives without them"):
        archive(load_run(small_house / "results/smoke", {}), cells=False, incomplete=False)
