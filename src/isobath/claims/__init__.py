"""Claims of the sources: a statement, and criteria by which the cubes of a study speak for or against it.

A claim is a function of ``claims/<study>.py``, or of a file in ``claims/<study>/``, with the decorator
``isobath.analysis.verdicts.claim``, which says the statement (a sentence without its full stop), where the source
makes it, and what is measured. The name of the function is that of the claim, under ``claims:`` of the study.

The function takes the cubes of the study as one tree, with a node per grid, and returns criteria: measured numbers
with the bounds that the statement sets them. It reads cubes by ``isobath.analysis.cells.Cells`` alone, and gives each
criterion a label of its own. ``Cells.error``, ``regression``, ``parameter``, ``fitted_fraction`` and ``group`` give
estimates and data; estimates add, subtract, scale and divide (``analysis.estimates``), and ``Estimate.over(values)``
makes one of numbers of one's own. ``criterion(label, measure, *args, above=, below=)`` asks for a measure and says
that it lies above or below; a measure raises ``NotRun`` for cells that were not asked for and ``Undetermined`` for a
number that cannot be had, each with a reason. With ``check=True`` it does not vote. Bounds come from the words of the
source: they stand in ``thresholds.py`` of the study, with the reason for each.
"""

from typing import Protocol

import xarray as xr

from isobath.analysis.verdicts import Criterion


class Criteria(Protocol):
    """The function of a claim, before it is decorated."""

    def __call__(self, tree: xr.DataTree) -> list[Criterion]:
        """Return the criteria of the claim by the cubes in ``tree``; those whose cells are missing say not run."""
