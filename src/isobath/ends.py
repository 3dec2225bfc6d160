"""Ends of a network that learns a task: the numbers of its features and outputs, which each task says of itself."""

from typing import NamedTuple


class Ends(NamedTuple):
    """The two ends of a network that learns a task: features, and classes or real targets."""

    features: int
    outputs: int
    real: bool = False
