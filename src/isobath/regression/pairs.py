"""Pairs of inputs as a kernel of dot products sees them: two norms and the cosine of the angle between."""

from dataclasses import dataclass

from isobath.regression.functions import Array, Functions


@dataclass(frozen=True)
class Pairs:
    """Pairs of inputs from R^d: norms, and the deficits of the cosine u, which keep their digits near u = 1 and -1.

    Shapes are (n, 1), (1, m) and (n, m), or one shape (k,) for pairs on the sphere. A zero vector has u = 0.
    """

    x: Array  # |x|
    y: Array  # |y|
    e: Array  # 1 - u
    f: Array  # 1 + u
    dimension: int  # d
    ops: Functions

    @classmethod
    def on_sphere(cls, angle: Array, *, ops: Functions, supplement: Array | None = None) -> "Pairs":
        """Return pairs of unit vectors at the given angles (k,), with d = 1.

        A kernel of |x|^2 / d and u alone has the same values at inputs with |x|^2 = d. ``supplement`` is pi - angle,
        for those who know it to more digits than the difference has.
        """
        halves = angle / 2, (ops.pi - angle if supplement is None else supplement) / 2
        e, f = (2 * ops.sin(half) ** 2 for half in halves)
        one = 1 + 0 * e
        return cls(x=one, y=one, e=e, f=f, dimension=1, ops=ops)
