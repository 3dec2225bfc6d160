"""Claims of the study of kernels on cubes with a planted truth, and its figures."""

import json

import numpy as np
import pytest
import xarray as xr

from isobath import claim_files
from isobath.analysis.verdicts import judge
from isobath.calculations import gram_eigenvalues, sphere_regression, zonal_spectra
from isobath.figures import (
    decay_constants,
    decay_exponents,
    depth_ratios,
    eigenlearning,
    gram_spectra,
    kernel_accuracy,
    predicted_errors,
    sphere_learning_curves,
)
from isobath.figures import (
    zonal_spectra as spectra_figure,
)
from isobath.randomness import stream

RF, NTK = {"kind": "nngp", "beta": 0.0}, {"kind": "ntk", "beta": 0.0}
BIAS = {"first_bias": True}
REGRESSED = ["rf_bias L=2", "rf L=5", "ntk L=2", "ntk L=5", "ntk_bias L=2"]
SIZES = [200, 500, 1000]


@pytest.fixture(scope="module")
def spectra():
    """Return real spectra: claims about a theorem need no planting, neither to hold nor, some of them, to fail."""
    kernels = [
        ("rf", RF, [1, 2, 7]),
        ("ntk", NTK, [1, 2, 7]),
        ("laplace", {"kind": "gamma_exponential"}, []),
        ("gamma_0.75", {"kind": "gamma_exponential", "gamma": 0.75}, []),
        ("step", {"kind": "arc_cosine_step"}, [1, 2]),
    ]
    return zonal_spectra.calculate(generator=stream(0, "s"), kernels=kernels, dimensions=(3,), degrees=150, digits=50)


def regressions(*, gain=0.0, slope=0.0, parity=2.0, off=0.0, edge=0.0, seed=0):
    """Make errors 0.3 n^(-1/3) with a gain of L = 5, its slope, a factor of L = 2 without bias, a wrong prediction."""
    draws, ridges, noise = 12, [1e-6, 1e-4, 1e-2], np.random.default_rng(seed)
    n = np.array(SIZES, float)
    shared = noise.normal(0, 0.05, (len(SIZES), draws))
    dims, coords = ["kernel", "n_train", "draw"], {"n_train": SIZES, "draw": range(draws)}
    chosen = []
    for kernel in REGRESSED:
        deep = kernel.endswith("L=5")
        level = np.log(0.3) - n**0 * (gain if deep else 0) + (np.log(parity) if kernel == "ntk L=2" else 0)
        rate = -1 / 3 + (slope if deep else 0)
        logs = (level + rate * np.log(n / 700))[:, None] + shared + noise.normal(0, 0.01, shared.shape)
        chosen.append(np.exp(logs))
    chosen = xr.DataArray(np.array(chosen), dims=dims, coords={"kernel": REGRESSED, **coords})
    error = chosen.expand_dims(ridge=ridges, axis=-1)
    predicted = error.mean("draw") * np.exp(xr.DataArray([2.0, off, 0.0], dims="ridge", coords={"ridge": ridges}))
    family = ("kernel", [kernel.split()[0] for kernel in REGRESSED])
    layers = ("kernel", [int(kernel[-1]) for kernel in REGRESSED])
    table = xr.Dataset({"chosen_error": chosen, "error": error, "predicted_error": predicted})
    table["ridge_at_edge"] = edge + 0 * chosen
    return table.assign_coords(family=family, layers=layers)


def images(*, gains, edge=0.0):
    """Make test errors of two and five layers at two sizes, with the gain of depth by (kernel, n)."""
    noise = np.random.default_rng(1)
    shape = (1, 2, 2, 6, 2)
    base = 0.1 + noise.normal(0, 0.02, (1, 2, 2, 6, 1)) + noise.normal(0, 0.001, shape)
    base[..., 1] -= np.array(gains)[None, :, :, None]
    dims = ["task", "kernel", "n_train", "draw", "depth"]
    coords = {"task": ["mnist"], "kernel": ["rf", "ntk"], "n_train": [100, 1000], "draw": range(6), "depth": [1, 4]}
    variables = {"test_error": (dims, base), "ridge_at_edge": (dims, np.full(shape, edge))}
    return xr.Dataset(variables, coords=coords)


