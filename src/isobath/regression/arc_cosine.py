"""The recursion of the ReLU kernels: NNGP and NTK of every depth in one pass, in float64.

Mori & Ueda, eqs. 12 to 16 and the supplement. With q = Sigma(x, x), q' = Sigma(x', x'),
det = q q' - Sigma^2 and the angle term A = pi/2 + arctan(Sigma / sqrt det):

    Sigma^(0) = c x.x' / d + beta^2                                      (12)
    Sigma^(l) = sqrt(det) / pi + Sigma^(l-1) A / pi + beta^2             (15)
    dSigma^(l) = A / pi                                                  (16)
    Theta_0 = Sigma^(0),   Theta_l = Theta_{l-1} dSigma^(l) + Sigma^(l)  (14)

Theta_L is the NTK and Sigma^(L) the NNGP of a network with L hidden layers; eq. 14 as printed
needs dSigma^(L+1) := 1. c is 1 as eq. 12 is printed. The initialisation stated in section 2.4
has variance 2/d in the first layer as well, hence c = 2 and Sigma^(l)(x, x) = 2|x|^2/d + (l+1) beta^2.
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

TINY = 1e-300  # in the place of 0 where it would be divided by


def recursion(
    x: Tensor, y: Tensor, *, beta: float, input_variance: int, diagonal: int | None = None
) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield (Sigma, Theta) of depth 0, 1, 2, ... between x (n, d) and y (m, d): each (n, m), float64.

    The tensors are overwritten by the next depth. ``diagonal`` says that sample i of x is sample
    i + diagonal of y: there the angle is set to 0 exactly. Rounding alone would leave
    an angle of 1e-8, since det vanishes like its square.
    """
    x, y = x.double(), y.double()
    scale = input_variance / x.shape[1]
    q = x.square().sum(1).mul_(scale).add_(beta**2)
    p = y.square().sum(1).mul_(scale).add_(beta**2)
    sigma = torch.mm(x, y.T).mul_(scale).add_(beta**2)
    theta = torch.empty_like(sigma)
    norms, cosine, sine = (torch.empty_like(sigma) for _ in range(3))
    one = sigma.new_ones(())

    def pin(matrix: Tensor, values: Tensor | float) -> None:
        if diagonal is not None:
            matrix.diagonal(diagonal).copy_(torch.as_tensor(values))

    pin(sigma, q)
    theta.copy_(sigma)
    yield sigma, theta
    while True:
        # sqrt det = sqrt(q q') sine: no square of a norm, which could overflow
        torch.mul(q.sqrt()[:, None], p.sqrt()[None, :], out=norms)
        torch.div(sigma, torch.clamp(norms, min=TINY, out=cosine), out=cosine)
        torch.addcmul(one, cosine, cosine, value=-1, out=sine).clamp_(min=TINY)
        angle = torch.atan2(cosine, sine.mul_(torch.rsqrt(sine)), out=cosine)
        angle.mul_(1 / math.pi).add_(0.5)
        pin(sine, 0.0)
        pin(angle, 1.0)
        sigma.mul_(angle).addcmul_(norms, sine, value=1 / math.pi).add_(beta**2)
        q, p = q + beta**2, p + beta**2
        pin(sigma, q)
        theta.mul_(angle).add_(sigma)
        yield sigma, theta
