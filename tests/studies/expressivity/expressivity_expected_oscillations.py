"""Oracles of the claims on oscillations and foldings (expressivity) on uneven cubes: every criterion of each."""

import math

import numpy as np
from expressivity_distinct import OF_EQUAL_SIZE, OWN_SAMPLES
from expressivity_distinct_tables import BASINS, NOISE
from expressivity_formulas import combined, exact, expected, judged, mean, quoted, share

COUNTED = ("folds", "spread_starts", "own_size")


@expected
def composition_multiplies_crossings(parts):
    counts = parts["folds/calculations/sawtooth_counts"]
    power = (2 * counts.triangles) ** counts.folds
    return [
        exact("intervals", abs(counts.intervals - (power + 1)).max(), below=0.5),
        exact("linear pieces", abs(counts.regions - power).max(), below=0.5),
    ]


@expected
def triangle_count_is_misprinted(parts):
    counts = parts["folds/calculations/sawtooth_counts"]
    ratio, bounds = counts.peaks / (2 * counts.triangles) ** counts.folds, {"above": 0.5 - 1e-8, "below": 0.5 + 1e-8}
    return [exact("largest ratio", ratio.max(), **bounds), exact("smallest ratio", ratio.min(), **bounds)]


def farthest(parts, label, excess):
    """Return the largest excess over all networks of all grids, at the start and at the end of training."""
    tables = [parts[f"{grid}/oscillation_counts"] for grid in COUNTED]
    waves = [table.assign(pieces=(2 * table.task_triangles) ** table.task_folds) for table in tables]
    return [
        exact(
            f"{kind} networks: {label}", max(float(excess(t.sel(moment=moment)).max()) for t in waves), below=1e-8
        )
        for kind, moment in (("random", "start"), ("trained", "end"))
    ]  # fmt: skip


@expected
def few_layers_few_oscillations(parts):
    counts, label = parts["folds/calculations/sawtooth_counts"], "intervals beyond the bound"
    closed = counts.intervals - ((2 * counts.triangles + 1) ** counts.folds + 1)
    return [
        *farthest(parts, label, lambda table: table.intervals - ((table.width + 1) ** table.depth + 1)),
        exact(f"networks in closed form: {label}", closed.max(), below=1e-8),
    ]


@expected
def few_oscillations_err(parts):
    def least_share(table):
        return 0.5 - table.intervals / (table.pieces + 1) - table.wrong

    def accuracy(table):
        ceiling = np.minimum(1 - (table.pieces + 1 - table.intervals) / (2 * table.pieces), 1)
        return table.accuracy - ceiling

    return [
        *farthest(parts, "least share minus wrong share", least_share),
        *farthest(parts, "accuracy minus its ceiling", accuracy),
    ]


@expected
def piecewise_polynomials_oscillate_little(parts):
    table = parts["folds/calculations/piecewise_polynomials"]
    most = table.parts * (1 + table.degree)
    return [
        exact("random: beyond the bound", (table.intervals - most).max(), below=0.5),
        exact("Chebyshev: short of the bound", (table.tight_intervals - most).min(), above=-0.5, below=0.5),
    ]


@expected
def deep_expresses_more_per_parameter(parts):
    row = parts["folds/constructions"].sel(task="sawtooth-6", construction="folding")
    units = math.floor((float(row.n_parameters) - 1) / 3)  # of one layer: a weight, a bias, a weight of the readout
    ceiling = 1 - (2**6 + 1 - (units + 2)) / 2**7  # W + 1 pieces
    hits = round((1 - float(row.test_error)) * OWN_SAMPLES)
    return [share("folding minus ceiling", hits, OWN_SAMPLES, less=ceiling, above=0.3)]


