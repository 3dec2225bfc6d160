"""Settings of studies that a review found at fault: data sets behind the headlines, and the rates that are offered."""

from collections import defaultdict

import pytest
from house import ROOT

from isobath.study import loading, network_cells

STUDIES = ROOT / "workflow/studies"


@pytest.mark.parametrize("scale", ["demo", "laptop", "paper"])
def test_depths_are_compared_over_six_data_sets(scale):
    """Once every interval was over networks of one data set and one search, which move errors more."""
    study = loading.load_study(STUDIES / "locality", scale)
    draws = defaultdict(set)
    for cell in network_cells.cells(study.grids["samples"]):
        draws[cell.task, cell.protocol, cell.width, cell.n_train, cell.depth].add(cell.draw)
    for task in ("2-local", "3-local", "2-global", "3-global"):
        deep = {key: own for key, own in draws.items() if key[0] == task and key[-1] == 7}
        common = [own & draws[*key[:-1], 1] for key, own in deep.items()]
        assert max(map(len, common)) >= 6, task


@pytest.mark.parametrize("scale", ["demo", "laptop", "paper"])
def test_fine_curves_are_offered_rates_at_which_their_networks_live(scale):
    """Once the finest curve, which kills networks at .001 and above, had no rate below .002 to be learned at."""
    adam = loading.load_study(STUDIES / "fractals", scale).protocols["adam"]
    assert min(adam.learning_rate) <= 0.0001
    assert len(adam.learning_rate) >= 5
