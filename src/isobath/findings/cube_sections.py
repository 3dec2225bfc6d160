"""Sections of a study's page with numbers of its cubes that no claim judges, of all runs and grids."""

from collections.abc import Iterator

from isobath.findings import markdown
from isobath.findings.contents import Findings
from isobath.findings.ledger import Cube, Threshold, Variance

THRESHOLDS = ("run", "grid", "task", "protocol", "L", "samples", "N\\*", "95 % interval")
VARIANCES = (
    *("run", "grid", "task", "L", "width", "samples", "data sets", "origin"),
    *("standard deviation", "95 % interval", "share of the variance", "95 % interval"),
)


def lines(findings: Findings, study: str) -> Iterator[str]:
    """Yield the jamming thresholds and the origins of variances that are known; nothing if there are none."""
    cubes = [
        (run.name, grid, cube)
        for run in findings.ledger.runs
        if study in run.studies
        for grid, cube in run.studies[study].cubes.items()
    ]
    yield from _thresholds(cubes)
    yield from _variances(cubes)


def _thresholds(cubes: list[tuple[str, str, Cube]]) -> Iterator[str]:
    text = "N\\* is a number of weights, above which networks fit their training samples."
    rows = [[run, grid, *_threshold(each)] for run, grid, cube in cubes for each in cube.thresholds]
    if rows:
        yield from ("## Jamming thresholds", "", text, "")
        yield from markdown.table(THRESHOLDS, rows, right=THRESHOLDS[4:7])


def _variances(cubes: list[tuple[str, str, Cube]]) -> Iterator[str]:
    text = (
        "The test error of one network varies with its data set, with the search for the learning rate on it, and with "
        "its start: the standard deviation that each brings, and its share of the variance."
    )
    rows = [[run, grid, *_variance(each)] for run, grid, cube in cubes for each in cube.variances]
    if rows:
        yield from ("## Origins of the variance of a test error", "", text, "")
        yield from markdown.table(VARIANCES, rows, right=(*VARIANCES[3:7], VARIANCES[8], VARIANCES[10]))


def _threshold(each: Threshold) -> Iterator[str]:
    yield from (each.task, each.protocol, str(each.depth), str(each.n_train))
    yield from (f"{each.threshold:.0f}", f"\\[{each.low:.0f}, {each.high:.0f}\\]")


def _variance(each: Variance) -> Iterator[str]:
    yield from (each.task, str(each.depth), str(each.width), str(each.n_train), str(each.data_sets), each.origin)
    yield from (f"{each.sd:.4f}", f"\\[{each.sd_low:.4f}, {each.sd_high:.4f}\\]")
    yield from (f"{each.share:.2f}", f"\\[{each.low:.2f}, {each.high:.2f}\\]")