def of_depths(parts, grid, tasks, depth, *, train=False):
    """Return pairs of factors and errors, whose sum is the accuracy of a depth minus that of one layer, of each task.

    Of several tasks, the gains of all but the first are subtracted.
    """
    return [
        (sign * side, quoted(parts[f"{grid}/networks"], train=train, task=task, depth=d, width=OF_EQUAL_SIZE[d]))
        for task, sign in zip(tasks, (1, -1), strict=False)
        for d, side in ((1, 1), (depth, -1))
    ]


def at_four_folds(parts, depths, *, grid="folds", train=False):
    """Return the parts of the gains of depths over one layer at four folds."""
    gains = {depth: of_depths(parts, grid, ["sawtooth-4"], depth, train=train) for depth in depths}
    return [combined(f"{d} layers minus 1", gain, train=train, above=0.05) for d, gain in gains.items()]


@expected
def depth_learns_more_folds(parts):
    return at_four_folds(parts, (2, 3))


@expected
def depth_fits_more_folds(parts):
    return at_four_folds(parts, (2, 3), train=True)


@expected
def depth_learns_more_from_spread_starts(parts):
    return at_four_folds(parts, (3,), grid="spread_starts")


@expected
def gain_grows_with_folds(parts):
    """Return the parts of four and of five folds; eight have no seven below them, and three are learned by one."""
    pairs = {k: of_depths(parts, "folds", [f"sawtooth-{k}", f"sawtooth-{k - 1}"], 3) for k in (4, 5)}
    return [combined(f"{k} folds minus {k - 1}", pair, above=0.0) for k, pair in pairs.items()]


@expected
def expressible_is_not_learned(parts):
    networks, found = parts["own_size/networks"], []
    for k in (1, 3, 4, 5):
        cell = networks.sel(task=f"own-{k}", depth=k, width=2).isel(protocol=0, n_train=0)
        trained = cell.status.isin(["fitted", "unfitted", "diverged"]).any("learning_rate")
        hits = int((judged(networks, task=f"own-{k}", depth=k, width=2) < 0.02).sum())  # diverged ones are none
        bounds = {"above": 0.5} if k == 1 else {"below": 0.2}
        found.append(share(f"{k} fold{'s' if k > 1 else ''}", hits, int(trained.sum()), **bounds))
    return found


def halfway(accuracies):
    """Return log2 of the noise at which accuracies first fall to 3/4, linear between two; NaN if not inside of all."""
    rows = sorted((math.log2(s), a) for s, a in zip(NOISE, accuracies, strict=True) if s > 0)
    i = next((i for i, (_, a) in enumerate(rows) if a <= 0.75), 0)
    if i == 0:
        return math.nan
    (x, a), (y, b) = rows[i - 1], rows[i]
    return y + (x - y) * (0.75 - b) / (a - b)


@expected
def exact_networks_are_fragile(parts):
    before = parts["own_size/calculations/folding_basin"].before.transpose("folds", "network", "noise")
    noise = np.array([[halfway(network) for network in row] for row in before.values])
    usable = np.isfinite(noise).sum(1) >= 0.9 * noise.shape[1]
    assert usable.tolist() == [True, True, True, False, True, False]  # 12, 11, 12, 10, 12 and none of 12 networks
    folds, noise = before.folds.values[usable], noise[usable]
    slopes = [np.polyfit(folds, network, 1)[0] for network in noise.T if np.isfinite(network).all()]
    return [mean("before training", slopes, below=-0.5)]


def left(parts, rates):
    """Return the parts of what training at some rates leaves of the exact network of eight folds."""
    by_rate = {rate: parts[f"own_size/calculations/{name}"].after for name, rate in BASINS.items()}
    rows = {rate: by_rate[rate].sel(folds=8).isel(noise=NOISE.index(0)).values for rate in rates}
    return [mean(f"rate {rate:g}", row[np.isfinite(row)], below=0.55) for rate, row in rows.items()]


@expected
def training_leaves_what_it_cannot_find(parts):
    return left(parts, [0.003])


@expected
def smaller_rates_leave_it_too(parts):
    return left(parts, [1e-3, 1e-4])