def labels(*, gap, error=0.3):
    """Make errors on a label, and a prediction that differs from them by ``gap``."""
    noise = np.random.default_rng(2).normal(0, 0.002, (1, 1, 1, 6, 2))
    dims = ["task", "kernel", "n_train", "draw", "depth"]
    coords = {"task": ["2-local"], "kernel": ["ntk_beta0"], "n_train": [1000], "draw": range(6), "depth": [1, 7]}
    measured = xr.Dataset({"test_error": (dims, error + noise)}, coords=coords)
    names = ["ntk_beta0 L=2", "ntk_beta0 L=8"]
    predicted = xr.Dataset(
        {"predicted_error": (["kernel", "task", "n_train"], np.full((2, 1, 1), error - gap))},
        coords={"kernel": names, "task": ["2-local"], "n_train": [1000], "layers": ("kernel", [2, 8])}
        | {"family": ("kernel", ["ntk_beta0"] * 2)},
    )
    return {"kernels": measured, "calculations/labels": predicted}


def grid(groups):
    tasks = {"mnist": {"kind": "mnist"}, "2-local": {"kind": "k_local", "k": 2, "n_test": 10**6}}
    tree = xr.DataTree.from_dict(groups)
    tree.attrs = {"spec": json.dumps({"tasks": tasks}), "n_test": 10**6}
    return tree


def verdict(name, groups, grid_name="theory"):
    tree = xr.DataTree(children={grid_name: grid(groups)})
    return judge(claim_files.load_claim("kernels", name), tree)["verdict"]


def changed(spectra, kernel, **factors):
    """Return spectra in which variables of a kernel have other values: name -> function of them."""
    table = spectra.copy(deep=True)
    for name, change in factors.items():
        at = {"kernel": kernel} if "kernel" in table[name].dims else {}
        table[name].loc[at] = change(table[name].sel(at))
    return table


@pytest.mark.parametrize(
    ("name", "kernel", "change"),
    [
        ("ntk_decay_is_depth_free", "ntk L=8", {"exponent": 0.05}),
        ("random_features_decay_is_depth_free", "rf L=8", {"exponent": -0.05}),
        ("laplace_and_exponential_decays", "gamma_0.75", {"exponent": 0.05}),
        ("depth_changes_the_step_kernel", "step L=3", {"exponent": -0.5}),
    ],
)
def test_exponents_are_judged(spectra, name, kernel, change):
    assert verdict(name, {"calculations/spectra": spectra}) == "verified"
    shift = {v: lambda values: values + change["exponent"] for v in ("exponent", "low", "high")}
    assert verdict(name, {"calculations/spectra": changed(spectra, kernel, **shift)}) == "violated"


def test_constants_are_judged(spectra):
    name = "theorem_predicts_the_constant"
    assert verdict(name, {"calculations/spectra": spectra}) == "verified"
    wrong = changed(spectra, "laplace", prediction=lambda p: 1.02 * p)
    assert verdict(name, {"calculations/spectra": wrong}) == "violated"
    few = {"calculations/spectra": spectra.isel(degree=slice(0, 60))}
    assert verdict(name, few) == "inconclusive"


def test_growth_and_parity_are_judged(spectra):
    groups = {"calculations/spectra": spectra}
    assert verdict("depth_grows_the_constant", groups) == "verified"
    flat = changed(spectra, "ntk L=8", eigenvalue=lambda mu: mu / 4)
    assert verdict("depth_grows_the_constant", {"calculations/spectra": flat}) == "violated"
    assert verdict("two_layers_miss_a_parity", groups) == "verified"
    seen = changed(spectra, "ntk L=2", eigenvalue=lambda mu: mu + 1e-30)
    assert verdict("two_layers_miss_a_parity", {"calculations/spectra": seen}) == "violated"


@pytest.mark.parametrize(
    ("name", "against", "word"),
    [
        ("deep_learns_as_shallow", {"gain": 0.2}, "verified"),
        ("learning_rates_are_equal", {"slope": -0.1}, "verified"),
        ("missing_parity_looks_like_depth", {"parity": 1.1}, "verified"),
        ("theory_predicts_regression", {"off": 0.2}, "holds"),
    ],
)
def test_regressions_are_judged(name, against, word):
    assert verdict(name, {"calculations/regression": regressions()}) == word
    refuted = {"holds": "does not hold", "reproduced": "not reproduced", "verified": "violated"}[word]
    assert verdict(name, {"calculations/regression": regressions(**against)}) == refuted
    if name != "theory_predicts_regression":
        assert verdict(name, {"calculations/regression": regressions(edge=1.0)}) == "inconclusive"


