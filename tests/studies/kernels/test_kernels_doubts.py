"""Doubts that leave claims of the study of kernels undecided, at the ends of what they ask for, and cells not run."""

import re
from types import SimpleNamespace

import kernels_distinct
import numpy as np
import pytest
import xarray as xr
from regime_cubes import ALPHAS, lazy, tree

from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.claims.kernels import finite_networks, images, regimes, regression, sample_sizes, spectra
from isobath.claims.kernels.tables import table

LOCAL = "2-terms-1"


def image_cells(data):
    return images.Cells.of(xr.DataTree(children={"images": kernels_distinct.grid({"kernels": data}, {})}), "images")


@pytest.mark.parametrize("depth", [1, 4])
def test_the_ridges_of_either_depth_can_leave_images_undecided(depth):
    """Half of the draws at an end of the list still decide; draws of other depths and sizes say nothing."""
    data = kernels_distinct.images()
    here, elsewhere = {"kernel": "ntk", "n_train": 300, "depth": depth}, {"kernel": "ntk", "depth": [2, 3]}
    data.ridge_at_edge.loc[elsewhere] = 1
    data.ridge_at_edge.loc[here | {"draw": [0, 1, 4]}] = 1
    assert images.accuracy_gain(image_cells(data), "ntk", 300).count == 6
    data.ridge_at_edge.loc[here | {"draw": 5}] = 1
    with pytest.raises(Undetermined, match="is at an end of the list in 67% of the draws"):
        images.accuracy_gain(image_cells(data), "ntk", 300)


def test_regressions_on_images_without_ridges_or_depths_or_sizes_are_not_run():
    data = kernels_distinct.images()
    with pytest.raises(NotRun, match="no ridges were chosen"):
        images.accuracy_gain(image_cells(data.drop_vars("ridge_at_edge")), "rf", 300)
    for depth in (1, 4):
        with pytest.raises(NotRun, match="no two and five layers"):
            images.accuracy_gain(image_cells(data.drop_sel(depth=depth)), "rf", 300)
    with pytest.raises(NotRun, match="there is one n"):
        images.shrinkage(image_cells(data.sel(n_train=[300])), images.accuracy_gain, "rf")


def test_small_errors_of_both_depths_leave_equal_accuracies_undecided():
    """One of them that is large enough leaves room for a difference."""
    data = kernels_distinct.images()
    cells = image_cells(data.assign(test_error=data.test_error.where(data.depth == 1, 0.019)))
    assert images.equal_accuracy(cells, "ntk", 300).count == 6
    small = image_cells(data.assign(test_error=0 * data.test_error + 0.019))
    with pytest.raises(Undetermined, match=r"a difference of 0\.01 would count as one"):
        images.equal_accuracy(small, "ntk", 300)


def test_an_error_of_zero_has_no_logarithm_and_is_no_failed_job():
    """Once ln 0 - ln 0 was left out as the number of a job that failed."""
    data = kernels_distinct.images()
    cells = image_cells(data.assign(test_error=data.test_error.where(data.draw > 0, 0.0)))
    with pytest.raises(Undetermined, match="1 of 6 errors are 0, which has no logarithm"):
        images.log_ratio(cells, "ntk", 300)


def test_an_interval_asks_for_two_draws_whose_jobs_did_not_fail():
    draws = xr.DataArray([1.0, 2.0, 4.0], dims="draw", coords={"draw": range(3)})
    assert regression.over_draws(draws.where(draws > 1)).draws == {1: 2.0, 2: 4.0}
    with pytest.raises(Undetermined, match="the jobs of all draws but one failed"):
        regression.over_draws(draws.where(draws > 2))
    with pytest.raises(Undetermined, match="the jobs failed"):
        regression.over_draws(draws.where(draws > 4))
    with pytest.raises(NotRun, match="one draw has no interval"):
        regression.over_draws(draws[:1])


