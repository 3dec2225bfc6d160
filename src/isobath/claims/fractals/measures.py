"""What the claims of Malach & Shalev-Shwartz are measured by.

Every error is given by two rules, which are never mixed: the paper's, the smallest test error on the way and over
rates, and the clean one, chosen on one half of the test set and judged on the other. A claim has to hold
by both. The factors that turn words into numbers stand here.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis import selection
from isobath.analysis.verdicts import Bounded, Estimate, NotRun, Part, part, proportion
from isobath.fractals import approximation_curves

At = Mapping[str, Any]  # a cell, by its task, depth and width
NEARLY = 0.05  # "almost zero error" is below this; the source has .0076
DRASTIC = 0.05  # a "drastic degradation" is above this; the source has .21
HARDLY = 0.05  # "no effect" is within this
CHANCE = 0.05  # "slightly more than" one half is within this of it
GOOD = 0.5  # a "good approximation" has this share of what the best network gains over chance
EXACT = 0.001  # an error of zero is below this: as far as the test set can tell
TINY = 1e-12  # what is zero but for rounding is below this


class Trained:
    """The networks of a grid that has one protocol, one n_train and one draw. Raises NotRun where it has none."""

    def __init__(self, tree: xr.DataTree, grid: str) -> None:
        if grid not in tree.children or "networks" not in tree[grid].children:
            raise NotRun
        group = tree[grid]["networks"].to_dataset()
        self.networks = group.isel(protocol=0, n_train=0, draw=0)
        self.default_n_test = int(group.attrs["n_test"])
        self.known = settings(tree, grid)

    def tasks(self, **wanted: Any) -> list[str]:
        """The tasks with these settings, such as ``curve=1``."""
        tasks: list[str] = self.networks.task.values.tolist()
        return [task for task in tasks if all(self.known[task][name] == value for name, value in wanted.items())]

    def n_test(self, task: str) -> int:
        """The size of a task's test set: its own, or that of the study."""
        return int(self.known[task].get("n_test") or self.default_n_test)

    def fineness(self, task: str) -> float:
        """1 - P(j), mean over levels: the larger, the more of its negatives lie at fine levels."""
        return float(1 - approximation_curves.of_task(self.known[task])[1:].mean())

    def shapes(self, task: str) -> dict[int, list[int]]:
        """The widths that were trained at each depth, both increasing."""
        there = (self.networks.status.sel(task=task) != "missing").any(
            [*{"seed", "learning_rate"} & {*self.networks.dims}]
        )
        found = {int(d): there.width.values[there.sel(depth=d).values].tolist() for d in there.depth.values}
        return {depth: widths for depth, widths in found.items() if widths}

    def parameters(self, at: At) -> float:
        return float(self.networks.n_parameters.sel(at).max())

    def error(self, rule: str, at: At, *, over: tuple[str, ...] = ()) -> Estimate:
        """Mean test error over networks, of what did not diverge; the rule chooses ``over`` these dims as well."""
        values = selection.RULES[rule](self.networks.sel(at), over=(*selection.CHOICES, *over)).values.ravel()
        values = values[np.isfinite(values)]
        if not len(values):
            raise NotRun
        mean = float(values.mean())
        spread = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
        return Estimate(mean, spread, math.sqrt(mean * (1 - mean) / self.n_test(at["task"])), len(values))

    def gap(self, rule: str, one: At, other: At, *, over: tuple[str, ...] = ()) -> Estimate:
        """How much larger the error of one cell is than that of the other."""
        return self.error(rule, one, over=over) - self.error(rule, other, over=over)


def by_rule(label: str, measure: Callable[..., Estimate], *cells: At, **how: Any) -> Iterator[Part]:
    """A part for each rule: what ``measure`` says of cells by this rule, and its bounds."""
    return (part(f"{label}, {rule}", measure, rule, *cells, **how) for rule in selection.RULES)


def asked(tree: xr.DataTree, grid: str, parts: Callable[[Trained], Iterable[Part]]) -> list[Part]:
    """What ``parts`` makes of the networks of a grid; one part that says not run where there are none."""
    try:
        found = list(parts(Trained(tree, grid)))
    except NotRun:
        found = []
    return found or [Part(f"grid {grid}", None)]


def group(tree: xr.DataTree, path: str) -> xr.Dataset:
    """A group of the cube ``theory``. Raises NotRun where it is not there."""
    node = tree
    for name in ("theory", *path.split("/")):
        if name not in node.children:
            raise NotRun
        node = node.children[name]
    return node.to_dataset()


def settings(tree: xr.DataTree, grid: str) -> dict[str, dict[str, Any]]:
    """The settings of the tasks of a grid, off the spec of its cube."""
    return dict(json.loads(tree[grid].attrs["spec"])["tasks"])


def number(value: float) -> Bounded:
    """A number without an error: it was computed."""
    return Bounded(float(value), low=float(value), high=float(value))


def _constructed(tree: xr.DataTree, construction: str) -> list[tuple[str, xr.Dataset]]:
    """The tasks on which a construction was scored, and its numbers there."""
    try:
        table = group(tree, "constructions")
    except NotRun:
        return []
    if construction not in table.construction:
        return []
    rows = table.sel(construction=construction)
    return [(str(task), rows.sel(task=task)) for task in rows.task.values if rows.test_error.sel(task=task).notnull()]


def error_on(row: xr.Dataset, *classes: int) -> Bounded:
    """The error on the samples of ``classes``, of all if none is named."""
    counts = {c: int(row[f"count_of_class{c}"]) for c in classes or (0, 1)}
    wrong = sum(round(float(row[f"error_of_class{c}"]) * n) for c, n in counts.items())
    return proportion(wrong, sum(counts.values()))


def scored(tree: xr.DataTree, construction: str, parts: Callable[[str, xr.Dataset], list[Part]]) -> list[Part]:
    return [p for row in _constructed(tree, construction) for p in parts(*row)] or [Part(construction, None)]
