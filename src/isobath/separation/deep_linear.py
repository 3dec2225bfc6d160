"""Deep linear networks W = W_N .. W_1 as one matrix that learns (Arora, Cohen & Hazan).

While layers are balanced, W_{j+1}' W_{j+1} = W_j W_j', a step of gradient descent on them is to first order in eta

    W <- (1 - eta lambda N) W - eta sum_{j = 1}^N (W W')^((j - 1) / N) G (W' W)^((N - j) / N),   G = dL / dW

and for a single output w <- (1 - eta lambda N) w - eta |w|^(2 - 2 / N) (g + (N - 1) Pr_w g).
"""

from collections.abc import Sequence
from functools import reduce

import numpy as np


def balanced(w: np.ndarray, layers: int) -> list[np.ndarray]:
    """Return W_1 .. W_N, balanced, whose product is w (k, d); hidden layers have min(k, d) units."""
    u, s, v = np.linalg.svd(w, full_matrices=False)
    root = np.diag(s ** (1 / layers))
    factors = [root] * layers
    factors[0] = factors[0] @ v
    factors[-1] = u @ factors[-1]
    return factors


def product(factors: Sequence[np.ndarray]) -> np.ndarray:
    """Return W_N .. W_1."""
    return reduce(lambda below, above: above @ below, factors)


def descended(factors: Sequence[np.ndarray], gradient: np.ndarray, rate: float, *, decay: float = 0.0) -> np.ndarray:
    """Return the product after a step of gradient descent on the layers, for dL / dW (k, d) and a weight decay."""
    k, d = gradient.shape
    moved = []
    for j, w in enumerate(factors):
        above = product(factors[j + 1 :]) if factors[j + 1 :] else np.eye(k)
        below = product(factors[:j]) if factors[:j] else np.eye(d)
        moved.append((1 - rate * decay) * w - rate * above.T @ gradient @ below.T)
    return product(moved)


def preconditioned(w: np.ndarray, gradient: np.ndarray, layers: int) -> np.ndarray:
    """Return sum_j (W W')^((j - 1) / N) G (W' W)^((N - j) / N).

    Powers are those of the singular values of W, so that a zero stays one; of W' W an eigenvalue of 1e-17 in its place
    would be 6e-5 to the power 1/4.
    """
    u, s, v = np.linalg.svd(w)
    left, right = np.zeros(len(u)), np.zeros(len(v))
    left[: len(s)], right[: len(s)] = s, s
    inner = u.T @ gradient @ v.T
    exponents = [(2 * (j - 1) / layers, 2 * (layers - j) / layers) for j in range(1, layers + 1)]
    scaled = sum(left[:, None] ** a * inner * right**b for a, b in exponents)
    return np.asarray(u @ scaled @ v)


def end_to_end(w: np.ndarray, gradient: np.ndarray, layers: int, rate: float, *, decay: float = 0.0) -> np.ndarray:
    """Return W after a step of the end-to-end rule."""
    return (1 - rate * decay * layers) * w - rate * preconditioned(w, gradient, layers)


def of_one_output(w: np.ndarray, gradient: np.ndarray, layers: int) -> np.ndarray:
    """Return |w|^(2 - 2 / N) (g + (N - 1) Pr_w g) for w and g (1, d)."""
    norm = np.linalg.norm(w)
    projected = w * float(np.sum(w * gradient)) / norm**2
    return np.asarray(norm ** (2 - 2 / layers) * (gradient + (layers - 1) * projected))
