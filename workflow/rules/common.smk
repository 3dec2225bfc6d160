# What all rules share: paths, wildcards, the environment of a job.
import os

from isobath import grids
from isobath.layout import *
from isobath.plugins import fingerprint

# Jobs run this source tree with this Python, whatever is activated or installed.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
os.environ["PYTHONPATH"] = str(HERE / "src")


wildcard_constraints:
    scale=r"[^/]+",
    study=r"[^/]+",
    task=r"[^/]+",
    protocol=r"[^/]+",
    kernel=r"[^/]+",
    grid=r"[^/]+",
    figure=r"[^/]+",
    depth=r"\d+",
    width=r"\d+",
    n_train=r"\d+",
    draw=r"\d+",
    seeds=r"\d+-\d+",


def study(w):
    return STUDIES[w.study]


def folder(w):
    return STUDY.format(scale=CONFIG.scale, study=w.study)


def network_cell(w):
    return grids.NetworkCell(w.task, w.protocol, *map(int, (w.depth, w.width, w.n_train, w.draw)))


def of(stage, make):
    """The two params of every rule: what its job is asked, and what its code means."""

    def spec(w):
        return grids.canonical(make(w))

    def code(w):
        return fingerprint(stage, make(w))

    return {"spec": spec, "code": code}
