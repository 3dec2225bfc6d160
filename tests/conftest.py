"""Fixtures that several test files share."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

os.environ.setdefault("OMP_NUM_THREADS", "1")  # as jobs have; before anything imports NumPy or torch

from house import copy, snakemake
from slurm import cluster
from small import small


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of a run of seconds, and begin with the files that run a workflow.

    These take longest, and the last one would keep a worker waiting.
    """
    fixtures = {item: {*getattr(item, "fixturenames", ())} for item in items}
    for item in (item for item in items if {"small_built", "failed"} & fixtures[item]):
        item.add_marker("runs")
    first = {item.path for item in items if {"built", "small_built"} & fixtures[item]}
    items.sort(key=lambda item: item.path not in first)


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
