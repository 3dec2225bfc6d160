"""Acceleration by depth with rates far denser than the study's: what its list of rates contributes to the factor.

The study offers rates in quarter octaves. One layer is best at the last of them below its edge of stability, such as
1.68 of 2 for squares, and two and three layers often are not, so that the list makes depth look faster than it is.
"""

import numpy as np
import pytest
import xarray as xr

import isobath
from isobath.analysis.convergence import arrival, compared, methods
from isobath.randomness import stream
from isobath.tasks import correlated, diabetes

DATA_SETS = 5
OFFERED = (0.595, 0.707, 0.841, 1, 1.19, 1.41, 1.68, 2, 2.38, 2.83, 3.36, 4, 4.76)  # of the study's list
SQUARES = (1.78, 1.83, 1.88, 1.91, 1.94, 1.96, 1.98, *2 ** np.arange(1, 2.2, 1 / 16))
QUARTICS = tuple(2 ** np.arange(-0.5, 2, 1 / 24))
SHARED = {"network": {"kind": "deep_linear", "scale": 0.01}, "precision": "float64", "width": [1], "networks": 1}
EXACT, LONG = ({"max_epochs": n, "check_every": n, "records": 60} for n in (80, 4000))


def correlated_data(generator):
    return correlated.split(2565, 100, generator=generator, files={}, dimension=128)


def diabetes_data(generator):
    return diabetes.split(400, 42, generator=generator, files={})


def trained(data, p, denser, draw):
    """Train one, two and three layers on a data set, and find its optimum."""
    training, test = data(stream(0, "dense", draw))
    shared = {"test": test, "loss": {"kind": "power", "p": p}, **SHARED}
    newton = isobath.train(*training, depth=[0], rate=[1e8], protocol="newton", **EXACT, **shared)
    rates = sorted({*OFFERED, *np.round(denser, 4).tolist()})
    descent = isobath.train(*training, depth=[0, 1, 2], rate=rates, protocol="gradient_descent", **LONG, **shared)
    parts = [part.expand_dims(protocol=[name]) for name, part in (("newton", newton), ("descent", descent))]
    both = xr.concat(parts, "protocol", join="outer")
    return both.assign(status=both.status.where(both.status.notnull(), "missing"))


def acceleration(networks, p, *, lasting):
    """Return ln of the steps of one layer over those of the better of two and three on the other data sets (draw,)."""
    logs = {}
    for method in methods(networks, p):
        logs[method.layers] = np.log([*arrival(networks, method, 1e-3, lasting=lasting).steps.values()])
    deep = np.stack([logs[2], logs[3]])
    best = (deep.sum(1, keepdims=True) - deep).argmin(0)
    return logs[1] - deep[best, range(len(best))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "p", "denser", "low", "high"),
    [(correlated_data, 2, SQUARES, 0, np.log(1.2)), (diabetes_data, 4, QUARTICS, np.log(1.3), np.inf)],
)
def test_a_denser_list_of_rates_makes_less_of_an_acceleration(data, p, denser, low, high):
    draws = xr.DataArray(range(DATA_SETS), dims="draw", name="draw")
    data_sets = xr.concat([trained(data, p, denser, draw) for draw in range(DATA_SETS)], draws)
    kinds = {"kind": ("protocol", ["newton", "gradient_descent"]), "loss_p": ("protocol", [p, p])}
    named = data_sets.assign_coords({f"protocol_{name}": values for name, values in kinds.items()})
    networks = compared(named, power="protocol_loss_p", optimum="newton")
    offered = networks.sel(learning_rate=[1e8, *OFFERED])
    for words, lasting in {"for the first time": False, "to stay": True}.items():
        coarse, dense = (acceleration(each, p, lasting=lasting) for each in (offered, networks))
        for name, values in (("the study's rates", coarse), ("denser ones", dense)):
            error = values.std(ddof=1) / np.sqrt(DATA_SETS)
            print(f"p = {p}, {words}, {name}: ln of the factor {values.mean():.3f}, standard error {error:.3f}")
        if not lasting:  # the number of the claims: below ln 1.2 of squares, above ln 1.3 of quartics
            assert low < dense.mean() < coarse.mean()
            assert dense.mean() < high
