"""Kinds that a study file can name, as they are read from the plug-ins themselves."""

import subprocess
import sys

import pytest
from house import ROOT, write_study

from isobath import plugins
from isobath.operations import kinds
from isobath.study import places


def test_every_kind_says_what_it_is():
    for family in plugins.families():
        lines = kinds.listed(family).splitlines()
        assert [line.split()[0] for line in lines] == plugins.kinds(family)
        assert all(len(line.split()) > 3 for line in lines)


def test_a_kind_is_told_with_its_settings_as_they_are_written():
    told = kinds.described("task", "fractal")
    assert "    levels: Count  # number n of levels\n" in told
    assert "    margin: NonNegative = 0.0  # distance that positive samples keep from the sides of their cell\n" in told
    assert "generator" not in told.split("\n\n")[0]
    for name in plugins.schema("task", "fractal"):
        assert f"    {name}: " in told


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], 0),
        (["figure"], 0),
        (["result"], 0),
        (["claim"], 0),
        (["result", "networks"], 0),
        (["result", "network"], 1),
        (["claim", "width"], 0),
        (["claim", "widht"], 1),
        (["task", "k_local"], 0),
        (["task", "k_loca"], 1),
        (["tax"], 2),
        (["study"], 0),
        (["study", "width"], 0),
        (["study", "widht"], 1),
    ],
)
def test_the_command(words, code):
    run = subprocess.run(
        [sys.executable, "-m", "isobath", "kinds", *words], capture_output=True, text=True, check=False
    )
    assert run.returncode == code
    assert (run.stdout if code == 0 else run.stderr).strip()
    assert "Traceback" not in run.stderr


def test_studies_are_listed_with_titles_and_scales_those_of_ones_own_too(tmp_path):
    mine = write_study(tmp_path / "mine", "extends: locality\ntitle: My own", big="n_test: 5")
    known = {**places.studies(ROOT), "mine": mine}
    lines = dict(line.split(maxsplit=1) for line in kinds.studies(known).splitlines())
    assert lines.keys() == known.keys()
    assert lines["mine"].split("  ")[0] == "My own"
    assert lines["mine"].split("  ")[-1].strip() == "big, demo, laptop, paper, smoke, source"
    assert lines["kernels"].endswith("demo, laptop, paper, smoke")
    told = kinds.study("mine", known)
    assert "    extends: locality\n" in told
    assert "    works: Mori arXiv:2005.12488\n" in told
    assert f"    folder: {mine}\n" in told
