"""Claims of the sources: a statement, and criteria by which the cubes of a study speak for or against it.

A claim is a function of ``claims/<study>.py``, or of a file in ``claims/<study>/``, with the decorator
``isobath.analysis.verdicts.claim``, which says the statement (a sentence without its full stop), where the source
makes it, and what is measured. The name of the function is that of the claim, under ``claims:`` of the study.

The function takes the cubes of the study as one tree, with a node per grid, and returns criteria: measured numbers
with the bounds that the statement sets them. A claim that no source makes has ``own=True``, and is counted apart.

It reads cubes by ``isobath.analysis.cells.Cells`` alone, and gives each criterion a label of its own. ``Cells.of(tree,
grid, task=..., n_train=...)`` fixes axes for all that follows, and ``cells.error(depth=..., width=...)`` the others:
together every axis but ``draw`` and ``seed`` is fixed, each once; an axis that is left with several values is refused.
``cells.values(axis)`` lists the values of an axis. Estimates come from
- ``cells.error(depth=3, width=100)``, the test error of networks that fit; ``cells.error(FINITE, ...)``, that of all
  that did not diverge; ``cells.error_spread(...)``, its standard deviation over networks;
  ``cells.fitted_fraction(...)``, the share that fit; ``cells.quoted_error(rule, ...)``, the error at the step and rate
  that a rule of ``analysis.selection`` chooses;
- ``cells.regression(kernel="ntk", depth=3, n_train=1000)``, that of a kernel regression; without ``depth`` if the
  kernel has none;
- ``cells.exponent("<law>")``, the exponent of a law that is fitted to the grid, which decides nothing where the law is
  rejected or the exponent drifts; ``cells.parameter("<law>", "c0", free=False)``, a parameter whatever speaks against
  the fit, and ``cells.goodness("<law>", free=False)``, its p-value, NaN where points share data sets or have fewer than
  six networks: whether the form of such a law is right is not tested;
- ``function_of(estimates, function)`` of ``isobath.analysis.functions``, a statistic of several estimates, such as the
  exponent of errors at several sizes, with errors by the delta method;
- ``Estimate.over(values)`` of ``isobath.analysis.estimates``, the mean of numbers of one's own, each taken as
  independent of the others; ``Estimate.over_draws({draw: value}, sample=...)``, the mean over data sets, where
  ``sample`` is the error of a test set that all share (by default 0, as where each has its own);
  ``exactly(value)``, a number without an error, such as a count. These know nothing of networks that were left out, so
  that a verdict on them does not ask for nine in ten.

Estimates add, subtract (``a - b``), scale (``a * 0.5``, the number second) and divide (``a.over_value_of(b)``); those
over the same draws, of networks and of kernels, are paired by data set. ``cells.group(path)`` is the dataset of a
group, such as ``networks`` or one of a kind of result of one's own, with the axes that are not fixed as dims;
``cells.has(path)`` tells whether there is one, and ``cells.paths("calculations/")`` lists those that begin so. The
words of the variable ``status`` are those of ``isobath.statuses``.

``criterion(label, measure, *args, above=, below=, published=, **coords)`` asks for ``measure(*args, **coords)`` and
says that it lies above or below; a measure raises ``NotRun`` for cells that were not asked for and ``Undetermined`` for
a number that cannot be had, each with a reason. With ``check=True`` it does not vote. Bounds come from the words of the
source: they stand in ``thresholds.py`` of the study, with the reason for each.
"""

from typing import Protocol

import xarray as xr

from isobath.analysis.verdicts import Criterion


class Criteria(Protocol):
    """The function of a claim, before it is decorated."""

    def __call__(self, tree: xr.DataTree) -> list[Criterion]:
        """Return the criteria of the claim by the cubes in ``tree``; those whose cells are missing say not run."""