def test_slopes_ask_for_two_points():
    data, deviations = kernels_distinct.sphere(), kernels_distinct.finite(0)
    with pytest.raises(NotRun, match="no two sizes from 200 samples on"):
        regression.learning_rate(data.sel(n_train=[100, 200]), "ntk L=5")
    with pytest.raises(NotRun, match="there is one width"):
        finite_networks.exponent(deviations.sel(width=[32]), 2)
    with pytest.raises(NotRun, match="there is one depth"):
        finite_networks.growth(deviations.sel(depth=[2]))


def test_a_kernel_that_is_missing_is_not_run():
    data = kernels_distinct.sphere().drop_sel(kernel="ntk_bias L=2")
    with pytest.raises(NotRun, match="there is no kernel None"):
        regression.log_ratio(data, "ntk L=3", regression.reference(data, "ntk"), 500)
    few = kernels_distinct.spectra().drop_sel(kernel=["ntk L=8", "rf L=3"])
    with pytest.raises(NotRun, match="ntk has no two and eight layers"):
        spectra.growth(few, "ntk", 3)
    with pytest.raises(NotRun, match="rf has no 3 layers"):
        spectra.odd_eigenvalues(few, "rf", 3)


def test_the_constant_asks_for_a_hundred_degrees():
    data = kernels_distinct.spectra()
    last = data.sel(degree=slice(0, 100))
    at = last.sel(kernel="laplace", dimension=4, degree=100)
    assert spectra.constant_gap(last, ["laplace"], 4, 0).value == pytest.approx(
        float(at.eigenvalue / at.prediction) - 1
    )
    with pytest.raises(Undetermined, match="99 degrees are too few; 100 are needed"):
        spectra.constant_gap(data.sel(degree=slice(0, 99)), ["laplace"], 4, 0)


def test_spectra_without_a_parity_or_a_fit_are_not_decided():
    data = kernels_distinct.spectra()
    with pytest.raises(NotRun, match="no kernel has odd degrees"):
        spectra.largest_gap(data, ["ntk L=2"], 4, 1, "odd")
    unknown = data.assign(prediction=data.prediction.where(data.kernel != "laplace"))
    for kernels in (["laplace", "rf L=3"], ["rf L=3", "laplace"]):  # once the order decided
        assert spectra.constant_gap(unknown, kernels, 4, 0) == spectra.constant_gap(data, ["rf L=3"], 4, 0)
    with pytest.raises(NotRun, match="no kernel has a prediction"):
        spectra.constant_gap(data, ["ntk L=2", "rf L=2"], 4, 1)
    few = data.copy(deep=True)
    for kernel, words in (("step L=3", "few"), ("step L=4", "fewer")):
        place = {"kernel": kernel, "dimension": 4, "parity": "odd"}
        few.exponent.loc[place], few.low.loc[place], few.high.loc[place] = np.nan, np.nan, np.nan
        few.reason.loc[place] = words
    with pytest.raises(Undetermined, match=r"^few fewer$"):
        spectra.exponent_step(few, "step L=3", "step L=4", 4)
    with pytest.raises(Undetermined, match=r"^fewer$"):
        spectra.largest_gap(few, ["step L=2", "step L=4"], 4, 1, "odd")


def of_regimes(error, **how):
    """Return the cells of lazy networks on three data sets."""
    return regimes.grid_of(tree("lazy", networks=lazy(error, **how).isel(draw=slice(3))), "lazy")


@pytest.mark.parametrize(
    ("networks", "kernel", "decides"), [(0.47, 0.0, False), (0.47, -0.02, True), (0.45, 0.02, True)]
)
def test_one_of_lazy_networks_and_their_kernel_has_to_learn(networks, kernel, decides):
    cells = of_regimes(lambda a, k, m, d, w: networks, kernel=kernel)
    if decides:
        assert regimes.gap_to_kernel(cells, task=LOCAL, depth=7).value == pytest.approx(-kernel, abs=1e-9)
    else:
        with pytest.raises(Undetermined, match=r"errors are at least 0\.47"):
            regimes.gap_to_kernel(cells, task=LOCAL, depth=7)


