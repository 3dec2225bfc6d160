"""Results of runs as the workflow leaves them, made up: verdicts of a study with their cubes, figures and logs."""

import hashlib
import io
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import xarray as xr
from house import ROOT
from PIL import Image

from isobath import claim_files
from isobath.archive import datapackage
from isobath.disk import store, usage
from isobath.findings import outlines
from isobath.operations.findings import make
from isobath.workflow import plan

OLD = "of another commit"
VERSIONS = json.dumps({"numpy": "2.4"})
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'/>\n"


def png(image: Image.Image) -> bytes:
    """Return an image as the bytes of a PNG."""
    content = io.BytesIO()
    image.save(content, "png")
    return content.getvalue()


PNG = png(Image.new("RGBA", (4, 4), "white"))


def sealed(ledger):
    """Return the content of provenance.json for edited entries, with their digest."""
    content = datapackage.written({key: value for key, value in ledger.items() if key != "sha256"})
    return datapackage.written({**json.loads(content), "sha256": hashlib.sha256(content).hexdigest()})


def part(label="d = 3", estimate=0.5, verdict="reproduced", **other):
    numbers = {"estimate": estimate, "count": 4, "unit": "networks", "counted": 4, "trained": 4}
    ends = (None, None) if estimate is None else (estimate - 0.1, estimate + 0.1)
    bounds = {"low": ends[0], "high": ends[1], "above": 0, "below": None}
    made = {"label": label, "check": False, **numbers, **bounds, "published": None, "verdict": verdict, "reason": ""}
    return {**made, **other}


@cache
def statistics():
    """Return what each claim of the study kernels measures."""
    return {each.claim: each.statistic for each in outlines.read(ROOT, "smoke")["kernels"].claims}


def statistic(name):
    """Return what a claim of the study kernels measures; of a claim that it does not have, words with marks."""
    return statistics().get(name, "error || minus")


def claim(name, *parts, verdict="reproduced", own=False, statement="Depth | gains n < 3 * N*^-1/4", measured=None):
    about = {"claim": name, "statement": statement, "source": "Fig. 1", "own": own}
    about["statistic"] = measured or statistic(name)
    headline = f"{verdict}, 1 of 2 parts run"
    return {**about, "verdict": verdict, "headline": headline, "parts": list(parts or [part(verdict=verdict)])}


def run(
    folder: Path, *claims, study="kernels", scale="smoke", seed=0, figures=(), hours=0.5, failed=0, cube=None
) -> Path:
    """Write the results of a study, and return the folder results/<scale> of the run in ``folder``.

    Claims of another study bear its name, as ``kernels.x``. Its ``cube``, of three networks if none is given, has gaps
    if jobs ``failed``.
    """
    results = folder / "results" / scale
    gaps = {"failed": failed} if failed else {}
    about = {"scale": scale, "study": study, "seed": seed, **gaps}
    _write_cube(results / study / "cubes/theory.zarr.zip", three_networks() if cube is None else cube, about)
    named = [each["claim"] for each in claims]
    known = all(name in claim_files.claims_beside(study, name) for name in named)
    spec = {"claims": named, "grids": ["theory"], "scale": scale, "study": study}
    inputs = store.inputs([results / study / "cubes/theory.zarr.zip"])
    made = {
        "spec": json.dumps(spec),
        "code": plan.code("verdicts", spec) if known else OLD,
        "inputs": inputs,
        "versions": VERSIONS,
    }
    record = {"study": study, "scale": scale, "source": "B and B", "claims": list(claims), **made}
    store.write_record(record, results / study / "verdicts.json")
    for name, svg, png in figures:
        _write_figure(results / study / "figures", name, svg, png, inputs)
    log = folder / "logs" / scale / study / "cubes/theory.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f"{usage.Usage(1.0, 3600 * hours, 0.1, 1e6)}isobath: finished\n", encoding="utf-8")
    return results


def three_networks() -> xr.DataTree:
    """Return a cube of two networks that fit and one that diverged."""
    status = xr.DataArray(["fitted", "fitted", "diverged"], dims="seed", coords={"seed": [0, 1, 2]})
    return xr.DataTree.from_dict({"networks": xr.Dataset({"status": status.astype(object)})})


def with_thresholds(*thresholds: Sequence[float]) -> xr.DataTree:
    """Return a cube with jamming thresholds and their ends, (n, 3), by depth."""
    places = {"task": ["a"], "protocol": ["adam"], "n_train": [100], "depth": range(len(thresholds))}
    ends = zip(("threshold", "low", "high"), zip(*thresholds, strict=True), strict=True)
    data = {name: (tuple(places), np.reshape(values, (1, 1, 1, -1))) for name, values in ends}
    tree = three_networks()
    tree["jamming"] = xr.DataTree(xr.Dataset(data, coords=places))
    return tree


def with_searches(errors: np.ndarray, **protocols: object) -> xr.DataTree:
    """Return a cube with test errors (draw, protocol, seed) of one task, where none that is finite diverged.

    ``protocols`` are those of the dim, by name, as the spec of a cube has them.
    """
    places = {"task": ["a"], "depth": [7], "width": [100], "n_train": [50]}
    dims = (*places, "draw", "protocol", "seed")
    found = xr.DataArray(errors[None, None, None, None], dims=dims, coords={**places, "protocol": list(protocols)})
    status = xr.where(np.isfinite(found), "fitted", "diverged").astype(object)
    tree = xr.DataTree.from_dict({"networks": xr.Dataset({"test_error": found.fillna(0.5), "status": status})})
    tree.attrs["spec"] = json.dumps({"protocols": protocols})
    return tree


def _write_cube(path: Path, tree: xr.DataTree, about: dict[str, object]) -> None:
    grid = path.name.removesuffix(".zarr.zip")
    spec = {**json.loads(tree.attrs.get("spec", "{}")), "grid": grid}
    tree.attrs = {**about, "grid": grid, "spec": json.dumps(spec), "code": OLD, "versions": VERSIONS}
    store.write(tree, path)


def _write_figure(folder: Path, name: str, svg: bytes, png: bytes, inputs: str) -> None:
    drawn = {"svg": svg, "png": png}
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, content in drawn.items():
        (folder / f"{name}.{suffix}").write_bytes(content)
    files = {f"{name}.{suffix}": hashlib.sha256(content).hexdigest() for suffix, content in drawn.items()}
    about = {"name": name, "grid": "theory", "caption": f"Caption of {name}."}
    made = {"files": files, "cube": "../cubes/theory.zarr.zip", "inputs": inputs}
    store.write_record({**about, **made}, folder / f"{name}.json")


def made(*results, output=ROOT / "nowhere"):
    """Return the files of the findings of results, as text by their names."""
    return {name: content.decode(errors="replace") for name, content in make(results, output, ROOT).items()}
