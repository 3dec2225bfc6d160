"""isobath itself: a stack by its protocol, as the jobs of the workflow train it."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import torch
from cases import Case, Problem

from isobath.networks import mlp
from isobath.training.architecture import Architecture
from isobath.training.objective import Loss
from isobath.training.stacks import Stack, pack


def version() -> str:
    return f"Numba {import_module('numba').__version__}, SciPy {import_module('scipy').__version__}"


def stack(case: Case, problem: Problem) -> Stack:
    """Return the networks of the problem as a stack."""
    weights = [torch.from_numpy(w if w.ndim == 3 else w[:, None]) for w in problem.starts]
    return Stack(
        architecture=Architecture(mlp),
        parameters=pack(weights),
        shapes=[w.shape[1:] for w in weights],
        rows=np.tile(np.arange(case.samples), (case.networks, 1)),
        rates=torch.full((case.networks,), case.rate),
        orders=list(range(case.networks)),
    )


def loss(case: Case) -> Any:
    """Return the module of the loss of a case."""
    return import_module(f"isobath.losses.{case.loss}")


def prepare(case: Case, problem: Problem) -> tuple[Callable[[Any], None], Callable[[], list[np.ndarray]]]:
    """Return a function that trains an epoch, in orders of its own, and one for the weights."""
    networks = stack(case, problem)
    protocol = import_module(f"isobath.protocols.{case.optimiser}")
    data = (torch.from_numpy(problem.inputs), torch.from_numpy(problem.targets))
    batch = None if case.batch == case.samples else case.batch
    training = protocol.train(networks, *data, loss=Loss(loss(case)), batch_size=batch)
    return lambda orders: next(training) and None, partial(weights_of, networks)


def weights_of(networks: Stack) -> list[np.ndarray]:
    """Return W (R, out, in) and b (R, out) of each layer."""
    return [w.numpy() if number % 2 == 0 else w.numpy()[:, 0] for number, w in enumerate(networks.weights)]
