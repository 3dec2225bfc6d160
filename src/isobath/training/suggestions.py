"""Suggestions of a learning rate by Bayesian optimisation of the logarithm, with the package bayesian-optimization."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from isobath.training.trials import WORST


def suggested(
    costs: Mapping[float, float], bounds: tuple[float, float], *, count: int, noise: float, seed: int
) -> list[float]:
    """Return ``count`` rates of expected improvement, with the pending ones at the worst cost seen (constant liar).

    ``costs`` maps the rates so far to their costs; ``noise`` is the standard deviation of a cost.
    """
    from bayes_opt import BayesianOptimization, acquisition  # noqa: PLC0415 (seconds, which a grid need not wait)
    from sklearn.gaussian_process.kernels import Matern  # noqa: PLC0415

    low, high = map(math.log10, bounds)
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
    soft = softened([*costs.values()])
    optimiser.set_gp_params(kernel=kernel, alpha=(noise / (np.std(soft) or 1.0)) ** 2, normalize_y=True)
    for rate, cost in zip(costs, soft, strict=True):
        optimiser.register({"log_rate": math.log10(rate)}, -cost)
    return [float(10 ** optimiser.suggest()["log_rate"]) for _ in range(count)]


def softened(costs: Sequence[float]) -> list[float]:
    """Return costs for the Gaussian process: those that do not count are as bad as the worst that does.

    A cliff up to WORST would dominate its fit; as the worst of all they are avoided just as well.
    """
    counting = [cost for cost in costs if cost < WORST]
    return [min(cost, max(counting, default=WORST)) for cost in costs]
