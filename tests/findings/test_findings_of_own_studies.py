"""Findings of studies of a user's own, in a folder without a workflow: their content, and texts that people wrote."""

import pytest
from click.testing import CliRunner
from findings_runs import claim, run
from own_folders import STUDY, own

from isobath import __main__ as commands
from isobath import roots

CLAIM = "majority_is_learned"
DEVIATION = "Widths are ours; the source states none"
UNJUDGED = "That waves break (section 3): no grid has a shore"
OPEN = f"not_judged: ['{UNJUDGED}']\n"


@pytest.fixture(autouse=True)
def _in_a_folder_of_ones_own(tmp_path, monkeypatch):
    monkeypatch.chdir(own(tmp_path, **{"studies/waves/study.yaml": f"{STUDY}deviations: [{DEVIATION}]\n{OPEN}"}))
    yield
    roots.use([])


def made(tmp_path, *results):
    """Return the pages of results, by name."""
    done = CliRunner().invoke(commands.main, ["findings", *map(str, results), "--output", "findings"])
    assert done.exit_code == 0, done.output
    return {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "findings").glob("*.md")}


def test_the_page_of_an_own_study_has_its_title_its_deviations_and_its_text(tmp_path):
    results = run(tmp_path, claim(CLAIM, own=True, verdict="holds"), study="waves")
    (tmp_path / "own/studies/waves/findings.md").write_text("What the waves say.\n", encoding="utf-8")
    pages = made(tmp_path, results)
    assert pages.keys() == {"README.md", "methods.md", "waves.md"}
    assert pages["waves.md"].startswith("# Waves\n\nNo source. [All studies](README.md).\n\nWhat the waves say.\n")
    heading = "## Settings that are not those of the source, or that it does not state\n\n"
    assert f"{heading}- {DEVIATION}\n" in pages["waves.md"]
    assert f"## What the source asserts and no claim judges\n\n- {UNJUDGED}\n" in pages["waves.md"]
    assert made(tmp_path) == pages


def test_an_own_study_that_was_not_run_is_named_and_one_of_the_package_is_not(tmp_path):
    decay = claim("ntk_decay_is_depth_free")
    pages = made(tmp_path, run(tmp_path, decay, study="kernels"))
    assert pages.keys() == {"README.md", "methods.md", "waves.md", "kernels.md"}
    assert "This study was not run." in pages["waves.md"]
    assert "## Settings that are not those of the source" in pages["kernels.md"]
    assert DEVIATION not in pages["kernels.md"]
