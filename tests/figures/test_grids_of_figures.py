"""Figures along learning rates and those at a single one refuse grids of the other kind before a run."""

import pytest
from house import ROOT

from isobath.results import figures
from isobath.study import places
from isobath.study.grids import names_in
from isobath.study.schema import ConfigError
from isobath.workflow import plan

SWEPT = ("accuracy_by_rate", "accuracy_by_size", "learning_rate_dependence")
AT_ONE = ("depth_dependence", "gain_by_terms", "learning_curves", "width_dependence")


@pytest.fixture(scope="module")
def study():
    studies = places.studies(ROOT)
    return plan.load_study(studies["locality"], "smoke", studies)


def grid_of(study, *, swept):
    """Return a grid with a protocol of several learning rates, or without one."""
    for grid, blocks in study.grids.items():
        rates = [study.protocols[name].learning_rate for name in names_in(blocks, "protocols")]
        if rates and any(isinstance(rate, list) for rate in rates) == swept:
            return grid
    raise LookupError


@pytest.mark.parametrize("kind", [*SWEPT, *AT_ONE])
def test_a_figure_asks_for_the_rates_that_it_draws(study, kind):
    """Once the job of the figure failed, after all trainings."""
    along = kind in SWEPT
    figures._check_rates(study, grid_of(study, swept=along), kind, "study.yaml: figures.f.kind")
    other = "and no protocol of grid" if along else "at one learning rate, and protocol"
    with pytest.raises(ConfigError, match=rf"study\.yaml: figures\.f\.kind is '{kind}', which draws .*{other}"):
        figures._check_rates(study, grid_of(study, swept=not along), kind, "study.yaml: figures.f.kind")
