"""What a study file may name is told off the plug-ins themselves."""

import subprocess
import sys

import pytest

from isobath import plugins
from isobath.operations import kinds


def test_every_kind_says_what_it_is():
    for family in plugins.families():
        lines = kinds.listed(family).splitlines()
        assert [line.split()[0] for line in lines] == plugins.kinds(family)
        assert all(len(line.split()) > 3 for line in lines)


def test_a_kind_is_told_with_its_settings_as_they_are_written():
    told = kinds.described("task", "fractal")
    assert "    levels: Count\n" in told
    assert "    margin: NonNegative = 0.0\n" in told
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
    ],
)
def test_the_command(words, code):
    run = subprocess.run(
        [sys.executable, "-m", "isobath", "kinds", *words], capture_output=True, text=True, check=False
    )
    assert run.returncode == code
    assert (run.stdout if code == 0 else run.stderr).strip()
    assert "Traceback" not in run.stderr
