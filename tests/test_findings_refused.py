"""Results of which no findings are made, refused in one sentence."""

import pytest
from click.testing import CliRunner
from findings_runs import claim, run
from house import ROOT

from isobath import __main__ as commands

DECAY = "ntk_decay_is_depth_free"


def isobath(*words):
    return CliRunner().invoke(commands.main, ["findings", "--workflow", str(ROOT), *map(str, words)])


def refusal(*words):
    """What the command says, which is one sentence."""
    done = isobath(*words)
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1), done.output
    return done.stderr


def test_a_cube_with_gaps_is_refused(tmp_path):
    results = run(tmp_path / "a", claim(DECAY), failed=2)
    said = refusal(results, "--output", tmp_path / "findings")
    assert f"{results}/kernels/cubes/theory.zarr.zip: it has gaps, since jobs of 2 results failed; run" in said
    assert not (tmp_path / "findings").exists()


@pytest.mark.parametrize("name", ["README", "Methods"])
def test_a_study_with_the_name_of_another_page_is_refused(tmp_path, name):
    results = run(tmp_path / "a", claim(DECAY), study=name)
    said = refusal(results, "--output", tmp_path / "findings")
    assert f"the findings of a study {name} would replace their page" in said
    assert not (tmp_path / "findings").exists()
