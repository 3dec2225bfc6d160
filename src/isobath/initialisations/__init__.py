"""Initialisations: the random numbers with which a layer of a network starts.

An initialisation is a file ``initialisations/<kind>.py`` with a function

    draw(generator, shape, *, fan_in, fan_out, units, <settings>) -> weights, biases

that returns float64 arrays: weights of ``shape``, which is (in, out), (out, in) or, for convolutions, (out, in, k, k),
and biases (``units``,). Its caller says the numbers of inputs ``fan_in`` and of outputs ``fan_out`` of a unit and,
since it knows which axis is which, no kind needs to. Weights are drawn before biases. What is drawn is a function of
the generator alone. Most kinds have the setting ``bias``, the value at which all biases start; a kind without it draws
its biases after its weights, or returns zeros.

A network has a setting ``initialisation: Initialisation``, and calls what ``binding.bound`` makes of it.

Optional: ``check(*, <settings>)``, which refuses settings that contradict each other (ValueError);
``NEEDS = {setting: {other setting: value}}``, which refuses a setting that does nothing unless the other has that value
and is read, not imported.

Settings that mean the same in all kinds:

- ``bias``: value of all biases at the start
"""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from isobath.plugin_arrays import shaped

VERBS = ("draw",)
PROVIDED = ("fan_in", "fan_out", "units")


@runtime_checkable
class InitialisationModule(Protocol):
    """A module of this family."""

    def draw(
        self, generator: np.random.Generator, shape: tuple[int, ...], *, fan_in: int, fan_out: int, units: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return weights of ``shape`` and biases (units,), float64."""


def drawn(
    draw: Callable[..., Any], generator: np.random.Generator, shape: tuple[int, ...], **counts: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights and biases that an initialisation draws. Raises ValueError if they have other shapes."""
    weights, biases = draw(generator, shape, **counts)
    return shaped(draw, weights, shape, "weights"), shaped(draw, biases, (counts["units"],), "biases")
