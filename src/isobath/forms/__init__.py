"""Forms of scaling laws: basis functions with linear coefficients and perhaps nonlinear parameters."""

from typing import Any, NamedTuple

import numpy as np


class Bounds(NamedTuple):
    """Where a parameter lies, numbers or arrays (b,); with ``zero``, searched in the log of its distance to that."""

    low: Any
    high: Any
    zero: Any = None

    def at(self, place: np.ndarray) -> np.ndarray:
        """The values at places in [0, 1], shape (...)."""
        if self.zero is None:
            return np.asarray(self.low + place * (self.high - self.low))
        first, last = self.low - self.zero, self.high - self.zero
        return np.asarray(self.zero + first * (last / first) ** place)
