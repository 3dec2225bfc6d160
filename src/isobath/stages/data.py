"""A training set or a test set: sample a task, or cut a finite data set in two; record the balance."""

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from isobath import plugins
from isobath.data.downloads import FILES, passed
from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.provenance import provenance
from isobath.paths import data_file
from isobath.randomness import stream


def main(spec: dict[str, Any], code: str, output: Path, files: list[Path] | None = None) -> None:
    """Write ``inputs`` (sample, feature), ``labels`` (sample) and their ``balance``, the share of class 0."""
    settings = dict(spec["task"])
    task = plugins.load("task", settings.pop("kind"))
    part = ["test"] if spec["draw"] is None else ["train", spec["n"], spec["draw"]]
    checked: dict[str, str] = {}
    if hasattr(task, "split"):
        generator = stream(spec["seed"], "data", spec["name"], "draw", spec["draw"])
        contents = dict(zip(task.FILES, (path.read_bytes() for path in files or []), strict=True))
        known = ((name, content, FILES.get(name)) for name, content in contents.items())
        checked = {name: passed(file, content) if file else "format only" for name, content, file in known}
        kept = (path for path, name in zip(files or [], contents, strict=True) if path == data_file(name, None))
        for path in kept:  # downloads are verified when they come; what is no longer official has been altered
            if checked[str(path.relative_to("resources"))] == "format only":
                raise ValueError(f"{path} is not the official file any more; remove it and run again")
        parts = task.split(spec["n"], spec.get("n_test", 1), generator=generator, files=contents, **settings)
        inputs, labels = parts["n_test" in spec]
        part += ["test"] * ("n_test" in spec)
    else:
        generator = stream(spec["seed"], "data", spec["name"], *part)
        inputs, labels = task.sample(spec["n"], generator=generator, **settings)
    if not np.isfinite(inputs).all():
        raise ValueError(f"task {spec['name']}: inputs that are not finite")
    one = {"units": "1"}
    dataset = xr.Dataset(
        {
            "inputs": (("sample", "feature"), inputs, {"long_name": "input x", **one}),
            "labels": ("sample", labels, {"long_name": "class index", **one}),
            "balance": ((), float((labels == 0).mean()), {"long_name": "fraction of class 0", **one}),
        },
        coords={"sample": np.arange(len(labels)), "feature": np.arange(inputs.shape[1]), "task": spec["name"]},
        attrs={
            "title": f"{spec['name']}: {' '.join(map(str, part))}",
            **checked,
            **provenance(spec, code, *files or []),
        },
    )
    store.write(dataset, output)
    print(f"{len(labels)} samples; {checked or 'no files'}")


if __name__ == "__main__":
    command_line.run(main)
