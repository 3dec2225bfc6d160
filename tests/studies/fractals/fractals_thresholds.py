"""Thresholds of the claims of the fractals study with values apart, where several are equal."""

import sys
from contextlib import contextmanager

import pytest

from isobath import claim_files
from isobath.claims.fractals import thresholds

# Half is the value of three thresholds, and others are alike by chance: which of them is meant would not be seen.
APART = {"GOOD": 0.3, "NO_EFFECT": 0.4, "WHOLE": 0.45, "CHANCE": 0.06, "ALIKE": 0.02, "LEAST_RATES": 0.75}


@contextmanager
def apart():
    """Set APART within the context, in every module of the claims that has a threshold by its name."""
    for name in claim_files.claims("fractals"):
        claim_files.load_claim("fractals", name)
    modules = [module for name, module in sys.modules.items() if name.startswith("isobath.claims.fractals.")]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in APART.items():
            usual = getattr(thresholds, name)
            for module in modules:
                if getattr(module, name, None) == usual:
                    patch.setattr(module, name, value)
        yield
