"""Parts of the locality study that claims leave open, for cells that are not there or cannot tell; and their bounds."""

from functools import partial as made

import numpy as np
import pytest
import xarray as xr
from locality_cubes import block
from locality_distinct import RATES, kernels, named, networks, task, tree_of
from test_units_of_cells import cells_of

from isobath import claim_files
from isobath.analysis.verdicts import judge
from isobath.claims.locality import thresholds
from isobath.claims.locality.cells import grid_of, overparametrised, swept_rates

NTK = {"ntk": 0.1}


def every(*_):
    return True


def rising(_, depth, width, n):
    """Plant an error that rises with the depth, and falls with the width and with N."""
    return 0.2 + 0.01 * depth - 0.03 * np.log10(max(width, 1) * n / 1000)


def grid(name, tasks, asked=every, *, kernel=None, base=rising, **axes):
    """Make the cubes of a grid, with an error of the kernels if it has some."""
    rng, axes = np.random.default_rng(0), {"depth": [1, 7], "width": [50, 800], "n_train": [500, 1000]} | axes
    groups = {f"{name}/networks": networks(rng, tasks, asked, base=base, **axes)}
    if kernel is not None:
        made = kernels(rng, tasks, NTK, n_train=axes["n_train"], depth=axes["depth"])
        groups[f"{name}/kernels"] = made.assign(test_error=made.test_error * 0 + kernel)
    return tree_of(tasks, groups)


def samples(*names, asked=every, **how):
    return grid("samples", named(*names), asked, **how)


def terms(numbers, *, asked=every, **axes):
    tasks = {f"2-terms-{m}": task(2, "terms", 20, terms=m, rotated=False) for m in numbers}
    return grid("terms", tasks, asked, protocols=("sgd_normal",), **{"width": [100]} | axes)


def sweep(fits, *, name="3-global", rise=0.0, **how):
    """Make a sweep of rates, with which errors rise; a network of a depth fits at the rates ``fits[depth]`` alone."""
    cubes = grid("learning_rate", named(name), protocols=("sgd_sweep",), rates=RATES, **{"kernel": 0.2} | how)
    networks = cubes["learning_rate/networks"].to_dataset()
    status = networks.status.copy()
    for depth, rate in ((depth, rate) for depth in fits for rate in RATES if rate not in fits[depth]):
        status.loc[{"depth": depth, "learning_rate": rate, "draw": 1, "seed": 2}] = "unfitted"
    changed = networks.assign(status=status, test_error=networks.test_error + rise * networks.learning_rate)
    return cubes.assign({"learning_rate": cubes["learning_rate"].assign({"networks": xr.DataTree(changed)})})


def variance(**sizes):
    return grid("variance", named("2-local"), width=[50], n_train=[500], **sizes)


def not_at(*places):
    """Ask for all cells but those at these places, of which one may be any value, as None."""
    return lambda _, *cell: not any(all(p in (None, c) for p, c in zip(place, cell, strict=True)) for place in places)


def falling(_, depth, width, n):
    return 0.3 - 0.01 * depth


