"""Numbers that Jacot, Geiger et al. print, and whether a grid has the sizes that they were measured at."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from isobath.analysis.cells import Cells
from isobath.analysis.published import Published
from isobath.claims.width.thresholds import TOLERANCE

Sizes = Mapping[str, Mapping[str, Any]]  # settings of the tasks, blocks and protocols of a grid

SOURCE = "Jacot, Geiger et al."
PCA = 10  # components of MNIST in Figs 2, 3 and 5 to 7; 30 in Figs 4 and 10
MNIST: Sizes = {"blocks": {"depth": [5], "n_train": [10000]}, "protocols": {"max_epochs": 2_000_000}}  # t*

# Section 8 and Fig. 8: N* lies at 24 to 28 channels; at those of CHANNELS single networks are right on 67 to 72 % of
# the samples, and ensembles of twenty on 80.5 to 80.7 %.
CHANNELS = (40, 48, 64)
CHANNELS_AT_THRESHOLD, ERROR, ENSEMBLE_ERROR = 26.0, 0.305, 0.194
CIFAR: Sizes = {"tasks": {"kind": "cifar10"}, "blocks": {"depth": [3], "n_train": [50000], "seeds": 20}}


def published(cells: Cells, value: float, place: str, *, dimension: int = PCA, judged: bool = True) -> Published:
    """Return a number of MNIST. It has no errors in the source: numbers within TOLERANCE of it count as equal."""
    sizes: Sizes = {"tasks": {"kind": "mnist_parity", "dimension": dimension}, **MNIST}
    return replace(_published(value, place, same_size=_has_sizes(cells.spec(), sizes)), judged=judged)


def published_of_channels(cells: Cells, value: float) -> Published:
    """Return a number of convolutional networks on CIFAR-10, of which TOLERANCE is as of those of MNIST."""
    spec = cells.spec()
    blocks = [block for block in spec.get("blocks", []) if {*CHANNELS} <= {*block["width"]}]
    return _published(value, "section 8 and Fig. 8", same_size=_has_sizes({**spec, "blocks": blocks}, CIFAR))


def _published(value: float, place: str, *, same_size: bool) -> Published:
    return Published(value, f"{SOURCE}, {place}", TOLERANCE * abs(value), same_size=same_size)


def _has_sizes(spec: Mapping[str, Any], sizes: Sizes) -> bool:
    """Tell whether all tasks, blocks and protocols of a grid have these settings; without a spec nobody knows."""
    for table, expected in sizes.items():
        entries = spec.get(table) or ()
        rows = list(entries.values() if isinstance(entries, Mapping) else entries)
        if not rows or any(row.get(name) != value for row in rows for name, value in expected.items()):
            return False
    return True
