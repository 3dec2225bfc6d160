"""Oscillations of random and of trained networks on sawtooth labels, against what bounds them (Telgarsky).

Of every network, from its kinks and without a test sample: the intervals of 1[f >= 0], Cr(f) <= (W + 1)^L + 1; the
share of the wave's intervals where it is wrong throughout, at least 1/2 - Cr(f) / Cr(wave); its accuracy, at most
1 - (Cr(wave) - Cr(f)) / (2 Cr(wave) - 2).
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
import xarray as xr

from isobath.losses import linear_hinge
from isobath.networks import mlp
from isobath.protocols import adam
from isobath.separation.sawtooth import ceiling, most_intervals, pieces
from isobath.separation.sawtooth_networks import Network, Training, each, judge, value
from isobath.settings import Count, Initialisation, Positive
from isobath.tasks import sawtooth
from isobath.training.architecture import Architecture, Weights
from isobath.training.objective import Loss

ABOUT = {
    "intervals": "Cr(f), intervals of the classifier",
    "most_intervals": "(W + 1)^L + 1, the most that its shape allows",
    "wrong": "share of the wave's intervals where it is wrong throughout",
    "least_wrong": "1/2 - Cr(f) / Cr(wave), the least share that the lemma allows",
    "accuracy": "accuracy, in closed form",
    "most_accuracy": "the highest accuracy of as many intervals",
}
POINTS = 1025  # at which one network of each shape is drawn


def calculate(
    *,
    generator: np.random.Generator,
    folds: Count,
    shapes: tuple[tuple[Count, Count], ...],
    networks: Count,
    initialisations: tuple[tuple[str, Initialisation], ...],
    rates: tuple[Positive, ...],
    epochs: Count,
    n_train: Count,
    batch_size: Count = 100,
) -> xr.Dataset:
    """Return ABOUT of ``networks`` networks of each of ``shapes``, pairs (L, W), at each start and after training.

    ``initialisations`` are pairs of the name of a start and its initialisation. Networks are trained from the first of
    them, with Adam and the hinge loss at each of ``rates``; a network that diverged has NaN. Beside them, ``output`` of
    one trained network of each shape at the middle rate.
    """
    count = pieces(folds=folds, triangles=1)
    made = [[_starts(generator, shape, networks, law) for shape in shapes] for _, law in initialisations]
    random = [[_rows(each(w), shape, count) for w, shape in zip(row, shapes, strict=True)] for row in made]
    training = Training.on(
        partial(sawtooth.sample, folds=folds),
        n_train,
        protocol=partial(adam.train, batch_size=batch_size),
        loss=Loss(linear_hinge),
        epochs=epochs,
        generator=generator,
    )
    found = [_trained(training, start, rates) for start in made[0]]
    after = [_rows(stack, shape, count) for stack, shape in zip(found, shapes, strict=True)]
    z = np.linspace(-1, 1, POINTS)
    drawn = [value(stack[len(rates) // 2 * networks], z) for stack in found]
    table = _table(np.array(random), np.reshape(after, (len(shapes), len(rates), networks, len(ABOUT))))
    table["output"] = (["shape", "x"], np.array(drawn), {"long_name": "f of one trained network", "units": "1"})
    coords = {
        "start": [name for name, _ in initialisations],
        "shape": [f"{depth} x {width}" for depth, width in shapes],
        "depth": ("shape", [depth for depth, _ in shapes]),
        "width": ("shape", [width for _, width in shapes]),
        "rate": list(rates),
        "network": range(networks),
        "x": (z + 1) / 2,
    }
    return table.assign_coords({**coords, "folds": folds})


def _table(random: np.ndarray, trained: np.ndarray) -> xr.Dataset:
    """Return ABOUT of random networks and, as trained_*, of trained ones."""
    columns = {}
    for i, (name, about) in enumerate(ABOUT.items()):
        attrs = {"long_name": about, "units": "1"}
        columns[name] = (["start", "shape", "network"], random[..., i], attrs)
        columns[f"trained_{name}"] = (["shape", "rate", "network"], trained[..., i], attrs)
    return xr.Dataset(columns)


def _trained(training: Training, start: Weights, rates: Sequence[float]) -> list[Network]:
    """Return networks after training from the same starts at each rate, rates outermost."""
    copies = [w.float().repeat(len(rates), *[1] * (w.dim() - 1)) for w in start]
    return list(each(training.run(Architecture(mlp), copies, np.repeat(rates, len(start[0])))))


def _starts(generator: np.random.Generator, shape: Sequence[int], networks: int, law: Initialisation) -> Weights:
    size: dict[str, Any] = {"n_inputs": 1, "n_outputs": 1, "depth": shape[0], "width": shape[1]}
    return mlp.init(generator.spawn(networks), **size, dtype=torch.float64, initialisation=law)


def _rows(networks: Iterable[Network], shape: Sequence[int], count: int) -> list[list[float]]:
    """Return ABOUT of each network."""
    most = most_intervals(depth=shape[0], width=shape[1])
    return [_row(network, most, count) for network in networks]


def _row(network: Network, most: int, count: int) -> list[float]:
    if not all(np.isfinite(w).all() for w in network):
        return [np.nan] * len(ABOUT)
    s, found = judge(network, count)
    return [s, most, found.wrong, 0.5 - s / (count + 1), found.accuracy, float(ceiling(s, count))]
