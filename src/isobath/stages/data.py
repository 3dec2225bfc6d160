"""A training set or a test set: sample a task, record its balance."""

from typing import Any

import numpy as np
import xarray as xr

from isobath import cli, plugins, store
from isobath.cli import Path
from isobath.randomness import stream


def main(spec: dict[str, Any], code: str, output: Path) -> None:
    """Write ``inputs`` (sample, feature), ``labels`` (sample) and their ``balance``."""
    settings = dict(spec["task"])
    task = plugins.load("task", settings.pop("kind"))
    part = ["test"] if spec["draw"] is None else ["train", spec["n"], spec["draw"]]
    inputs, labels = task.sample(spec["n"], generator=stream(spec["seed"], "data", spec["name"], *part), **settings)
    if not np.isfinite(inputs).all():
        raise ValueError(f"task {spec['name']}: sample returned inputs that are not finite")
    one = {"units": "1"}
    dataset = xr.Dataset(
        {
            "inputs": (("sample", "feature"), inputs, {"long_name": "input x", **one}),
            "labels": ("sample", labels, {"long_name": "class index", **one}),
            "balance": ((), float((labels == 0).mean()), {"long_name": "fraction of class 0", **one}),
        },
        coords={"sample": np.arange(len(labels)), "feature": np.arange(inputs.shape[1]), "task": spec["name"]},
        attrs={"title": f"{spec['name']}: {' '.join(map(str, part))}", **cli.provenance(spec, code)},
    )
    store.write(dataset, output)


if __name__ == "__main__":
    cli.run(main)
