"""Rivals of the benchmarks train what isobath trains, and docs/speed.md shows the numbers that were measured."""

import sys

import numpy as np
import pytest
import tables
import training
from turns import Contender, NotMeasured, in_turns, ratio


def test_rivals_end_with_our_weights():
    silent = training.checked(lambda line: None, ["loop", "numpy", "baddbmm"])
    assert set(silent) == {"loop", "numpy", "baddbmm"}


def test_a_rival_that_trains_something_else_is_refused(monkeypatch):
    of_rivals = training.weights
    monkeypatch.setattr(
        training, "weights", lambda name, cache: [w + (name != "ours") for w in of_rivals("numpy", cache)]
    )
    with pytest.raises(ValueError, match="numpy trains something else: weights differ by 1"):
        training.checked(lambda line: None, ["numpy"])


def test_kernels_of_rivals_are_ours():
    found = []
    for module in ("kernel_ours", "kernel_numpy"):
        contender = Contender(module)
        found.append(np.array(contender.ask(kernel={"n": 300, "m": 140, "d": 9, "depth": 3})))
        contender.close()
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)


def test_a_rival_that_cannot_be_had_is_named_with_its_reason(monkeypatch):
    with pytest.raises(NotMeasured, match="no Python at /nowhere/python"):
        Contender("jax_scan", "/nowhere/python")
    with pytest.raises(NotMeasured, match=r"ModuleNotFoundError.*rivals\.nobody"):
        Contender("nobody", sys.executable)
    assert "Not measured: JAX, vmap (no Python)." in tables.missing([{"jax": "no Python"}])


def test_ratios_are_of_the_same_turn():
    assert ratio([2.0, 4.0, 12.0], [1.0, 4.0, 4.0]) == (2, 1.5, 2.5, 1, 3)


def test_contenders_work_in_turns():
    contender = Contender("gemm", library="numpy", dtype="float32")
    contender.ask(work={})
    rates = in_turns({"gemm": contender}, turns=2, seconds=0.01)["gemm"]
    contender.close()
    assert len(rates.cpu) == len(rates.wall) == 2
    assert min(rates.cpu) > 1e9


@pytest.mark.parametrize(("file", "text"), [(tables.PAGE, tables.page), (tables.README, tables.headline)])
def test_pages_show_what_was_measured(file, text):
    shown = file.read_text(encoding="utf-8").split(tables.BEGIN)[1].split(tables.END)[0]
    assert shown == text(tables.read())
