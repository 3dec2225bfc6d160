"""Draw a training set or a test set: samples of a task, or a part of a finite data set that is cut in two."""

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from isobath import binding, plugins
from isobath.data.downloads import passed
from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.provenance import provenance
from isobath.jobs.samples import checked
from isobath.paths import data_file
from isobath.randomness import stream
from isobath.results import labelled
from isobath.results.training_sets import VARIABLES


def main(spec: dict[str, Any], code: str, output: Path, files: list[Path] | None = None) -> None:
    """Write ``inputs`` (sample, feature), and ``labels`` (sample) or ``targets`` (sample, target)."""
    kind, settings = binding.parts(spec["task"])
    task = binding.load("task", kind)
    part = ["test"] if spec["draw"] is None else ["train", spec["n"], spec["draw"]]
    verified: dict[str, str] = {}
    if hasattr(task, "split"):
        generator = stream(spec["seed"], "data", spec["name"], "draw", spec["draw"])
        contents = dict(zip(plugins.files(kind), (path.read_bytes() for path in files or []), strict=True))
        official = plugins.downloads(kind)
        verified = {
            name: passed(official[name], content) if name in official else "format only"
            for name, content in contents.items()
        }
        downloaded = (path for path, name in zip(files or [], contents, strict=True) if path == data_file(name, None))
        for path in downloaded:  # verified when it came: a file that is no longer official has been altered
            if verified[str(path.relative_to("resources"))] == "format only":
                raise ValueError(f"{path} is not the official file any more; remove it and run again")
        parts = task.split(spec["n"], spec.get("n_test", 1), generator=generator, files=contents, **settings)
        inputs, truth = parts["n_test" in spec]
        part += ["test"] * ("n_test" in spec)
    else:
        generator = stream(spec["seed"], "data", spec["name"], *part)
        inputs, truth = task.sample(spec["n"], generator=generator, **settings)
    verb = getattr(task, "split", None) or task.sample
    inputs, truth = checked(verb, inputs, truth, spec.get("n_test", spec["n"]), plugins.ends(spec["task"]))
    dataset = xr.Dataset(
        variables(inputs, truth),
        coords={"sample": np.arange(len(truth)), "feature": np.arange(inputs.shape[1]), "task": spec["name"]},
        attrs={
            "title": f"{spec['name']}: {' '.join(map(str, part))}",
            **verified,
            **provenance(spec, code, *files or []),
        },
    )
    if "target" in dataset.dims:
        dataset = dataset.assign_coords(target=np.arange(dataset.sizes["target"]))
    store.write(dataset, output)
    print(f"{len(truth)} samples; {verified or 'no files'}")


def variables(inputs: np.ndarray, truth: np.ndarray) -> dict[str, Any]:
    """Return inputs and real targets, or inputs, class indices and their balance, labelled."""
    classes = {"labels": truth, "balance": float((truth == 0).mean())}
    return labelled(VARIABLES, {"inputs": inputs, **({"targets": truth} if truth.ndim > 1 else classes)})


if __name__ == "__main__":
    command_line.run(main)
