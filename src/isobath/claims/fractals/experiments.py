"""Claims about networks that were trained: section 5 of Malach & Shalev-Shwartz."""

from collections.abc import Iterator
from functools import partial, reduce

import numpy as np
import xarray as xr

from isobath.analysis.verdicts import Estimate, Part, claim
from isobath.claims.fractals.measures import (
    CHANCE,
    DRASTIC,
    GOOD,
    HARDLY,
    NEARLY,
    At,
    Trained,
    asked,
    by_rule,
)

COARSE = 1  # the curve whose negatives are spread evenly over levels


def _ends(trained: Trained, task: str, width: int) -> tuple[At, At]:
    """The shallowest and the deepest networks of a width."""
    shapes = trained.shapes(task)
    shallow, deep = ({"task": task, "depth": depth, "width": width} for depth in (min(shapes), max(shapes)))
    return shallow, deep


def _shared_widths(trained: Trained, task: str) -> list[int]:
    """The widths at which both the shallowest and the deepest networks were trained."""
    shapes = trained.shapes(task)
    return [w for w in shapes[min(shapes)] if w in shapes[max(shapes)]] if len(shapes) > 1 else []


def _widest(trained: Trained, task: str) -> At:
    """The widest of the deepest networks."""
    depth, widths = max(trained.shapes(task).items())
    return {"task": task, "depth": depth, "width": max(widths)}


def _from_coarse_to_fine(trained: Trained, **kind: str) -> list[str]:
    return sorted(trained.tasks(**kind), key=trained.fineness)


@claim(
    "On the coarse curve deeper networks perform better.",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 4",
    statistic="error of the shallowest minus that of the deepest networks, at each width",
)
def deeper_is_better(tree: xr.DataTree) -> list[Part]:
    def parts(trained: Trained) -> Iterator[Part]:
        for task in trained.tasks(curve=COARSE):
            for width in _shared_widths(trained, task):
                yield from by_rule(f"width {width}", trained.gap, *_ends(trained, task, width), above=0)

    return asked(tree, "depth", parts)


@claim(
    "On the coarse curve deeper networks use their parameters better.",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 4",
    statistic="error of the widest shallowest networks minus that of the widest of a depth with no more parameters",
)
def depth_uses_parameters_better(tree: xr.DataTree) -> list[Part]:
    def parts(trained: Trained) -> Iterator[Part]:
        for task in trained.tasks(curve=COARSE):
            (least, some), *deeper = trained.shapes(task).items()
            shallow = {"task": task, "depth": least, "width": max(some)}
            cells = [[{"task": task, "depth": depth, "width": w} for w in widths] for depth, widths in deeper]
            budget = trained.parameters(shallow)
            for fitting in ([cell for cell in row if trained.parameters(cell) <= budget] for row in cells):
                if fitting:
                    label = f"depth {fitting[-1]['depth']}, width {fitting[-1]['width']}"
                    yield from by_rule(label, trained.gap, shallow, fitting[-1], above=0)

    return asked(tree, "depth", parts)


@claim(
    "A wide enough network of the depth of the fractal gets almost zero error on the coarse curve.",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 4",
    statistic=f"error of the widest of the deepest networks, claimed to be below {NEARLY:g}",
)
def wide_deep_networks_nearly_solve_it(tree: xr.DataTree) -> list[Part]:
    def parts(trained: Trained) -> Iterator[Part]:
        for task in trained.tasks(curve=COARSE):
            cell = _widest(trained, task)
            yield from by_rule(f"depth {cell['depth']}, width {cell['width']}", trained.error, cell, below=NEARLY)

    return asked(tree, "depth", parts)


@claim(
    "The finer the curve, the worse the best of the deepest networks; a fine one degrades it drastically.",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 5",
    statistic="slope of the error, at its best width, against 1 - P(j), mean over levels; "
    f"error on the finest curve minus that on the coarse one, claimed to be above {DRASTIC:g}",
)
def error_grows_with_fineness(tree: xr.DataTree) -> list[Part]:
    def parts(trained: Trained) -> Iterator[Part]:
        cells = [{"task": t, "depth": max(trained.shapes(t))} for t in _from_coarse_to_fine(trained)]
        if len(cells) < 2:
            return
        fineness = np.array([trained.fineness(str(cell["task"])) for cell in cells])
        yield from by_rule("slope", partial(_slope, trained, fineness), *cells, over=("width",), above=0)
        coarse, *_, fine = cells
        label = f"{fine['task']} against {coarse['task']}"
        yield from by_rule(label, trained.gap, fine, coarse, over=("width",), above=DRASTIC)

    return asked(tree, "curves", parts)


