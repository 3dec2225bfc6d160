"""Boundaries where networks with one output change sign (Jacot, Geiger et al., Figs 3, 9, 10, appendix A).

All is computed in float64 (at places of scans that are float32 numbers). A point x with f_i(x) fbar(x) < 0
lies between the boundaries f_i = 0 and fbar = 0; fbar is the mean output of all networks of the stack. With u
= grad f_i / |grad f_i|, f_i shrinks towards x - sign(f_i) s u, s > 0. fbar has the other sign and nearly the
same gradient, so it shrinks the other way, towards x + sign(f_i) s u: the boundaries lie on either side of x,
and their distance along u is the sum of the two. To first order it is |f_i - fbar| / |grad f_i|, as in eq. 2.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from isobath.training.architecture import Architecture, Weights, outputs_in_blocks

BISECTIONS = 20  # a millionth of a step of the scan, before the last linear step
FLOATS = 2**22  # numbers that a block may hold


def gradients(architecture: Architecture, weights: Weights, x: Tensor, *, floats: int = FLOATS) -> Tensor:
    """Return the gradients of f with respect to inputs (n, d) shared by the stack, or (R, n, d): (R, n, d).

    They are computed by autograd, in blocks that hold about ``floats`` numbers. At a kink of a ReLU the derivative is
    that of the inactive side. Raises ValueError for networks with several outputs.
    """
    return torch.cat(list(_gradient_blocks(architecture, weights, x, floats)), 1)


def _gradient_blocks(architecture: Architecture, weights: Weights, x: Tensor, floats: int) -> Iterator[Tensor]:
    weights, x = _doubles(architecture, weights, x)
    layers = architecture.widest(weights, x.shape[-1]) * len(weights)
    rows = max(1, floats // (len(weights[0]) * (layers + x.shape[-1])))
    for block in torch.split(x, rows, dim=-2):
        z = block.expand(len(weights[0]), *block.shape[-2:]).requires_grad_()
        with torch.enable_grad():
            total = architecture.apply(weights, z).sum()  # a network's output depends on its own inputs only
        yield torch.autograd.grad(total, z)[0]


class Gap(NamedTuple):
    """Distances (m,) of points between two boundaries: to that of the network, and to that of the mean.

    ``predicted`` is the distance of the two boundaries to first order. A distance is NaN where there is no zero within
    reach, and for points that do not lie between the boundaries.
    """

    network: Tensor
    mean: Tensor
    predicted: Tensor

    @property
    def distance(self) -> Tensor:
        """Return the distance of the boundaries along the gradient, (m,)."""
        return self.network + self.mean

    @property
    def missed(self) -> int:
        """Return the number of points for which one of the two boundaries was not found."""
        return int(self.distance.isnan().sum())


def measured_distance(
    architecture: Architecture, weights: Weights, x: Tensor, *, member: int, reach: float = 4.0, steps: int = 32
) -> Gap:
    """Return the distance of the boundaries of network ``member`` and of the mean, along the gradient at x (m, d).

    On either side the nearest zero is sought within ``reach`` predicted distances |f_i - fbar| / |grad f_i|: the first
    change of sign among ``steps`` points, then bisection. Two zeros within a step are not seen. Means over
    the points that were not missed are too small where many were.
    """
    weights, x = _doubles(architecture, weights, x)
    network, mean = _functions(architecture, weights, member)
    f, fbar = network(x), mean(x)
    gradient = gradients(architecture, _alone(weights, member), x)[0]
    slope = gradient.norm(dim=1, keepdim=True)
    towards = -torch.sign(f)[:, None] * gradient / slope
    between = (f * fbar < 0) & (slope[:, 0] > 0)
    predicted = torch.where(between, (f - fbar).abs() / slope[:, 0], math.nan)
    zeros = [
        _nearest_zero(g, x, way * predicted[:, None], reach, steps) * predicted
        for g, way in ((network, towards), (mean, -towards))
    ]
    return Gap(zeros[0], zeros[1], predicted)


class Profile(NamedTuple):
    """f_i(x - s delta u) / f_i(x), (m, s); and the s of the nearest zero beyond x, (m,), NaN beyond reach."""

    ratio: Tensor
    crossing: Tensor


def profile(
    architecture: Architecture, weights: Weights, x: Tensor, grid: Tensor, *, member: int, steps: int = 64
) -> Profile:
    """Return network ``member`` along its gradient at x (m, d), with delta = f_i / |grad f_i| (Fig. 9).

    ``grid`` holds the values of s, in units of delta. The ratio is 1 at s = 0, and 1 - s where f is linear: then it
    crosses zero at s = 1. The crossing is sought up to the largest s; one that is NaN lies beyond, so
    percentiles should count it as infinite. The caption of Fig. 9 has the step
    delta f / |grad f|; curves with that step would not end at f = 0.
    """
    weights, x = _doubles(architecture, weights, x)
    network, _ = _functions(architecture, weights, member)
    f = network(x)[:, None]
    gradient = gradients(architecture, _alone(weights, member), x)[0]
    way = -f * gradient / gradient.norm(dim=1, keepdim=True) ** 2  # NaN where the gradient vanishes
    s = grid.to(x)
    ratio = torch.stack([network(x + a * way) for a in s], 1) / f
    return Profile(ratio, _nearest_zero(network, x, way, float(s.max()), steps))


class Plane(NamedTuple):
    """Outputs of a network and of the mean of all, (g, g) as (second, first), on a grid of the plane of three points.

    ``first`` and ``second`` (g,) are coordinates along orthonormal directions, with the first point at the
    origin; ``corners`` (3, 2) are those of the points.
    """

    first: Tensor
    second: Tensor
    network: Tensor
    mean: Tensor
    corners: Tensor


def plane(
    architecture: Architecture,
    weights: Weights,
    points: Tensor,
    *,
    member: int,
    size: int = 200,
    project: bool = True,
) -> Plane:
    """Return f_i and fbar on the plane through ``points`` (3, d), as in Fig. 3.

    The grid of ``size`` squared points reaches beyond the points by half of their extent. With ``project``
    it is scaled from the origin onto the sphere of radius sqrt(d), where the inputs of the paper lie; the
    coordinates stay those of the plane. Raises ValueError for points on a line.
    """
    weights, points = _doubles(architecture, weights, points)
    if on_a_line(points):
        raise ValueError("the three points lie on a line; a plane needs three that do not")
    q, r = torch.linalg.qr((points[1:] - points[0]).T)
    corners = torch.cat([torch.zeros_like(r[:1]), r.T])
    low, high = corners.amin(0), corners.amax(0)
    low, high = low - (high - low) / 2, high + (high - low) / 2
    first, second = (torch.linspace(a, b, size).to(points) for a, b in zip(low.tolist(), high.tolist(), strict=True))
    t, s = torch.meshgrid(second, first, indexing="ij")
    x = points[0] + torch.stack([s.flatten(), t.flatten()], 1) @ q.T
    if project:
        x = x * (math.sqrt(x.shape[1]) / x.norm(dim=1, keepdim=True))
    network, mean = (f(x).view(size, size) for f in _functions(architecture, weights, member))
    return Plane(first, second, network, mean, corners)


def on_a_line(points: Tensor) -> bool:
    """Return whether three points (3, d) lie on a line, as they do with one input."""
    sides = (points[1:] - points[0]).double()
    r = torch.linalg.qr(sides.T).R
    return len(r) < 2 or bool(r.diagonal().abs().min() <= 1e-9 * sides.norm())


Function = Callable[[Tensor], Tensor]  # (n, d) -> (n,)


def _functions(architecture: Architecture, weights: Weights, member: int) -> tuple[Function, Function]:
    """Return f_i and fbar of inputs (n, d), neither holding more than a block of the stack's outputs."""
    alone = _alone(weights, member)

    def network(x: Tensor) -> Tensor:
        return outputs_in_blocks(architecture, alone, x)[0, :, 0]

    def mean(x: Tensor) -> Tensor:
        rows = max(1, FLOATS // len(weights[0]))
        return torch.cat(
            [outputs_in_blocks(architecture, weights, part).mean(0)[:, 0] for part in torch.split(x, rows)]
        )

    return network, mean


def _nearest_zero(f: Function, x: Tensor, way: Tensor, reach: float, steps: int) -> Tensor:
    """Return the smallest s > 0 with f(x + s way) = 0, (m,), for x and way (m, d); NaN for none up to ``reach``."""
    start = f(x)
    high, pending = torch.full_like(start, math.nan), torch.arange(len(x), device=x.device)
    for end in torch.linspace(0, reach, steps + 1).tolist()[1:]:
        crossed = f(x[pending] + end * way[pending]) * start[pending] <= 0  # False for NaN
        high[pending[crossed]] = end
        pending = pending[~crossed]
    finite = high.isfinite()
    x, way, sign, high = x[finite], way[finite], start[finite].sign(), high[finite]
    low = high - reach / steps
    f_low, f_high = (f(x + end[:, None] * way) for end in (low, high))
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        value = f(x + middle[:, None] * way)
        before = value * sign > 0
        low, f_low = torch.where(before, middle, low), torch.where(before, value, f_low)
        high, f_high = torch.where(before, high, middle), torch.where(before, f_high, value)
    zero = torch.full_like(start, math.nan)
    zero[finite] = low + (high - low) * f_low / (f_low - f_high)
    return zero


def _alone(weights: Weights, member: int) -> Weights:
    return [w[member : member + 1] for w in weights]


def _doubles(architecture: Architecture, weights: Weights, x: Tensor) -> tuple[Weights, Tensor]:
    """Return weights and inputs detached, in float64. Refuse networks with several outputs."""
    weights, x = [w.detach().double() for w in weights], x.detach().double()
    outputs = architecture.apply(weights, x[..., :1, :]).shape[2]
    if outputs != 1:
        raise ValueError(f"the networks have {outputs} outputs; a boundary f = 0 needs one")
    return weights, x
