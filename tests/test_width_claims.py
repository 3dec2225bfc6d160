"""Claims of the width study, judged on cubes in which the truth is planted; laws and thresholds of a cube."""

import numpy as np
import pytest
import xarray as xr

from isobath import plugins
from isobath.analysis.ensembles.tables import of_errors, of_fluctuations
from isobath.analysis.fits import fitted_laws, thresholds
from isobath.analysis.verdicts import judge
from isobath.page.claims import WORDS

WIDTHS, N_STAR, R, T = [4, 6, 8, 12, 16, 24, 40, 64], 300.0, 20, 4000
STEPS = [0, 10, 100, 316, 1000]
CELL = {"task": "digits", "protocol": "adam", "depth": 3, "n_train": 100, "draw": 0}
DIMS = ["task", "protocol", "depth", "width", "n_train", "draw"]


def weights_of(width):
    return 10.0 * width + 4 * width**2


def cube(*, fluctuation, fits=lambda n: n > N_STAR, early=0.0, growth=0.5):
    """f_i(x) = m(x) + fluctuation(N) z_i(x): smooth Gaussian fluctuations of a classifier m of unit spread."""
    random = np.random.default_rng(0)
    m = random.standard_normal(T)
    labels = (m + 0.1 * random.standard_normal(T) > 0).astype(np.int64)
    networks, ensembles = [], []
    for width in WIDTHS:
        n = weights_of(width)
        f = (m + fluctuation(n) * random.standard_normal((R, T)))[..., None]
        error = ((f[..., 0] > 0) != labels).mean(1)
        norm = np.sqrt((f[..., 0] ** 2).mean(1))
        near = np.exp(-(np.log(n / N_STAR) ** 2))
        recorded = norm[:, None] * np.array([0.1, 0.5, 1 - growth * near, 1 - growth * near, 1])
        at = {**CELL, "width": width}
        coords = {**at, "seed": np.arange(R), "test_sample": np.arange(T), "output": [0], "step": STEPS}
        columns = {
            "status": np.array(["fitted" if fits(n) else "unfitted"] * R, dtype=object),
            "test_error": error,
            "train_error": np.full(R, 0.0 if fits(n) else 0.1),
            "early_stopping_error": error - early * near,
            "epochs": np.full(R, 1000),
            "n_weights": np.full(R, n),
            "test_norm": norm,
        }
        data = {name: ("seed", values) for name, values in columns.items()}
        data |= {"outputs": (("seed", "test_sample", "output"), f), "recorded_test_norm": (("seed", "step"), recorded)}
        networks.append(xr.Dataset(data, coords=coords).expand_dims(DIMS))
        table = xr.merge([of_errors(f, labels, generator=random), of_fluctuations({"test": f})]).assign(n_weights=n)
        ensembles.append(table.assign_coords(seed=np.arange(R), **at).expand_dims(DIMS))
    groups = {"networks": xr.concat(networks, "width"), "ensembles": xr.concat(ensembles, "width")}
    shape = {"task": ["digits"], "n_train": [100], "draw": [0], "test_sample": np.arange(T)}
    groups["networks"]["test_labels"] = xr.DataArray(labels.astype(object)[None, None, None], shape, list(shape))
    groups["jamming"] = thresholds(
        groups["networks"].assign_coords(protocol_max_epochs=("protocol", [1000.0])), generator=np.random.default_rng(1)
    )
    return groups


LAW = {
    "group": "ensembles", "variable": "fluctuation", "axis": "n_weights", "along": "width",
    "select": {"measure": "test"},
    "statistic": "root_mean_square", "above": None, "below": None, "beyond": None, "within": None,
    "form": {"kind": "powers", "exponents": (-0.25,)},
}  # fmt: skip


def tree_of(groups, laws=None):
    fitted = fitted_laws(groups, laws or {}, generators=lambda name: np.random.default_rng(2))
    return xr.DataTree.from_dict({f"widths/{name}": group for name, group in (groups | fitted).items()})


def verdict(name, tree):
    return judge(plugins.load_claim("width", name), tree)["verdict"]


def peaked(n):
    """Fluctuations with a peak at N*, and a fall as N^-1/4."""
    return 1.2 * (n / N_STAR) ** -0.25 + 3 * np.exp(-4 * np.log(n / N_STAR) ** 2)


