"""Decisions on several numbers together: which null hypotheses are rejected, and what the outcomes of parts amount to.

Whether evidence speaks against a claim is decided over all of its parts together, by the method of Holm
(Scand. J. Statist. 6, 65, 1979), so that a true claim of many parts is not refuted by one of them.
"""

import math
from collections.abc import Sequence
from typing import Literal

Outcome = Literal["reproduced", "not reproduced", "inconclusive", "not run"]

ALPHA = 0.025  # one-sided, as of a 95 % interval: the probability that a true claim is refuted, over all its parts


def refuted(p_values: Sequence[float]) -> list[bool]:
    """Return which null hypotheses are rejected, at ALPHA over all of them, by the method of Holm; NaN is not one."""
    order = sorted((p, i) for i, p in enumerate(p_values) if not math.isnan(p))
    rejected = [False] * len(p_values)
    for rank, (p, i) in enumerate(order):
        if p > ALPHA / (len(order) - rank):
            break
        rejected[i] = True
    return rejected


def overall(outcomes: Sequence[Outcome], *, whole: bool = False) -> Outcome:
    """Return the verdict on a claim: reproduced when every criterion that was run is; one against it decides.

    A ``whole`` claim of which one criterion was not run is inconclusive.
    """
    run = [outcome for outcome in outcomes if outcome != "not run"]
    if whole and run and len(run) < len(outcomes):
        run.append("inconclusive")
    order: tuple[Outcome, ...] = ("not reproduced", "inconclusive", "reproduced")
    return next((outcome for outcome in order if outcome in run), "not run")
