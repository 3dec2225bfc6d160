"""Environment variables of a job: one without a meaning is refused by its name, before any compute."""

import os

import pytest

from isobath.jobs import variables


@pytest.fixture(autouse=True)
def _unset(monkeypatch):
    for name in variables.RULES:
        monkeypatch.setenv(name, "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("OMP_NUM_THREADS", value) for value in ("0", "abc", "-1", ",2", "1.5", "9" * 5000)),
        *(("ISOBATH_SAVE_EVERY", value) for value in ("often", "-1", "nan", "inf")),
        *(("ISOBATH_TIME_LIMIT", value) for value in ("1:00", "-5", "nan")),
        *(("ISOBATH_DEVICE", value) for value in ("gpu", "cuda:x", "CPU")),
    ],
)
def test_a_variable_that_means_nothing_is_refused_by_name(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(variables.VariableError, match=rf"^\${name} is '.*'; it must be ") as refused:
        variables.check()
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(("value", "threads"), [("4,2", "4"), ("3", "3"), (" 2 , 1", "2"), ("", None)])
def test_the_first_of_a_list_of_threads_counts(monkeypatch, value, threads):
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    for name, fine in (("ISOBATH_SAVE_EVERY", "0.5"), ("ISOBATH_TIME_LIMIT", "0"), ("ISOBATH_DEVICE", "cuda:1")):
        monkeypatch.setenv(name, fine)
    variables.check()
    assert os.environ.get("OMP_NUM_THREADS") == threads
