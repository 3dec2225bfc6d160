"""The NTK by hand in NumPy: eqs. 12 to 16 as printed, in place, in blocks that stay in the cache."""

from collections.abc import Callable

import numpy as np

BETA = 0.1


def version() -> str:
    return f"NumPy {np.__version__}"


def block(x: np.ndarray, y: np.ndarray, depth: int) -> np.ndarray:
    """Return Theta of the last depth; those below it are passed on the way."""
    d = x.shape[1]
    sigma = x @ y.T
    sigma /= d
    sigma += BETA**2
    q, p = (np.square(z).sum(1) / d + BETA**2 for z in (x, y))
    theta, norms, cosine, work = sigma.copy(), *(np.empty_like(sigma) for _ in range(3))
    for _ in range(depth):
        np.multiply(np.sqrt(q)[:, None], np.sqrt(p)[None], out=norms)
        np.divide(sigma, norms, out=cosine)
        np.clip(cosine, -1, 1, out=cosine)
        np.arccos(cosine, out=work)
        np.subtract(np.pi, work, out=work)  # pi - angle
        np.multiply(cosine, cosine, out=sigma)
        np.subtract(1, sigma, out=sigma)
        np.sqrt(sigma, out=sigma)  # the sine
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


def prepare(x: np.ndarray, y: np.ndarray, depth: int, *, size: int = 128) -> Callable[[], np.ndarray]:
    """Return a function for the kernel (n, m) of the last depth."""
    out = np.empty((len(x), len(y)))

    def kernel() -> np.ndarray:
        for i in range(0, len(x), size):
            for j in range(0, len(y), size):
                out[i : i + size, j : j + size] = block(x[i : i + size], y[j : j + size], depth)
        return out

    return kernel
