"""Tables of numbers as regressions: standardised columns, cut at random into a training part and a test part."""

import numpy as np

Pair = tuple[np.ndarray, np.ndarray]  # inputs (n, d), targets (n, 1)


def standardised(columns: np.ndarray, *, names: str) -> np.ndarray:
    """Return columns (n, d) less their means, over their standard deviations. Raises ValueError for a constant one."""
    spread = columns.std(axis=0)
    if not (spread > 0).all():
        constant = ", ".join(map(str, np.flatnonzero(~(spread > 0))))
        raise ValueError(f"{names}: columns {constant} (from 0) are constant; each must vary")
    return np.asarray((columns - columns.mean(axis=0)) / spread)


def regression_split(
    inputs: np.ndarray, target: np.ndarray, n_train: int, n_test: int, *, generator: np.random.Generator, names: str
) -> tuple[Pair, Pair]:
    """Return a random training part and a random test part of inputs (n, d) and a target (n,), standardised.

    The units are those of all n samples, so that the smaller of two training sets is the start of the larger: that is a
    choice of units, of which no error is quoted. Raises ValueError for more samples than there are.
    """
    n = len(target)
    for name, size, most in (("n_train", n_train, n - 1), ("n_train + n_test", n_train + n_test, n)):
        if not 1 <= size <= most:
            raise ValueError(f"{names}: {name} is {size}; it must be 1 to {most}, of {n} samples")
    rows = generator.permutation(n)
    x, y = standardised(inputs, names=names), standardised(target[:, None], names=names)
    train, test = rows[:n_train], rows[n - n_test :]
    return (x[train], y[train]), (x[test], y[test])