def test_gram_spectra_are_judged():
    name = "gram_has_the_analytic_spectrum"
    found = gram_eigenvalues.calculate(
        generator=stream(0, "g"), kernels=[("ntk", NTK, [2])], n_train=400, draws=6, degrees=12
    )
    assert verdict(name, {"calculations/gram": found}) == "verified"
    wrong = found.assign(eigenvalue=1.1 * found.eigenvalue)
    assert verdict(name, {"calculations/gram": wrong}) == "violated"


IMAGES_ARE_EQUAL = {
    "images_do_not_ask_for_depth": ("reproduced", "not reproduced"),
    "images_have_errors_of_one_size": ("holds", "does not hold"),
}


@pytest.mark.parametrize("name", IMAGES_ARE_EQUAL)
def test_images_are_judged(name):
    """Errors of a tenth: a gain of .002 is 2 % of them, one of .04 a half."""
    yes, no = IMAGES_ARE_EQUAL[name]
    assert verdict(name, {"kernels": images(gains=[[0.02, 0.002], [0.0, 0.0]])}, "images") == yes
    assert verdict(name, {"kernels": images(gains=[[0.02, 0.04], [0.0, 0.0]])}, "images") == no
    at_edge = {"kernels": images(gains=[[0.02, 0.002], [0.0, 0.0]], edge=1.0)}
    assert verdict(name, at_edge, "images") == "inconclusive"


@pytest.mark.parametrize("name", ["depth_gain_shrinks_with_samples", "relative_depth_gain_shrinks_with_samples"])
def test_the_gain_of_depth_on_images_is_judged(name):
    assert verdict(name, {"kernels": images(gains=[[0.02, 0.002], [0.0, 0.0]])}, "images") == "holds"
    assert verdict(name, {"kernels": images(gains=[[0.02, 0.04], [0.0, 0.0]])}, "images") == "does not hold"


def test_small_errors_can_have_equal_accuracies_and_another_ratio():
    """Errors of a fortieth, of which depth takes a quarter: accuracies differ by less than a per cent."""
    data = images(gains=[[0.028, 0.028], [0.0, 0.0]])
    small = {"kernels": data.assign(test_error=data.test_error / 4)}
    assert verdict("images_do_not_ask_for_depth", small, "images") == "reproduced"
    assert verdict("images_have_errors_of_one_size", small, "images") == "does not hold"


def test_errors_below_what_counts_as_a_difference_are_no_evidence_that_accuracies_are_equal():
    data = images(gains=[[0.02, 0.002], [0.0, 0.0]])
    small = {"kernels": data.assign(test_error=data.test_error / 20)}
    assert verdict("images_do_not_ask_for_depth", small, "images") == "inconclusive"


def test_predicted_errors_are_judged():
    name = "spectrum_predicts_the_ntk_of_locality"
    assert verdict(name, labels(gap=0.01), "labels") == "holds"
    assert verdict(name, labels(gap=0.05), "labels") == "does not hold"
    assert verdict(name, labels(gap=0.01, error=0.45), "labels") == "holds"


def test_a_kernel_that_guesses_confirms_no_prediction():
    """A prediction of 1/2 is within every tolerance of an error of guessing, and explains none of a small gain."""
    name = "spectrum_predicts_the_ntk_of_locality"
    assert verdict(name, labels(gap=0.0, error=0.5), "labels") == "inconclusive"
    assert verdict(name, labels(gap=-0.015, error=0.485), "labels") == "does not hold"


@pytest.fixture(scope="module")
def theory(spectra):
    kernels = [
        ("rf", RF, [2]),
        ("rf_bias", {**RF, **BIAS}, [1]),
        ("ntk", NTK, [1, 2]),
        ("ntk_bias", {**NTK, **BIAS}, [1]),
    ]
    settings = {"n_train": (20, 40), "draws": 2, "ridges": (1e-4, 1e-2), "n_validation": 50, "n_test": 50}
    found = sphere_regression.calculate(generator=stream(0, "r"), kernels=kernels, degrees=100, **settings)
    gram = gram_eigenvalues.calculate(generator=stream(0, "g"), kernels=kernels, n_train=30, draws=2, degrees=10)
    return grid({"calculations/spectra": spectra, "calculations/regression": found, "calculations/gram": gram})


