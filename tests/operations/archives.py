"""Archives of a small run: the study that is run, and the command that packs it."""

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

SMALL = {"studies": ["small"]}
CUBE = "results/smoke/small/cubes/depth.zarr.zip"
STUDY = """\
title: Two depths
source: none
n_test: 50
tasks:
  2-global: {kind: k_global, k: 2, dimension: 6}
protocols:
  sgd: {kind: sgd, network: {kind: mlp, initialisation: glorot_uniform}, learning_rate: 0.3, max_epochs: 20}
kernels:
  ntk: {kind: ntk, beta: 0.1}
grids:
  depth:
    - {tasks: [2-global], protocols: [sgd], kernels: [ntk], depth: [1, 3], width: [10], n_train: [40], seeds: 2}
figures:
  figure3: {kind: depth_dependence, grid: depth, tasks: [2-global], protocol: sgd, kernel: ntk, caption: Two depths.}
claims: []
"""


def run_archive(house: Path, **environment: str) -> list[zipfile.ZipFile]:
    """Write the zips of a house by the command; return them and remove their files."""
    command = [sys.executable, "-W", "error", "-m", "isobath", "archive", "results/smoke", "--cells"]
    command += ["--config", "studies=[small]"]
    variables = {**os.environ, "PYTHONPATH": str(house / "src"), **environment}
    done = subprocess.run(command, cwd=house, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    paths = [house / f"results/isobath-smoke{part}.zip" for part in ("", "-cells")]
    zipped = [zipfile.ZipFile(io.BytesIO(path.read_bytes())) for path in paths]
    for path in paths:
        path.unlink()
    return zipped


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


# Packages without which an archive draws its figures again.
ABSENT = ("click", "torch", "snakemake", "pydantic", "sklearn", "rocrate", "pooch", "bayes_opt")
CLEAN = f"""
import runpy, sys
ABSENT = {ABSENT}
class Absent:
    def find_spec(self, name, *_):
        if name.split(".")[0] in ABSENT:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
sys.path.insert(0, "src")
sys.argv = ["redraw", "results/smoke", "again"]
runpy.run_module("isobath.archive.redraw", run_name="__main__")
"""


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check an unpacked archive by a Python without packages."""
    command = [sys.executable, "-S", "-m", "isobath.archive.check"]
    environment = {"PYTHONPATH": "src", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
