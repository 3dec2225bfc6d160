"""Sweeps of the learning rate in the fractals study: best rates at an end, and networks that die at a rate."""

import json
from dataclasses import replace

import fractal_cubes as made
import numpy as np
import pytest
import xarray as xr
from planted_fractals import TASKS, as_published, constructed, tree

from isobath import claim_files
from isobath.analysis import selection
from isobath.analysis.estimates import Undetermined
from isobath.analysis.standard_errors import binomial_error
from isobath.analysis.sweeps import require_rate
from isobath.analysis.verdicts import criterion, judge
from isobath.claims.fractals import sweeps
from isobath.claims.fractals.cells import grid_of
from isobath.claims.fractals.measures import error as error_by

RECORDED = ("test", "first_half", "second_half")


@pytest.fixture(scope="module")
def published():
    return tree(as_published, theory=(constructed(), made.calculations()))


def swept(errors, *, seeds=6, spread=0.001):
    """Make a cell that has these errors at its rates, 0.001, 0.002, ...: networks differ by ``spread``."""
    task = {"a": made.fractal("cantor", 1)}
    rng = np.random.default_rng(0)
    table = made.networks(task, lambda *_: 0.2, depths=(5,), widths=(10,)).isel(learning_rate=0, drop=True)
    noise = spread * rng.standard_normal((len(errors), table.sizes["seed"]))
    parts = []
    for i, error in enumerate(errors):
        part = table.assign_coords(learning_rate=0.001 * (i + 1))
        for name in ("recorded_test_error", "recorded_first_half_error", "recorded_second_half_error"):
            part[name] = part[name] * 0 + error + xr.DataArray(noise[i], dims="seed")
        parts.append(part)
    node = xr.DataTree.from_dict({"networks": xr.concat(parts, "learning_rate")})
    node.attrs |= {"n_test": 100_000, "spec": json.dumps({"tasks": task})}
    return grid_of(xr.DataTree.from_dict({f"g{n.path}": n.to_dataset() for n in node.subtree}), "g")


@pytest.mark.parametrize(
    ("errors", "why"),
    [
        ([0.1, 0.2, 0.3], "0.001, the smallest"),
        ([0.3, 0.2, 0.1], "0.003, the largest"),
        ([0.3, 0.1, 0.2], ""),
        ([0.1, 0.1, 0.3], ""),  # an end that is no better than the next
        ([0.2], ""),
    ],
)
def test_a_best_rate_at_the_end_of_a_sweep_was_not_found(errors, why):
    """Once fine curves failed because of the rates that were offered."""
    cells, at = swept(errors), {"task": "a", "depth": 5, "width": 10}
    for rule in selection.RULES:
        part = criterion("", error_by, cells, rule, at, below=0.5)
        assert part.outcome() == ("inconclusive" if why else "reproduced")
        assert (f"rate not found: {why}" if why else "") in part.reason


def test_the_networks_that_survive_a_rate_do_not_make_it_the_best():
    """Once a rate at which all networks but that of an easy data set diverged was the best, and none was refused."""
    errors = np.array([0.10, 0.30, 0.31, 0.29, 0.32, 0.30])
    by_rate = np.stack([errors, errors + 0.05, np.where(errors < 0.2, errors + 0.1, np.nan)])[..., None]
    recorded = {f"recorded_{name}_error": (("learning_rate", "draw", "step"), by_rate) for name in RECORDED}
    cell = xr.Dataset(recorded, {"learning_rate": [0.001, 0.003, 0.01], "draw": range(6), "step": [10]})
    status = np.where(np.isnan(by_rate[..., 0]), "diverged", "unfitted").astype(object)
    with pytest.raises(Undetermined, match=r"0\.001, the smallest"):
        require_rate(cell.assign(status=(("learning_rate", "draw"), status)))


def test_what_the_usual_rate_loses_has_the_errors_of_both_and_counts_the_networks_that_diverged():
    """Once the binomial error was that of the difference, as if it were an error rate, and no network was counted."""
    cells, at = swept([0.2, 0.18, 0.3]), {"task": "a", "depth": 5, "width": 10}
    usual = sweeps.usual_rate(cells, at)
    lost = sweeps.lost_at_the_usual_rate(cells, at)
    best = sweeps.error_at_the_usual_rate(cells, at).value - lost.value
    both = [binomial_error(error, 100_000) for error in (best + lost.value, best)]
    assert lost.sample == pytest.approx(np.hypot(*both))
    networks = cells.group("networks")
    gone = (networks.learning_rate == usual) & (networks.seed > 1)
    numbers = {name: networks[name].where(~gone) for name in networks if name.startswith("recorded_")}
    table = networks.assign(status=networks.status.where(~gone, "diverged"), **numbers)
    few = sweeps.lost_at_the_usual_rate(replace(cells, groups={"networks": table}), at)
    assert few.tally.least == pytest.approx(2 / networks.sizes["seed"])


