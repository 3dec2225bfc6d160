"""Conditions under which two errors can be told to be equal: there has to be room for the difference that is excluded.

Errors that are smaller than a bound, or that are those of guessing, are equal within it whatever made them.
"""

from isobath.analysis.estimates import Estimate, Undetermined

# Bounds that an error has to be away from 0, and from that of guessing: within one of them no difference is possible,
# and at two a difference of one still leaves as much.
ROOM = 2.0


def require_errors(bound: float, *errors: Estimate) -> None:
    """Raise Undetermined where the largest error is below ROOM bounds: a difference beyond one could hardly be."""
    largest = max(error.value for error in errors)
    if largest < ROOM * bound:
        raise Undetermined(f"errors are at most {largest:.2g}, where a difference of {bound:g} would count as one")


def require_learning(bound: float, guessing: float, *errors: Estimate) -> None:
    """Raise Undetermined where all errors are within ROOM bounds of guessing: what learns nothing is alike anyway."""
    smallest = min(error.value for error in errors)
    if smallest > guessing - ROOM * bound:
        raise Undetermined(f"errors are at least {smallest:.3g}, and guessing has {guessing:g}: they are alike anyway")