SIZE = {"1-local": 500, "1-global": 1000}
CASES = [  # claim, cubes, the label of a part, its verdict, words of its reason
    ("wide_networks_stay_away_from_the_ntk", made(samples, "2-local", width=[50, 199], kernel=0.3), "2-local, L = 1",
     "inconclusive", "near each"),
    ("wide_networks_stay_away_from_the_ntk", made(samples, "2-local", width=[50], kernel=0.3), "2-local, L = 1",
     "not run", "one width at L = 1"),
    ("small_deep_beats_large_shallow", made(samples, "2-local", width=[50, 400]), "2-local", "not run", "more param"),
    ("small_deep_beats_large_shallow", made(samples, "2-local", asked=not_at((1, 800, 1000), (7, 50, 500))), "2-local",
     "not run", "no common N"),
    ("small_deep_beats_large_shallow", made(samples, "2-local", asked=not_at((1, None, None))), "2-local",
     "not run", "no width"),
    ("narrow_deep_fails_at_small_n", made(samples, "3-local", n_train=[500]), "3-local, recovery", "not run", "no N"),
    ("narrow_deep_fails_at_small_n", made(samples, "3-local", asked=not_at((7, 50, 1000)), width=[50, 100, 800]),
     "3-local, recovery", "not run", "recover"),
    ("width_pays_with_samples_for_global", made(samples, "2-global", n_train=[500]), "2-global", "not run", "no two N"),
    ("width_pays_with_samples_for_global", made(samples, "2-global", width=[50, 100, 800],
     asked=not_at((7, 50, 1000), (7, 100, 500))), "2-global", "not run", "no two N"),
    ("depth_matters_more_than_width_for_local", made(samples, "2-local", asked=not_at((1, 800, None))), "2-local",
     "not run", "two widths at both"),
    ("opposite_depth_trends", made(grid, "depth", named("2-local")), "2-local", "not run", "fewer than 3 depths"),
    ("nonlinear_networks_good_at_k1", made(samples, "1-local", depth=[0, 7], width=[0, 800],
     asked=not_at((0, None, 500), (7, None, 1000), (0, 800, None))), "1-local, L = 7", "not run", "no perceptron"),
    ("local_equals_global_at_k1", made(samples, "1-local", "1-global", asked=lambda name, *cell: cell[2] == SIZE[name]),
     "L = 1", "not run", "no common cells"),
    ("deep_better_for_local", made(samples, "2-local", asked=not_at((7, None, 500), (1, None, 1000))), "2-local",
     "not run", "no width and N"),
    ("deep_better_for_local", made(samples, "2-local"), "3-local", "not run", "no task 3-local"),
    ("rate_matters_more_for_shallow", made(sweep, {1: [0.01, 0.1], 7: [0.1, 0.3]}), "3-global", "inconclusive",
     "both depths"),
    ("order_reverses_with_rate", made(sweep, {1: []}), "3-global, smallest rate", "inconclusive", "no rate at"),
    ("small_rates_approach_ntk", made(sweep, {7: [0.1]}), "3-global, L = 7, nearer", "inconclusive", "no two rates"),
    ("small_rates_approach_ntk", made(sweep, {}, kernel=0.41), "3-global, L = 1, close", "inconclusive", "that guess"),
    ("gain_of_depth_falls_with_terms", made(terms, [1, 6, 20]), "k = 2, d = 20, m <= d / 4", "not run",
     "between 1 and 0.25"),
    ("fall_with_terms_is_general", made(terms, [1, 20], n_train=[500]), "k = 2, d = 20, smallest N",
     "not run", "at one N alone"),
    ("fall_with_terms_is_general", made(terms, [1, 20], depth=[1, 3], asked=not_at((3, None, 500), (1, None, 1000))),
     "k = 2, d = 20, L = 3", "not run", "no N has networks of L = 1 and L = 3"),
    ("gain_of_depth_falls_with_terms", made(terms, [4]), "gain_of_depth_falls_with_terms", "not run", "no cells"),
    ("starts_are_less_than_half_of_the_variance", made(variance, draws=1), "2-local, L = 1", "inconclusive",
     "1 data sets"),
    ("starts_are_less_than_half_of_the_variance", made(variance, seeds=1), "2-local, L = 7", "inconclusive",
     "with 1 networks"),
    ("starts_are_less_than_half_of_the_variance", made(variance, protocols=("sgd",)), "2-local, L = 7", "inconclusive",
     "of 1 searches"),
]  # fmt: skip
ENOUGH = [  # with the cell that those above lack
    ("wide_networks_stay_away_from_the_ntk", made(samples, "2-local", width=[50, 200], kernel=0.3), "2-local, L = 1"),
    ("small_deep_beats_large_shallow", made(samples, "2-local", width=[50, 1000]), "2-local"),
    ("narrow_deep_fails_at_small_n", made(samples, "3-local", width=[50, 100, 800], asked=not_at((7, 50, None))),
     "3-local, recovery"),
    ("opposite_depth_trends", made(grid, "depth", named("2-local"), depth=[1, 2, 7]), "2-local"),
    ("rate_matters_more_for_shallow", made(sweep, {1: [0.01, 0.1, 0.3], 7: [0.1, 0.3]}), "3-global"),
    ("small_rates_approach_ntk", made(sweep, {1: [0.1, 0.3]}), "3-global, L = 1, nearer"),
    ("small_rates_approach_ntk", made(sweep, {}, kernel=0.39), "3-global, L = 1, close"),
    ("gain_of_depth_falls_with_terms", made(terms, [1, 5, 20]), "k = 2, d = 20, m <= d / 4"),
    ("starts_are_less_than_half_of_the_variance", made(variance, draws=2, seeds=2), "2-local, L = 1"),
]  # fmt: skip
WHOLE = [
    ("opposite_depth_trends", made(grid, "depth", named("2-local"), depth=[1, 2, 7], base=falling)),
    ("ntk_depth_for_3_global", made(samples, "3-global", depth=[7], kernel=0.2)),
    ("small_rates_approach_ntk", made(sweep, {}, name="2-local", rise=0.3, base=lambda *_: 0.2)),
    ("order_reverses_with_rate", made(sweep, {}, base=falling)),
]  # fmt: skip


