"""Laws that are known, networks that scatter around them, and the fits that are to find them."""

import numpy as np
import xarray as xr

from isobath.analysis.laws.fit import fit
from isobath.analysis.laws.law import law_of

X = np.geomspace(900, 6e6, 12)
NEAR = np.geomspace(1100, 1e5, 12)
TRUTHS = [
    ("powers", {"exponents": [-0.25]}, X, {"c0": 3.0}, -0.25),
    ("powers", {"exponents": [1.0]}, X, {"c0": 2.0}, 1.0),
    ("powers", {"exponents": [0, -0.25]}, X, {"constant": 2.1, "c0": 51.0}, -0.25),
    ("powers", {"exponents": [-0.5, -0.75]}, X, {"c0": 7.6, "c1": -59.0}, -0.5),
    ("powers", {"exponents": [-0.5, -0.75, 0]}, X, {"c0": 6.4, "c1": -49.0, "constant": 0.054}, -0.5),
    ("divergence", {}, NEAR, {"amplitude": 3e3, "pole": 800.0}, -1.0),
    ("divergence", {"pole": 800.0, "exponent": -0.5}, NEAR, {"amplitude": 3e3}, -0.5),
    ("exponential", {}, NEAR, {"amplitude": 3.0, "scale": 2e4}, 1.0),
    ("exponential", {"constant": True}, NEAR, {"amplitude": 3.0, "constant": 0.4, "scale": 2e4}, 1.0),
]


def law(form, settings, x, truth):
    """Return the planted laws, written out once more."""
    if form == "powers":
        names = iter(["c0", "c1", "c2"])
        return sum(truth["constant" if p == 0 else next(names)] * x**p for p in map(float, settings["exponents"]))
    if form == "divergence":
        return truth["amplitude"] * (x - truth.get("pole", settings.get("pole"))) ** settings.get("exponent", -1.0)
    return truth["amplitude"] * np.exp(-x / truth["scale"]) + truth.get("constant", 0.0)


def networks(y, generator, *, repeats=1, seeds=20, noise=0.1, x=X):
    """Draw networks that scatter around y (p,) by a share of it, independently at every width."""
    values = y * (1 + noise * generator.standard_normal((repeats, seeds, len(y))))
    return xr.Dataset(
        {"y": (("task", "seed", "width"), values)},
        coords={"task": np.arange(repeats), "width": np.arange(len(y)), "n_weights": ("width", x)},
    )


def fitted(dataset, form="powers", settings=None, **more):
    names = {"variable": "y", "axis": "n_weights", "along": "width"} | more
    generator = names.pop("generator", np.random.default_rng(0))
    settings = settings or ({"exponents": [-0.25]} if form == "powers" else {})
    laws = [law_of({"kind": form, **settings}, free=free) for free in (False, True)]
    return fit(dataset, laws, generator=generator, **names)
