"""A small study that is valid, and how tests change it."""

from pathlib import Path

from house import write_study

from isobath.study.schema import Study
from isobath.workflow import plan

STUDY = """
title: t
source: s
n_test: 10
tasks:
  a: {kind: k_local, k: 2, dimension: 4}
protocols:
  sgd: {kind: sgd, network: {kind: mlp}, learning_rate: {folds: 5}}
kernels:
  ntk: {kind: ntk}
grids:
  g: [{tasks: [a], protocols: [sgd], kernels: [ntk], depth: [1], width: [3], n_train: [20]}]
figures:
  f: {kind: bias_dependence, grid: g, caption: c, tasks: [a]}
claims: []
"""
# The same with a law, of networks whose outputs are stored.
LAW = "{kind: powers, exponents: [-1], grid: g, group: networks, variable: test_error, axis: width, along: width}"
KEPT = STUDY.replace("{folds: 5}}", "'0.1 / width', store: outputs, records: 2, max_epochs: 100}").replace(
    "figures:", f"laws:\n  l: {LAW}\nfigures:"
)


def load(tmp_path: Path, old: str = "", new: str = "", text: str = STUDY, demo: str = "") -> Study:
    assert old in text
    folder = write_study(tmp_path / "locality", text.replace(old, new, 1), demo=demo)
    return plan.load_study(folder, "demo")
