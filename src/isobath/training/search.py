"""The search for a learning rate of least cross-validated error: a spread of rates, then points of improvement.

As in the paper of Mori & Ueda (section 2.3), the error under K-fold cross-validation is minimised over the logarithm of
the rate by Bayesian optimisation; the paper gives neither range nor budget. Three rules save trainings:

- successive halving (Li et al., MLSys 2020): all rates are tried on a quarter of the folds, the better half of them on
  half of the folds, and of these the better half on all;
- patience: a fold is given up after ``patience`` times the epochs of the slowest fold of the rate that fits fastest;
- the range widens where the best rate lies at its end.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from isobath.sizes import rungs, spread
from isobath.statuses import FITTED
from isobath.training.suggestions import suggested
from isobath.training.trials import Trial, best, rank

# Trials of rates on some folds: (rates, folds, the epochs after which a fold is given up) -> a trial of each rate.
Objective = Callable[[Sequence[float], Sequence[int], float], list[Trial]]


@dataclass
class Search:
    """Search for a learning rate: how rates are suggested, and the trials so far by rate.

    ``initial`` log-spaced rates come first, then ``rounds`` of ``suggestions`` each. ``noise`` is the standard
    deviation of a cross-validated error, for the Gaussian process. ``together`` tries several rates as one stack.
    """

    minimum: float
    maximum: float
    folds: int
    initial: int
    rounds: int
    suggestions: int
    noise: float
    ties: str
    patience: float
    widenings: int
    seed: int
    together: bool = False
    found: dict[float, Trial] = field(default_factory=dict)

    @property
    def trials(self) -> list[Trial]:
        """Return all trials, round by round, the largest rate of a round first; see ``within`` for patience."""
        return [trial.within(self.limit) for trial in self.found.values()]

    @property
    def limit(self) -> float:
        """Return the epochs after which a fold is given up: ``patience`` times those of the rate that fits fastest.

        The first rung alone decides, so that the limit does not depend on which rates went on to the next.
        """
        first = (trial.first(rungs(self.folds)[0]) for trial in self.found.values())
        fitted = [int(trial.epochs.max()) for trial in first if (trial.status == FITTED).all()]
        return self.patience * min(fitted) if fitted else math.inf

    def run(self, objective: Objective) -> list[Trial]:
        """Return all trials, see ``trials``."""
        self._try(objective, spread(self.minimum, self.maximum, self.initial))
        for _ in range(self.widenings):
            self._try(objective, self._beyond())
        for round_ in range(self.rounds):
            self._try(objective, self._suggest(round_))
        return self.trials

    def _try(self, objective: Objective, rates: Sequence[float]) -> None:
        """Try rates rung by rung; a rate goes on if it is in the better half of all that reached its rung."""
        folds_done, rates = 0, sorted({*rates} - {*self.found}, reverse=True)
        for folds in rungs(self.folds):
            for group in [rates] if self.together else [[rate] for rate in _middle_first(rates)]:
                for trial in objective(group, range(folds_done, folds), self.limit) if group else ():
                    earlier = self.found.get(trial.learning_rate)
                    self.found[trial.learning_rate] = earlier.joined(trial) if earlier else trial
            if not folds_done:  # what suggestions see does not depend on the order in which rates were trained
                self.found |= {rate: self.found.pop(rate) for rate in rates}
            arrived = [trial.first(folds) for trial in self.trials if trial.tried[:folds].all()]
            better = sorted((t for t in arrived if t.counts), key=partial(rank, ties=self.ties))
            better = better[: math.ceil(len(arrived) / 2)]
            rates, folds_done = [t.learning_rate for t in better if t.learning_rate in rates], folds

    def _beyond(self) -> list[float]:
        """Return two rates beyond the range, at the distance of the spread, if the best of all lies at its end."""
        chosen, tried_rates = best(self.trials, self.ties), sorted(self.found)
        step = (self.maximum / self.minimum) ** (1 / self.initial)
        if not chosen.counts or chosen.learning_rate not in (tried_rates[0], tried_rates[-1]):
            return []
        factor = step if chosen.learning_rate == tried_rates[-1] else 1 / step
        return [chosen.learning_rate * factor, chosen.learning_rate * factor**2]

    def _suggest(self, round_: int) -> list[float]:
        """Return the next rates, a function of the trials so far alone: a search resumes from its trace."""
        rates = [self.minimum, self.maximum, *self.found]
        costs = {trial.learning_rate: trial.cost for trial in self.trials}
        seed = (self.seed + round_) % 2**32
        return suggested(costs, (min(rates), max(rates)), count=self.suggestions, noise=self.noise, seed=seed)


def _middle_first(rates: Sequence[float]) -> list[float]:
    """Return rates from the middle of their logarithms outwards.

    Those in the middle fit soon and limit the others: large rates, which may not fit at all, and small ones.
    """
    return sorted(rates, key=lambda rate: abs(math.log(rate**2 / (min(rates) * max(rates)))))


def folds(n: int, k: int, generator: np.random.Generator) -> np.ndarray:
    """Return the fold of each of n samples, (n,): a random partition into k parts that differ by at most one."""
    return generator.permutation(np.arange(n) % k)
