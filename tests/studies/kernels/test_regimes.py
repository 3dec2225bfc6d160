"""Claims on the lazy regime, on sample sizes and on finite kernels, on cubes with a planted truth; their figures."""

import numpy as np
import pytest
import regime_cubes
import torch
import xarray as xr
from regime_cubes import ALPHAS, DRAWS, RATES, expected, feature_share, lazy, networks, tree, verdict

from isobath import claim_files
from isobath.analysis.estimates import Undetermined
from isobath.analysis.verdicts import judge
from isobath.calculations import finite_tangent_kernels
from isobath.claims.kernels import regimes, sample_sizes
from isobath.figures import finite_tangent_kernels as finite_figure
from isobath.figures import lazy_to_feature, value_of_features
from isobath.figures import sample_sizes as sizes_figure
from isobath.kernels import ntk
from isobath.randomness import stream
from isobath.regression.gram import gram
from isobath.regression.tangent_kernel import jacobian
from isobath.training.architecture import Architecture

LAZY_CLAIMS = [
    "lazy_networks_are_their_kernel",
    "gain_of_depth_vanishes_when_lazy",
    "gain_of_depth_changes_sign_when_lazy",
    "value_of_features_falls_with_terms",
]


@pytest.mark.parametrize("name", LAZY_CLAIMS)
def test_claims_on_lazy_networks_hold_where_they_are_planted(name):
    assert verdict(name, tree("lazy", networks=lazy(expected))) == "holds"


def test_networks_that_guess_are_no_evidence_that_lazy_ones_are_their_kernel():
    guessing = tree("lazy", networks=lazy(lambda a, k, m, d, w: 0.48))
    found = judge(claim_files.load_claim("kernels", "lazy_networks_are_their_kernel"), guessing)
    assert found["verdict"] == "inconclusive"
    assert {part["reason"].partition(",")[0] for part in found["parts"]} == {"errors are at least 0.48"}


def test_local_labels_of_two_dimensions_are_told_apart(monkeypatch):
    larger = {"kind": "k_terms", "k": 2, "terms": 1, "dimension": 20, "rotated": False}
    monkeypatch.setitem(regime_cubes.TASKS, "2-terms-1-larger", larger)
    cubes = tree("lazy", networks=lazy(expected))
    found = judge(claim_files.load_claim("kernels", "gain_of_depth_vanishes_when_lazy"), cubes)["parts"]
    labels = [part["label"] for part in found if part["label"].endswith("smallest alpha")]
    assert labels == [f"{family}, smallest alpha" for family in ("2-local, d = 10", "2-local, d = 20", "3-local")]


def test_no_gain_of_depth_can_vanish_where_there_is_none():
    cubes = tree("lazy", networks=lazy(lambda a, k, m, d, w: 0.3 + 0.1 * (d == 7)))
    found = judge(claim_files.load_claim("kernels", "gain_of_depth_vanishes_when_lazy"), cubes)["parts"]
    at_large = [part for part in found if part["label"].endswith("largest alpha")]
    assert {part["verdict"] for part in at_large} == {"inconclusive"}
    assert at_large[0]["reason"].startswith("there is no gain that could vanish: it is -0.1")


@pytest.mark.parametrize(
    ("name", "error", "kernel"),
    [
        ("lazy_networks_are_their_kernel", expected, 0.05),
        ("gain_of_depth_vanishes_when_lazy", lambda a, k, m, d, w: expected(a, k, m, d, w) - 0.05 * (d == 7), 0.0),
        ("gain_of_depth_changes_sign_when_lazy", lambda a, k, m, d, w: 0.3 + 0.1 * (d == 7), 0.0),
        ("value_of_features_falls_with_terms", lambda a, k, m, d, w: 0.4 - 0.01 * m * feature_share(a), 0.0),
    ],
)
def test_claims_on_lazy_networks_can_fail(name, error, kernel):
    assert verdict(name, tree("lazy", networks=lazy(error, kernel=kernel))) == "does not hold"


