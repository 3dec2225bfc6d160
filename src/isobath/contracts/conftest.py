"""Surroundings of the contract tests: one thread, as jobs have."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything imports NumPy or torch

import pytest

NO_KIND = "NOTSET"  # what pytest calls the one test of a family without a kind


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of families without a kind in one's own work: pytest would show them as skipped."""
    without = [item for item in items if NO_KIND in item.name]
    items[:] = [item for item in items if NO_KIND not in item.name]
    config.hook.pytest_deselected(items=without)