def part_of(claim, tree, label):
    parts = {part["label"]: part for part in judge(claim_files.load_claim("locality", claim), tree)["parts"]}
    return parts[label]


@pytest.mark.parametrize(("claim", "cubes", "label", "verdict", "words"), CASES, ids=[case[0] for case in CASES])
def test_a_part_says_why_it_decides_nothing(claim, cubes, label, verdict, words):
    part = part_of(claim, cubes(), label)
    assert part["verdict"] == verdict
    assert words in part["reason"]


@pytest.mark.parametrize(("claim", "cubes", "label"), ENOUGH, ids=[case[0] for case in ENOUGH])
def test_a_part_has_a_number_where_its_cells_are_just_enough(claim, cubes, label):
    searched = samples("3-global") if claim == "rate_matters_more_for_shallow" else {}
    part = part_of(claim, cubes().assign(dict(searched)), label)
    assert part["estimate"] is not None
    assert part["reason"] == "" or "outside by itself" in part["reason"]


@pytest.mark.parametrize(("claim", "cubes"), WHOLE, ids=[case[0] for case in WHOLE])
def test_a_claim_of_two_effects_stays_open_where_one_was_not_run(claim, cubes):
    judged = judge(claim_files.load_claim("locality", claim), cubes())
    assert {part["verdict"] for part in judged["parts"]} == {"reproduced", "not run"}
    assert judged["verdict"] == "inconclusive"


def test_bounds_are_the_words_that_they_stand_for():
    """They are compared with what is said of them beside them, and in the statements of the claims."""
    chance = thresholds.CHANCE
    assert chance == 0.5  # of two classes
    assert pytest.approx(4 / 5 * chance) == thresholds.FAILS
    assert pytest.approx(chance / 10) == thresholds.LEARNS == thresholds.PERFECT
    assert 2 < thresholds.WIDENS <= 500 / 100  # the widths of the paper widen, one that is twice another does not
    assert 0 < thresholds.ALIKE < thresholds.COMPARABLE < 1
    assert 0 < thresholds.SAME_GAIN < thresholds.SHARE
    assert (thresholds.TOO_LARGE, thresholds.ALWAYS, thresholds.HALF) == (2, 0.9, 0.5)


def test_a_rate_at_which_nothing_was_trained_is_none_at_which_all_fit():
    cubes = sweep({})
    networks = cubes["learning_rate/networks"].to_dataset()
    status = networks.status.where(networks.learning_rate > RATES[0], "missing")
    cubes["learning_rate/networks"] = xr.DataTree(networks.assign(status=status))
    assert swept_rates(grid_of(cubes, "learning_rate", protocol="sgd_sweep"), "3-global", 1)[1] == RATES[1:]


@pytest.mark.parametrize(("diverged", "reason"), [(2, ""), (3, "21 of 24 networks count")])
def test_shares_of_the_variance_ask_for_nine_tenths_of_the_networks(diverged, reason):
    """Once a data set of which a network diverged was left out, and nothing said so."""
    cubes = variance(draws=4, seeds=3)
    networks = cubes["variance/networks"].to_dataset()
    here = (networks.draw == 0) & (networks.protocol == "sgd") & (networks.seed < diverged)
    lost = networks.assign(status=networks.status.where(~here, "diverged"), test_error=networks.test_error.where(~here))
    cubes["variance/networks"] = xr.DataTree(lost)
    part = part_of("starts_are_less_than_half_of_the_variance", cubes, "2-local, L = 1")
    assert (part["counted"], part["trained"], part["count"]) == (24 - diverged, 24, 3)
    assert reason in part["reason"]
    assert bool(reason) == part["reason"].startswith(reason or "21 of")


def test_a_network_with_as_many_parameters_as_samples_has_not_more():
    as_many = block([0], [0.1], n_train=900).assign(n_parameters=("seed", [900]))
    assert overparametrised(cells_of(as_many)).values("n_train", width=10) == []
