"""Criteria that a measured number is the one that a source prints."""

from collections.abc import Callable
from typing import Any

from isobath.analysis.estimates import Estimate
from isobath.analysis.published import Published
from isobath.analysis.verdicts import Criterion, criterion

OTHER_SIZES = "other sizes than the paper's were run"


def as_printed(label: str, number: Published, measure: Callable[..., Estimate], *args: Any, **coords: Any) -> Criterion:
    """Return the criterion that ``measure(*args, **coords)`` is the printed number, within its tolerance.

    At other sizes than the source's the estimate is shown beside that number, and not judged.
    """
    low, high = number.value - number.tolerance, number.value + number.tolerance
    part = criterion(label, measure, *args, above=low, below=high, published=number, **coords)
    return part if number.same_size else part.shown(OTHER_SIZES)
