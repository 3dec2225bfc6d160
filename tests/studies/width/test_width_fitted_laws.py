"""The laws of the width study as its file asks for them, fitted to exact laws: claims find what was planted."""

import functools
import json

import numpy as np
import pytest
import xarray as xr
from house import ROOT
from scipy.optimize import curve_fit

from isobath import claim_files
from isobath.analysis import fits
from isobath.analysis.verdicts import judge
from isobath.study.loading import load_study

N_STAR, SIZES, LEFT_OUT = 1000.0, np.arange(1, 13), 11  # sizes from there on have a law of their own
N = np.concatenate([N_STAR * np.array([0.4, 1.1, 1.4, 1.8, 2.3, 2.9, 3.5, 5, 8]), np.geomspace(1.1e4, 1e7, 9)])
FACTORS = 1 + 0.002 * np.array([0, 1, -1, -2, 3, 9, -3])  # of the networks: mean, median and root mean square differ
MEAN, MEDIAN, SQUARE = FACTORS.mean(), np.median(FACTORS), np.sqrt((FACTORS**2).mean())
AXES = {"task": ["mnist"], "protocol": ["adam"], "depth": [5], "n_train": [100], "draw": [0]}
OTHER = 1.7  # by which numbers are others where a law is not to be fitted


def distance(n):
    return 0.4 * n**-0.25 - 0.2 * n**-0.5


OF_ENSEMBLES = {
    "distance": distance,
    "distance_estimate": lambda n: (distance(n) / 1.3) ** (1 / 0.9),
    "excess_error": lambda n: 7.6 * n**-0.5 - 59 * n**-0.75,
    "gradient_norm": lambda n: 2.1 + 51 * n**-0.25,
    "limit_error_pseudo": lambda n: 0.03 - 0.1 * n**-0.6,
    "network_error": lambda n: 0.054 + 6.4 * n**-0.5 - 49 * n**-0.75,
}
OF_KERNELS = {"kernel_fluctuation": lambda n: 3 * n**-0.22, "kernel_change": lambda n: 5 * n**-0.46}


def values(law, *, low=10 * N_STAR, high=np.inf):
    """Return numbers of networks (width, seed) that follow a law between two N, and another one elsewhere."""
    there = (low <= N) & (high >= N)
    return ("width", "seed"), (law(N) * np.where(there, 1, OTHER))[:, None] * FACTORS


def of_widths():
    """Make the groups of a grid of widths; the fluctuation and the norm have a place of theirs on an axis more."""
    own = {"width": np.arange(len(N)), "seed": np.arange(len(FACTORS))}
    status = np.full((len(N), len(FACTORS)), "fitted", dtype=object)
    norm = values(lambda n: 100 / abs(n - 950), low=N_STAR, high=4 * N_STAR)[1]
    networks = {
        "status": (("width", "seed"), status),
        "test_error": (("width", "seed"), np.full(status.shape, 0.1)),
        "n_weights": (("width", "seed"), N[:, None] + 0 * FACTORS),
        "recorded_test_norm": (("width", "seed", "step"), norm[..., None] * np.array([0.3, 0.8, 1])),
    }
    fluctuation = values(lambda n: 3 * n**-0.31)[1][..., None] * np.array([1, 2])
    ensembles = {name: values(law) for name, law in OF_ENSEMBLES.items()} | {
        "fluctuation": (("width", "seed", "measure"), fluctuation),
        "variance": (("width", "seed", "measure"), values(lambda n: 0.02 + 9 * n**-0.5)[1][..., None] * [1, 2]),
        "n_weights": ("width", N),
    }
    kernels = {name: values(law) for name, law in OF_KERNELS.items()} | {"n_weights": ("width", N)}
    steps = {"step": [100_000, 562_341, 2_000_000]}
    groups = {
        "networks": xr.Dataset(networks, {**own, **steps}),
        "ensembles": xr.Dataset(ensembles, {**own, "measure": ["test", "train"]}),
        "tangent_kernels": xr.Dataset(kernels, own),
    }
    jamming = xr.Dataset({"threshold": N_STAR, "low": 0.9 * N_STAR, "high": 1.1 * N_STAR})
    axes = {axis: AXES[axis] for axis in AXES if axis != "draw"}
    return {name: group.expand_dims(AXES) for name, group in groups.items()} | {"jamming": jamming.expand_dims(axes)}


def of_sizes():
    """Make the groups of a grid of one width, with ensembles of several sizes; the largest have another law in n."""
    away = np.where(LEFT_OUT <= SIZES, OTHER, 1.0)
    excess = 0.5 * SIZES**-1.1 * away
    columns = {
        "ensemble_error_pseudo": 0.02 + excess * FACTORS[:, None],
        "distance_pseudo": 2 * excess**0.45 * FACTORS[:, None],
    }
    own = {"seed": np.arange(len(FACTORS)), "size": SIZES}
    ensembles = xr.Dataset({name: (("seed", "size"), column) for name, column in columns.items()}, own)
    status = xr.Dataset({"status": ("seed", np.full(len(FACTORS), "fitted", dtype=object))}, {"seed": own["seed"]})
    return {
        name: g.expand_dims({**AXES, "width": [60]}) for name, g in (("ensembles", ensembles), ("networks", status))
    }


