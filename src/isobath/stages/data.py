"""Draw a training set or a test set: samples of a task, or a part of a finite data set that is cut in two."""

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from isobath import binding, plugins
from isobath.classes import is_real
from isobath.data.downloads import passed
from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.provenance import provenance
from isobath.jobs.samples import checked, pair
from isobath.paths import data_file
from isobath.randomness import stream
from isobath.results import labelled
from isobath.results.training_sets import VARIABLES


def main(spec: dict[str, Any], code: str, output: Path, files: list[Path] | None = None) -> None:
    """Write ``inputs`` (sample, feature), and ``labels`` (sample) or ``targets`` (sample, target)."""
    kind, settings = binding.parts(spec["task"])
    task, n, part, verified = binding.load("task", kind), spec["n"], spec.get("part", ""), dict[str, str]()
    if part:
        contents = dict(zip(plugins.files(kind), (path.read_bytes() for path in files or []), strict=True))
        verified = _verified(kind, files or [], contents)
        returned = _cut(task, spec, contents, settings)[part]
        n = spec["n_test"] if part == "test" else n
    else:
        role = ["test"] if spec["draw"] is None else ["train", n, spec["draw"]]
        generator = stream(spec["seed"], "data", spec["name"], *role)
        returned = task.sample(n, generator=generator, **settings)
    verb = task.split if part else task.sample
    inputs, truth = checked(verb, returned, n, plugins.ends(spec["task"]))
    dataset = xr.Dataset(
        variables(inputs, truth),
        coords={"sample": np.arange(len(truth)), "feature": np.arange(inputs.shape[1]), "task": spec["name"]},
        attrs={"title": _title(spec), **verified, **provenance(spec, code, *files or [])},
    )
    if "target" in dataset.dims:
        dataset = dataset.assign_coords(target=np.arange(dataset.sizes["target"]))
    store.write(dataset, output)
    print(f"{len(truth)} samples; {verified or 'no files'}")


def _cut(task: Any, spec: dict[str, Any], contents: dict[str, bytes], settings: dict[str, Any]) -> dict[str, Any]:
    """Return the training and the test part of a finite data set, cut by one call: the jobs of both parts make it."""
    generator = stream(spec["seed"], "data", spec["name"], "draw", spec["draw"])
    reads = "files" in inspect.signature(task.split).parameters
    files = {"files": contents} if reads else {}
    returned = task.split(spec["n"], spec["n_test"], generator=generator, **files, **settings)
    train, test = pair(task.split, returned, "a training and a test part")
    return {"train": train, "test": test}


def _verified(kind: str, files: Sequence[Path], contents: dict[str, bytes]) -> dict[str, str]:
    """Return how each of the data files was verified. Raises ValueError for a download that is no longer official."""
    official = plugins.downloads(kind)
    verified = {
        name: passed(official[name], content) if name in official else "format only"
        for name, content in contents.items()
    }
    downloaded = (path for path, name in zip(files, contents, strict=True) if path == data_file(name, None))
    for path in downloaded:  # verified when it came: a file that is no longer official has been altered
        if verified[str(path.relative_to("resources"))] == "format only":
            raise ValueError(f"{path} is not the official file any more; remove it and run again")
    return verified


def _title(spec: dict[str, Any]) -> str:
    size = [] if spec["draw"] is None else ["train", spec["n"], spec["draw"]]
    part = [] if size and spec.get("part") != "test" else ["test"]
    return f"{spec['name']}: {' '.join(map(str, [*size, *part]))}"


def variables(inputs: np.ndarray, truth: np.ndarray) -> dict[str, Any]:
    """Return inputs and real targets, or inputs, class indices and their balance, labelled."""
    classes = {"labels": truth, "balance": float((truth == 0).mean())}
    return labelled(VARIABLES, {"inputs": inputs, **({"targets": truth} if is_real(truth) else classes)})


if __name__ == "__main__":
    command_line.run(main)
