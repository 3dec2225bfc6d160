"""The commit of a workflow and of the folders of one's own, and whether they have changed since."""

import subprocess

import pytest
from findings_runs import claim, run
from own_folders import CLAIM, own, write

from isobath import roots
from isobath.disk import commits
from isobath.findings import gathering

JUDGED = claim("majority_is_learned", own=True, verdict="holds")


@pytest.fixture(autouse=True)
def _roots():
    yield
    roots.use([])


def git(folder, *words):
    about = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *about, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def committed(folder):
    """Make a folder a repository of all that it has, and return its commit."""
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all")
    return git(folder, "rev-parse", "HEAD")


def ledger(folder):
    return gathering.gather([run(folder, JUDGED, study="waves")], folder).ledger


@pytest.mark.parametrize(
    ("file", "changes"),
    [
        ("claims/waves.py", True),
        ("studies/waves/smoke.yaml", True),
        ("studies/waves/new.yaml", True),
        ("tests/test_waves.py", False),
        ("tasks/__pycache__/majority.pyc", False),
        ("notes.md", False),
        ("studies/waves/findings.md", False),
    ],
)
def test_edits_of_ones_own_folder_are_said_but_not_those_of_its_tests_and_texts(tmp_path, file, changes):
    folder = own(tmp_path)
    commit = committed(folder)
    roots.use([folder / "own"])
    assert commits.of(folder) == (commit, False)
    write(folder / "own", {file: "{}\n# edited\n"})
    assert commits.of(folder) == (commit, changes)
    assert commits.own_changed() == changes


def test_the_commit_is_that_which_changed_ones_own_folder_last(tmp_path):
    folder = own(tmp_path)
    first = committed(folder)
    roots.use([folder / "own"])
    write(folder / "own", {"tests/test_waves.py": ""})
    committed(folder)
    assert commits.of(folder) == (first, False)
    write(folder / "own", {"claims/waves.py": f"{CLAIM}\n# edited\n"})
    last = committed(folder)
    assert first != last
    assert commits.of(folder) == (last, False)


def test_findings_say_edits_of_an_own_folder_in_another_repository(tmp_path):
    folder = own(tmp_path / "run")
    (folder / "own").rename(tmp_path / "own")
    commits_of_both = [committed(tmp_path / name) for name in ("run", "own")]
    roots.use([tmp_path / "own"])
    found = ledger(folder)
    assert (found.commit, found.changed) == (commits_of_both[0], False)
    write(tmp_path / "own", {"claims/waves.py": f"{CLAIM}\n# edited\n"})
    assert ledger(folder).changed
    assert commits.of(folder) == (commits_of_both[0], False)


def test_without_a_repository_nothing_is_said(tmp_path):
    folder = own(tmp_path)
    roots.use([folder / "own"])
    assert commits.of(folder) == ("", False)
    assert not commits.own_changed()
