"""The learning rate of an architecture on a data set: Bayesian optimisation of its cross-validated error.

As in the paper (section 2.3): the error under K-fold cross-validation, which is the misclassified fraction, is
minimised with the bayesian-optimization package, over the logarithm of the rate. All folds of
several rates train as one stack. The paper gives neither range nor budget; they are settings.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from torch import Tensor

from isobath.randomness import Name
from isobath.statuses import DIVERGED, FITTED, UNFITTED
from isobath.training.objective import is_real
from isobath.training.recipes import Recipe, Replicas

WORST = 1.0  # the error of a trial that does not count: finite, since the optimiser takes no NaN


class Trial(NamedTuple):
    """One rate: error (folds,), NaN where a fold has diverged, and status (folds,).

    Errors of classes have no ``unit``. That of real targets, to which no network is fitted exactly, is their mean
    squared deviation, the error of a constant answer. ``guess`` is the error of guessing, in the unit.
    """

    learning_rate: float
    error: np.ndarray
    status: np.ndarray
    unit: float | None = None
    guess: float = 0.5

    @property
    def verdict(self) -> str:
        """Return the worst status among the folds."""
        return next((s for s in (DIVERGED, UNFITTED) if s in self.status), FITTED)

    @property
    def counting(self) -> np.ndarray:
        """Return which folds count, (folds,): those that fitted; with real targets, those that did not diverge."""
        kept = self.status == FITTED if self.unit is None else self.status != DIVERGED
        return np.asarray(kept & np.isfinite(self.error))

    @property
    def counts(self) -> bool:
        """Return whether more than half of the folds count."""
        return bool(2 * self.counting.sum() > len(self.status))

    @property
    def cost(self) -> float:
        """Return the cross-validated error in its unit, with that of guessing for each fold that does not count.

        So a rate at which one fold fails is dearer and not excluded. A trial that does not count has the worst cost.
        """
        error = np.where(self.counting, self.error / (self.unit or 1.0), self.guess).mean()
        return min(float(error), WORST) if self.counts else WORST


Objective = Callable[[Sequence[float]], list[Trial]]


@dataclass
class Search:
    """Search for a learning rate: how rates are suggested, and the trials so far.

    ``initial`` log-spaced rates first, then ``rounds`` of ``suggestions`` each: points of expected
    improvement, with the pending ones taken at the worst cost seen (constant liar). ``noise``
    is the standard deviation of a cross-validated error, for the Gaussian process.
    """

    minimum: float
    maximum: float
    initial: int
    rounds: int
    suggestions: int
    noise: float
    ties: str
    seed: int
    trials: list[Trial] = field(default_factory=list)

    def run(self, objective: Objective) -> list[Trial]:
        """Return all trials in the order in which they were made; ``objective`` maps rates to trials."""
        self.trials += objective(self._spread())
        for round_ in range(self.rounds):
            self.trials += objective(self._suggest(round_))
        return self.trials

    def _spread(self) -> list[float]:
        """Return the middles of ``initial`` equal intervals of the logarithmic range."""
        low, high = math.log10(self.minimum), math.log10(self.maximum)
        return [10 ** (low + (high - low) * (i + 0.5) / self.initial) for i in range(self.initial)]

    def _suggest(self, round_: int) -> list[float]:
        """Return the next rates, a function of the trials so far alone: a search resumes from its trace."""
        from bayes_opt import BayesianOptimization, acquisition  # noqa: PLC0415 (seconds, which a grid need not wait)
        from sklearn.gaussian_process.kernels import Matern  # noqa: PLC0415

        seed = (self.seed + round_) % 2**32
        low, high = math.log10(self.minimum), math.log10(self.maximum)
        improvement = acquisition.ExpectedImprovement(xi=0.0)
        optimiser = BayesianOptimization(
            f=None,
            pbounds={"log_rate": (low, high)},
            acquisition_function=acquisition.ConstantLiar(improvement, strategy="min"),
            random_state=seed,
            verbose=0,
            allow_duplicate_points=True,
        )
        # Left to itself the length shrinks to the cliff at the edge of divergence and nothing is explored.
        lengths = (0.1 * (high - low), high - low)
        kernel = Matern(nu=2.5, length_scale=0.25 * (high - low), length_scale_bounds=lengths)
        costs = softened([trial.cost for trial in self.trials])
        alpha = (self.noise / (np.std(costs) or 1.0)) ** 2
        optimiser.set_gp_params(kernel=kernel, alpha=alpha, normalize_y=True)
        for trial, cost in zip(self.trials, costs, strict=True):
            optimiser.register({"log_rate": math.log10(trial.learning_rate)}, -cost)
        return [float(10 ** optimiser.suggest()["log_rate"]) for _ in range(self.suggestions)]


def softened(costs: Sequence[float]) -> list[float]:
    """Return costs for the Gaussian process: those that do not count are as bad as the worst that does.

    A cliff up to WORST would dominate its fit; as the worst of all they are avoided just as well.
    """
    counting = [cost for cost in costs if cost < WORST]
    return [min(cost, max(counting, default=WORST)) for cost in costs]


def best(trials: Sequence[Trial], ties: str = "smaller") -> Trial:
    """Return the trial of lowest cost; of those, that with most folds fitted, then of lowest mean error.

    So if no trial counts, the rate at which most folds fit is taken. What is then still a tie goes
    to the ``smaller`` or the ``larger`` rate.
    """
    sign = 1 if ties == "smaller" else -1

    def rank(trial: Trial) -> tuple[float, int, float, float]:
        error = np.where(np.isnan(trial.error), WORST, trial.error / (trial.unit or 1.0)).mean()
        return trial.cost, int((trial.status != FITTED).sum()), float(error), sign * trial.learning_rate

    return min(trials, key=rank)


def folds(n: int, k: int, generator: np.random.Generator) -> np.ndarray:
    """Return the fold of each of n samples, (n,): a random partition into k parts that differ by at most one."""
    return generator.permutation(np.arange(n) % k)


def cross_validation(
    recipe: Recipe, inputs: Tensor, truth: Tensor, parts: np.ndarray, *, name: tuple[Name, ...], memory: float
) -> Objective:
    """Return the objective: all folds of the given rates as one stack, scored on what each fold leaves out.

    ``parts`` (n,) is the fold of each sample. A fold starts from the same weights at every rate,
    so that rates are compared under common random numbers.
    """
    k, n = int(parts.max()) + 1, len(parts)
    kept = [np.flatnonzero(parts != fold) for fold in range(k)]
    rows = np.stack([np.pad(r, (0, n - len(r)), constant_values=-1) for r in kept])[:, : max(map(len, kept))]
    unit = truth.double().var(0, correction=0).mean().item() if is_real(truth) else None
    guess = WORST if is_real(truth) else 1 - 1 / max(2, int(truth.max()) + 1)

    def objective(rates: Sequence[float]) -> list[Trial]:
        networks = Replicas(
            names=[(*name, fold) for _ in rates for fold in range(k)],
            rows=np.tile(rows, (len(rates), 1)),
            rates=np.repeat(rates, k),
        )
        outcomes = list(recipe.train(networks, inputs, truth, memory=memory))
        errors = np.concatenate([o.errors for o in outcomes]).reshape(len(rates), k, n)
        status = np.concatenate([o.status for o in outcomes]).reshape(len(rates), k)
        left_out = parts == np.arange(k)[:, None]
        error = np.where(left_out, errors, 0).sum(2) / left_out.sum(1)
        error = np.where(status == DIVERGED, np.nan, error)
        return [Trial(float(rate), e, s, unit, guess) for rate, e, s in zip(rates, error, status, strict=True)]

    return objective