@pytest.fixture(scope="module")
def tree():
    study, cubes = load_study(ROOT / "workflow/studies/width", "paper"), {}
    groups = {"widths": of_widths(), "ensembles": of_sizes()}
    groups["channels"] = {name: groups["widths"][name] for name in ("networks", "ensembles", "jamming")}
    for grid, made in groups.items():
        laws = {
            name: law.model_dump() | {"form": {"kind": law.kind, **law.settings}}
            for name, law in study.laws.items()
            if law.grid == grid
        }
        with pytest.MonkeyPatch.context() as patch:  # the numbers need no resamples, which take most of the time
            patch.setattr(fits, "fit", functools.partial(fits.fit, bootstraps=40))
            fitted = fits.fitted_laws(made, laws, generators=lambda name: np.random.default_rng(1))
        cubes |= {f"{grid}/{name}": group for name, group in (made | fitted).items()}
    found = xr.DataTree.from_dict(cubes)
    for grid in groups:
        found[grid].attrs |= {"n_test": 50_000, "spec": json.dumps({"tasks": {"mnist": {"kind": "mnist_parity"}}})}
    return found


def fitted_exponent(law, x, y, start):
    """Return the exponent, the last parameter, of a law fitted to points with errors that are a share of them."""
    return curve_fit(law, x, y, start, sigma=y, xtol=1e-14, ftol=1e-14)[0][-1]


FAR = N[N >= 10 * N_STAR]
APPARENT = fitted_exponent(lambda n, a, b, p: a + b * n**p, FAR, OF_ENSEMBLES["network_error"](FAR), [0.05, 1, -0.4])
SQUARED = fitted_exponent(
    lambda d, k, p: k * d**p, distance(FAR), OF_ENSEMBLES["excess_error"](FAR), [1, 2]
)  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "numbers"),
    [
        ("ensembles_gain_as_one_over_n", {"exponent of eps_n - epsbar": -1.1}),
        ("ensemble_distance_decays", {"exponent of delta_n": -0.495}),
        ("mean_error_approaches_its_limit", {"exponent of epsbar_N - epsbar_inf": -0.6}),
        ("fluctuations_decay", {"exponent of ||f - fbar||": -0.31}),
        (
            "gradient_falls",
            {"C0": 2.1 * MEDIAN, "C1": 51 * MEDIAN, "C1 - 10 C0": 30 * MEDIAN, "exponent of ||grad f||": -0.25},
        ),
        ("boundary_distance_decays", {"A0": 0.4 * MEAN, "leading exponent": -0.25}),
        ("boundary_distance_is_its_estimate", {"exponent of delta against its estimate": 0.9}),
        ("error_grows_with_squared_distance", {"over widths": SQUARED, "over sizes of ensembles": 1 / 0.45}),
        ("excess_error_decays", {"E0": 7.6 * MEAN, "leading exponent": -0.5}),
        (
            "test_error_approaches_its_limit",
            {"eps_inf": 0.054 * MEAN, "B0": 6.4 * MEAN, "B0 of convolutional networks": 6.4 * MEAN},
        ),
        (
            "apparent_exponent_is_smaller",
            {"apparent exponent": APPARENT, "B1": -49 * MEAN, "E1": -59 * MEAN},
        ),
        ("kernel_fluctuates", {"exponent of |Theta - mean|": -0.22}),
        ("kernel_moves", {"exponent of |Theta(t) - Theta(0)|": -0.46}),
    ],
)
def test_a_claim_finds_the_law_that_was_planted(tree, claim, numbers):
    parts = judge(claim_files.load_claim("width", claim), tree)["parts"]
    found = {part["label"]: part for part in parts}
    for label, number in numbers.items():
        assert found[label]["estimate"] == pytest.approx(number, rel=2e-6), (label, found[label]["reason"])
        assert found[label]["count"] == len(FACTORS)


@pytest.mark.parametrize(
    ("grid", "law", "points"),
    [
        ("widths", "distance", 9), ("widths", "test_error", 9), ("widths", "kernel_change", 9), ("widths", "norm", 6),
        ("channels", "test_error_channels", 9), ("ensembles", "ensemble_size", 10), ("ensembles", "distance_size", 10),
        ("ensembles", "error_and_distance_size", 12),
    ],
)  # fmt: skip
def test_a_law_of_the_study_is_fitted_to_the_points_that_it_is_about(tree, grid, law, points):
    """Laws in N are fitted beyond 10 N*, the norm from N* to 4 N*, laws in n up to 10, and one in distances to all."""
    assert (tree[f"{grid}/laws/{law}"].n_points == points).all()


@pytest.mark.parametrize(
    ("law", "fit", "parameter", "number"),
    [
        ("norm", "free", "exponent", -1), ("norm", "fixed", "pole", 950), ("norm", "fixed", "amplitude", 100 * MEAN),
        ("fluctuation", "free", "c0", 3 * SQUARE), ("kernel_fluctuation", "free", "c0", 3 * SQUARE),
        ("kernel_change", "free", "c0", 5 * MEAN), ("variance", "fixed", "constant", 0.02 * MEAN),
    ],
)  # fmt: skip
def test_a_law_of_the_study_is_that_of_its_statistic(tree, law, fit, parameter, number):
    """Exponents are the same for a mean, a median and a root mean square; these numbers are not."""
    table = tree[f"widths/laws/{law}"].to_dataset().squeeze()
    table = table.isel(step=-1) if "step" in table.dims else table
    assert float(table.value.sel(fit=fit, parameter=parameter)) == pytest.approx(number, rel=2e-6)
