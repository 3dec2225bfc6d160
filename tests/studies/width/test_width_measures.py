"""Measures of the width study: errors of the test set and over networks, against the samples that were missed."""

import numpy as np
import planted_widths as planted
import pytest

from isobath.analysis.standard_errors import binomial_error, standard_error
from isobath.claims.width import ensemble_measures, measures, rivals, widths


@pytest.fixture(scope="module")
def cells():
    return widths.grid_of(planted.tree_of(planted.cube(fluctuation=planted.peaked, early=0.02)), "widths")


def test_what_averaging_gains_less_is_compared_sample_by_sample(cells):
    """Once the two gains were subtracted as if each had a test set of its own."""
    lost = ensemble_measures.averaging_gain_lost(cells)
    at = widths.near(cells, 1), widths.largest(cells)
    gains = [widths.missed(cells, w).mean("seed") - widths.missed_together(cells, w) for w in at]
    assert lost.value == pytest.approx(float((gains[0] - gains[1]).mean()))
    assert lost.sample == pytest.approx(standard_error(gains[0] - gains[1]))


def test_what_early_stopping_gains_has_the_error_of_the_test_set(cells):
    """Once its interval was over networks alone, and covered the truth in four of ten simulations."""
    gain = measures.early_stopping_gain(cells)
    networks = widths.finite_networks(cells, widths.near(cells, 1))
    errors = float(networks.test_error.mean()), float(networks.early_stopping_error.mean())
    assert gain.value == pytest.approx(errors[0] - errors[1])
    n_test = int(cells.cell().test_labels.notnull().sum())
    assert gain.sample == pytest.approx(np.hypot(*(binomial_error(error, n_test) for error in errors)))


@pytest.mark.parametrize("size", [1, 2, 5])
def test_ensembles_of_a_size_miss_what_ensembles_of_that_size_do(cells, size):
    width = widths.near(cells, 1)
    outputs = widths.finite_networks(cells, width).outputs
    rng, several = np.random.default_rng(9), range(400)
    members = [rng.permutation(outputs.sizes["seed"])[:size] for _ in several]
    direct = [float(widths.missed_by(cells, outputs.isel(seed=m).mean("seed")).mean()) for m in members]
    found = float(rivals.missed_by_size(cells, width, size).mean())
    assert found == pytest.approx(np.mean(direct), abs=5 * np.std(direct) / np.sqrt(200))


def test_a_rival_has_the_scatter_of_ensembles_of_its_own_size(cells):
    """Once its error was that of ensembles of two thirds of the networks, however few it had."""
    width = widths.near(cells, 1)
    scatter = [float(standard_error(widths.by_networks_of(cells, width, size))) for size in (1, 2, 20)]
    single, together = widths.by_networks(cells, width)
    assert scatter[0] == pytest.approx(float(standard_error(single)))
    assert scatter[2] == pytest.approx(float(standard_error(together)))
    assert scatter[1] == pytest.approx(
        float(standard_error(widths.ensemble(cells, width).ensemble_error_pseudo.sel(size=2)))
    )
