"""Pages of made-up studies: networks of which some did not fit, drawings, verdicts; and a reader of pages."""

import base64
import html.parser
import io
import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from page_parts import BUILD, MADE

from isobath.page.contents import Figure, Study
from isobath.page.document import compose

VOID = {"meta", "link", "input", "img", "path", "rect", "circle", "col"}


class Document(html.parser.HTMLParser):
    """Elements of a page with their attributes and text; raises where an end does not meet its start."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(content.decode())
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


def networks():
    """Make two widths of three seeds: the last of the second did not fit, the last of the first diverged."""
    dims = ("task", "protocol", "depth", "width", "n_train", "draw", "seed")
    error = np.array([[0.1, 0.2, 0.9], [0.3, 0.5, 0.7]])[None, None, None, :, None, None]
    status = np.array([["fitted", "fitted", "diverged"], ["fitted", "fitted", "unfitted"]], dtype=object)
    coords = {"task": ["a"], "protocol": ["sgd"], "depth": [1], "width": [3, 5], "n_train": [10], "draw": [0]}
    data = {"test_error": (dims, error), "status": (dims, status[None, None, None, :, None, None])}
    outputs = {"outputs": ((*dims, "test_sample"), np.zeros((1, 1, 1, 2, 1, 1, 3, 4)))}
    return xr.Dataset(data | outputs, coords | {"seed": [0, 1, 2], "task_kind": ("task", ["k"])})


def cube(**groups):
    tree = xr.DataTree.from_dict({"networks": networks(), **groups})
    tree.attrs = {**MADE, "spec": json.dumps({"tasks": {"a": {"kind": "k_local", "dimension": 5}}}), "n_test": 100}
    return tree


def drawing():
    figure, axis = plt.subplots(figsize=(2, 1))
    axis.plot([1, 2])
    found = {}
    for suffix in ("svg", "png"):
        buffer = io.BytesIO()
        figure.savefig(buffer, format=suffix, dpi=200)
        found[suffix] = buffer.getvalue()
    plt.close(figure)
    return found


DRAWING = drawing()


def figure(name="figure1", caption="errors", settings=None, drawings=None):
    spec = json.dumps({"figure": {"kind": "x", **(settings or {})}})
    files = dict.fromkeys((f"{name}.{suffix}" for suffix in ("pdf", "svg", "png")), "0")
    record = {"name": name, "caption": caption, "grid": "samples", "files": files, **MADE, "spec": spec}
    return Figure(name, record, drawings or DRAWING)


def study(figures=(), verdicts=None, **more):
    return Study("locality", "Depth", "M and U (2020)", verdicts, list(figures), {"samples": cube(**more)})


def page(*studies, **settings):
    return compose(studies, **{"scale": "demo", "seed": 3, "origin": MADE, "build": BUILD, **settings})


def csvs(document):
    uris = [a["href"] for a in document.all("a") if a["href"].startswith("data:")]
    return [pd.read_csv(io.BytesIO(base64.b64decode(uri.split(",", 1)[1]))) for uri in uris]
