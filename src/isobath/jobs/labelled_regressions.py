"""Kernel regressions with their names: the variables of a store, by kernel depth where the kernel has one."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from isobath import results
from isobath.classes import is_real
from isobath.results.kernels import VARIABLES

Labelled = tuple[list[str], Any, dict[str, str]]  # dims, values, attributes


def labelled(columns: Mapping[str, np.ndarray], depth: Sequence[int] | None, truth: Tensor) -> dict[str, Labelled]:
    """Return columns (depths, ...) as variables; of a kernel without depth, their values along the other dims.

    The error is that of classes or of real targets, as ``truth`` is, (n,) or (n, targets).
    """
    values = columns if depth else {name: column[0] for name, column in columns.items()}
    variables = results.labelled(VARIABLES, values, real=is_real(truth))
    axes = ["depth"] if depth else []
    return {name: ([*axes, *dims], column, attrs) for name, (dims, column, attrs) in variables.items()}
