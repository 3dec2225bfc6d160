"""Rows of the comparison in training: the time of each case beside the times of its rivals."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from cases import Case
from turns import SOURCE, Contender, NotMeasured, in_turns, ratio

ROOT = Path(__file__).parent.parent.parent
JAX = os.environ.get("BENCH_JAX", str(ROOT / ".venv-bench/bin/python"))

FRACTALS = {"samples": 10_000, "batch": 100, "optimiser": "adam", "loss": "linear_hinge"}
WHOLE = {"samples": 1000, "batch": 1000, "optimiser": "adam", "loss": "squared_hinge", "dtype": "float64"}
CASES = [
    Case("fractals", 2, 5, 40, 6, job=24_000, **FRACTALS),  # the grid `curves` of the demo
    Case("fractals", 2, 5, 40, 19, job=6000, **FRACTALS),  # its grid `fine`
    Case("fractals", 2, 4, 10, 50, job=2000, samples=1000, optimiser="adam", loss="linear_hinge"),
    Case("width", 10, 5, 57, 20, job=10_000, **WHOLE),
    Case("locality", 40, 1, 100, 50, job=4000),  # 200 epochs
    Case("locality", 100, 7, 100, 19, job=4000),
    Case("locality", 100, 1, 500, 26, job=4000),
    Case("locality", 500, 7, 100, 4, job=4000),
    Case("locality", 500, 7, 500, 4),
]

# Rivals by name: their module below rivals/, their Python, their settings.
RIVALS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "ours": ("ours", sys.executable, {}),
    "loop": ("torch_loop", sys.executable, {}),
    "numpy": ("numpy_by_hand", sys.executable, {}),
    "baddbmm": ("torch_baddbmm", sys.executable, {}),
    "compiled": ("torch_compiled", sys.executable, {"options": {"cpp_wrapper": True}}),
    "jax": ("jax_scan", JAX, {}),
    "jax_map": ("jax_scan", JAX, {"networks": "map"}),
}
PRODUCTS = ("products", sys.executable, {})  # no rival: our step without all that is no product
COMPILED = ("ours", "compiled", "jax", "jax_map")


@contextmanager
def started(name: str, cache: Path | None = None, source: Path = SOURCE) -> Iterator[Contender]:
    """Run a contender while the block lasts."""
    module, python, settings = (RIVALS | {"products": PRODUCTS})[name]
    contender = Contender(module, python, cache=cache, source=source, **settings)
    try:
        yield contender
    finally:
        contender.close()


def first_epochs(name: str, case: Case, cache: Path, source: Path) -> float:
    """Return the CPU seconds of preparing and of a first epoch where nothing is compiled yet."""
    with started(name, cache, source) as contender:
        return float(contender.ask(train=case.data())["cpu"])


def best_gemm(dtype: str) -> dict[str, Any]:
    """Return the library whose product of matrices is the fastest here, after a few turns, as settings of a rival."""
    with ExitStack() as stack:
        contenders = {}
        for library in ("numpy", "torch", "scipy"):
            contenders[library] = Contender("gemm", library=library, dtype=dtype)
            stack.callback(contenders[library].close)
            contenders[library].ask(work={})
        found = in_turns(contenders, turns=5, seconds=0.2)
    return {"library": max(found, key=lambda library: median(found[library].cpu)), "dtype": dtype}


def row(case: Case, gemm: dict[str, Any], source: Path, *, turns: int, seconds: float) -> dict[str, Any]:
    """Return the rates of a case and the ratios to its rivals; rivals that cannot be had are named with a reason.

    ``source`` is the folder of isobath for all cases: what it compiles serves all shapes.
    """
    found: dict[str, Any] = {"case": case.data(), "text": str(case), "first": {}, "not_measured": {}}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        contenders = {}
        for name in RIVALS:
            try:
                cache = Path(folder) / name
                cold = first_epochs(name, case, cache, source) if name in COMPILED else None
                contender = stack.enter_context(started(name, cache, source))
                warm = contender.ask(train=case.data())["cpu"]
            except NotMeasured as reason:
                found["not_measured"][name] = str(reason)
                continue
            contenders[name], found["first"][name] = contender, {"cold": cold, "warm": warm}
        contenders["gemm"] = stack.enter_context(multiplying(gemm))
        rates = in_turns(contenders, turns=turns, seconds=seconds)
    found |= {"gemm": gemm["library"], "rate": {name: median(of.cpu) for name, of in rates.items()}}
    ours, multiplied = rates.pop("ours"), rates.pop("gemm")
    for clock in ("cpu", "wall"):
        own = getattr(ours, clock)
        found[clock] = {name: ratio(own, getattr(of, clock))._asdict() for name, of in rates.items()}
    found["of_gemm"] = ratio([r * case.operations for r in ours.cpu], multiplied.cpu)._asdict()
    return found


@contextmanager
def multiplying(gemm: dict[str, Any]) -> Iterator[Contender]:
    contender = Contender("gemm", **gemm)
    contender.ask(work={})
    yield contender
    contender.close()


def fresh_source(folder: Path) -> Path:
    """Return a copy of isobath's sources that nothing has been compiled from."""
    return Path(shutil.copytree(SOURCE, folder / "src", ignore=shutil.ignore_patterns("__pycache__")))


