"""Tables of the calculations that the claims read, and the kernels in them."""

from collections.abc import Iterator

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells

PARITIES = ("even", "odd")


def table(tree: xr.DataTree, calculation: str, grid: str = "theory") -> xr.Dataset:
    """Return the numbers of a calculation. Raises NotRun where there are none."""
    return Cells.of(tree, grid).group(f"calculations/{calculation}")


def kernels_of(data: xr.Dataset, *families: str) -> list[str]:
    """List the kernels of some families, by their layers."""
    rows = zip(data.layers.values.tolist(), data.family.values.tolist(), data.kernel.values.tolist(), strict=True)
    return [kernel for _, family, kernel in sorted(rows, key=lambda row: row[0]) if family in families]


def of_layers(data: xr.Dataset, family: str, layers: int) -> str | None:
    """Return the kernel of a family with this number of layers, None if there is none."""
    name = f"{family} L={layers}"
    return name if name in data.kernel.values else None


def places(data: xr.Dataset) -> Iterator[tuple[int, int, str]]:
    """Yield each dimension d with each parity, 0 and 1, and its name."""
    for d in data.dimension.values.tolist():
        for parity, name in enumerate(PARITIES):
            yield d, parity, name


def last_degree(data: xr.Dataset, parity: int, *, share: float = 1.0) -> int:
    """Return the largest degree of a parity, up to a share of all."""
    degrees = data.degree.values
    return int(degrees[(degrees % 2 == parity) & (degrees <= share * degrees[-1])][-1])


def has_parity(row: xr.Dataset, parity: int) -> bool:
    """Tell whether a kernel in a dimension has eigenvalues at the degrees of a parity, from 3 on."""
    degrees = row.degree.values
    of_parity = (degrees % 2 == parity) & (degrees >= 3)
    return bool(np.any(row.eigenvalue.values[of_parity] != 0))
