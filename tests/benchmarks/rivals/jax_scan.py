"""An epoch of a stack by JAX: jit of lax.scan over its steps; networks by vmap, or one after the other by lax.map."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from cases import Case, Problem
from jax import lax

COMPILES = True


def version() -> str:
    return f"JAX {jax.__version__}"


def loss(kind: str, weights: list[Any], x: Any, y: Any) -> Any:
    """Return the mean loss of one network."""
    for number in range(0, len(weights), 2):
        x = x @ weights[number].T + weights[number + 1]
        x = jax.nn.relu(x) if number < len(weights) - 2 else x
    if kind == "cross_entropy":
        return -(jax.nn.log_softmax(x) * y).sum(-1).mean()
    short = jax.nn.relu(1 - x * y)
    return (short if kind == "linear_hinge" else short**2 / 2).mean()


def moved(case: Case, state: tuple[Any, ...], gradient: list[Any]) -> tuple[Any, ...]:
    """Return weights, moments and number of steps after a step."""
    weights, first, second, t = state
    if case.optimiser == "sgd":
        return [w - case.rate * g for w, g in zip(weights, gradient, strict=True)], first, second, t + 1
    t = t + 1
    c1, c2 = 1 - 0.9**t, jnp.sqrt(1 - 0.999**t)
    first = [0.9 * m + 0.1 * g for m, g in zip(first, gradient, strict=True)]
    second = [0.999 * v + 0.001 * g * g for v, g in zip(second, gradient, strict=True)]
    pairs = zip(weights, first, second, strict=True)
    return [w - case.rate * c2 / c1 * m / (jnp.sqrt(v) + 1e-8 * c2) for w, m, v in pairs], first, second, t


def one_epoch(case: Case, x: Any, y: Any, state: tuple[Any, ...], order: Any) -> tuple[Any, ...]:
    """Train one network for an epoch in the order (n,)."""
    gradient = jax.grad(partial(loss, case.loss))
    if case.batch == case.samples:
        return moved(case, state, gradient(state[0], x, y))

    def step(state: tuple[Any, ...], rows: Any) -> tuple[Any, None]:
        return moved(case, state, gradient(state[0], x[rows], y[rows])), None

    return lax.scan(step, state, order.reshape(case.steps, case.batch))[0]


def prepare(
    case: Case, problem: Problem, *, networks: str = "vmap", wait: bool = True
) -> tuple[Callable[[Any], None], Callable[[], list[np.ndarray]]]:
    """Return a function that trains an epoch in the orders that it is handed, and one for the weights.

    Without ``wait`` it returns while the device still trains.
    """
    jax.config.update("jax_enable_x64", case.dtype == "float64")
    x, y = jnp.asarray(problem.inputs), jnp.asarray(problem.targets)
    of_one = partial(one_epoch, case, x, y)

    def of_all(state: tuple[Any, ...], orders: Any) -> tuple[Any, ...]:
        if networks == "vmap":
            return jax.vmap(of_one)(state, orders)
        return lax.map(lambda arguments: of_one(*arguments), (state, orders))

    compiled = jax.jit(of_all, donate_argnums=0)
    weights = [jnp.array(w) for w in problem.starts]
    zeros = [jnp.zeros_like(w) for w in weights if case.optimiser == "adam"]
    state = [(weights, zeros, [z + 0 for z in zeros], jnp.zeros(case.networks, jnp.dtype(case.dtype)))]

    def epoch(orders: Callable[[], np.ndarray]) -> None:
        state[0] = compiled(state[0], orders())
        if wait:
            jax.block_until_ready(state[0])

    return epoch, lambda: [np.asarray(w) for w in state[0][0]]