def test_dead_networks_are_those_of_a_constant_output(published):
    cells = grid_of(published, "curves")
    fine, coarse = ({"task": f"cantor-{curve}", "depth": 5} for curve in (6, 1))
    least, usual = min(cells.cell(**fine).learning_rate.values), sweeps.usual_rate(cells, fine)
    at_least, at_usual = ({*sweeps.dead_by_draw(cells, fine, rate=rate).values()} for rate in (least, usual))
    assert (at_least, at_usual) == ({False}, {True, False})
    assert {*sweeps.dead_by_draw(cells, coarse, rate=usual).values()} == {False}
    judged = judge(claim_files.load_claim("fractals", "dying_units_are_a_part_of_the_fall"), published)
    parts = {part["label"]: part for part in judged["parts"]}
    lost = {curve: 0.5 - as_published(TASKS[f"cantor-{curve}"], 5, 40) for curve in (1, 6)}
    worse = (6 * 0.5 + 2 * 0.1) / 8  # at the usual rate, on six data sets of dead networks and two others
    expected = worse * lost[6] - 0.1 * lost[1]  # and 0 at the best
    assert parts["fall at the usual rate minus at the best"]["estimate"] == pytest.approx(expected, abs=0.01)


def test_the_part_of_a_fall_by_dead_networks_is_what_they_lose_beyond_those_that_live():
    rng, dead = np.random.default_rng(0), range(10)
    rises = {draw: (0.3 if draw in dead else 0.1) + 0.002 * rng.standard_normal() for draw in range(20)}
    part = sweeps.part_of_dead_networks(rises, dead)
    assert part.value == pytest.approx(0.5, abs=0.02)  # the mean is 0.2, and 0.1 where they live
    assert part.interval()[0] < 0.5 < part.interval()[1]


def test_the_part_is_the_ratio_that_it_states():
    """Once it was the mean of the jackknife, which can exceed 1."""
    part = sweeps.part_of_dead_networks({0: 0.02, 1: 0.01, 2: 0.03, 3: 0.45}, {3})
    assert part.value == pytest.approx(1 - 0.02 / 0.1275)


@pytest.mark.parametrize(("n", "dead", "why"), [(0, [], "one data"), (6, [], "0 of 6"), (6, range(5), "5 of 6")])
def test_without_the_dead_or_the_living_there_is_no_part(n, dead, why):
    with pytest.raises(Undetermined, match=why):
        sweeps.part_of_dead_networks(dict.fromkeys(range(n), 0.1), dead)


def test_the_interval_of_the_part_covers_the_truth():
    """Networks are dead on each of six data sets with probability one half."""
    rng, covered = np.random.default_rng(1), []
    while len(covered) < 1000:
        died = rng.random(6) < 0.5
        rises = dict(enumerate(np.where(died, 0.3, 0.1) + 0.05 * rng.standard_normal(6)))
        if 1 <= died.sum() <= 4:
            low, high = sweeps.part_of_dead_networks(rises, np.flatnonzero(died)).interval()
            covered.append(low < 0.5 < high)
    assert 0.92 < np.mean(covered) < 0.98


def test_dead_networks_are_counted_by_data_set():
    """A data set counts once, where all of its networks are dead: otherwise the best of them is alive."""
    (part,) = made.grid("curves", {"cantor-6": TASKS["cantor-6"]}, as_published, depths=(5,), dead=2).values()
    networks = part["networks"].to_dataset().isel(draw=[0])
    alive = networks.assign(recorded_train_norm=2 * networks.recorded_train_norm)
    some = networks.assign(
        recorded_train_norm=alive.recorded_train_norm.where(networks.width == 10, networks.recorded_train_norm)
    )
    draws = [each.assign_coords(draw=[draw]) for draw, each in enumerate((networks, some, alive))]
    node = xr.DataTree.from_dict({"/": part.to_dataset(), "/networks": xr.concat(draws, "draw")})
    cells = grid_of(xr.DataTree.from_dict({f"g{n.path}": n.to_dataset() for n in node.subtree}), "g")
    at = {"task": "cantor-6", "depth": 5}
    assert sweeps.dead_by_draw(cells, at, rate=sweeps.usual_rate(cells, at)) == {0: True, 1: False, 2: False}


@pytest.mark.parametrize(("half", "bound", "outcome"), [(0.3, 0.15, "inconclusive"), (0.2, 0.15, "reproduced")])
def test_an_error_that_still_falls_does_not_decide_what_twice_the_steps_would_undo(half, bound, outcome):
    """Once a fine curve counted as one that degrades networks, while its error was still on its way down."""
    (part,) = made.grid("g", {"a": TASKS["cantor-6"]}, lambda *_: 0.2, depths=(5,), widths=(10,)).values()
    networks = part["networks"].to_dataset()
    falling = 0.2 + (half - 0.2) * xr.DataArray([2.0, 2.0, 1.0, 0.0], dims="step")  # at steps 0, 8, 10 and 20
    names = [f"recorded_{name}_error" for name in ("test", "first_half", "second_half")]
    kept = networks.assign({name: falling + 0 * networks[name] for name in names}).isel(learning_rate=[1])
    tree = xr.DataTree.from_dict({"g": part.to_dataset(), "g/networks": kept})
    for rule in selection.RULES:
        found = criterion("", error_by, grid_of(tree, "g"), rule, {"task": "a", "depth": 5, "width": 10}, above=bound)
        assert found.outcome() == outcome
        assert found.estimate.by(selection.TWICE) == pytest.approx(0.4 - half)


def test_outputs_are_constant_beside_their_size():
    """Outputs that are small on both parts are not yet constant."""
    norms = {"recorded_train_norm": ("step", [2e-6]), "recorded_test_norm": ("step", [4e-6])}
    assert not sweeps.dead(xr.Dataset({**norms, "status": ((), "fitted")}))