def decaying(n):
    return 1.2 * (n / N_STAR) ** -0.25


def constant(n):
    return 0.3


@pytest.fixture(scope="module")
def trees():
    return {
        "peak": tree_of(cube(fluctuation=peaked, early=0.25), {"fluctuation": LAW | {"beyond": 2.5}}),
        "decay": tree_of(cube(fluctuation=decaying, growth=0.0), {"fluctuation": LAW}),
        "constant": tree_of(cube(fluctuation=constant, fits=lambda n: n > 1e9)),
        "flat": tree_of(cube(fluctuation=constant)),
    }


@pytest.mark.parametrize(
    ("claim", "cube_of", "expected"),
    [
        ("cusp_at_jamming", "peak", "reproduced"),
        ("cusp_at_jamming", "decay", "not reproduced"),
        ("train_error_vanishes", "peak", "reproduced"),
        ("train_error_vanishes", "constant", "inconclusive"),  # N* is not known
        ("error_decreases_beyond", "decay", "reproduced"),
        ("error_decreases_beyond", "flat", "inconclusive"),
        ("ensemble_is_flat", "decay", "reproduced"),
        ("fluctuations_decay", "decay", "reproduced"),
        ("fluctuations_decay", "flat", "not run"),  # no such law in the cube
        ("averaging_helps", "decay", "reproduced"),
        ("norm_is_cut_off_by_time", "peak", "reproduced"),
        ("norm_is_cut_off_by_time", "decay", "not reproduced"),
        ("early_stopping_removes_the_peak", "peak", "reproduced"),
        ("early_stopping_removes_the_peak", "decay", "inconclusive"),
        ("convolutional_networks_repeat_it", "peak", "not run"),  # no such grid
    ],
)
def test_verdicts_where_the_truth_is_planted(trees, claim, cube_of, expected):
    assert verdict(claim, trees[cube_of]) == expected


def test_every_claim_can_be_judged_on_any_cube(trees):
    for name in plugins.claims("width"):
        for tree in (*trees.values(), xr.DataTree()):
            assert verdict(name, tree) in WORDS
        assert verdict(name, xr.DataTree()) == "not run"


def test_a_threshold_comes_with_its_time(trees):
    jamming = trees["peak"]["widths/jamming"].to_dataset()
    below, above = (
        f(n for n in map(weights_of, WIDTHS) if (n > N_STAR) == up) for f, up in ((max, False), (min, True))
    )
    assert below < jamming.threshold.item() < above
    assert jamming.t_star.item() == 1000
    assert np.isnan(trees["constant"]["widths/jamming"].threshold).all()


def test_a_law_is_fitted_where_it_is_asked_to():
    groups = cube(fluctuation=decaying)
    n_star = groups["jamming"].threshold.item()
    whole = fitted_laws(groups, {"a": LAW}, generators=lambda name: np.random.default_rng(0))["laws/a"]
    assert whole.value.sel(fit="free", parameter="exponent").item() == pytest.approx(-0.25, abs=0.02)
    part = fitted_laws(
        groups, {"a": LAW | {"beyond": 2.0, "within": 20.0}}, generators=lambda name: np.random.default_rng(0)
    )["laws/a"]
    assert 2 * n_star <= part.x_min.item() < part.x_max.item() <= 20 * n_star
    bounded = fitted_laws(groups, {"a": LAW | {"above": 500.0}}, generators=lambda name: np.random.default_rng(0))[
        "laws/a"
    ]
    assert bounded.x_min.item() >= 500


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"group": "kernels"}, "no group 'kernels'"),
        ({"variable": "fluctation"}, "'fluctation' is not in the group"),
        ({"select": {"measure": "tests"}}, "select.measure is 'tests'; the group has test"),
        ({"along": "seed", "beyond": 2.0}, "in units of N"),
    ],
)
def test_a_law_that_cannot_be_fitted_is_named(change, words):
    groups = cube(fluctuation=constant)
    with pytest.raises(ValueError, match=f"law mine: .*{words}"):
        fitted_laws(groups, {"mine": LAW | change}, generators=lambda name: np.random.default_rng(0))
