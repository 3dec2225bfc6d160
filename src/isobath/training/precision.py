"""Data whose numbers a computation in a smaller format would lose."""

import numpy as np


def require_held(x: np.ndarray, name: str, precision: str, remedy: str) -> None:
    """Refuse floats (n, ...) that are infinite in ``precision``, or whose features all lose their variation there.

    Raises ValueError, one sentence that ends in ``remedy``.
    """
    if x.dtype.kind != "f" or x.dtype.itemsize <= np.dtype(precision).itemsize:
        return
    rows = x.reshape(len(x), -1)
    with np.errstate(over="ignore"):
        cast = rows.astype(precision)
    if np.isfinite(rows).all() and not np.isfinite(cast).all():
        largest = rows.flat[abs(rows).argmax()]
        raise ValueError(f"{name} has the number {largest:g}, which {precision} does not hold; {remedy}")
    span, rounded = np.ptp(rows, axis=0), abs(cast - rows).max(axis=0)
    if (span > 0).any() and (rounded > span / 4)[span > 0].all():
        raise ValueError(f"{name} has samples that differ by less than {precision} can tell; {remedy}")
