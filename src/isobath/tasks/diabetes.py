"""The diabetes regression that comes with scikit-learn: 442 patients, 10 measurements, progression after a year."""

from collections.abc import Mapping

import numpy as np

from isobath.data.columns import Pair, regression_split
from isobath.tasks import Ends


def split(
    n_train: int, n_test: int, *, generator: np.random.Generator, files: Mapping[str, bytes]
) -> tuple[Pair, Pair]:
    """Return training and test part: inputs float64 (n, 10), targets (n, 1), standardised over all patients.

    ``files`` is not looked at. Raises ValueError for more than there are.
    """
    from sklearn.datasets import load_diabetes  # noqa: PLC0415 (a second, which the workflow does without)

    inputs, target = load_diabetes(return_X_y=True, scaled=False)
    return regression_split(inputs, target, n_train, n_test, generator=generator, names="diabetes")


def ends() -> Ends:
    """Return ten measurements and a real target."""
    return Ends(10, 1, real=True)
