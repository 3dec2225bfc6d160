"""Labels between k-local and k-global: the sign of a sum of m of the d cyclic products of k components.

With m = 1 the label is k-local, with m = d it is k-global (Mori & Ueda, eqs. 1 to 3). A rotation of the inputs leaves
their distribution and the number of terms as they are, and no term local. The paper has no such labels.

- ``terms``: number m of products that are summed
- ``rotated``: whether the inputs are rotated
"""

from functools import lru_cache

import numpy as np

from isobath.randomness import orthonormal, stream
from isobath.settings import Count
from isobath.tasks import k_global, k_local

TITLE = "k = {k:g}, m = {terms:g}"


def sample(
    n: int, *, generator: np.random.Generator, k: Count, terms: Count, dimension: Count, rotated: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``n`` standard normal inputs (n, d), float32, and labels (n,): 0 where the sum of m terms is not negative.

        M = sum_{j=1..m} x^(j+1) ... x^(j+k)  with  x^(d+i) = x^(i)

    With ``rotated`` the label is that of x and the input is Q x, with an orthogonal Q that is drawn once for each d.
    """
    x = generator.standard_normal((n, dimension), dtype=np.float32)
    m = k_global.feature(x, tuple(range(1, k + 1)), terms)
    inputs = x @ rotation(dimension).T if rotated else x
    return inputs.astype(np.float32), (m < 0).astype(np.int64)


@lru_cache(maxsize=4)
def rotation(dimension: int) -> np.ndarray:
    """Return an orthogonal matrix (d, d), uniform over all of them, a function of d alone."""
    return orthonormal(stream(0, "k_terms", dimension), dimension, dimension)


ends = k_local.ends


def check(*, k: int, terms: int, dimension: int, rotated: bool = False) -> None:
    """Refuse settings that contradict each other."""
    k_local.check(k=k, dimension=dimension)
    if terms > dimension:
        raise ValueError(f"terms is {terms}, and must not exceed dimension, which is {dimension}")
