"""Lists of ridges: whether they are long enough to say which ridge is best."""

import numpy as np

FLAT = 1e-3  # share of the error by which it has to fall to an end of a list for the list to be too short there


def at_edge(errors: np.ndarray, best: np.ndarray) -> np.ndarray:
    """Tell, 1 or 0, where the best of several ridges is an end of their list to which the errors still fall.

    ``errors`` (..., ridges) are those of a list of increasing ridges, ``best`` (...) the positions of the best. Without
    noise any small ridge is as good as none: errors at the lower end then differ by less than FLAT, and no longer list
    would find a better one. The ridge of a list of one counts as an end of it.
    """
    last = errors.shape[-1] - 1
    if last == 0:
        return np.ones(best.shape)
    inner = np.clip(best, 1, last - 1) if last > 1 else 1 - best
    at_best, beside = (np.take_along_axis(errors, place[..., None], -1)[..., 0] for place in (best, inner))
    return np.asarray((((best == 0) | (best == last)) & (at_best < (1 - FLAT) * beside)).astype(float))