def test_a_gain_does_not_vanish_where_lazy_networks_learn_nothing():
    """Once it did, within its bounds, since errors of guessing are alike."""

    def error(alpha, k, m, depth, width):
        features = feature_share(alpha)
        return features * (0.3 if depth == 1 else 0.2) + (1 - features) * 0.497

    cells = regimes.grid_of(tree("lazy", networks=lazy(error)), "lazy")
    with pytest.raises(Undetermined, match="alike anyway"):
        regimes.gain_left(cells, regimes.extremes(cells)[1], task="2-terms-1")


def test_a_rate_at_the_end_of_the_list_decides_nothing():
    """It does decide if a larger rate diverged."""
    at_end = lazy(expected, best=1.0)
    assert verdict("lazy_networks_are_their_kernel", tree("lazy", networks=at_end)) == "inconclusive"
    beyond = at_end.reindex(learning_rate=[*RATES, 3.0])
    known = beyond.learning_rate < 2
    beyond = beyond.assign(status=beyond.status.where(known, "diverged"))
    assert verdict("lazy_networks_are_their_kernel", tree("lazy", networks=beyond)) == "holds"
    cells = regimes.grid_of(tree("lazy", networks=beyond), "lazy")
    assert regimes.error(cells, task="2-terms-1", protocol="lazy_1", depth=1).tally.least == 1


@pytest.mark.parametrize(("power", "word"), [(-0.5, "holds"), (0.0, "does not hold")])
def test_the_crossover_is_judged(power, word):
    def error(alpha, k, m, depth, width):
        return 0.3 - 0.1 * feature_share(alpha / (width / 100) ** power)

    widths = (50, 100, 200)
    data = lazy(error, widths=widths, depths=(1,)).sel(task=["2-terms-1"], protocol=[f"lazy_{a:g}" for a in ALPHAS])
    cube = tree("crossover", networks=data)
    assert verdict("crossover_falls_with_width", cube) == word
    cells = regimes.grid_of(cube, "crossover")
    found = regimes.log_crossover(cells, task="2-terms-1", depth=1, width=100)
    assert found.value == pytest.approx(0, abs=0.05)
    flat = tree("crossover", networks=data.assign(recorded_first_half_error=0 * data.recorded_first_half_error))
    flat["crossover"]["networks"] = (
        flat["crossover/networks"]
        .to_dataset()
        .assign(recorded_second_half_error=0.3 + 0 * data.recorded_second_half_error)
    )
    assert verdict("crossover_falls_with_width", flat) == "inconclusive"


def of_widths(crossover, alphas=ALPHAS, widths=(20, 50, 100, 200)):
    """Make networks whose crossover is ``crossover(width)``, at some of the alphas."""

    def error(alpha, k, m, depth, width):
        return 0.3 - 0.1 * feature_share(alpha / crossover(width))

    data = lazy(error, widths=widths, depths=(1,)).sel(task=["2-terms-1"], protocol=[f"lazy_{a:g}" for a in alphas])
    return judge(claim_files.load_claim("kernels", "crossover_falls_with_width"), tree("crossover", networks=data))[
        "parts"
    ]


def test_a_crossover_asks_for_a_plateau_and_for_a_power_law():
    (part,) = of_widths(lambda width: (width / 100) ** -0.5, alphas=ALPHAS[2:])
    assert "from the smallest alpha to the next the error changes by" in part["reason"]
    (part,) = of_widths(lambda width: (min(width, 50) / 50) ** -1.0)
    assert part["reason"].startswith("no power law")


SIZES = [50, 100, 200, 400, 800, 1600]
LABELS = {
    f"2-{kind}-{d}": {"kind": f"k_{kind}", "k": 2, "dimension": d} for kind in ("local", "global") for d in (10, 14, 20)
}