CHECKS = [
    Case("check", 5, 2, 7, 3, 60, 20, "sgd", "cross_entropy", "float64"),
    Case("check", 5, 2, 7, 3, 60, 20, "adam", "linear_hinge", "float64"),
    Case("check", 5, 2, 7, 3, 60, 60, "adam", "squared_hinge", "float64"),
]


def weights(name: str) -> list[np.ndarray]:
    """Return the weights of a contender after three epochs of each check in the orders of isobath."""
    with started(name) as contender:
        return [np.array(w) for case in CHECKS for w in contender.ask(weights=case.data(), epochs=3)]


def checked(say: Callable[[str], None], names: Iterable[str] = RIVALS) -> dict[str, float]:
    """Return by how much weights differ from ours at most; refuse rivals that train something else (ValueError)."""
    found: dict[str, float] = {}
    ours = weights("ours")
    for name in names:
        try:
            pairs = zip(weights(name), ours, strict=True)
        except NotMeasured as reason:
            say(f"{name}: not measured: {reason}")
            continue
        found[name] = max(float(np.abs(theirs - own).max()) for theirs, own in pairs)
        if not found[name] < 1e-8:
            raise ValueError(f"{name} trains something else: weights differ by {found[name]:.2g}")
    return found


def measured(say: Callable[[str], None], *, turns: int = 7, seconds: float = 0.3) -> Iterator[dict[str, Any]]:
    """Yield the rows measured so far, and how far the rivals' weights are from ours after the same steps."""
    found: dict[str, Any] = {"checked": checked(say), "turns": turns, "rows": []}
    gemms = {dtype: best_gemm(dtype) for dtype in ("float32", "float64")}
    with tempfile.TemporaryDirectory() as folder:
        source = fresh_source(Path(folder))
        for case in CASES:
            found["rows"].append(row(case, gemms[case.dtype], source, turns=turns, seconds=seconds))
            ratios = {name: round(of["median"], 2) for name, of in found["rows"][-1]["cpu"].items()}
            say(f"{case}, R={case.networks}: {ratios} {found['rows'][-1]['not_measured'] or ''}")
            yield found


def share_of_products(case: Case, *, turns: int, seconds: float) -> dict[str, Any]:
    """Return the part of the time of our steps that their products take, each product as fast as in our own code."""
    with ExitStack() as stack:
        contenders = {name: stack.enter_context(started(name)) for name in ("ours", "products")}
        for contender in contenders.values():
            contender.ask(train=case.data())
        rates = in_turns(contenders, turns=turns, seconds=seconds)
    return {"case": case.data(), "text": str(case), "share": ratio(rates["ours"].cpu, rates["products"].cpu)._asdict()}


def limits(say: Callable[[str], None], *, turns: int = 9, seconds: float = 0.2) -> Iterator[dict[str, Any]]:
    """Yield for each case how much of our time is products of matrices."""
    rows = []
    for case in CASES:
        rows.append(share_of_products(case, turns=turns, seconds=seconds))
        say(f"products of {case}: {rows[-1]['share']}")
        yield {"turns": turns, "rows": rows}
