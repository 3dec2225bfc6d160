"""A folder of a user's own: a task that imports a module beside it, a figure, a claim and a study."""

from pathlib import Path

SHAPES = '''"""Signs of vectors."""

import numpy as np


def most_are_negative(x):
    """Return whether most components are negative, (n,)."""
    return np.sign(x).sum(axis=1) < 0
'''
MAJORITY = '''"""Majority labels: the sign of most components."""

import numpy as np

from isobath.settings import Count
from isobath.shapes import most_are_negative
from isobath.tasks import Ends


def sample(n: int, *, generator: np.random.Generator, dimension: Count) -> tuple[np.ndarray, np.ndarray]:
    """Sample n standard normal inputs (n, d) and labels (n,), 0 if most components are positive."""
    x = generator.standard_normal((n, dimension), dtype=np.float32)
    return x, most_are_negative(x).astype(np.int64)


def ends(*, dimension: int) -> Ends:
    """Return the components of an input and two classes."""
    return Ends(dimension, 2)
'''
CLAIM = '''"""Claims of the study waves."""

from isobath.analysis.cells import Cells
from isobath.analysis.verdicts import claim, criterion
from isobath.statuses import FINITE


@claim("Networks learn majority labels", source="not in any paper", statistic="test error", own=True)
def majority_is_learned(tree):
    cells = Cells.of(tree, "widths", task="majority", protocol="sgd", depth=1)
    return [criterion(f"width {width}", cells.error, FINITE, width=width, n_train=40, below=0.5) for width in (4, 8)]
'''
STUDY = """
title: Waves
source: No source
n_test: 50
tasks:
  majority: {kind: majority, dimension: 5}
protocols:
  sgd: {kind: sgd, network: {kind: mlp}, learning_rate: 0.1, max_epochs: 100, check_every: 20}
grids:
  widths:
    - {tasks: [majority], protocols: [sgd], depth: [1], width: [4, 8], n_train: [40], seeds: 2}
claims: [majority_is_learned]
"""
RESULT = '''"""Nothing is asked for."""

PATH = "gathered.json"


def names(run):
    yield from ()


def spec(run, names):
    return {}


def inputs(run, names):
    return {}
'''


def write(place: Path, files: dict[str, str]) -> Path:
    """Write files into a folder, by their paths."""
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return place


def own(place: Path, **more: str) -> Path:
    """Make a folder of a run with config.yaml, and a folder ``own`` beside it, in which are ``more`` files."""
    files = {"shapes.py": SHAPES, "tasks/majority.py": MAJORITY, "claims/waves.py": CLAIM}
    files |= {"studies/waves/study.yaml": STUDY, "studies/waves/smoke.yaml": "{}"} | more
    write(place / "own", files)
    return write(place, {"config.yaml": "scale: smoke\nstudies: [waves]\n"})
