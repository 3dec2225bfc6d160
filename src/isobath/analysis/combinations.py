"""Combinations of estimates over cells: their average, their slope, and the farthest of them."""

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np

from isobath.analysis.estimates import Estimate, NotRun
from isobath.analysis.tallies import Tally


def average(estimates: Iterable[Estimate]) -> Estimate:
    """Average over cells: errors over units average out, the test set is shared and does not. NotRun for none."""
    parts = list(estimates)
    if not parts:
        raise NotRun("there are no such cells")
    total = reduce(add, parts) * (1 / len(parts))
    shared = {d: max(p.alone[d].sample for p in parts if d in p.alone) for d in total.alone}
    alone = {d: _with_sample(single, shared[d]) for d, single in total.alone.items()}
    return replace(_with_sample(total, max(p.sample for p in parts)), alone=alone)


def _with_sample(estimate: Estimate, sample: float) -> Estimate:
    """Return an estimate with another error of the test sample, of which its measurements have parts in proportion.

    A number of the same measurements that is taken from it again then leaves no more than it should.
    """
    factor = sample / estimate.sample if estimate.sample else 1.0
    sources = {key: (spread, part * factor) for key, (spread, part) in estimate.sources.items()}
    return replace(estimate, sample=sample, sources=sources)


def slope(x: np.ndarray, estimates: Iterable[Estimate]) -> Estimate:
    """Return the slope, by least squares, of estimates against x (n,); those over the same draws are paired."""
    centred = x - x.mean()
    shares = centred / (centred**2).sum()
    return reduce(add, (e * float(share) for e, share in zip(estimates, shares, strict=True)))


def farthest(estimates: Iterable[Estimate]) -> Estimate:
    """Return the estimate that may lie farthest from 0, which knows among how many. Raises NotRun for none.

    It is the one whose interval, or whose value by another choice, reaches farthest: if that lies between two bounds
    that are alike on either side of 0, so do all others. The networks behind it are those of all.
    """
    if not (parts := list(estimates)):
        raise NotRun("there are no such cells")
    return replace(max(parts, key=_reach), among=len(parts), tally=sum((part.tally for part in parts), Tally()))


def _reach(part: Estimate) -> float:
    ends = [*part.interval(), *part.otherwise.values(), part.value]
    return max(abs(end) if np.isfinite(end) else np.inf for end in ends)
