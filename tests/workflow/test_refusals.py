"""Runs that Snakemake should not begin are refused in a sentence, before the list of jobs."""

import shutil

import pytest
from house import edit, snakemake

STUDY = "workflow/studies/locality/study.yaml"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("  2-local: {kind", "  ../2-local: {kind", "letters, digits"),
        ("k: 2, dimension: 500", "k: 2, dimensions: 500", "did you mean 'dimension'"),
    ],
)
def test_bad_input_stops_before_the_dag(small_house, old, new, words):
    edit(small_house, STUDY, old, new)
    run = snakemake(small_house, "-n")
    assert run.returncode != 0
    said = run.stdout + run.stderr
    assert words in said
    assert "locality/study.yaml (scale smoke)" in said
    assert "Building DAG" not in said
    assert "Traceback" not in said


def test_a_results_folder_that_is_no_folder_is_refused_at_once(small_house):
    shutil.rmtree(small_house / "results")
    (small_house / "results").write_text("", encoding="utf-8")
    run = snakemake(small_house, "-n")
    assert run.returncode != 0
    assert "results is not a folder" in run.stdout + run.stderr
