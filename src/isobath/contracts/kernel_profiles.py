"""Profiles of kernels with their settings, as the tests of kernels evaluate them."""

from dataclasses import replace
from functools import partial

import torch

from isobath import binding, plugins
from isobath.randomness import stream
from isobath.regression.pairs import Pairs


def inputs(n, d, name="x"):
    return torch.from_numpy(stream(0, "kernels", name).standard_normal((n, d)))


def profile_of(kind, settings, depth):
    """Return the profile with its settings bound, and the depths that it is asked for: None if it has none."""
    needed = {n: 3 for n, (_, default) in plugins.schema("kernel", kind).items() if default is ...}
    profile = partial(binding.load("kernel", kind).profile, **needed, **settings)
    has_depth = plugins.takes("kernel", kind, "depth")
    return profile, (([1] if settings.get("first_bias") else depth) if has_depth else None)


def on_sphere(kind, settings, angle, ops, depth=(0, 1, 2, 5), dimension=1, **more):
    """Return the kernel of each depth at angles (k,) between unit vectors of R^d."""
    profile, depth = profile_of(kind, settings, list(depth))
    pairs = replace(Pairs.on_sphere(angle, ops=ops, **more), dimension=dimension)
    arrays = [profile(pairs)] if depth is None else profile(pairs, depth=depth)
    return [1 * array for array in arrays]  # a copy of what the next would overwrite
