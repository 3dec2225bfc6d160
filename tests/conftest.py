"""Fixtures that several test files share."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

os.environ.setdefault("OMP_NUM_THREADS", "1")  # as jobs have; before anything imports NumPy or torch

from house import copy, snakemake
from slurm import cluster
from small import small

OF_RUNS = ("small_built", "small_house", "def failed", "mark.runs")  # one of these stands in each file with such tests


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass over the files without a test of a run where no others are asked for: each worker would import them all."""
    asked = re.fullmatch(r"runs( and (not )?\w+)*", str(config.getoption("markexpr")))
    is_test = collection_path.match("test_*.py") and collection_path.is_file()
    return True if asked and is_test and not _has_runs(collection_path) else None


def _has_runs(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    return any(word in text for word in OF_RUNS)


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of a run of seconds, and begin with the files that run a whole or a failing workflow.

    These take longest, and the last one would keep a worker waiting.
    """
    fixtures = {item: {*getattr(item, "fixturenames", ())} for item in items}
    for item in (item for item in items if {"small_built", "failed"} & fixtures[item]):
        item.add_marker("runs")
    runs = {item.path for item in items if item.get_closest_marker("runs")}
    if lacking := [path for path in runs if not _has_runs(path)]:
        sentence = f"{lacking[0]} has tests of runs; it must have one of the words {', '.join(OF_RUNS)}"
        print(sentence, file=sys.stderr)  # workers keep an error to themselves
        raise pytest.UsageError(sentence)
    longest = {item.path for item in items if {"built", "failed"} & fixtures[item]}
    items.sort(key=lambda item: 0 if item.path in longest else 1 if item.path in runs else 2)


@pytest.fixture(scope="session")
def small_built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a house in which the study of seconds has been run, once for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "small"
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / "made").exists():
            run = snakemake(small(folder), study="small")
            assert run.returncode == 0, run.stderr
            (folder / "made").touch()
    return folder / "isobath"


@pytest.fixture
def small_house(small_built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the house of the study of seconds, to be edited; its plug-ins are those of this process."""
    house = copy(small_built, tmp_path / "isobath")
    monkeypatch.setattr("isobath.plugins.PACKAGE", house / "src/isobath")
    return house


@pytest.fixture(autouse=True)
def _denormal_numbers() -> Iterator[None]:
    """Restore the treatment of denormal numbers: a stage that ran in this process flushes them to zero."""
    yield
    if "torch" in sys.modules:
        sys.modules["torch"].set_flush_denormal(False)


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Return the environment in which a cluster is found."""
    if reason := cluster.install():
        pytest.skip(reason)
    with cluster.running(tmp_path_factory.mktemp("slurm")) as environment:
        yield environment