def _slope(trained: Trained, x: np.ndarray, rule: str, *cells: At, over: tuple[str, ...]) -> Estimate:
    """By least squares, of the errors of the cells against x."""
    away = x - x.mean()
    errors = (trained.error(rule, cell, over=over) for cell in cells)
    weighted = (error * float(share) for error, share in zip(errors, away / (away**2).sum(), strict=True))
    return reduce(Estimate.__add__, weighted)


@claim(
    "On the fine Vicsek distribution of depth 6 all networks are slightly better than chance, whatever their depth.",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 6",
    statistic=f"error at the best depth and width, within {CHANCE:g} of 1/2; what depth gains at the largest width",
)
def fine_distribution_is_not_learned(tree: xr.DataTree) -> list[Part]:
    def parts(trained: Trained) -> Iterator[Part]:
        for task in trained.tasks():
            how = {"over": ("depth", "width"), "above": 0.5 - CHANCE}
            yield from by_rule("best depth and width", trained.error, {"task": task}, **how)
            for width in _shared_widths(trained, task)[-1:]:
                ends = _ends(trained, task, width)
                yield from by_rule(f"gain of depth, width {width}", trained.gap, *ends, below=CHANCE)

    return asked(tree, "fine", parts)


@claim(
    "Depth helps on every fractal.",
    source="Malach & Shalev-Shwartz, section 5 and Tables 1 and 2",
    statistic="error of the shallowest minus that of the deepest networks on the coarse curve, at the largest width",
)
def depth_helps_on_every_fractal(tree: xr.DataTree) -> list[Part]:
    def parts(trained: Trained) -> Iterator[Part]:
        for task in trained.tasks(curve=COARSE):
            for width in _shared_widths(trained, task)[-1:]:
                yield from by_rule(task, trained.gap, *_ends(trained, task, width), above=0)

    return asked(tree, "fractals", parts)


@claim(
    "The approximation curve matters on all fractals but the Sierpinsky triangle.",
    source="Malach & Shalev-Shwartz, section 5 and Tables 1 and 2",
    statistic="error on the finest curve minus that on the coarse one, deepest networks of the largest width",
)
def curve_matters_on_other_fractals(tree: xr.DataTree) -> list[Part]:
    def parts(trained: Trained) -> Iterator[Part]:
        systems = dict.fromkeys(trained.known[task]["system"] for task in trained.tasks())
        for system in (name for name in systems if name != "sierpinsky"):
            coarse, *finer = _from_coarse_to_fine(trained, system=system)
            for fine in finer[-1:]:
                cells = _widest(trained, fine), _widest(trained, coarse)
                yield from by_rule(f"{fine} against {coarse}", trained.gap, *cells, above=0)

    return asked(tree, "fractals", parts)


@claim(
    "On the Sierpinsky triangle the curve seems to have no effect where the network is wide enough.",
    source="Malach & Shalev-Shwartz, section 5 and Tables 1 and 2",
    statistic=f"error on a finer curve minus that on the coarse one, deepest and widest networks, below {HARDLY:g}",
)
def sierpinsky_hardly_feels_the_curve(tree: xr.DataTree) -> list[Part]:
    def parts(trained: Trained) -> Iterator[Part]:
        tasks = _from_coarse_to_fine(trained, system="sierpinsky")
        for fine in tasks[1:]:
            cells = _widest(trained, fine), _widest(trained, tasks[0])
            yield from by_rule(f"{fine} against {tasks[0]}", trained.gap, *cells, below=HARDLY)

    return asked(tree, "fractals", parts)


@claim(
    "CIFAR-10 is like a coarse curve: deeper networks are better, and a shallow one is already good.",
    source="Malach & Shalev-Shwartz, section 5 and Fig. 7",
    statistic=f"error of the shallowest minus that of the deepest, and minus that of {GOOD:.0%} of its gain on chance",
    whole=True,
)
def cifar_is_like_a_coarse_curve(tree: xr.DataTree) -> list[Part]:
    def parts(trained: Trained) -> Iterator[Part]:
        for task in trained.tasks():
            for width in _shared_widths(trained, task)[-1:]:
                ends = _ends(trained, task, width)
                yield from by_rule(f"gain of depth, width {width}", trained.gap, *ends, above=0)
                yield from by_rule(f"shallow networks, width {width}", partial(_lacking, trained), *ends, below=0)

    return asked(tree, "cifar", parts)


def _lacking(trained: Trained, rule: str, shallow: At, deep: At) -> Estimate:
    """The error of the shallow networks minus one that is good, seen from chance, which is 0.9 of ten classes."""
    return trained.error(rule, shallow) - (Estimate(0.9) * (1 - GOOD) + trained.error(rule, deep) * GOOD)
