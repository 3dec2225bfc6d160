"""Claims on architectures that are easier to optimise than plain deep networks, on labels that shallow ones prefer."""

import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.expressivity.cells import accuracy
from isobath.claims.expressivity.thresholds import CLOSED


def protocols(cells: Cells, network: str) -> list[str]:
    """List the protocols of a kind of network."""
    kinds = cells.group("networks").protocol_network
    return [str(p) for p in kinds.protocol.values[(kinds == network).values]]


def closed(cells: Cells, task: str, protocol: str) -> Estimate:
    """Return the gain of a protocol over plain networks at the largest depth, minus CLOSED of their gap.

    The gap is the accuracy of the shallowest plain networks minus that of the deepest. Raises Undetermined without a
    gap, and where one layer of the architecture is itself worse than plain: its price is not that of optimisation.
    """
    plain = protocols(cells, "mlp")
    if not plain:
        raise NotRun("there are no plain networks")
    group = cells.group("networks")
    shallow, deep, width = int(group.depth.min()), int(group.depth.max()), int(group.width.max())
    place = {"task": task, "width": width}
    shallow_plain, deep_plain = (accuracy(cells, {**place, "protocol": plain[0], "depth": d}) for d in (shallow, deep))
    if (shallow_plain - deep_plain).interval()[0] <= 0:
        raise Undetermined(f"plain networks of {deep} layers are not clearly worse than those of {shallow}: no gap")
    price = accuracy(cells, {**place, "protocol": protocol, "depth": shallow}) - shallow_plain
    if price.interval()[1] < 0:
        raise Undetermined(f"{shallow} layer of {protocol} is itself worse than plain, by {-price.value:.3g}")
    deep_variant = accuracy(cells, {**place, "protocol": protocol, "depth": deep})
    return deep_variant - deep_plain * (1 - CLOSED) - shallow_plain * CLOSED


@claim(
    "Residual networks close half of the gap between deep and shallow networks on global labels",
    source="not in the source",
    statistic="accuracy of deep residual networks minus that of plain ones, minus half of the gap of plain deep "
    "networks to plain networks of one hidden layer; each at its own best rate",
    own=True,
)
def residual_networks_close_the_gap(tree: xr.DataTree) -> list[Criterion]:
    cells = Cells.of(tree, "architectures", first=("n_train",))
    tasks = cells.tasks("networks", kind="k_global")
    rows = [(task, protocol) for task in tasks for protocol in protocols(cells, "residual")]
    return [criterion(f"{task}: {p}", closed, cells, task, p, above=0.0) for task, p in rows] or [
        Criterion("grid architectures", None)
    ]
