"""Gram matrices of the kernels at several depths."""

from functools import partial

from isobath.kernels import nngp, ntk
from isobath.regression.gram import gram

DEPTHS = range(11)
RELU = {"beta": 0.1, "input_variance": 1}


def matrices(kernel, x, y, depth, **settings):
    """Return copies of K of each depth; one for a kernel that has no depth."""
    return [k.clone() for k in gram(partial(kernel.profile, **settings), x, y, depth=depth)]


def levels(x, y, n=11, **settings):
    """Return copies of (Sigma, Theta) of depth 0 .. n - 1."""
    return list(zip(*(matrices(k, x, y, range(n), **RELU | settings) for k in (nngp, ntk)), strict=True))
