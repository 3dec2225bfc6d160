"""What the claims of Mori & Ueda are measured by.

Deep and shallow are L = 7 and L = 1, as in the paper. What holds "for large N" is judged at the
largest N of a grid. The thresholds that turn words into numbers stand here.
"""

from typing import Any

from isobath.analysis.verdicts import Estimate, Grid, NotRun, Part, average, part

SHALLOW, DEEP = 1, 7
FAILS = 0.40  # "almost completely fails to classify": an error above this
COMPARABLE = 0.05  # "comparable": errors that differ by less than this
ALIKE = 0.15  # "no important difference": less than this fraction of the error
PERFECT = 0.05  # "almost perfectly": an error below this
LEARNS = 0.05  # a gain in error that counts as learning


def tasks_of(grid: Grid, *wanted: tuple[str, int]) -> list[str]:
    """The tasks of the grid that are wanted, as (kind, k); a name to say not run by where there are none."""
    found = []
    for kind, k in wanted:
        fallback = f"{k}-{kind.removeprefix('k_')}"
        try:
            found += grid.tasks(kind, k) or [fallback]
        except NotRun:
            found.append(fallback)
    return found


def common_widths(grid: Grid, task: str, *depths: int) -> list[int]:
    """Widths at which all of the depths were trained, increasing."""
    return sorted(set.intersection(*(set(grid.values("width", task, depth=depth)) for depth in depths)))


def common_cells(grid: Grid, task: str, *depths: int) -> list[dict[str, Any]]:
    """The (task, width, n_train) at which all of the depths were trained; a grid need not be a full product."""
    return [
        {"task": task, "width": width, "n_train": n}
        for width in common_widths(grid, task, *depths)
        for n in grid.values("n_train", task, width=width)
        if all(width in grid.values("width", task, depth=depth, n_train=n) for depth in depths)
    ]


def largest_n(grid: Grid, task: str, **at: Any) -> int:
    sizes = grid.values("n_train", task, **at)
    if not sizes:
        raise NotRun
    return int(sizes[-1])


def depth_gain(grid: Grid, task: str, worse: int, better: int) -> Estimate:
    """Error at depth ``worse`` minus error at depth ``better``, at the largest N, over the common widths."""
    n = largest_n(grid, task)
    cells = [cell for cell in common_cells(grid, task, worse, better) if cell["n_train"] == n]
    return average(grid.error(depth=worse, **cell) - grid.error(depth=better, **cell) for cell in cells)


def narrowest_and_widest(grid: Grid, task: str, depth: int) -> list[tuple[dict[str, Any], int, int]]:
    """Of every N at which several widths were trained: the cell without its width, and the extreme widths."""
    found = []
    for n in grid.values("n_train", task, depth=depth):
        widths = grid.values("width", task, depth=depth, n_train=n)
        if len(widths) > 1:
            found.append(({"task": task, "depth": depth, "n_train": n}, widths[0], widths[-1]))
    return found


def depth_gains(grid: Grid, kind: str, ks: tuple[int, ...], worse: int, better: int) -> list[Part]:
    return [part(t, depth_gain, grid, t, worse, better, above=0) for t in tasks_of(grid, *((kind, k) for k in ks))]


def kernel_minus_network(grid: Grid, task: str, depth: int) -> Estimate:
    """Error of the NTK minus error of the widest networks of the same depth, at the largest N."""
    n = largest_n(grid, task, depth=depth)
    width = grid.values("width", task, depth=depth, n_train=n)[-1]
    at = {"task": task, "depth": depth, "n_train": n}
    return grid.regression(**at) - grid.error(width=width, **at)


def kernel_error(grid: Grid, task: str, depth: int) -> Estimate:
    return grid.regression(task=task, depth=depth, n_train=largest_n(grid, task))
