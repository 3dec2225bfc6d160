"""Forms of scaling laws: basis functions phi_k(x; theta) with linear coefficients and perhaps nonlinear parameters.

A form is a file ``forms/<kind>.py`` with four functions,

    basis(x, theta, *, free, <settings>) -> columns (..., n, k)
    parameters(x, *, free, <settings>) -> {name: Bounds}, in the order of theta
    coefficients(<settings>) -> names of the k linear coefficients
    check(<settings>), which refuses settings that make no law (ValueError)

The settings are the same in all four. ``free`` is given by the fit, which is made twice: with the exponents of the
theory, and with the leading one among the nonlinear parameters theta, by the name "exponent". Leading dims (...) are
data sets that are fitted as one batch; each is treated as it would be alone.

Optional: ``formula(x, *, <settings>)``, the right side of the law with the exponents of the theory, TeX in a variable
that is called ``x``, for legends; ``NEEDS = {setting: {other setting: value}}``, which refuses a setting that does
nothing unless the other has that value and is read, not imported.
"""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

VERBS = ("basis",)
PROVIDED = ("free",)
DEFAULT = "powers"  # of laws of the library that name no form; read, not imported


class Bounds(NamedTuple):
    """Range of a parameter, numbers or arrays (b,); with ``zero``, searched in the log of its distance to ``zero``."""

    low: Any
    high: Any
    zero: Any = None

    def at(self, place: np.ndarray) -> np.ndarray:
        """Return the parameter at ``place`` (...), 0 at its lower and 1 at its upper bound."""
        if self.zero is None:
            return np.asarray(self.low + place * (self.high - self.low))
        first, last = self.low - self.zero, self.high - self.zero
        return np.asarray(self.zero + first * (last / first) ** place)


@runtime_checkable
class FormModule(Protocol):
    """A module of this family; ``settings`` stands for its own keyword-only arguments."""

    def basis(self, x: np.ndarray, theta: np.ndarray, *, free: bool, **settings: Any) -> np.ndarray:
        """Return the columns (..., n, k) for x (..., n) and theta (..., q)."""

    def parameters(self, x: np.ndarray, *, free: bool, **settings: Any) -> dict[str, Bounds]:
        """Return names and bounds of the q nonlinear parameters for data at x (..., n), in the order of theta."""

    def coefficients(self, **settings: Any) -> list[str]:
        """Return the names of the k linear coefficients, in the order of the columns."""

    def check(self, **settings: Any) -> None:
        """Raise ValueError for settings that make no law."""
