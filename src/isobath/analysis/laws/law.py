"""A law: a form with its settings, the exponents of the theory fixed or the leading one free."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from isobath import binding
from isobath.forms import Bounds, FormModule


@dataclass(frozen=True)
class Law:
    """A form with its settings, fixed or free. Raises ValueError where the form refuses them."""

    form: FormModule
    settings: Mapping[str, Any]
    free: bool

    def __post_init__(self) -> None:
        self.form.check(**self.settings)

    @property
    def coefficients(self) -> list[str]:
        """Return the names of the linear coefficients c."""
        return list(self.form.coefficients(**self.settings))

    @property
    def names(self) -> list[str]:
        """Return the names of the coefficients, then of the nonlinear parameters."""
        return [*self.coefficients, *self.parameters(np.array([[1.0, 2.0]]))]

    def parameters(self, x: np.ndarray) -> dict[str, Bounds]:
        """Return names and bounds of the nonlinear parameters theta for data at x (..., n)."""
        return dict(self.form.parameters(x, free=self.free, **self.settings))

    def basis(self, x: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """Return the columns phi (..., n, k) for x (..., n), theta (..., q)."""
        with np.errstate(all="ignore"):  # a column that is not finite makes a fit unjustified, with a reason
            return np.asarray(self.form.basis(x, theta, free=self.free, **self.settings), dtype=float)


def law_of(form: Mapping[str, Any], *, free: bool) -> Law:
    """Return the law of a form that is given as in a study, by its kind and settings."""
    settings = dict(form)
    return Law(cast(FormModule, binding.load("form", settings.pop("kind"))), settings, free)
