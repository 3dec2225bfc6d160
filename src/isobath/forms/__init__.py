"""Forms of scaling laws: basis functions with linear coefficients and perhaps nonlinear parameters.

A form is a file ``forms/<kind>.py`` with the functions

    basis(x, theta, *, free, <settings>) -> columns      (..., n, k) for x (..., n) and nonlinear parameters theta
    parameters(x, *, free, <settings>) -> name -> Bounds of each nonlinear parameter
    coefficients(*, <settings>) -> names of the k linear coefficients

A law is a linear combination of the columns. With ``free``, exponents that a theory fixes are fitted as well.

Optional: ``check(*, <settings>)``, which refuses settings that contradict each other (ValueError).
"""

from typing import Any, NamedTuple

import numpy as np

VERBS = ("basis",)
PROVIDED = ("free",)


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
