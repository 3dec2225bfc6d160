"""A house with a study of seconds: three depths, one of which can be made to fail."""

from pathlib import Path

from house import fresh, write_study

STUDY = """
title: A study of seconds
source: no source
n_test: 100
tasks:
  local: {kind: k_local, k: 2, dimension: 4}
protocols:
  sgd: {kind: sgd, max_epochs: 400, check_every: 20, network: {kind: brittle}, learning_rate: 0.3, store: outputs}
kernels:
  ntk: {kind: ntk, beta: 0.1}
grids:
  depth:
    - {tasks: [local], protocols: [sgd], depth: [1, 2, 3], width: [6], n_train: [30], seeds: 2}
    - {tasks: [local], kernels: [ntk], depth: [1, 2, 3], n_train: [30]}
figures:
  depth: {kind: depth_dependence, grid: depth, tasks: [local], protocol: sgd, kernel: ntk, caption: Depth.}
claims: [small_error]
"""
CLAIM = '''"""Claims of the study of seconds."""

from isobath.analysis.cells import Cells
from isobath.analysis.verdicts import claim, criterion
from isobath.statuses import FINITE


@claim("Errors are below one", source="no source", statistic="test error")
def small_error(tree):
    cells, at = Cells.of(tree, "depth", protocol="sgd"), {"task": "local", "width": 6, "n_train": 30}
    return [criterion(f"L = {depth}", cells.error, FINITE, below=1.0, depth=depth, **at) for depth in (1, 2, 3)]
'''
NETWORK = '''"""A perceptron that bears some depths."""

from pathlib import Path

from isobath.networks import mlp
from isobath.networks.mlp import Workspace, apply, n_weights, widths

SIZE = "isobath.network_sizes.perceptron:size"


def init(generators, *, depth, **shape):
    if str(depth) in Path("unbearable").read_text().split():
        raise RuntimeError(f"depth {depth} is more than it bears")
    return mlp.init(generators, depth=depth, **shape)
'''


def small(folder: Path, *, unbearable: str = "") -> Path:
    """Make a fresh copy of the repository with the study ``small``; networks of the depths ``unbearable`` raise."""
    house = fresh(folder)
    write_study(house / "workflow/studies/small", STUDY, smoke="")
    (house / "src/isobath/claims/small.py").write_text(CLAIM, encoding="utf-8")
    (house / "src/isobath/networks/brittle.py").write_text(NETWORK, encoding="utf-8")
    (house / "unbearable").write_text(unbearable, encoding="utf-8")
    return house
