"""Kernel regression of one's own arrays, as the workflow makes it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from isobath import plugins
from isobath.binding import bound
from isobath.jobs.labelled_regressions import labelled
from isobath.library import arguments, labels
from isobath.library.computing import as_a_job
from isobath.library.data_sets import train_and_test
from isobath.randomness import stream
from isobath.regression.linear_systems import IllConditioned
from isobath.regression.ridge import Validation
from isobath.regression.ridge import regress as regression
from isobath.results.kernels import has_depth
from isobath.study import loading
from isobath.study.schema import Kernel

WHERE = "isobath.regress"
KERNEL = plugins.default("kernel")


def regress(
    X: Any,  # noqa: N803
    y: Any,
    *,
    test: tuple[Any, Any] | None = None,
    kernel: Any = KERNEL,
    depth: int | Sequence[int] | None = None,
    seed: int = 0,
    name: str = "own",
    draw: int = 0,
    memory: float = 2e9,
    **settings: Any,
) -> xr.Dataset:
    """Regress labels or targets y on inputs X (n, d) with a kernel, and judge it on ``test``, inputs and labels alike.

    Integers y (n,) are class indices, floats (n,) or (n, K) are real targets. ``kernel`` is a kind, or a mapping of
    ``kind`` and settings; ``settings`` are further ones (``isobath kinds kernel ntk``): ``ridges`` to choose from, by
    the error on the share ``validation`` of the samples, which is drawn from ``seed``, ``name`` and ``draw`` as in the
    workflow. Without ridges X is interpolated. ``depth`` is a number of hidden layers (1), or a list, which is then a
    dim. ``memory`` bytes bound the matrices, but for the largest, the Gram matrix and its factor, 16 n^2 bytes.

    Returns test_error, jitter, residual, and the chosen ridge (see ``isobath kinds result kernels``). Raises
    ValueError, one sentence, for what is not allowed.
    """
    content = arguments.plugin(kernel, settings, "kernel")
    checked_kernel = loading.completed("kernel", content, WHERE, "kernel", model=Kernel)
    depths = _depths(checked_kernel, depth)
    ridges = _ridges(checked_kernel, content)
    seed, draw = arguments.index(seed, "seed"), arguments.index(draw, "draw")
    name, memory = arguments.name(name), arguments.memory(memory)
    with as_a_job() as device:
        train, held_out = train_and_test(X, y, test, device)
        n, validation = len(train[1]), None
        if ridges:
            generator = stream(seed, "validation", name, n, draw)
            validation = Validation.drawn(ridges, checked_kernel.validation, _at_least_two(n), generator)
        profile = bound("kernel", {"kind": checked_kernel.kind, **checked_kernel.settings})
        try:
            columns = regression(profile, train, held_out, depth=depths, memory=memory, validation=validation)
        except IllConditioned as error:
            mend = "larger ridges" if ridges else "ridges"
            raise ValueError(f"kernel is {checked_kernel.kind!r}, and {error}; give {mend}, or other X") from None
    axes = ({"depth": depths} if depths else {}) | ({"ridge": ridges} if ridges else {})
    cell = {"task": name, "kernel": checked_kernel.kind, "n_train": n, "draw": draw}
    result = xr.Dataset(labelled(columns, depths, train[1]), {**axes, **cell})
    spec = labels.settings(name, "kernels", checked_kernel.kind, checked_kernel.model_dump(mode="json"))
    result = result.assign_attrs(labels.attributes("kernel regression", spec, device.type, len(held_out[1]), seed))
    return labels.explained(result.isel(depth=0) if depths and (depth is None or np.ndim(depth) == 0) else result)


def _ridges(kernel: Kernel, content: Mapping[str, Any]) -> list[float]:
    """Return the ridges of a kernel, increasing. Raises ValueError for equal ones, and for none to choose from."""
    if len(set(kernel.ridges)) < len(kernel.ridges):
        raise ValueError(f"ridges is {kernel.ridges}; a value stands twice")
    if "validation" in content and not kernel.ridges:
        raise ValueError(f"validation is {content['validation']!r}, and no ridges are there to choose from; give some")
    return sorted(kernel.ridges)


def _depths(kernel: Kernel, depth: Any) -> list[int] | None:
    """Return increasing depths, 1 if none is given, that the kernel has; None for a kernel without. ValueError."""
    if not has_depth({"kind": kernel.kind}):
        if depth is not None:
            raise ValueError(f"depth is {depth!r}; the kernel {kernel.kind} has none")
        return None
    depths = sorted(arguments.listed(1 if depth is None else depth, "depth", most=arguments.DEEPEST))
    plugins.accept("kernel", {"kind": kernel.kind, **kernel.settings}, depths)
    return depths


def _at_least_two(n: int) -> int:
    if n < 2:
        raise ValueError(f"X has {n} samples; ridges need at least 2")
    return n
