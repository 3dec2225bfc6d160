"""Small stacks of every kind of network, and their trainings, for tests of replayed steps."""

import dataclasses
import itertools

import torch

from isobath import binding, plugins
from isobath.contracts.compiled_steps import OnTorch
from isobath.contracts.tiny_stacks import LOSS, data, padded
from isobath.randomness import stream
from isobath.training.architecture import Architecture
from isobath.training.stacks import Stack, pack

EVEN, UNEVEN = padded(53, [range(53)] * 3), padded(53, [range(53), range(20, 50), range(7)])
RATES = [0.05, 0.02, 0.03]
BY_STEPS = [kind for kind in plugins.kinds("protocol") if "batch_size" in plugins.schema("protocol", kind)]
SETTINGS = {  # of networks whose defaults would not do, or would leave a part of their step out
    "cnn": {"image_channels": 1, "kernel": 3, "pools": 1},
    "residual": {"normalisation": "layer"},
    "lazy": {"alpha": 3.0},
}
NETWORKS = {kind: SETTINGS.get(kind, {}) for kind in plugins.kinds("network")}


def on_torch(made):
    return dataclasses.replace(made, architecture=OnTorch(made.architecture.module, made.architecture.settings))


def stack_of(kind, rows=EVEN):
    plain = Architecture.of({"kind": kind, **NETWORKS[kind]})
    network = OnTorch(plain.module, plain.settings)
    starts = [stream(0, "start", i) for i in range(3)]
    shape = {"n_inputs": 64, "n_outputs": 2, "depth": 2, "width": 4}
    weights = network.init(starts, **shape, dtype=torch.float64)
    rates = torch.tensor(RATES, dtype=torch.float64)
    return Stack(network, pack(weights), [w.shape[1:] for w in weights], rows, rates, [1, 2, 3])


def trained(made, kind, *, epochs=5, inputs=None, pauses=(), **settings):
    """Return everything that is remembered after some epochs, and which outputs were finite.

    Training begins anew after each of the ``pauses``.
    """
    x, labels = data()
    x = x if inputs is None else inputs
    loss = LOSS["cross_entropy"]
    train = binding.bound("protocol", {"kind": kind, **settings})
    finite = []
    for first, last in itertools.pairwise([0, *pauses, epochs]):
        training = train(made, x, loss.targets(labels, x.dtype), loss=loss, first_epoch=first)
        finite += [next(training).finite.tolist() for _ in range(last - first)]
    return [made.parameters, *made.moments.values()], finite


def assert_same_bytes(some, others):
    for a, b in zip(some, others, strict=True):
        assert a.numpy().tobytes() == b.numpy().tobytes()
