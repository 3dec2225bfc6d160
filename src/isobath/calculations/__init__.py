"""Calculations: numbers of a theory, computed without training.

A calculation is a file ``calculations/<kind>.py`` with a function

    calculate(*, generator, <settings>) -> xarray.Dataset

whose variables have ``long_name`` and ``units``, and whose every dim has a coordinate. All randomness comes from
``generator``. Raises ValueError for settings that cannot be calculated.

In a study ``grid:`` says in whose cube the calculation stands, as the group ``calculations/<name>``; the numbers do not
depend on the grid.

Optional, before any job: ``check(*, <settings>)``, which refuses settings that contradict each other (ValueError);
``NEEDS = {setting: {other setting: value}}``, which refuses a setting that does nothing unless the other has that value
and is read, not imported.

Settings that mean the same in all kinds:

- ``samples``: number of random samples, points or examples
- ``networks``: number of random networks in each place
- ``levels``: levels of the fractal
- ``draws``: number of independent draws
- ``dimension``: dimension d of the inputs
- ``dimensions``: dimensions d of the inputs
- ``n_train``: sizes of the training set, or its one size
- ``kernels``: triples of a name, a kernel and its depths
- ``degrees``: greatest degree k, or degrees of polynomials
- ``rates``: learning rates eta of one step
- ``rate``: learning rate of a training
- ``steps``: steps of a training
- ``folds``: numbers of folds k of the sawtooth
- ``depth``: numbers of hidden layers
- ``width``: units of a hidden layer
- ``initialisations``: pairs of the name of a start and its initialisation
"""

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    import xarray as xr

VERBS = ("calculate",)
PROVIDED = ("generator",)


@runtime_checkable
class CalculationModule(Protocol):
    """A module of this family."""

    def calculate(self, *, generator: np.random.Generator) -> "xr.Dataset":
        """Return the numbers as labelled arrays."""
