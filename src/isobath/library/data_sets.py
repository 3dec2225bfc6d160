"""Data sets from one's own arrays: inputs (n, d), and class indices (n,) or real targets (n, K), as tensors."""

from typing import Any

import numpy as np
import torch

from isobath.library import arguments
from isobath.training.precision import require_held
from isobath.training.recipes import Samples

EXACT = {"float32": 2**24, "float64": 2**53}  # integers up to which a format holds all
SHOWN = 10  # classes that an error lists
MOST = 100_000  # classes: a network has an output for each


def train_and_test(
    x: Any, y: Any, test: Any, device: torch.device, *, precision: str = "float64"
) -> tuple[Samples, Samples]:
    """Return a training set and a test set that belong together, for a computation in a ``precision``.

    Raises ValueError, in one sentence.
    """
    if test is None:
        raise ValueError("test is missing; it must be a pair of inputs (m, d) and labels or targets")
    if not isinstance(test, tuple | list) or len(test) != 2:
        raise ValueError(f"test is {type(test).__name__}; it must be a pair of inputs (m, d) and labels or targets")
    train, held_out = _samples(x, y, "X", "y"), _samples(test[0], test[1], "test[0]", "test[1]")
    real = [(y, "y"), (test[1], "test[1]")] if train[1].ndim == held_out[1].ndim == 2 else []
    for given, name in ((x, "X"), (test[0], "test[0]"), *real):
        _require_exact(np.asarray(given), name, precision)
    if train[0].shape[1] != held_out[0].shape[1]:
        raise ValueError(f"X has {train[0].shape[1]} features and test[0] has {held_out[0].shape[1]}; they must agree")
    if train[1].shape[1:] != held_out[1].shape[1:]:
        natures = f"y has {_nature(train[1])} and test[1] has {_nature(held_out[1])}"
        raise ValueError(f"{natures}; class indices are integers, real targets are floats, and both must be alike")
    if train[1].ndim == 1:
        _require_classes(held_out[1], train[1])
    inputs, truth = ([torch.from_numpy(part[i]).to(device) for part in (train, held_out)] for i in (0, 1))
    return (inputs[0], truth[0]), (inputs[1], truth[1])


def _samples(x: Any, y: Any, of_x: str, of_y: str) -> tuple[np.ndarray, np.ndarray]:
    inputs, truth = _inputs(arguments.array(x, of_x), of_x), _truth(arguments.array(y, of_y), of_y)
    if len(inputs) != len(truth):
        raise ValueError(f"{of_x} has {len(inputs)} samples and {of_y} has {len(truth)}; they must agree")
    return inputs, truth


def _require_classes(held_out: np.ndarray, train: np.ndarray) -> None:
    """Refuse classes of the test set of which there is no training sample (ValueError).

    The largest training label says how many classes there are: a network cannot name one beyond, and learns never to
    name one below without a sample, so that each such test sample would be an error of the data and not of learning.
    """
    strange = np.setdiff1d(held_out, train).tolist()
    if strange:
        names = ", ".join([*map(str, strange[:SHOWN]), *(["..."] if len(strange) > SHOWN else [])])
        raise ValueError(f"test[1] has the classes {names}, of which y has no sample; y must have all of test[1]")


def _inputs(x: np.ndarray, name: str) -> np.ndarray:
    if x.ndim != 2 or not x.size or x.dtype.kind not in "fiub":
        raise ValueError(
            f"{name} has the shape {x.shape} and the type {x.dtype}; it must be numbers (samples, features)"
        )
    return _finite(_floats(x), name)


def _floats(x: np.ndarray) -> np.ndarray:
    """Return numbers as float32 or float64: as they are if they are that, else in the smaller one that holds them."""
    if x.dtype in (np.float32, np.float64):
        return x
    fits = _largest(x) <= EXACT["float32"] if x.dtype.kind in "iub" else x.dtype.itemsize <= 4
    return x.astype(np.float32 if fits else np.float64)


def _largest(x: np.ndarray) -> int:
    """Return the largest of integers, by their absolute value, which their own type may not have."""
    return max(int(x.max()), -int(x.min()))


def _require_exact(x: np.ndarray, name: str, precision: str) -> None:
    """Refuse integers that a computation would round, so that samples that differ could become one (ValueError)."""
    if x.dtype.kind in "iu" and _largest(x) > EXACT[precision]:
        more = ", or precision='float64'" if precision == "float32" else ""
        rounded = f"{name} has the integer {_largest(x)}, which {precision} may round"
        raise ValueError(f"{rounded}; allowed are integers up to {EXACT[precision]}{more}")
    require_held(x, name, precision, "give precision='float64', or shift and scale it")


def _truth(y: np.ndarray, name: str) -> np.ndarray:
    if y.dtype.kind == "f" and y.ndim in (1, 2) and y.size:
        targets = y[:, None] if y.ndim == 1 else y
        return _finite(_floats(targets), name)
    if y.dtype.kind not in "iub" or y.ndim != 1:
        rule = "it must be class indices (n,), integers, or real targets (n, K), floats"
        raise ValueError(f"{name} has the shape {y.shape} and the type {y.dtype}; {rule}")
    if y.size and int(y.min()) < 0:
        raise ValueError(
            f"{name} has the label {y.min()}; labels are class indices 0, 1, 2, ...; of signs, (y > 0).astype(int)"
        )
    if y.size and int(y.max()) >= MOST:
        raise ValueError(f"{name} has the label {y.max()}; labels are class indices, {MOST - 1} at most")
    return np.require(y, dtype=np.int64, requirements=["C", "W"])


def _finite(values: np.ndarray, name: str) -> np.ndarray:
    if not np.isfinite(values).all():
        raise ValueError(f"{name} has numbers that are not finite; all must be")
    return np.require(values, requirements=["C", "W"])  # torch warns of an array that cannot be written


def _nature(truth: np.ndarray) -> str:
    return "class indices" if truth.ndim == 1 else f"{truth.shape[1]} real targets"