@pytest.mark.parametrize(("first", "second", "decides"), [(0.1, 0.05, True), (0.1, -0.05, False), (-0.1, 0.05, False)])
def test_a_gain_of_features_has_the_sign_of_that_at_the_next_alpha(first, second, decides):
    gains = {ALPHAS[0]: first, ALPHAS[1]: second}
    cells = of_regimes(lambda a, k, m, d, w: 0.3 - gains.get(a, 0.0) * (d == 7))
    if decides:
        assert regimes.gain_of_features(cells, task=LOCAL).value == pytest.approx(first)
        assert regimes.gain_left(cells, "lazy_100", task=LOCAL).value == pytest.approx(0, abs=1e-9)
    else:
        with pytest.raises(Undetermined, match=f"{first:.3g} at the smallest alpha and {second:.3g} .* at the next"):
            regimes.gain_of_features(cells, task=LOCAL)


def test_a_gain_within_its_error_cannot_vanish():
    data = lazy(lambda a, k, m, d, w: 0.3 - 0.01 * (d == 7))
    of_draw = xr.DataArray(np.linspace(-0.05, 0.05, data.sizes["draw"]), dims="draw") * (data.depth == 7)
    halves = {name: data[name] + of_draw for name in data.data_vars if name != "status"}
    cells = regimes.grid_of(tree("lazy", networks=data.assign(halves)), "lazy")
    assert regimes.gain_of_features(cells, task=LOCAL).value == pytest.approx(0.01)
    with pytest.raises(Undetermined, match=r"there is no gain that could vanish: it is 0\.01"):
        regimes.gain_left(cells, "lazy_100", task=LOCAL)


def test_lazy_networks_ask_for_two_alphas_and_for_their_kernel():
    data = lazy(lambda a, k, m, d, w: 0.3)
    for protocols, words in ((["lazy_1", "own"], "has one alpha"), (["own"], "has one alpha")):
        cells = regimes.grid_of(tree("lazy", networks=data.sel(protocol=protocols)), "lazy")
        with pytest.raises(NotRun, match=words):
            regimes.alphas(cells)
    without = data.sel(protocol=data.protocol != "own")
    with pytest.raises(NotRun, match="no regression with the kernel of its networks"):
        regimes.kernel(regimes.grid_of(tree("lazy", networks=without), "lazy"))
    with pytest.raises(NotRun, match="has no lazy networks"):
        regimes.alphas(regimes.grid_of(tree("lazy", networks=without.drop_vars("protocol_network_alpha")), "lazy"))


@pytest.mark.parametrize(
    ("rise", "change", "words"),
    [
        (0.042, 0.0, ""),
        (0.038, 0.0, "nothing crosses over"),
        (-0.042, 0.0, ""),
        (0.2, 0.018, ""),
        (0.2, 0.022, "the error changes by 0.022 of 0.2"),
        (0.2, -0.022, "the error changes by -0.022 of 0.2"),
        (-0.2, 0.018, ""),
    ],
)
def test_a_crossover_asks_for_a_rise_and_for_a_plateau(rise, change, words):
    """Errors go from 0.3, over ``change`` at the second alpha and half of the ``rise`` at 1, to all of it."""
    rises = dict(zip(ALPHAS, (0.0, change, rise / 2, rise, rise), strict=True))
    cells = of_regimes(lambda a, k, m, d, w: 0.3 + rises[a])
    if not words:
        assert regimes.log_crossover(cells, task=LOCAL, depth=1).value == pytest.approx(0, abs=1e-6)
    else:
        with pytest.raises(Undetermined, match=words):
            regimes.log_crossover(cells, task=LOCAL, depth=1)


@pytest.fixture
def exponent_of_crossover(monkeypatch):
    """Return the exponent of crossovers at some ln alpha by width, which scatter by a fiftieth."""

    def exponent(logs):
        scatter = np.random.default_rng(0).normal(0, 0.02, (320, 6))
        of_width = {w: Estimate.over_draws(dict(enumerate(log + scatter[w - 1]))) for w, log in logs.items()}
        monkeypatch.setattr(regimes, "log_crossover", lambda cells, width, **coords: of_width[width])
        return regimes.exponent_of_crossover(SimpleNamespace(values=lambda axis, **coords: [*logs]))

    return exponent


