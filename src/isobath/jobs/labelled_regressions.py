"""Kernel regressions with their names: the variables of a store, by kernel depth where the kernel has one."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from isobath.results.kernels import VARIABLES
from isobath.training.objective import is_real

Labelled = tuple[list[str], Any, dict[str, str]]  # dims, values, attributes


def labelled(columns: Mapping[str, np.ndarray], depth: Sequence[int] | None, truth: Tensor) -> dict[str, Labelled]:
    """Return columns (depths, ...) as variables; of a kernel without depth, their values along the other dims.

    The error is that of classes or of real targets, as ``truth`` is, (n,) or (n, targets).
    """
    real = is_real(truth)
    return {
        name: (
            [*(["depth"] if depth else []), *VARIABLES[name].dims],
            column if depth else column[0],
            VARIABLES[name].attrs_of(real=real),
        )
        for name, column in columns.items()
    }
