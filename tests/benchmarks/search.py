"""The search for a learning rate beside an exhaustive one: every rate on every fold, to the last epoch."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from statistics import mean, stdev
from typing import Any

import numpy as np
import torch

from isobath.binding import bound
from isobath.losses import cross_entropy
from isobath.networks import mlp
from isobath.protocols import adam, sgd
from isobath.randomness import stream
from isobath.training.architecture import Architecture
from isobath.training.cross_validation import CrossValidation
from isobath.training.fit import Stopping
from isobath.training.objective import Loss
from isobath.training.recipes import Recipe, Samples, replicas
from isobath.training.search import Search, folds
from isobath.training.trials import Trial, best

DRAWS, SEEDS, TEST, MEMORY = 8, 3, 10_000, 4e9
CASES: list[dict[str, Any]] = [
    {"task": {"kind": "k_local", "k": 3, "dimension": 20}, "n": 1000, "depth": 7, "width": 50, "protocol": "sgd"},
    {"task": {"kind": "k_global", "k": 2, "dimension": 30}, "n": 1000, "depth": 1, "width": 50, "protocol": "sgd"},
    {"task": {"kind": "k_global", "k": 3, "dimension": 15}, "n": 1000, "depth": 7, "width": 50, "protocol": "sgd"},
    {"task": {"kind": "fractal", "levels": 3}, "n": 2000, "depth": 5, "width": 20, "protocol": "adam"},
]
HOW: dict[str, dict[str, Any]] = {  # those of the demo
    "sgd": {"train": sgd.train, "batch_size": 50, "epochs": 300, "minimum": 0.03, "maximum": 3.0},
    "adam": {"train": adam.train, "batch_size": 100, "epochs": 60, "minimum": 1e-4, "maximum": 0.1},
}
SEARCH: dict[str, Any] = {
    "folds": 6,
    "initial": 8,
    "rounds": 0,
    "suggestions": 0,
    "noise": 0.01,
    "ties": "smaller",
    "widenings": 1,
    "seed": 0,
}


class Exhaustive(Search):
    """A search that tries every rate on all folds."""

    def _try(self, objective: Any, rates: Sequence[float]) -> None:
        rates = [rate for rate in rates if rate not in self.found]
        for trial in objective(rates, range(self.folds), inf) if rates else ():
            self.found[trial.learning_rate] = trial


@dataclass
class Counted:
    """An objective that counts the epochs that its networks train."""

    objective: CrossValidation
    epochs: int = 0

    def __call__(self, rates: Sequence[float], parts: Sequence[int], limit: float) -> list[Trial]:
        trials = self.objective(rates, parts, limit)
        self.epochs += sum(int(trial.epochs.sum()) for trial in trials)
        return trials


def searched(case: dict[str, Any], draw: int) -> dict[str, tuple[float, int, float]]:
    """Return the rate, the epochs and the mean test error of both searches on one data set."""
    how = HOW[case["protocol"]]
    train, test = samples(case["task"], case["n"], draw)
    recipe = Recipe(
        architecture=Architecture(mlp),
        protocol=partial(how["train"], batch_size=how["batch_size"]),
        loss=Loss(cross_entropy),
        shape={"depth": case["depth"], "width": case["width"]},
        stopping=Stopping(how["epochs"], check_every=10),
        batch_size=how["batch_size"],
        seed=draw,
    )
    parts = folds(case["n"], SEARCH["folds"], stream(draw, "folds"))
    found = {}
    for name, kind, patience in (("rungs", Search, 4.0), ("all", Exhaustive, inf)):
        search = kind(**SEARCH, minimum=how["minimum"], maximum=how["maximum"], patience=patience)
        objective = Counted(CrossValidation(recipe, *train, parts, ("search",), MEMORY))
        rate = best(search.run(objective), SEARCH["ties"]).learning_rate
        trained = recipe.train_and_test(replicas((), [rate], range(SEEDS), case["n"]), train, test, memory=MEMORY)
        found[name] = (rate, objective.epochs, float(np.nan_to_num(trained["test_error"], nan=0.5).mean()))
    return found


def samples(task: dict[str, Any], n: int, draw: int) -> tuple[Samples, Samples]:
    """Return the training set and the test set of a draw."""
    drawn = [
        bound("task", task)(size, generator=stream(draw, "data", of)) for size, of in ((n, "train"), (TEST, "test"))
    ]
    first, second = ((torch.from_numpy(x), torch.from_numpy(y)) for x, y in drawn)
    return first, second


def measured(say: Callable[[str], None]) -> Iterator[dict[str, Any]]:
    """Yield, case by case: the share of epochs, and how much more the networks of the chosen rate err."""
    rows: list[dict[str, Any]] = []
    for case in CASES:
        found = [searched(case, draw) for draw in range(DRAWS)]
        differences = [of["rungs"][2] - of["all"][2] for of in found]
        rows.append(
            {
                "case": case,
                "epochs": sum(of["rungs"][1] for of in found) / sum(of["all"][1] for of in found),
                "error": mean(of["all"][2] for of in found),
                "difference": mean(differences),
                "standard_error": stdev(differences) / DRAWS**0.5,
                "same_rate": sum(of["rungs"][0] == of["all"][0] for of in found),
            }
        )
        say(f"search: {rows[-1]}")
        yield {"rows": rows, "draws": DRAWS}