def test_the_larger_half_of_four_widths_has_to_agree(exponent_of_crossover):
    """Three widths are too few to have a half; of five the larger half has three."""
    bent = {20: 0.5, 40: 0.0, 80: 0.2, 160: 0.4, 320: 0.8}
    straight = {width: -0.5 * np.log(width / 80) for width in bent}
    assert exponent_of_crossover(straight).value == pytest.approx(-0.5, abs=0.02)
    three = {width: bent[width] for width in (20, 40, 80)}
    found = exponent_of_crossover(three)
    assert found.value == pytest.approx(np.polyfit(np.log([*three]), [*three.values()], 1)[0], abs=0.02)
    for logs, upper in (({w: bent[w] for w in (20, 40, 80, 160)}, 0.2), (bent, 0.3)):
        with pytest.raises(Undetermined, match="no power law") as caught:
            exponent_of_crossover(logs)
        word = re.search(r"(\S+) of the larger widths", str(caught.value)).group(1)
        assert float(word) == pytest.approx(upper / np.log(2), abs=0.04)
    with pytest.raises(NotRun, match="there is one width"):
        exponent_of_crossover({20: 0.0})


def test_sample_sizes_ask_for_dimensions_and_sizes():
    tasks = {f"local-{d}": {"kind": "k_local", "k": 2, "dimension": d} for d in (10, 20)}
    kernels = xr.Dataset({"test_error": ("task", [0.1, 0.2])}, coords={"task": [*tasks]})

    def of(names):
        node = kernels_distinct.grid({"kernels": kernels.sel(task=names)}, tasks)
        return sample_sizes.Cells.of(xr.DataTree(children={"samples": node}), "samples")

    with pytest.raises(NotRun, match="no k_local labels of two dimensions"):
        sample_sizes.by_dimension(of(["local-20"]), "k_local")
    with pytest.raises(Undetermined, match="2 dimensions are too few for an exponent; 3 are needed"):
        sample_sizes.exponent(of([*tasks]), sample_sizes.of_kernel, "k_local", 1)
    with pytest.raises(NotRun, match="no two sizes of the training set"):
        sample_sizes.log_samples({100: regression.exactly(0.3)})


def test_a_study_without_calculations_is_not_run():
    empty = xr.DataTree(children={"theory": kernels_distinct.grid({"calculations/gram": kernels_distinct.gram()}, {})})
    with pytest.raises(NotRun, match="grid theory has no calculations/spectra"):
        table(empty, "spectra")


def test_a_gain_at_the_next_alpha_within_its_error_has_no_other_sign():
    gains = {ALPHAS[0]: 0.1, ALPHAS[1]: -0.01}
    data = lazy(lambda alpha, k, m, depth, width: 0.3 - gains.get(alpha, 0.0) * (depth == 7))
    swing = xr.DataArray(np.linspace(-0.05, 0.05, data.sizes["draw"]), dims="draw")
    swing = swing * (data.depth == 7) * (data.protocol == f"lazy_{ALPHAS[1]:g}")
    swung = data.assign({name: data[name] + swing for name in data.data_vars if name != "status"})
    cells = regimes.grid_of(tree("lazy", networks=swung), "lazy")
    assert regimes.gain_of_features(cells, task="2-terms-1").value == pytest.approx(0.1, abs=1e-3)


def test_ridges_at_an_end_leave_errors_on_the_sphere_undecided():
    coords, edge = {"kernel": ["k"], "n_train": [500], "draw": range(4)}, np.array([1.0, 1.0, 0.0, 0.0])
    dims = tuple(coords)
    data = xr.Dataset({"chosen_error": (dims, [[[0.1, 0.2, 0.3, 0.2]]]), "ridge_at_edge": (dims, [[edge]])}, coords)
    assert regression.log_error(data, "k", 500).count == 4
    with pytest.raises(Undetermined, match="the chosen ridge of k is at an end of the list in 75% of the draws"):
        regression.log_error(data.assign(ridge_at_edge=(dims, [[edge + np.eye(4)[2]]])), "k", 500)
