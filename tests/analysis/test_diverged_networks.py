"""Networks that diverged at every rate: they are counted, and what the others do is not taken for what all do."""

import json

import expressivity_cubes
import fractal_cubes as made
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.estimates import ONE_CHOICE, ONE_DATA_SET
from isobath.analysis.verdicts import criterion
from isobath.claims.expressivity import foldings, sizes


def cells_of(table, grid, tasks):
    """Return the cells of a made-up grid of networks."""
    tree = xr.DataTree.from_dict({f"{grid}/networks": table})
    tree[grid].attrs |= {"n_test": 10_000, "spec": json.dumps({"tasks": tasks})}
    return Cells.of(tree, grid, first=("protocol", "n_train"))


def diverged(table, where):
    """Let networks diverge at every rate."""
    numbers = {name: table[name].where(~where) for name in table if name.startswith("recorded_")}
    return table.assign(status=table.status.where(~(where & (table.status != "missing")), "diverged"), **numbers)


def test_depths_of_equal_compute_are_not_compared_by_two_of_five_networks():
    """Once the gain at equal compute was reproduced by those that were left, and that at best widths was not."""
    table = expressivity_cubes.sizes(lambda depth, width: 0.2 if depth == 5 else 0.3)
    lost = diverged(table, (table.depth == 5) & (table.seed > 1))
    tasks = {"g": expressivity_cubes.GLOBAL}
    every, few = (cells_of(networks, "sizes", tasks) for networks in (table, lost))
    for measure in (sizes.at_equal_compute, sizes.at_best_widths):
        assert criterion("", measure, every, "g", above=0).outcome() == "reproduced"
        part = criterion("", measure, few, "g", above=0)
        assert part.outcome() == "inconclusive"
        assert "in one cell 40%" in part.doubt


def test_a_network_that_diverged_did_not_learn():
    """Once the share was that of the networks that were left."""
    tasks = {"sawtooth-3": {"kind": "sawtooth", "folds": 3}}
    table = made.networks(tasks, lambda t, d, w: 0.0, depths=(3,), widths=(2,), draws=6)
    share = foldings.learning_share(cells_of(table, "own_size", tasks), 3)
    assert (share.value, share.count) == (1, 30)
    few = foldings.learning_share(cells_of(diverged(table, table.seed > 2), "own_size", tasks), 3)
    assert (few.value, few.count) == (0.6, 30)


def test_a_share_of_networks_that_learn_is_about_its_choice_of_data_sets():
    tasks = {"sawtooth-3": {"kind": "sawtooth", "folds": 3}}
    table = made.networks(tasks, lambda task, depth, width: 0.0, depths=(3,), widths=(2,), draws=2)
    for draws, fixed in ((2, ONE_CHOICE), (1, ONE_DATA_SET)):
        share = foldings.learning_share(cells_of(table.isel(draw=slice(draws)), "own_size", tasks), 3)
        assert share.fixed == fixed
