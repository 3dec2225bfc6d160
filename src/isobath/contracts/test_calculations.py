"""The contract of calculations, over every kind, with the smallest settings of a shipped study."""

import numpy as np
import pytest
import xarray as xr

from isobath import binding
from isobath.calculations import CalculationModule
from isobath.contracts.common import check_documented, kinds, required, studies
from isobath.randomness import stream

KINDS = kinds("calculation")


@pytest.fixture(scope="module")
def settings():
    """Return the settings of each kind, from the studies."""
    return {c.kind: c.settings for study in studies() for c in study.calculations.values()}


@pytest.mark.parametrize("kind", KINDS)
def test_every_calculation_keeps_the_contract(kind, settings):
    check_documented("calculation", kind)
    assert isinstance(binding.load("calculation", kind), CalculationModule)
    calculate = binding.bound("calculation", {"kind": kind, **(settings.get(kind) or required("calculation", kind))})
    table, repeated = (calculate(generator=stream(0, "c")) for _ in range(2))
    assert isinstance(table, xr.Dataset)
    assert table.equals(repeated)
    assert table.data_vars
    assert all(dim in table.coords for dim in table.dims)
    for variable in table.data_vars.values():
        assert {"long_name", "units"} <= set(variable.attrs)
        assert np.isfinite(variable.values.astype(float)).any()
