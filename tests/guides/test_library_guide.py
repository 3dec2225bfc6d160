"""The calls of docs/library.md, to the letter, print what it shows; those on results of a run are tried on one."""

import contextlib
import io
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from house import ROOT, fresh, snakemake

GUIDE = (ROOT / "docs/library.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", GUIDE, flags=re.DOTALL)
OF_A_RUN = ("results", "samples")  # what blocks begin with that read a run
NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*|\.\d+|inf|nan)(?:e[+-]?\d+)?")


def reads_a_run(code):
    return code.startswith(OF_A_RUN)


def printed(code, names):
    """Return the output of a block."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "docs/library.md", "exec"), names)
    return out.getvalue()


def agree(found, told):
    """Assert that the words are the same, and the numbers but for the rounding of another processor."""
    assert " ".join(NUMBER.sub("#", found).split()) == " ".join(NUMBER.sub("#", told).split())
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in (found, told)]
    np.testing.assert_allclose(*numbers, rtol=0.05, atol=0.01)


def test_no_call_takes_more_than_five_lines():
    assert len(BLOCKS) > 10
    for code, _ in BLOCKS:
        assert len(code.strip().splitlines()) <= 5, code


def test_the_calls_on_arrays_print_what_the_guide_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plt.close("all")  # those of other tests
    names = {}
    for code, told in BLOCKS:
        if not reads_a_run(code):
            agree(printed(code, names), told)
    assert {path.name for path in tmp_path.iterdir()} == {"curves.png", "law.svg", "jamming.pdf"}
    assert not plt.get_fignums()  # figures are returned, and not left to pyplot


def test_the_readme_draws_its_figure(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(BLOCKS[0][0], names)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    printed(code, names)
    assert (tmp_path / "depth.png").stat().st_size > 1000


@pytest.mark.slow
def test_the_calls_on_a_run_print_what_the_guide_says(tmp_path, monkeypatch):
    house = fresh(tmp_path)
    done = snakemake(house)
    assert done.returncode == 0, done.stderr
    monkeypatch.chdir(house)
    names = {}
    exec(BLOCKS[0][0], names)
    blocks = [block for block in BLOCKS if reads_a_run(block[0])]
    assert len(blocks) == 2
    for code, told in blocks:
        agree(printed(code, names), told)
