"""Estimates by data set: on some data sets alone, and sums of two on each."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from isobath.analysis.estimates import Estimate


def of_draws(estimate: "Estimate", draws: Collection[int]) -> "Estimate":
    """Return an estimate with the values of these data sets alone; its errors stay those over all of its data sets."""
    if estimate.draws.keys() == draws:
        return estimate
    values = {draw: value for draw, value in estimate.draws.items() if draw in draws}
    alone = {draw: single for draw, single in estimate.alone.items() if draw in draws}
    means = {
        words: float(np.mean([each.by(words) for each in alone.values()])) for words in estimate.otherwise if alone
    }
    mean = float(np.mean(list(values.values())))
    return replace(estimate, value=mean, draws=values, alone=alone, otherwise=means or estimate.otherwise)


def alone_on(estimates: Sequence["Estimate"]) -> list[int]:
    """List the data sets on which all estimates are known by themselves, but for constants, which are the same on each.

    There are none where one is of data sets, and not known on each by itself.
    """
    several = [{*estimate.alone} for estimate in estimates if estimate.alone or estimate.count or estimate.draws]
    return sorted(set.intersection(*several)) if several else []


def sums_alone(first: "Estimate", second: "Estimate") -> dict[int, "Estimate"]:
    """Return the sums of two estimates on each data set by itself; a constant is the same on each."""
    if first.alone and second.alone:
        common = sorted(first.alone.keys() & second.alone.keys())
        return {draw: first.alone[draw] + second.alone[draw] for draw in common}
    pairs = ((first, second), (second, first))
    return {draw: e + b for a, b in pairs if not (b.count or b.draws) for draw, e in a.alone.items()}
