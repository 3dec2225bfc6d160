"""A table of one's own: a CSV file whose columns are inputs, but for one, the target.

    ethanol: {kind: table, features: 128}

reads table/table.csv of the ``data`` folder, of 129 columns; the last is the target.

- ``features``: number d of inputs
- ``target``: column of the target, counted from 0; by default the last
"""

from collections.abc import Mapping

import numpy as np

from isobath.data.columns import Pair, regression_split
from isobath.data.csv_tables import parse
from isobath.settings import Count, Index
from isobath.tasks import Ends

FILES = ("table/table.csv",)


def split(
    n_train: int,
    n_test: int,
    *,
    generator: np.random.Generator,
    files: Mapping[str, bytes],
    features: Count,
    target: Index | None = None,
) -> tuple[Pair, Pair]:
    """Return training and test part: inputs float64 (n, d), targets (n, 1), standardised over all lines.

    ``features`` is d, ``target`` the number of the target's column, from 0, by default the last. Raises ValueError for
    a file that is no table of d + 1 columns, and for more samples than it has.
    """
    (name,) = FILES
    if name not in files:
        raise ValueError(f"{name} is missing; put it into the folder that `data:` of config.yaml names")
    numbers = parse(files[name], name=name)
    column = features if target is None else target
    if numbers.shape[1] != features + 1 or column > features:
        raise ValueError(
            f"{name} has {numbers.shape[1]} columns; features is {features} and target is {column}, "
            f"which need {features + 1} columns and a target up to {features}"
        )
    inputs = np.delete(numbers, column, axis=1)
    return regression_split(inputs, numbers[:, column], n_train, n_test, generator=generator, names=name)


def ends(*, features: int, **_: object) -> Ends:
    """Return the columns of inputs and a real target."""
    return Ends(features, 1, real=True)
