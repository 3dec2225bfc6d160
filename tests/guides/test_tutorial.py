"""The cells of docs/tutorial.md run, one after the other, and its text is right about them."""

import io
import re
from contextlib import redirect_stdout

import matplotlib.pyplot as plt
import pytest
from house import ROOT

TUTORIAL = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
CELLS = re.findall(r"^```\{code-cell\} python\n(.*?)^```$", TUTORIAL, flags=re.DOTALL | re.MULTILINE)
pytestmark = pytest.mark.slow  # half a minute of training, and the compilation of it on a new machine


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """Return the names after the last cell, and the output of each cell."""
    names, printed = {"__name__": "tutorial"}, []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("tutorial"))
        for i, cell in enumerate(CELLS):
            out = io.StringIO()
            with redirect_stdout(out):
                exec(compile(cell, f"docs/tutorial.md, cell {i + 1}", "exec"), names)
            printed.append(out.getvalue())
        plt.close("all")
    return names, printed


def test_there_are_cells_with_code():
    assert len(CELLS) >= 8
    assert TUTORIAL.count("```{code-cell}") == len(CELLS)


def test_every_cell_prints_numbers_or_draws(notebook):
    _, printed = notebook
    silent = [cell for cell, text in zip(CELLS, printed, strict=True) if not text]
    assert len(silent) == 2
    assert all("isobath.plot." in cell for cell in silent)
    assert not re.search(r"\bnan\b", "".join(printed).lower())


def test_the_classes_are_balanced_and_the_rates_bracketed(notebook):
    names, _ = notebook
    assert 0.4 < names["test"][1].mean() < 0.6
    assert all(0.03 < rate < 3 for rate in names["best"].values())


def test_depth_helps_on_rings_and_the_kernel_falls_behind(notebook):
    names, _ = notebook
    means, ntk = names["means"].value, names["ntk"].test_error
    assert names["low"] > 0
    assert means.sel(depth=5, n_train=1600) < means.sel(depth=1, n_train=1600)
    assert (ntk.sel(n_train=1600) > means.sel(depth=5, n_train=1600)).all()
    assert names["law"].reason.sel(fit="free").item() == ""
    assert names["free"].high < 0
    assert names["law"].p_value.sel(fit="free") < 0.01
    assert names["upper"][1] > names["free"].high
