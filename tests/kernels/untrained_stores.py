"""Stores of networks that were not trained, for stages that read networks."""

import numpy as np
import torch
import xarray as xr

from isobath.disk import store
from isobath.randomness import stream
from isobath.training.architecture import Architecture


def flattened(weights):
    """Return the weights of a stack as a store of networks has them, (R, parameters)."""
    return np.concatenate([w.reshape(len(w), -1).numpy() for w in weights], axis=1)


def started(spec, inputs, seed):
    """Return a network family and two networks (R = 2) of one output."""
    f, cell = Architecture.of(spec["protocol"]["network"]), spec["cell"]
    shape = {"n_inputs": inputs, "n_outputs": 1, "depth": cell["depth"], "width": cell["width"]}
    return f, f.init([np.random.default_rng([seed, i]) for i in range(2)], **shape, dtype=torch.float64)


def stored(folder, f, weights, inputs):
    """Write a training set, a test set and a block of networks; return their paths, inputs and labels."""
    paths, sets = {}, {}
    for i, (name, n) in enumerate((("training_set", 6), ("test_set", 9))):
        x = stream(0, "stored", i).standard_normal((n, inputs))
        labels = (x[:, 0] * x[:, 1] > 0).astype(np.int64)
        paths[name], sets[name] = folder / f"{name}.zarr.zip", (torch.from_numpy(x), torch.from_numpy(labels))
        store.write(xr.Dataset({"inputs": (("sample", "feature"), x), "labels": ("sample", labels)}), paths[name])
    outputs = f.apply(weights, sets["test_set"][0]).numpy()
    block = {
        "status": ("seed", np.array(["fitted"] * len(outputs), dtype=object)),
        "weights": (("seed", "parameter"), flattened(weights)),
        "test_error": ("seed", np.where(np.isfinite(outputs).all((1, 2)), 0.5, np.nan)),
        "outputs": (("seed", "test_sample", "output"), outputs),
        "n_weights": ("seed", [f.n_weights(weights)] * len(outputs)),
    }
    store.write(xr.Dataset(block, {"seed": range(len(outputs))}), folder / "networks.zarr.zip")
    return {**paths, "networks": [folder / "networks.zarr.zip"]}, sets
