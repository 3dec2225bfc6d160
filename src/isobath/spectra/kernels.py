"""Kernels on the sphere, as calculations name them: a profile at a depth, its value at u = 1 and its singularities."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np

from isobath.binding import bound, companion
from isobath.regression.functions import NUMPY
from isobath.regression.pairs import Pairs
from isobath.spectra.decay import Singularities
from isobath.spectra.quadrature import eigenvalues, folded, rule

if TYPE_CHECKING:
    from torch import Tensor

DIGITS = 40  # of eigenvalues that enter a regression
Profile = Callable[..., Any]  # of a kernel, with its settings bound
# A name, a kernel (also bound) and its depths; none for a kernel that has no depth.
NamedKernel = tuple[str, Any, Sequence[int]]


@dataclass(frozen=True)
class Family:
    """A kernel at each of its depths, with ``singularities`` (of a depth, if it has one), None where not known."""

    name: str
    profile: Profile
    depth: tuple[int, ...]
    singularities: Callable[..., Singularities] | None = None

    @property
    def members(self) -> list[str]:
        """Name the kernels of the family, by their layers L = depth + 1, which count the readout."""
        return [f"{self.name} L={depth + 1}" for depth in self.depth] or [self.name]

    @property
    def layers(self) -> list[int]:
        """List the layers L of the kernels of the family; 0 for a kernel that has no depth."""
        return [depth + 1 for depth in self.depth] or [0]

    def _of_each_depth(self) -> Iterator[dict[str, int]]:
        """Yield the keyword arguments of each kernel of the family."""
        yield from ({"depth": depth} for depth in self.depth) if self.depth else ({},)

    def values(self, pairs: Pairs) -> Iterator[Any]:
        """Yield the values (k,) of each kernel at k pairs on the sphere, in one pass; each array is a copy."""
        arrays = self.profile(pairs, depth=self.depth) if self.depth else [self.profile(pairs)]
        return (1 * array for array in arrays)

    @cached_property
    def at_one(self) -> list[float]:
        """Return the values of the kernels of the family at u = 1."""
        pair = Pairs.on_sphere(np.zeros(1), ops=NUMPY)
        return [float(value[0]) for value in self.values(pair)]

    def matrices(self, x: "Tensor", y: "Tensor") -> Iterator[np.ndarray]:
        """Yield the kernels of inputs (n, d) and (m, d) with |x|^2 = d, (n, m), divided by their values at u = 1."""
        from isobath.regression.gram import gram  # noqa: PLC0415 (the check of a study does without torch)

        depth = self.depth or None
        units = [1 * k for k in gram(self.profile, x[:1], x[:1], depth=depth)]
        for unit, matrix in zip(units, gram(self.profile, x, y, depth=depth), strict=True):
            yield (matrix / unit).numpy()

    def known_singularities(self) -> list[Singularities | None]:
        """Return the singularities of each kernel of the family, None where they are not known."""
        return [self.singularities and self.singularities(**settings) for settings in self._of_each_depth()]


def coordinates(listed: Sequence[Family]) -> dict[str, tuple[str, np.ndarray]]:
    """Return the coordinates of the kernels of families, along ``kernel``: their names, layers and families."""
    rows = [(name, layers, f.name) for f in listed for name, layers in zip(f.members, f.layers, strict=True)]
    names, layers, of_families = zip(*rows, strict=True)
    return {
        "kernel": ("kernel", np.array(names, dtype=object)),
        "layers": ("kernel", np.array(layers)),
        "family": ("kernel", np.array(of_families, dtype=object)),
    }


def families(kernels: Sequence[NamedKernel]) -> list[Family]:
    """Return the families of kernels that a setting names. Raises ValueError for names or depths that cannot be."""
    kernel_families = [_family(*triple) for triple in kernels]
    members = [member for family in kernel_families for member in family.members]
    duplicate = next((member for member in members if members.count(member) > 1), None)
    if duplicate:
        raise ValueError(f"kernels has {duplicate!r} twice; names and depths must differ")
    return kernel_families


def _family(name: str, kernel: Any, depth: Sequence[int]) -> Family:
    profile = bound("kernel", kernel)
    deep = "depth" in inspect.signature(profile.func).parameters  # type: ignore[attr-defined]
    if deep != bool(depth):
        raise ValueError(f"the depths of kernel {name!r} are {list(depth)}; it {'needs some' if deep else 'has none'}")
    if list(depth) != sorted({*depth}):
        raise ValueError(f"the depths of kernel {name!r} are {list(depth)}; they must increase")
    accept = companion(profile, "accept")
    if accept and depth:
        accept(depth)
    return Family(name, profile, tuple(depth), companion(profile, "singularities"))


def spectra(
    kernel_families: Sequence[Family],
    dimensions: Sequence[int],
    degrees: Sequence[int],
    *,
    digits: int = DIGITS,
    finer: float = 1.0,
) -> np.ndarray:
    """Return mu_k of all kernels, (kernel, dimension, degree) mpmath numbers, at increasing degrees k."""
    with mpmath.workdps(digits):
        nodes = rule(max(degrees), max(dimensions), digits, finer=finer)
        pairs = nodes.pairs()
        parts = folded(nodes, np.array([values for family in kernel_families for values in family.values(pairs)]))
        return np.stack([eigenvalues(nodes, parts, d, degrees) for d in dimensions], 1)
