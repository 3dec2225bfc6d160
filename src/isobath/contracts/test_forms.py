"""The contract of forms of scaling laws, over every kind: columns, names and bounds agree."""

import inspect

import numpy as np
import pytest

from isobath import binding, forms, plugins
from isobath.contracts.common import check_documented, kinds


@pytest.mark.parametrize("form", kinds("form"))
def test_every_form_keeps_the_contract(form):
    """Columns, names and bounds agree, for batches of data sets as for one."""
    module = binding.load("form", form)
    check_documented("form", form)
    settings = {"exponents": (-0.5, 0.0)} if "exponents" in plugins.schema("form", form) else {}
    x = np.sort(np.random.default_rng(15).uniform(1, 9, (3, 7)), -1)
    names = module.coefficients(**settings)
    module.check(**settings)
    for free in (False, True):
        bounds = module.parameters(x, free=free, **settings)
        theta = np.stack([b.at(np.full(3, 0.6)) for b in bounds.values()], -1) if bounds else np.empty((3, 0))
        values = module.basis(x, theta, free=free, **settings)
        assert values.shape == (3, 7, len(names))
        assert np.isfinite(values).all()
        for i in range(3):
            np.testing.assert_allclose(module.basis(x[i], theta[i], free=free, **settings), values[i])
            for name, bound in module.parameters(x[i], free=free, **settings).items():
                low, high = np.broadcast_arrays(bounds[name].low, np.zeros(3))[0][i], bounds[name].at(np.ones(3))[i]
                assert (bound.low, bound.at(np.ones(()))) == pytest.approx((low, high))
        assert "exponent" not in bounds or free
    assert set(settings) <= set(plugins.schema("form", form))
    assert "free" not in plugins.schema("form", form)
    for function in (module.parameters, module.coefficients, module.check):  # all four have the same settings
        keywords = inspect.signature(function).parameters.values()
        declared = {p.name: p.default for p in keywords if p.kind is p.KEYWORD_ONLY and p.name not in forms.PROVIDED}
        verb = inspect.signature(module.basis).parameters
        assert declared == {name: verb[name].default for name in plugins.schema("form", form)}