def samples(*, local=1.0, globally=2.0, kernel=2.0, deep=0.0, falling=0.0):
    """Make errors 1/4 at N = 100 (d / 10)^a.

    ``deep`` is added to a for networks of seven layers, which take twice as many samples.
    """

    def level(n, d, a, factor=1.0):
        return float(np.clip(0.25 - 0.05 * np.log2(n / (100 * factor * (d / 10) ** a)), 0.02, 0.5))

    def of_network(task, protocol, depth, width, n):
        a = (local if "local" in task else globally) + deep * (depth == 7)
        return level(n, LABELS[task]["dimension"], a, 1 + (depth == 7))

    about = {f"task_{name}": ("task", [s[name] for s in LABELS.values()]) for name in ("kind", "k", "dimension")}
    found = networks([*LABELS], ["sgd"], of_network, sizes=SIZES, falling=falling).assign_coords(**about)
    errors = [[[level(n, s["dimension"], kernel) for n in SIZES] for _ in (1, 7)] for s in LABELS.values()]
    noise = np.random.default_rng(1).normal(0, 0.002, DRAWS)
    dims = ["task", "kernel", "depth", "n_train", "draw"]
    coords = {"task": [*LABELS], "kernel": ["ntk"], "depth": [1, 7], "n_train": SIZES, "draw": range(DRAWS)}
    kernels = xr.Dataset({"test_error": (dims, np.array(errors)[:, None, ..., None] + noise)}, coords=coords)
    return tree("samples", LABELS, networks=found, kernels=kernels.assign_coords(**about))


SAMPLE_CLAIMS = [
    ("kernel_needs_all_harmonics", {"kernel": 1.0}),
    ("networks_need_fewer_samples_for_local", {"local": 2.0}),
    ("networks_need_all_harmonics_for_global", {"globally": 1.0}),
    ("depth_leaves_the_exponent", {"deep": 0.8}),
]


@pytest.mark.parametrize(("name", "against"), SAMPLE_CLAIMS)
def test_sample_sizes_are_judged(name, against):
    assert verdict(name, samples()) == "holds"
    assert verdict(name, samples(**against)) == "does not hold"
    kernels = name == "kernel_needs_all_harmonics"
    assert verdict(name, samples(falling=0.2)) == ("holds" if kernels else "inconclusive")


def test_an_exponent_is_that_of_the_planted_law():
    cells = sample_sizes.cells_of(samples())
    found = sample_sizes.exponent(cells, sample_sizes.of_networks, "k_global", 7)
    assert found.value == pytest.approx(2, abs=0.05)
    few = samples()
    few["samples"]["networks"] = few["samples/networks"].to_dataset().sel(n_train=[50, 100])
    assert verdict("networks_need_all_harmonics_for_global", few) == "inconclusive"


def test_two_dimensions_give_no_exponent():
    two = samples()
    for group in ("networks", "kernels"):
        data = two[f"samples/{group}"].to_dataset()
        two["samples"][group] = data.sel(task=data.task_dimension != 14)
    assert {verdict(name, two) for name, _ in SAMPLE_CLAIMS} == {"inconclusive"}


@pytest.fixture(scope="module")
def finite():
    settings = {"depths": (1, 3), "widths": (64, 256, 1024), "networks": 40, "samples": 12, "dimension": 5}
    return finite_tangent_kernels.calculate(generator=stream(0, "finite"), **settings)


def test_finite_kernels_are_judged(finite):
    """Kernels are those of real networks, and others whose deviations do not fall, or are the same for every depth."""
    flat = finite.assign(deviation=finite.deviation * np.sqrt(finite.width) / finite.depth**2)
    name, theory = "finite_kernels_reach_their_limit", lambda data: tree("theory", calculations__finite=data)
    assert (verdict(name, theory(finite)), verdict(name, theory(flat))) == ("verified", "violated")
    name = "deep_kernels_are_farther_from_their_limit"
    assert (verdict(name, theory(finite)), verdict(name, theory(flat))) == ("verified", "violated")
    name, biased = "finite_kernels_with_biases_reach_their_limit", "calculations__finite_with_biases"
    assert [verdict(name, tree("theory", **{biased: data})) for data in (finite, flat)] == ["verified", "violated"]
    assert (finite.mean_deviation < finite.deviation.mean("network")).all()


