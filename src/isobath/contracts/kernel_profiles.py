"""Profiles of kernels with their settings, as the tests of kernels evaluate them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor

from isobath import binding, plugins
from isobath.randomness import stream
from isobath.regression.functions import Array, Functions
from isobath.regression.pairs import Pairs


def inputs(n: int, d: int, name: str = "x") -> Tensor:
    """Return normal inputs (n, d), float64, that ``name`` tells from others."""
    return torch.from_numpy(stream(0, "kernels", name).standard_normal((n, d)))


def profile_of(
    kind: str, settings: Mapping[str, Any], depth: Sequence[int]
) -> tuple[Callable[..., Any], Sequence[int] | None]:
    """Return the profile with its settings bound, and the depths that it is asked for: None if it has none."""
    required = {n: 3 for n, (_, default) in plugins.schema("kernel", kind).items() if default is ...}
    profile = partial(binding.load("kernel", kind).profile, **required, **settings)
    has_depth = plugins.takes("kernel", kind, "depth")
    return profile, (([1] if settings.get("first_bias") else depth) if has_depth else None)


def on_sphere(
    kind: str,
    settings: Mapping[str, Any],
    angle: Array,
    ops: Functions,
    depth: Sequence[int] = (0, 1, 2, 5),
    dimension: int = 1,
    **more: Any,
) -> list[Array]:
    """Return the kernel of each depth at angles (k,) between unit vectors of R^d."""
    profile, depths = profile_of(kind, settings, list(depth))
    pairs = replace(Pairs.on_sphere(angle, ops=ops, **more), dimension=dimension)
    arrays = [profile(pairs)] if depths is None else profile(pairs, depth=depths)
    return [1 * array for array in arrays]  # a copy of what the next would overwrite
