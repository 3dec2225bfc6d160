"""The NTK by hand in NumPy: eqs. 12 to 16 as printed, in blocks that stay in the cache."""

from collections.abc import Callable
from typing import Any

import numpy as np

BETA = 0.1


def version() -> str:
    return f"NumPy {np.__version__}"


def printed(x: np.ndarray, y: np.ndarray, depth: int, *_: Any) -> np.ndarray:
    """Return Theta of the last depth, by a line for each equation."""
    d = x.shape[1]
    sigma = x @ y.T / d + BETA**2
    q, p = (np.square(z).sum(1) / d + BETA**2 for z in (x, y))
    theta = sigma
    for _ in range(depth):
        norms = np.sqrt(np.outer(q, p))
        angle = np.arccos(np.clip(sigma / norms, -1, 1))
        sigma = norms * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / np.pi + BETA**2
        theta = theta * (1 - angle / np.pi) + sigma
        q, p = q + BETA**2, p + BETA**2
    return theta


def in_place(x: np.ndarray, y: np.ndarray, depth: int, memory: np.ndarray) -> np.ndarray:
    """Return the same without a new array: the sine by a root, the cosine not twice."""
    d = x.shape[1]
    sigma, theta, norms, cosine, work = memory[:, : len(x), : len(y)]
    np.matmul(x, y.T, out=sigma)
    sigma /= d
    sigma += BETA**2
    theta[:] = sigma
    q, p = (np.square(z).sum(1) / d + BETA**2 for z in (x, y))
    for _ in range(depth):
        np.multiply(np.sqrt(q)[:, None], np.sqrt(p)[None], out=norms)
        np.divide(sigma, norms, out=cosine)
        np.clip(cosine, -1, 1, out=cosine)
        np.arccos(cosine, out=work)
        np.subtract(np.pi, work, out=work)
        np.multiply(cosine, cosine, out=sigma)
        np.subtract(1, sigma, out=sigma)
        np.sqrt(sigma, out=sigma)
        cosine *= work
        sigma += cosine
        norms /= np.pi
        sigma *= norms
        sigma += BETA**2
        work /= np.pi
        theta *= work
        theta += sigma
        q, p = q + BETA**2, p + BETA**2
    return theta


def prepare(x: np.ndarray, y: np.ndarray, depth: int, *, by: str, size: int = 128) -> Callable[[], np.ndarray]:
    """Return a function for the kernel (n, m) of the last depth; those below it are passed on the way."""
    out, memory = np.empty((len(x), len(y))), np.empty((5, size, size))
    block = {"printed": printed, "in_place": in_place}[by]

    def kernel() -> np.ndarray:
        for i in range(0, len(x), size):
            for j in range(0, len(y), size):
                out[i : i + size, j : j + size] = block(x[i : i + size], y[j : j + size], depth, memory)
        return out

    return kernel