def lines(figure):
    return [line for axis in figure.axes for line in axis.get_lines() if len(line.get_xdata())]


def drawn(figure, values):
    return any(len(line.get_ydata()) == len(values) and np.allclose(line.get_ydata(), values) for line in lines(figure))


def test_figures_of_the_regimes_show_the_numbers():
    data = lazy(expected, noise=0.0)
    cube = tree("lazy", networks=data)["lazy"]
    figure = lazy_to_feature.draw(cube, tasks=("2-terms-1", "3-terms-8"))
    for depth in (1, 7):
        assert drawn(figure, [expected(a, 2, 1, depth, 50) for a in ALPHAS])
        assert drawn(figure, [expected(100.0, 3, 8, depth, 50)] * 2)  # the kernel
    figure = value_of_features.draw(cube)
    assert drawn(figure, [expected(100.0, 3, m, 7, 50) - expected(0.1, 3, m, 7, 50) for m in (1, 8)])


def test_the_figure_of_sample_sizes_shows_the_numbers():
    figure = sizes_figure.draw(samples()["samples"], protocol="sgd", kernel="ntk")
    heights = [np.asarray(line.get_ydata(), dtype=float) for line in lines(figure)]
    assert any(len(y) == 3 and np.allclose(y, [200, 280, 400], rtol=0.1) for y in heights)  # local, seven layers
    assert any(len(y) == 3 and np.allclose(y, [100, 196, 400], rtol=0.1) for y in heights)  # the kernel


def test_the_figure_of_finite_kernels_shows_the_numbers(finite):
    figure = finite_figure.draw(tree("theory", calculations__finite=finite)["theory"], calculation="finite")
    assert drawn(figure, finite.deviation.mean("network").sel(depth=3).values)


@pytest.mark.parametrize(
    "draw",
    [
        lambda cube: lazy_to_feature.draw(cube, tasks=("a",)),
        value_of_features.draw,
        lambda cube: sizes_figure.draw(cube, protocol="a", kernel="b"),
        lambda cube: finite_figure.draw(cube, calculation="a"),
    ],
)
def test_figures_of_what_is_not_there_say_so(draw):
    figure = draw(tree("other", other=xr.Dataset({"a": 1}))["other"])
    assert any(text.get_text().startswith("no ") for axis in figure.axes for text in axis.texts)


def test_the_deviation_of_a_finite_kernel_is_that_of_all_pairs():
    how = {"depths": (2,), "widths": (5,), "networks": 3, "samples": 4, "dimension": 3, "beta": 0.3}
    found = finite_tangent_kernels.calculate(generator=np.random.default_rng(0), **how)
    generator = np.random.default_rng(0)
    x = torch.from_numpy(generator.standard_normal((4, 3)))
    f = Architecture.of({"kind": "mlp", "initialisation": "standard_normal", "parametrisation": "ntk", "beta": 0.3})
    shape = {"n_inputs": 3, "n_outputs": 1, "depth": 2, "width": 5, "dtype": torch.float64}
    rows = [jacobian(f, f.init([one], **shape), x)[:, 0] for one in generator.spawn(3)]
    kernels = torch.stack([row @ row.T for row in rows])
    (limit,) = gram(lambda pairs, depth: ntk.profile(pairs, depth=depth, beta=0.3, input_variance=2), x, x, depth=[2])
    expected = [((k - limit).square().sum() / limit.square().sum()).sqrt().item() for k in (*kernels, kernels.mean(0))]
    np.testing.assert_allclose(found.deviation.squeeze(), expected[:3])
    assert found.mean_deviation.item() == pytest.approx(expected[3])