def lines(figure):
    return [line for axis in figure.axes for line in axis.get_lines() if len(line.get_xdata())]


def test_figures_of_spectra_show_the_numbers(theory, spectra):
    names = ("rf", "ntk", "step", "nothing")
    drawn = spectra_figure.draw(theory, calculation="spectra", dimension=3, families=names)
    heights = {float(y) for line in lines(drawn) for y in line.get_ydata()}
    assert float(spectra.eigenvalue.sel(kernel="rf L=3", dimension=3, degree=2)) in heights
    assert all(y > 0 or np.isnan(y) for y in heights)
    assert "no nothing in this cube" in [text.get_text() for text in drawn.axes[3].texts]
    drawn = decay_exponents.draw(theory, calculation="spectra", families=("ntk", "step"))
    assert any(np.allclose(line.get_ydata(), -3) for line in lines(drawn))
    drawn = decay_constants.draw(theory, calculation="spectra", families=("ntk",))
    assert any(np.allclose(line.get_ydata(), [1, 2, 7], rtol=0.5) for line in lines(drawn))


def test_figures_of_regressions_show_the_numbers(theory):
    table = theory["calculations/regression"].to_dataset()
    drawn = sphere_learning_curves.draw(theory, calculation="regression")
    predicted = table.predicted_error.sel(kernel="ntk L=3").min("ridge").values
    assert any(np.array_equal(line.get_ydata(), predicted) for line in lines(drawn))
    drawn = eigenlearning.draw(theory, calculation="regression")
    assert len(drawn.axes) == len(table.kernel)
    references = [("rf", "rf_bias L=2"), ("ntk", "ntk_bias L=2"), ("other", "none")]
    drawn = depth_ratios.draw(theory, calculation="regression", references=references)
    own = np.log(table.chosen_error.sel(kernel="ntk L=3") / table.chosen_error.sel(kernel="ntk_bias L=2")).mean("draw")
    assert any(np.allclose(line.get_ydata(), np.exp(own)) for line in lines(drawn))
    drawn = gram_spectra.draw(theory, calculation="gram")
    assert len(drawn.axes) == 5


def test_figures_of_the_workflows_regressions_show_the_numbers():
    data = images(gains=[[0.02, 0.0], [0.0, 0.0]])
    drawn = kernel_accuracy.draw(grid({"kernels": data}), task="mnist", kernels=("rf", "ntk"))
    expected = (1 - data.test_error).mean("draw").sel(task="mnist", kernel="rf", depth=4).values
    assert any(np.allclose(line.get_ydata(), expected) for line in lines(drawn))
    drawn = predicted_errors.draw(grid(labels(gap=0.05)), calculation="labels", tasks=("2-local",))
    assert any(np.allclose(line.get_xdata(), 0.25) for line in lines(drawn))


@pytest.mark.parametrize(
    "draw",
    [
        lambda cube: spectra_figure.draw(cube, calculation="a", dimension=3, families=("rf",)),
        lambda cube: decay_exponents.draw(cube, calculation="a", families=("rf",)),
        lambda cube: decay_constants.draw(cube, calculation="a", families=("rf",)),
        lambda cube: sphere_learning_curves.draw(cube, calculation="a"),
        lambda cube: eigenlearning.draw(cube, calculation="a"),
        lambda cube: depth_ratios.draw(cube, calculation="a", references=[("rf", "rf")]),
        lambda cube: gram_spectra.draw(cube, calculation="a"),
        lambda cube: kernel_accuracy.draw(cube, task="a", kernels=("b",)),
        lambda cube: predicted_errors.draw(cube, calculation="a", tasks=("b",)),
    ],
)
def test_figures_of_what_is_not_there_say_so(draw):
    figure = draw(grid({"other": xr.Dataset({"a": 1})}))
    assert any(text.get_text().startswith("no ") for axis in figure.axes for text in axis.texts)
