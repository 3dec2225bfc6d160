"""Tasks: data sets, fresh or finite, of classes or of real targets.

A task is a file ``tasks/<kind>.py`` with one of the functions

    sample(n, *, generator, <settings>) -> inputs, truth                        fresh samples without end
    split(n_train, n_test, *, generator, files, <settings>) -> train, test      a finite data set, cut in two pairs

of NumPy arrays: inputs (n, d), float32 or float64 and finite, and as ``truth`` either labels (n,), int64 class indices
from 0, or targets (n, K), float, one column for each output of a network. All randomness comes from ``generator``.
``split`` need not read ``files``; it may draw fresh samples that differ in the two parts. A smaller training part is
the start of a larger one, and samples are in an order that is independent of their labels, or alternates between them.
And with

    ends(*, <settings>) -> Ends(features, outputs, real)

which says without drawing anything how many inputs d and how many classes, or targets K if ``real``, there are.

Optional: ``FILES``, the names of the data files that a finite data set reads, which come as ``files`` (name ->
content); ``DOWNLOADS``, the name of a module whose ``FILES`` (name -> ``data.downloads.File``) has the mirrors and
checksums of those that are published; ``check(*, <settings>)``, which refuses settings that contradict each other
(ValueError); ``NEEDS = {setting: {other setting: value}}``, which refuses a setting that does nothing unless the other
has that value; ``TITLE``, the label rule as panels of figures have it, with settings in braces: "{k:g}-local label".
Constants are read, not imported.

Settings that mean the same in all kinds:

- ``dimension``: number d of components of an input
- ``k``: order k: components of a product
- ``noise``: standard deviation of the noise of a target
- ``offsets``: places of the components of a product, counted from 1; by default 1..k
"""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

import numpy as np

from isobath.ends import Ends

__all__ = ["Ends", "SampledTask", "SplitTask"]

VERBS = ("sample", "split")
PROVIDED = ("generator", "files")

Pair = tuple[np.ndarray, np.ndarray]


@runtime_checkable
class SampledTask(Protocol):
    """A module of this family whose samples are fresh."""

    def sample(self, n: int, *, generator: np.random.Generator) -> Pair:
        """Return inputs (n, d), and labels (n,) or targets (n, K)."""

    def ends(self) -> Ends:
        """Return the numbers of features and of outputs."""


@runtime_checkable
class SplitTask(Protocol):
    """A module of this family that is a finite data set."""

    def split(
        self, n_train: int, n_test: int, *, generator: np.random.Generator, files: Mapping[str, bytes]
    ) -> tuple[Pair, Pair]:
        """Return the training part and the test part; ``files`` may be left out."""

    def ends(self) -> Ends:
        """Return the numbers of features and of outputs."""
