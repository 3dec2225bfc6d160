"""Rivals of the benchmarks train what isobath trains, and pages show the numbers that were measured."""

import sys
from importlib import import_module

import numpy as np
import pytest
import tables
import training
import worker
from turns import Contender, NotMeasured, in_turns, ratio


@pytest.mark.slow
@pytest.mark.parametrize("name", ["torch_loop", "numpy_by_hand", "torch_baddbmm"])
@pytest.mark.parametrize("case", training.CHECKS, ids=str)
def test_rivals_end_with_our_weights(name, case):
    theirs, ours = (worker.ended(import_module(f"rivals.{n}"), case, {}, epochs=3) for n in (name, "ours"))
    for w, own in zip(theirs, ours, strict=True):
        np.testing.assert_allclose(w, own, rtol=0, atol=1e-8)


@pytest.mark.parametrize("difference", [1e-7, np.nan])
def test_a_rival_that_trains_something_else_is_refused(monkeypatch, difference):
    def weights(name):
        return [np.zeros(3) + (0 if name == "ours" else difference)]

    monkeypatch.setattr(training, "weights", weights)
    assert training.checked(print, ["ours"]) == {"ours": 0}
    with pytest.raises(ValueError, match=r"numpy trains something else: weights differ by (1e-07|nan)"):
        training.checked(print, ["numpy"])


@pytest.mark.parametrize("by", ["printed", "in_place"])
def test_kernels_of_rivals_are_ours(by):
    shape = {"n": 300, "m": 140, "d": 9, "depth": 3}
    theirs = worker.kernel(import_module("rivals.kernel_numpy"), {"by": by}, **shape)()
    ours = worker.kernel(import_module("rivals.kernel_ours"), {}, **shape)()
    np.testing.assert_allclose(theirs, ours, rtol=1e-12)


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
